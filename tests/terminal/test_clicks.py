"""Two clicks on one spot of the request dialog, in a real terminal with its mouse: they allow nothing that asks twice."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.answers_on_disk import World, client
from tests.support.tmux import Pane, Tmux, started_before

ATM_TUI = str(Path(sys.executable).with_name("atm-tui"))


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with client() as process:
        yield World(tmp_path, process.pid)


def click(pane: Pane, x: int, y: int) -> None:
    """A click as the terminal reports it; cells are counted from 0."""
    for end in "Mm":
        pane.text(f"\x1b[<0;{x + 1};{y + 1}{end}")


def find(pane: Pane, text: str) -> tuple[int, int]:
    """The cell in which a text begins."""
    lines = pane.screen().splitlines()
    y = next(y for y, line in enumerate(lines) if text in line and "│" in line)
    return lines[y].index(text), y


def test_two_clicks_on_one_spot_allow_nothing_that_asks_twice(tmux: Tmux, world: World) -> None:
    started_before(world.lab.root)
    env = {"ATM_STATE_DIR": str(world.lab.root), "CLAUDE_CONFIG_DIR": str(world.config_dir)}
    pane = tmux.start([ATM_TUI], size=(80, 24), env=env, stay=True)
    pane.wait_for("No sessions yet")
    pane.keys("A")
    pane.wait_for("armed")
    with world.asks("Bash", {"command": "rm -rf src"}) as hook:
        pane.wait_for("a allow")
        time.sleep(1.0)
        pane.keys("a")
        pane.wait_for("deletes files")
        for rest in (0.75, 0.3):
            time.sleep(1.2)
            spot = find(pane, "a allow")
            click(pane, *spot)
            pane.wait_for("y says yes anyway")
            assert find(pane, "Esc back") == spot
            time.sleep(rest)
            click(pane, *spot)
            time.sleep(0.5)
            assert hook.process.poll() is None
            if "y says yes anyway" in pane.screen():
                pane.keys("Escape")
            pane.wait_gone("y says yes anyway")
        time.sleep(1.0)
        click(pane, *spot)
        pane.wait_for("y says yes anyway")
        time.sleep(1.0)
        click(pane, *find(pane, "y yes"))
        pane.wait_for("allowed here")
        assert hook.decision() == {"behavior": "allow"}
    pane.keys("q")
    assert pane.left() == 0
    pane.assert_clean()
