"""The app's states that pictures show: `screenshots/make.py` renders all of them, snapshot tests compare some."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.model.fleet import Health
from atm_tui.monitor.recording import read_entries
from atm_tui.monitor.replay import Replay
from tests.support import conversations, fleets, invented_events, open_requests
from tests.support.memory_monitor import InventedUsage, MemoryMonitor
from tests.support.timelines import RECORDINGS

DEFAULTS = Config()


def _show_busy(monitor: MemoryMonitor) -> None:
    monitor.put(fleets.make_busy_fleet(), health=fleets.HEALTHY)


def _show_peeked(monitor: MemoryMonitor) -> None:
    _show_busy(monitor)
    monitor.events = fleets.make_journal()


def _show_unreadable(monitor: MemoryMonitor) -> None:
    monitor.put(fleets.make_busy_fleet()[:5], fleets.BROKEN, fleets.UNHEARD)


def _show_notices(monitor: MemoryMonitor) -> None:
    notices = (
        f"{monitor.home}/.claude: hooks are installed for 22 of 24 events: run atm-tui install, which keeps what is yours.",
        "2 of 5 live sessions started before the hooks were installed, or may not run them: restart them.",
        "Events are lost: the disk of /home/user/.local/state/atm-tui is full. Make room there.",
    )
    monitor.put(fleets.make_busy_fleet(), health=Health(notices=notices))


def _show_empty(monitor: MemoryMonitor) -> None:
    monitor.put([], health=Health(hooks="missing", notices=("Hooks are not installed: run atm-tui install.",)))


def _show_usage(monitor: MemoryMonitor) -> None:
    _show_busy(monitor)
    monitor.usage = InventedUsage()


@cache
def _make_folder() -> TemporaryDirectory[str]:
    """Makes the folder of the transcript that the conversation shows. It goes with the process."""
    return TemporaryDirectory(prefix="atm-picture-")


def _show_conversation(monitor: MemoryMonitor) -> None:
    path = Path(_make_folder().name, "talk.jsonl")
    path.unlink(missing_ok=True)
    conversations.write_work(path)
    monitor.put([replace(each, transcript_path=str(path)) for each in fleets.make_busy_fleet()], health=fleets.HEALTHY)


@dataclass(frozen=True)
class Picture:
    """A picture: what it shows, its size, and the keys to press first."""

    fill: Callable[[MemoryMonitor], None]
    size: tuple[int, int]
    keys: tuple[str, ...] = ()
    no_color: bool = False
    config: Config = DEFAULTS
    replay: Path | None = None
    """A recording to show instead of a fleet, paused at its start."""
    settle: float = 0.1
    """Seconds until everything is loaded."""


PICTURES = {
    "busy": Picture(_show_busy, (140, 45), ("g", "j")),
    "busy-light": Picture(_show_busy, (140, 45), ("g", "j"), config=Config(theme="atm-light")),
    "project": Picture(_show_busy, (120, 36), ("g",)),
    "medium": Picture(_show_busy, (80, 24)),
    "narrow": Picture(_show_busy, (60, 24)),
    "tiny": Picture(_show_busy, (40, 12)),
    "empty": Picture(_show_empty, (100, 24)),
    "unreadable": Picture(_show_unreadable, (110, 28), ("G",)),
    "no-color": Picture(_show_busy, (120, 36), ("g", "j", "j"), no_color=True),
    "ascii": Picture(_show_busy, (100, 30), config=Config(ascii=True)),
    "board": Picture(_show_busy, (140, 45), ("b", "g", "j")),
    "board-narrow": Picture(_show_busy, (80, 24), ("b", "g")),
    "request": Picture(open_requests.fill_requests, (120, 36), ("g", "j", "w"), settle=0.4),
    "question": Picture(open_requests.fill_requests, (80, 24), ("N", "a"), settle=0.4),
    "panes": Picture(invented_events.fill_hour, (140, 45), ("g", "j", "tab", "4"), settle=0.5),
    "palette": Picture(_show_busy, (100, 30), ("ctrl+p", *"or"), settle=0.6),
    "welcome": Picture(_show_busy, (80, 24), ("W",), settle=0.3),
    "board-light": Picture(_show_busy, (120, 36), ("b", "g"), config=Config(theme="atm-light")),
    "board-contrast": Picture(_show_busy, (120, 36), ("b", "g"), config=Config(theme="atm-contrast")),
    "board-safe": Picture(_show_busy, (120, 36), ("b", "g"), config=Config(theme="atm-safe")),
    "timeline": Picture(invented_events.fill_hour, (140, 45), ("L", "k", "k", "k"), settle=0.5),
    "timeline-narrow": Picture(
        invented_events.fill_hour, (80, 24), ("L",), config=Config(theme="atm-light"), settle=0.5
    ),
    "history": Picture(invented_events.fill_history, (140, 45), ("H", "slash", *"log", "enter"), settle=0.5),
    "history-narrow": Picture(
        invented_events.fill_history, (80, 24), ("H",), config=Config(theme="atm-light"), settle=0.5
    ),
    "themes": Picture(_show_busy, (120, 36), ("T", "j")),
    "usage": Picture(_show_usage, (120, 34), ("u", "left"), settle=1.5),
    "usage-narrow": Picture(_show_usage, (80, 24), ("u", "left"), no_color=True, settle=1.5),
    "peek": Picture(_show_peeked, (120, 36), ("g", "j", "space")),
    "conversation": Picture(_show_conversation, (120, 44), ("g", "j", "o", "slash", *"lifetime", "enter"), settle=1.0),
    "replay": Picture(_show_busy, (120, 30), ("}",) * 4, replay=RECORDINGS / "02-nested-subagents.jsonl"),
    "notices": Picture(_show_notices, (100, 28), ("D",), settle=0.4),
    "help": Picture(_show_busy, (100, 36), ("question_mark",)),
}


def make_app(picture: Picture) -> AtmApp:
    """Makes the app for a picture; the caller runs it and presses its keys."""
    if picture.replay:
        replay = Replay(read_entries(picture.replay))
        replay.paused = True
        return AtmApp(replay, picture.config)
    monitor = MemoryMonitor()
    picture.fill(monitor)
    return AtmApp(monitor, picture.config)
