"""Every command with unusual file types in place of its files: it ends soon, with a documented code and no traceback."""

import os
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from atm_tui.config import Config
from atm_tui.monitor.live import LiveMonitor
from atm_tui.settings import doctor
from atm_tui.settings.trial import Trial
from tests.support.effort import LONG, sample
from tests.support.every_command import WORDS, run_here, without_screens
from tests.support.full_home import FullHome, enter_full_home

ROOM = 1 << 30
"""Bytes that a command may need: /dev/zero and a file of 1 TB would take all there is."""
CONCERNED = {
    "state": tuple(WORDS),
    "journal": ("", "status", "explain", "replay", "report", "usage"),
    "old journal": ("explain", "replay", "report"),
    "hook log": ("doctor",),
    "lease": ("answer", "status"),
    "request": ("answer", "status"),
    "verdict": ("answer",),
    "log of answers": ("answers", "answer"),
    "old log of answers": ("answers",),
    "transcript": ("status", "usage", "explain", "resume"),
    "agent": ("status", "usage"),
    "meta": ("status",),
    "plan": ("answer",),
    "settings": ("", "status", "doctor", "install", "uninstall"),
    "backup": ("install", "uninstall"),
    "project settings": ("doctor",),
    "receipt": ("doctor", "install", "uninstall"),
    "plugin": ("status", "doctor", "install"),
    "config": tuple(WORDS),
}
"""Commands that read what is in a place; of the others, those that refresh."""
WITHOUT_CONFIG = (
    "answers",
    "completion",
    "man",
    "mute",
    "serve",
    "demo",
    "install",
    "uninstall",
    "doctor",
    "tmux-conf",
    "",
    "replay",
    "config",
)
"""Commands that read no configuration, or go on without it."""


TRIED = ("state", "hook log", "lease")
"""Places that the hook uses, which doctor tries: with these also in a short run."""


def _make_fifo(path: Path) -> None:
    os.mkfifo(path)


def _link_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _make_sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def _make_folder(path: Path) -> None:
    path.mkdir()


def _link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


KINDS: dict[str, Callable[[Path], None]] = {
    "FIFO": _make_fifo,
    "device": _link_device,
    "file of 1 TB": _make_sparse,
    "folder": _make_folder,
    "link to itself": _link_to_itself,
}


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def _bound_memory() -> Iterator[None]:
    """What needs far more memory than there was before raises MemoryError."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FullHome]:
    with enter_full_home(tmp_path, monkeypatch) as home, without_screens(home), _bound_memory():
        yield home


def test_every_location_is_tested(home: FullHome) -> None:
    assert set(CONCERNED) <= set(home.places)


PLACES = (
    *("state", "journal", "old journal", "hook log", "lease", "request", "verdict", "log of answers"),
    *("old log of answers", "flags", "seen", "alerts", "theme", "layout", "waits", "registry", "transcript", "agent"),
    *("meta", "plan", "settings", "backup", "project settings", "receipt", "plugin", "config", "branch", "worktree"),
)


@pytest.mark.parametrize("place", sample(PLACES, *PLACES[::4], *TRIED, "config", "settings"))
def test_each_command_copes_with_unusual_file_types(
    home: FullHome, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not LONG and place not in TRIED:
        monkeypatch.setattr(doctor, "try_command", lambda *_, **__: Trial(1.0))
    path = home.places[place]
    good = path.read_bytes() if path.exists() else None
    turn = PLACES.index(place) % len(KINDS)
    for number, (kind, make) in enumerate(KINDS.items()):
        _remove(path)
        make(path)
        _check_refresh(home, place, kind)
        if LONG or number in (0, turn):  # a FIFO, and another kind by turns
            for name in CONCERNED.get(place, ("", "status")):
                for words in WORDS[name] if LONG else WORDS[name][:1]:
                    ended = run_here(words)
                    assert ended.is_documented, (kind, ended)
                    if place == "config" and name not in WITHOUT_CONFIG:
                        assert str(path) in ended.err, (kind, ended)
        _remove(path)
        home.restore()
        if good is not None:
            path.write_bytes(good)
            path.chmod(0o600)


def _check_refresh(home: FullHome, place: str, kind: str) -> None:
    """A monitor reads what else there is, twice, and names the file where that concerns a session or the hooks."""
    path = home.places[place]
    monitor = LiveMonitor(home.state, [home.claude], Config())
    monitor.refresh()
    monitor.refresh()
    fleet = monitor.fleet
    if place in ("state", "registry", "settings", "request", "transcript"):
        shown = [*fleet.health.notices, *(f"{each.path}: {each.problem}" for each in fleet.unreadable)]
        shown += [each.problem or "" for each in fleet.sessions.values()]
        assert any(path.name in line for line in shown), (kind, shown)
