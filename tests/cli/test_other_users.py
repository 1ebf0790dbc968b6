"""Folders and files without permission, or of another user: commands, monitor and hook handle them and name the path."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import atm_hooks
from atm_hooks import journal, payload
from atm_tui.cli.table import COMMANDS
from atm_tui.config import Config
from atm_tui.monitor.live import LiveMonitor
from atm_tui.settings import doctor
from atm_tui.settings.trial import Trial
from tests.support.effort import LONG, sample
from tests.support.every_command import WORDS, run_here, without_screens
from tests.support.full_home import SESSION, FullHome, enter_full_home
from tests.support.privileges import OTHER_USER, without_privileges

OTHER_SESSION = "3f0e4b12-0000-4000-8000-000000000003"
EVERY = [words for each in WORDS.values() for words in each]
MONITORS = {"", *(name for name, command in COMMANDS.items() if command.needs_monitor)}

NAMED_BY: dict[str, set[str]] = {
    "state": {"status", "answers", "explain", "replay", "report", "doctor"},
    "state/answers": {"status", "answers", "doctor"},
    "state/journal": {"status", "explain", "replay", "report", "doctor"},
    "state/sessions": {"status", "doctor"},
    "state/locks": {"status", "doctor"},
    "state/tmp": {"status", "doctor"},
    f"state/sessions/{SESSION}.json": {"explain", "doctor"},
    f"state/journal/{SESSION}.jsonl": {"status", "explain", "report", "doctor"},
    f"state/locks/{SESSION}.lock": {"status", "doctor"},
    ".claude": {"status", "install", "uninstall", "usage", "doctor"},
    ".claude/sessions": {"status"},
    ".claude/projects": {"status", "usage", "doctor"},
    f".claude/projects/-work/{SESSION}.jsonl": {"status", "usage", "doctor"},
    ".claude/settings.json": {"status", "install", "uninstall", "doctor"},
    ".config/atm-tui/config.toml": (MONITORS - {"", "replay"}) | {"config"},
}
"""By place: the commands that need it, and so name it. All others end well."""
NOT_SHOWN = {".config/atm-tui/config.toml"}
"""Places that the monitor doesn't read by itself."""
HOOK_STOPS_AT = ("state/journal", "state/locks", f"state/journal/{SESSION}.jsonl", f"state/locks/{SESSION}.lock")
"""Places without which the hook records nothing, and says so in its log."""
OF_OTHERS = sample(
    [each for each in NAMED_BY if each.startswith("state")],
    *("state", "state/answers", "state/journal", f"state/sessions/{SESSION}.json"),
)

TURNS = 13
"""Of so many places one tries a command that doesn't need it; a long run tries all."""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FullHome]:
    with enter_full_home(tmp_path, monkeypatch) as home, without_screens(home):
        _prepare(home, monkeypatch)
        yield home


def _prepare(home: FullHome, monkeypatch: pytest.MonkeyPatch) -> None:
    """Adds a session that only hooks reported; keeps doctor from running the installed commands."""
    raw = home.make_payload("UserPromptSubmit", prompt="go on").replace(SESSION.encode(), OTHER_SESSION.encode())
    environ = {"CLAUDE_PID": str(os.getppid())}
    journal.record_event(str(home.state), payload.parse_event(raw, home.now - 0.1, environ))
    if not LONG:  # takes long, and no case depends on it
        monkeypatch.setattr(doctor, "try_command", lambda *_, **__: Trial(1.0))


def test_every_command_is_tested() -> None:
    assert set(WORDS) == {"", *COMMANDS}
    assert set().union(*NAMED_BY.values()) <= set(WORDS)


def test_root_has_the_permissions_of_a_user(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.touch(mode=0)
    with without_privileges():
        assert not os.access(closed, os.R_OK)
        with pytest.raises(PermissionError):
            closed.read_bytes()
        assert subprocess.run(["cat", closed], stderr=subprocess.DEVNULL, check=False).returncode != 0
    assert os.geteuid() != 0 or closed.read_bytes() == b""


@pytest.mark.parametrize("place", sample(NAMED_BY, *list(NAMED_BY)[::2]))
def test_each_command_ends_without_permission(home: FullHome, place: str) -> None:
    path = home.folder / place
    mode = path.stat().st_mode
    path.chmod(0)
    try:
        _check_all(home, place)
    finally:
        path.chmod(mode)


@as_root
@pytest.mark.parametrize("place", OF_OTHERS)
def test_each_command_ends_with_files_of_another_user(home: FullHome, place: str) -> None:
    os.chown(home.folder / place, OTHER_USER, OTHER_USER)
    _check_all(home, place)


def _check_all(home: FullHome, place: str) -> None:
    with without_privileges():
        _check_refresh(home, place)
        _check_commands(home, place)
        _check_hook(home, place)


def _check_commands(home: FullHome, place: str) -> None:
    """All commands that need the place; of the others some, by turns."""
    turn = list(NAMED_BY).index(place)
    silent = set(NAMED_BY[place])
    for number, words in enumerate(EVERY):
        name = words[0] if words and words[0] in COMMANDS else ""
        if LONG or name in silent or number % TURNS == turn % TURNS:
            ended = run_here(words)
            assert ended.is_documented, ended
            if _mentions(home.folder / place, ended.out + ended.err):
                silent.discard(name)
    assert not silent, f"these don't name {place}"


def _check_refresh(home: FullHome, place: str) -> None:
    """The monitor names the place, and shows what else there is."""
    monitor = LiveMonitor(home.state, [home.claude], Config())
    monitor.refresh()
    monitor.refresh()
    fleet = monitor.fleet
    shown = [*fleet.health.notices, *(f"{each.path}: {each.problem}" for each in fleet.unreadable)]
    shown += [f"{home.state}/sessions {each.problem}" for each in fleet.sessions.values() if each.problem]
    assert place in NOT_SHOWN or any(_mentions(home.folder / place, line) for line in shown), shown
    assert SESSION in fleet.sessions
    if place not in ("state", "state/sessions"):
        assert OTHER_SESSION in fleet.sessions
        assert fleet.sessions[OTHER_SESSION].problem is None


def _check_hook(home: FullHome, place: str) -> None:
    words = [
        sys.executable,
        "-I",
        "-S",
        str(Path(atm_hooks.__file__).with_name("hook.py")),
        str(home.state),
        "--answers",
    ]
    done = subprocess.run(
        words, input=home.make_payload("Stop"), capture_output=True, env=home.environ, cwd="/", check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    if place in HOOK_STOPS_AT:
        assert str(home.folder / place) in (home.state / "hook.log").read_text().splitlines()[-1]


def _mentions(path: Path, text: str) -> bool:
    """Whether a text names a path; of a file also its folder, and then its name."""
    return str(path) in text or (path.suffix != "" and path.name in text.partition(str(path.parent))[2])
