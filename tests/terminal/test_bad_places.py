"""The app while something that is no file stands in the place of every file that it reads: it shows so, and q leaves."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.effort import sample
from tests.support.full_home import FullHome
from tests.support.tmux import Tmux

LIMIT = 'ulimit -v 2000000; exec "$@"'
"""Shell text that bounds the memory of a program to 2 GB; what /dev/zero holds would fill any."""


def _make_fifo(path: Path) -> None:
    os.mkfifo(path, 0o600)


def _link_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _make_either(path: Path) -> None:
    (_make_fifo if len(path.name) % 2 else _link_device)(path)


def _replace(home: FullHome, make: Callable[[Path], None], *but: str) -> None:
    for name, path in home.places.items():
        if name not in but:
            path.unlink(missing_ok=True)
            make(path)


@pytest.mark.parametrize("make", sample([_make_fifo, _link_device, _make_either], _make_either))
def test_q_leaves_while_no_file_can_be_read(tmp_path: Path, tmux: Tmux, make: Callable[[Path], None]) -> None:
    home = FullHome(tmp_path / "home")
    _replace(home, make, "config", "alerts")
    command = ["sh", "-c", LIMIT, "sh", sys.executable, "-m", "atm_tui"]
    pane = tmux.start(command, env=home.environ, stay=True)
    pane.wait_for("not a regular file|Not a regular file")
    for key, shown in (("b", "needs you"), ("H", "history"), ("L", "timeline"), ("t", "state"), ("u", "usage")):
        pane.press_keys(key)
        pane.wait_for(f"(?i){shown}")
    pane.press_keys("u")
    pane.wait_gone("by session")
    pane.press_keys("q")
    assert pane.wait_for_exit() == 0
    pane.assert_clean()
    home.close()


def test_a_configuration_that_is_not_a_file_is_named_and_stops_nothing(tmp_path: Path, tmux: Tmux) -> None:
    home = FullHome(tmp_path / "home")
    _replace(home, _make_fifo, "alerts")
    pane = tmux.start([sys.executable, "-m", "atm_tui"], env=home.environ, stay=True)
    pane.wait_for("config.toml: can't be read: Not a regular file but a FIFO")
    pane.press_keys("q")
    assert pane.wait_for_exit() == 0
    pane.assert_clean()
    home.close()
