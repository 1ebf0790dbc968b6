"""What stands in the place of a file that is read, for every command: each ends soon, with a documented code and no traceback."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from atm_tui.cli.exit_codes import ExitCode
from atm_tui.config import Config
from atm_tui.monitor.live import LiveMonitor
from tests.cli.conftest import Home
from tests.support.effort import LONG, sample

SESSION = "3f0e4b12-0000-4000-8000-000000000001"
COMMANDS = [
    ("status",),
    ("status", "--json"),
    ("usage",),
    ("explain", SESSION),
    ("doctor",),
    ("jump", "--print", SESSION),
    ("next",),
    ("answers",),
    ("answer", "--deny", SESSION),
    ("resume", "--print", SESSION),
    ("replay", SESSION),
    ("install", "--dry-run"),
    ("uninstall", "--dry-run"),
]
PLACES = {
    "state": "state/sessions/{session}.json",
    "journal": "state/journal/{session}.jsonl",
    "old journal": "state/journal/{session}.jsonl.1",
    "hook log": "state/hook.log",
    "lease": "state/answers/lease",
    "request": "state/answers/requests/0123456789abcdef0123456789abcdef.json",
    "log of answers": "state/answers/log.jsonl",
    "seen": "state/app/seen.json",
    "flags": "state/app/care.json",
    "registry": ".claude/sessions/4711.json",
    "transcript": ".claude/projects/-work/{session}.jsonl",
    "meta": ".claude/projects/-work/{session}/subagents/agent-1.meta.json",
    "settings": ".claude/settings.json",
    "config": ".config/atm-tui/config.toml",
}


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def _folder(path: Path) -> None:
    path.mkdir()


def _ring(path: Path) -> None:
    path.symlink_to(path.name)


KINDS = {"fifo": _fifo, "device": _device, "sparse": _sparse, "folder": _folder, "ring": _ring}


def _fill(home: Home, place: str, make: Callable[[Path], None]) -> Path:
    """A home with one session in state and transcript, and something else in one place."""
    home.replay("01-permission-allowed")
    (recorded,) = (home.state / "sessions").glob("*.json")
    for file in home.state.rglob(f"{recorded.stem}.*"):
        text = file.read_text().replace(recorded.stem, SESSION) if file.suffix != ".lock" else ""
        file.with_name(file.name.replace(recorded.stem, SESSION)).write_text(text)
        file.unlink()
    path = home.folder / PLACES[place].format(session=SESSION)
    for parent in (home.state / "answers", home.state / "answers/requests", path.parent):
        parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.exists():
        path.unlink()
    make(path)
    return path


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", PLACES)
def test_a_refresh_ends_with_what_stands_in_a_files_place(
    home: Home, place: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(home.folder))
    path = _fill(home, place, KINDS[kind])
    monitor = LiveMonitor(home.state, [home.folder / ".claude"], Config())
    monitor.refresh()
    monitor.refresh()
    fleet = monitor.fleet
    if place in ("state", "registry", "settings", "request"):
        shown = [*fleet.health.notices, *(f"{each.path}: {each.problem}" for each in fleet.unreadable)]
        assert any(path.name in line for line in shown), shown


@pytest.mark.slow
@pytest.mark.parametrize("kind", sample(["fifo", "device", "sparse"], "fifo"))
@pytest.mark.parametrize("place", PLACES)
def test_each_command_ends_with_what_stands_in_a_files_place(home: Home, place: str, kind: str) -> None:
    path = _fill(home, place, KINDS[kind])
    chosen = COMMANDS if LONG else _concerned(place)
    for words in chosen:
        done = home.run(*words)
        assert done.code in set(ExitCode), (words, done)
        assert "Traceback" not in done.err, (words, done.err)
        if place == "config" and words[0] in ("status", "usage", "jump"):
            assert str(path) in done.err


def _concerned(place: str) -> list[tuple[str, ...]]:
    """The commands that read what is in a place; all read state and configuration, which are tried with all of them."""
    if place in ("state", "journal"):
        return COMMANDS
    words = {
        "config": ("status", "usage", "jump"),
        "hook log": ("doctor",),
        "settings": ("status", "doctor", "install", "uninstall"),
        "log of answers": ("answers", "answer"),
        "lease": ("answer", "status"),
        "request": ("answer", "status"),
        "transcript": ("status", "usage", "explain", "resume"),
        "meta": ("status", "usage"),
        "old journal": ("explain", "replay"),
    }.get(place, ("status", "doctor"))
    return [each for each in COMMANDS if each[0] in words]
