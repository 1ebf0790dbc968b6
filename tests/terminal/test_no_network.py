"""Nothing of atm-tui uses a network: app, commands and hook run where there is none, and try no connection."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from atm_tui.cli.table import COMMANDS, SCREEN
from tests.support import no_network
from tests.support.effort import LONG
from tests.support.every_command import WORDS
from tests.support.full_home import FullHome
from tests.support.tmux import Tmux, mark_as_started
from tests.support.waiting import PATIENCE

LOCAL = {
    "tmux",
    "sh",
    "git",
    "osascript",
    "python",
    Path(sys.executable).name,
    Path(os.path.realpath(sys.executable)).name,
}
"""Programs that commands may start here: none of them uses a network for what it is asked."""

VIEWS = (("b", r"Needs you +1"), ("u", "by session"), ("Escape", r"Needs you +1"), ("H", "History +the last"))
"""Keys, and what only the view has that each opens."""


@pytest.fixture
def home(tmp_path: Path) -> FullHome:
    return FullHome(tmp_path)


def test_no_command_tries_a_connection(home: FullHome, tmp_path: Path) -> None:
    log = tmp_path / "network.log"
    screens = {name for name, command in COMMANDS.items() if set(SCREEN) <= set(command.exits)} - {"install"}
    words = [
        list(each)
        for name, several in WORDS.items()
        if name and name not in screens
        for each in (several if LONG else several[:1])
    ]
    words = [each + (["--timeout", "0.01"] if each[0] in ("watch", "wait", "stream") else []) for each in words]
    done = subprocess.run(
        no_network.guard(no_network.COMMANDS, json.dumps(words)),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=home.folder,
        env={**os.environ, **home.environ, no_network.LOG: str(log)},
        timeout=2 * PATIENCE,
        check=True,
    )
    ended = [json.loads(line) for line in re.findall(r"^\[ended\] (.*)$", done.stdout, re.MULTILINE)]
    assert [each for each, _ in ended] == words
    assert "fault in atm-tui" not in done.stderr
    tried, programs = no_network.read_notes(log)
    assert tried == []
    assert programs <= LOCAL, programs - LOCAL


def test_the_app_shows_all_views_without_a_network(home: FullHome, tmux: Tmux, tmp_path: Path) -> None:
    log = tmp_path / "network.log"
    mark_as_started(home.state)
    environ = {**home.environ, no_network.LOG: str(log)}
    pane = tmux.start(no_network.guard(no_network.RUN), cwd=home.folder, env=environ, stay=True)
    pane.wait_for("npm test")
    for key, pattern in VIEWS:
        pane.press_keys(key)
        pane.wait_for(pattern)
    pane.press_keys("q")
    assert pane.wait_for_exit() == 0
    tried, programs = no_network.read_notes(log)
    assert tried == []
    assert programs <= LOCAL, programs - LOCAL


def test_the_guard_notices_a_connection(tmp_path: Path) -> None:
    log = tmp_path / "network.log"
    code = f"{no_network.GUARD}\nimport socket\nsocket.create_connection(('127.0.0.1', 9))"
    environ = {**os.environ, no_network.LOG: str(log)}
    done = subprocess.run(no_network.guard(code), capture_output=True, env=environ, timeout=PATIENCE, check=False)
    assert done.returncode == 1
    assert no_network.read_notes(log)[0]
