"""Fixtures for tests of the real app in a real terminal."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from atm_tui.cli import notify
from tests.support.jumping import TerminalView, TmuxWorkspace
from tests.support.needs import need_tmux
from tests.support.notification_stage import Stage
from tests.support.tmux import Pane, Tmux, mark_as_started


@pytest.fixture
def terminal_env(tmp_path: Path) -> dict[str, str]:
    """A clean environment: a scratch home, and atm-tui's folders inside it, not used for the first time."""
    home = tmp_path / "home"
    home.mkdir()
    mark_as_started(home / "state")
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TZ": os.environ["TZ"],
        "SHELL": "/bin/sh",
        "ATM_STATE_DIR": str(home / "state"),
        "ATM_DATA_DIR": str(home / "data"),
    }


@pytest.fixture
def tmux(terminal_env: dict[str, str]) -> Iterator[Tmux]:
    """A private tmux server; skips without tmux. `tmux.start([…], size=(120, 40), stay=True)` gives a pane."""
    with ExitStack() as stack:
        server = Tmux(need_tmux(), terminal_env)
        stack.callback(server.close)
        yield server


@pytest.fixture
def workspace(terminal_env: dict[str, str]) -> Iterator[TmuxWorkspace]:
    """A tmux server with people in front of it; skips without tmux."""
    made = TmuxWorkspace(need_tmux(), terminal_env)
    yield made
    made.close()


@pytest.fixture
def untouched(workspace: TmuxWorkspace) -> Iterator[Callable[[Pane], None]]:
    """Notes clients whose view must be the same at the end, byte by byte."""
    kept: list[tuple[Pane, TerminalView]] = []
    yield lambda client: kept.append((client, workspace.read_view(client)))
    assert kept, "no client was noted"
    for client, view in kept:
        assert workspace.read_view(client) == view


@pytest.fixture
def stage(tmux: Tmux, terminal_env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setenv("HOME", terminal_env["HOME"])
    monkeypatch.setattr(notify, "MARGIN", 300.0)  # however slow the machine is
    with ExitStack() as stack:
        made = Stage(tmux, terminal_env, tmp_path)
        stack.callback(made.terminal.close)
        yield made
