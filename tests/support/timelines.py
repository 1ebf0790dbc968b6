"""Recordings of the real client, and hand-written timelines of what a user would have seen at each time."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from atm_hooks import journal
from atm_tui.timeline.event import Event

DATA = Path(__file__).parents[1] / "data"
RECORDINGS = DATA / "recordings"
NAMES = sorted(path.stem for path in (DATA / "timelines").glob("*.txt"))
SLACK = 0.3
"""Seconds after a change in which the previous value is still accepted."""

_AGENTS = re.compile(r"; (?=[\w#/ -]+:(?:working|needs_you|idle|done|failed|stopped):)")
_WAITS = re.compile(r"; (?=[\w#/ -]+? (?:permission|question|plan|MCP input|dialog)\b)")


def make_events(*events: dict[str, Any]) -> list[Event]:
    """Makes events as a journal reader returns them."""
    return msgspec.convert(events, list[Event])


def read_raw_events(root: str, session: str) -> list[dict[str, Any]]:
    """Returns all events in the journal of a session, as the hooks' own reader does, oldest first."""
    path = Path(journal.locate_journal(root, session))
    paths = (path.with_name(path.name + ".1"), path)
    return [event for each in paths if each.exists() for event in journal.decode_events(each.read_bytes())]


class Expected(NamedTuple):
    """One line of a timeline: true from `t` to the session's next line."""

    t: float
    session: str
    liveness: str
    state: str
    detail: str
    waits: tuple[str, ...]
    agents: tuple[str, ...]
    background: str
    line: int


def read_recording(name: str) -> list[dict[str, Any]]:
    """Returns the lines of a recording, in time order."""
    text = (RECORDINGS / f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def read_timeline(name: str) -> list[Expected]:
    """Returns the lines of a timeline, in its order."""
    found = []
    for number, line in enumerate((DATA / "timelines" / f"{name}.txt").read_text("utf-8").splitlines(), 1):
        if not line or line.startswith(("#", "gap:")):
            continue
        cells = [cell.strip() for cell in line.split(" | ")]
        cells += [""] * (8 - len(cells))
        waits = tuple(_WAITS.split(cells[5])) if cells[5] else ()
        agents = tuple(_AGENTS.split(cells[6])) if cells[6] else ()
        found.append(Expected(float(cells[0]), *cells[1:5], waits, agents, cells[7], number))
    return found


def list_gaps(name: str) -> list[str]:
    """Lists what can't be known without the registry, in the words of the timeline."""
    text = (DATA / "timelines" / f"{name}.txt").read_text("utf-8")
    return [line.removeprefix("gap:").strip() for line in text.splitlines() if line.startswith("gap:")]


def iterate_spans(lines: list[Expected], end: float) -> Iterator[tuple[Expected, float]]:
    """Yields each line with the time until which it is true."""
    for at, line in enumerate(lines):
        until = next((later.t for later in lines[at + 1 :] if later.session == line.session), end)
        yield line, until


def matches(expected: str, shown: str) -> bool:
    """Returns whether a shown text is the expected one; long ones may be cut, and a final "?" means that it can't be known."""
    if expected.endswith("?"):
        return True
    long = max(len(expected), len(shown)) > 60
    return expected == shown or (long and expected[:60] == shown[:60])


def label_agents(agents: list[tuple[str, str | None, str]]) -> dict[str, str]:
    """Returns labels by id for (id, parent, type) in start order: the type, "#2" for a second sibling, "parent/" in front."""
    labels: dict[str, str] = {}
    counts: dict[tuple[str | None, str], int] = {}
    for key, parent, kind in agents:
        counts[parent, kind] = counts.get((parent, kind), 0) + 1
        number = f"#{counts[parent, kind]}" if counts[parent, kind] > 1 else ""
        above = f"{labels[parent]}/" if parent in labels else ""
        labels[key] = f"{above}{kind}{number}"
    return labels
