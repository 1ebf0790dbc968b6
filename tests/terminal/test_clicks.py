"""Two clicks on one spot of the request dialog, in a real terminal with its mouse: they allow nothing that asks twice."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.answers_on_disk import AnswerHarness, run_client
from tests.support.effort import sample
from tests.support.program import ATM_TUI
from tests.support.tmux import Pane, Tmux, mark_as_started


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[AnswerHarness]:
    with run_client() as process:
        yield AnswerHarness(tmp_path, process.pid)


def click_cell(pane: Pane, x: int, y: int) -> None:
    """A click as the terminal reports it; cells are counted from 0."""
    for end in "Mm":
        pane.type_text(f"\x1b[<0;{x + 1};{y + 1}{end}")


def find_text(pane: Pane, text: str) -> tuple[int, int]:
    """The cell in which a text begins."""
    lines = pane.read_screen().splitlines()
    y = next(y for y, line in enumerate(lines) if text in line and "│" in line)
    return lines[y].index(text), y


def test_two_clicks_in_one_place_never_allow_a_dangerous_request(tmux: Tmux, harness: AnswerHarness) -> None:
    mark_as_started(harness.sandbox.root)
    env = {"ATM_STATE_DIR": str(harness.sandbox.root), "CLAUDE_CONFIG_DIR": str(harness.config_dir)}
    pane = tmux.start([ATM_TUI], size=(80, 24), env=env, stay=True)
    pane.wait_for("No sessions yet")
    pane.press_keys("A")
    pane.wait_for("armed")
    with harness.open_request("Bash", {"command": "rm -rf src"}) as hook:
        pane.wait_for("a allow")
        time.sleep(1.0)
        pane.press_keys("a")
        pane.wait_for("deletes files")
        for rest in sample((0.75, 0.3), 0.3):  # tests/app/test_second_yes.py has more of them in every run
            time.sleep(1.2)
            spot = find_text(pane, "a allow")
            click_cell(pane, *spot)
            pane.wait_for("y says yes anyway")
            assert find_text(pane, "Esc back") == spot
            time.sleep(rest)
            click_cell(pane, *spot)
            time.sleep(0.5)
            assert hook.process.poll() is None
            if "y says yes anyway" in pane.read_screen():
                pane.press_keys("Escape")
            pane.wait_gone("y says yes anyway")
        time.sleep(1.0)
        click_cell(pane, *spot)
        pane.wait_for("y says yes anyway")
        time.sleep(1.0)
        click_cell(pane, *find_text(pane, "y yes"))
        pane.wait_for("allowed here")
        assert hook.decision() == {"behavior": "allow"}
    pane.press_keys("q")
    assert pane.wait_for_exit() == 0
    pane.assert_clean()
