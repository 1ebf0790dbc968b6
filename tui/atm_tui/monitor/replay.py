"""A recorded journal as a Monitor: the app on the past, with a clock that can be stopped, stepped, moved and sped up.

Reads journals (our own events, `{"at": …, "event": …}`) and recordings of the client (`{"t": …, "kind": …}` with hook,
statusline and registry lines). Nothing is written, and nothing of now is looked at.
"""

import asyncio
import bisect
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from atm_hooks import fold, payload, sample
from atm_tui import paths
from atm_tui.model.facts import HookState, ProcessFact, RegistryEntry
from atm_tui.model.flags import SessionFlags
from atm_tui.model.fleet import Fleet
from atm_tui.model.request import Answered, Arming, Decision, Request
from atm_tui.model.resolve import Facts, Figures, resolve
from atm_tui.model.session import Context, Cost
from atm_tui.monitor.protocol import Capabilities, Stop
from atm_tui.sources.project import ProjectCache
from atm_tui.sources.registry import parse_entry

SPEEDS = (0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
_KEYFRAME = 100
"""Entries between two kept states, from which a step back folds on."""
_FRAME = 0.2
"""Seconds between two looks while it plays."""

Entry = tuple[float, str, dict[str, Any]]
"""Time in epoch seconds, kind (event | registry), what it holds."""


class NoJournalError(Exception):
    """The file can't be replayed; the text names it, the line, and what is wrong."""


def read_entries(path: Path) -> list[Entry]:
    """The entries of a journal or a recording, oldest first.

    Raises NoJournalError for a file that can't be read or holds no entry. A line that is cut is passed over, as the hook does.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NoJournalError(f"{path}: {error.strerror}") from error
    entries: list[Entry] = []
    wrong = 0
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        try:
            given = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError):
            wrong += 1
            continue
        entry = _entry(given) if isinstance(given, dict) else None
        if entry:
            entries.append(entry)
        elif not (isinstance(given, dict) and ("journal" in given or "kind" in given)):
            wrong += 1
    if not entries:
        raise NoJournalError(
            f"{path}: no event in it ({wrong} other lines). A journal is in the state folder under journal/, one file a session."
        )
    return sorted(entries, key=lambda entry: entry[0])


def _entry(given: dict[str, Any]) -> Entry | None:
    if isinstance(given.get("at"), (int, float)) and isinstance(given.get("event"), str) and "session_id" in given:
        return float(given["at"]), "event", given
    at, kind, data = given.get("t"), given.get("kind"), given.get("data")
    if not isinstance(at, (int, float)) or not (isinstance(data, dict) or data is None):
        return None
    if kind == "registry":
        return float(at), "registry", {"path": str(given.get("path", "")), "data": data}
    parse = {"hook": payload.parse, "statusline": sample.parse}.get(str(kind))
    if parse is None or data is None:
        return None
    try:
        event = parse(msgspec.json.encode(data), float(at), {})
    except payload.RefusedError:
        return None
    return (float(at), "event", event) if event["event"] != "MessageDisplay" else None


class Replay:
    """A Monitor whose clock its user moves."""

    def __init__(self, entries: list[Entry], monotonic: Callable[[], float] = time.monotonic) -> None:
        """`entries` as from read_entries, at least one."""
        self.fleet = Fleet()
        self.home = str(paths.home())
        self.fleet.arming = Arming.RECORDING
        self.capabilities = Capabilities(jumps=False, answers=False, flags=False, recording=self)
        self.paused = False
        self.speed = 1.0
        self._entries = _shifted(entries)
        self._times = [entry[0] for entry in self._entries]
        self._monotonic = monotonic
        self._anchor = (self.begin, monotonic())
        self._done = 0
        self._states: dict[str, Any] = {}
        self._registry: dict[str, RegistryEntry] = {}
        self._kept: list[tuple[int, dict[str, Any], dict[str, RegistryEntry]]] = [(0, {}, {})]
        self._projects = ProjectCache()
        self._nudge = asyncio.Event()
        self._seen: dict[str, float] = {}

    # --- the clock

    @property
    def begin(self) -> float:
        """The time of the first entry."""
        return self._times[0]

    @property
    def end(self) -> float:
        """The time of the last entry."""
        return self._times[-1]

    def now(self) -> float:
        """The moment that is shown, in epoch seconds."""
        position, since = self._anchor
        if not self.paused:
            position += (self._monotonic() - since) * self.speed
        return min(position, self.end)

    def seek(self, to: float) -> None:
        """Moves to a moment, within the recording."""
        self._anchor = (min(max(to, self.begin), self.end), self._monotonic())
        self._nudge.set()

    def toggle(self) -> None:
        """Stops or goes on; at the end it begins anew."""
        here = self.now()
        over = here >= self.end
        self.paused = not self.paused and not over
        self.seek(self.begin if over else here)

    def step(self, entries: int) -> None:
        """Stops at the next entry, or the one before."""
        now = self.now()
        self.paused = True
        at = bisect.bisect_right(self._times, now) if entries > 0 else bisect.bisect_left(self._times, now) - 1
        self.seek(self._times[min(max(at, 0), len(self._times) - 1)])

    def change_speed(self, by: int) -> None:
        """Faster or slower, by steps of SPEEDS."""
        here = self.now()
        at = min(range(len(SPEEDS)), key=lambda index: abs(SPEEDS[index] - self.speed))
        self.speed = SPEEDS[min(max(at + by, 0), len(SPEEDS) - 1)]
        self.seek(here)

    @property
    def position(self) -> tuple[int, int]:
        """How many entries are passed, and how many there are."""
        return bisect.bisect_right(self._times, self.now()), len(self._times)

    def entry_words(self) -> str:
        """The entry that was passed last, in words."""
        at = bisect.bisect_right(self._times, self.now())
        if not at:
            return ""
        _, kind, given = self._entries[at - 1]
        if kind == "registry":
            data = given["data"]
            return (
                f"registry {data.get('status') or 'no status'} {data.get('waitingFor', '')}".strip()
                if data
                else "registry gone"
            )
        return f"{given['event']} {given.get('tool', '')}".strip()

    # --- Monitor

    def refresh(self) -> bool:
        """Folds what lies before the moment that is shown; True when anything differs."""
        now = self.now()
        wanted = bisect.bisect_right(self._times, now)
        if wanted < self._done:
            kept = max((each for each in self._kept if each[0] <= wanted), key=lambda each: each[0])
            self._done, self._states, self._registry = kept[0], dict(kept[1]), dict(kept[2])
        for index in range(self._done, wanted):
            self._take(self._entries[index])
            if (index + 1) % _KEYFRAME == 0 and self._kept[-1][0] < index + 1:
                self._kept.append((index + 1, dict(self._states), dict(self._registry)))
        self._done = wanted
        sessions = [resolve(self._facts(key, state), now).session for key, state in self._states.items()]
        return self.fleet.update(sessions)

    async def hints(self, stop: Stop) -> AsyncIterator[None]:
        """Yields while it plays, and when its user moves the clock."""
        while not stop.is_set():
            try:
                await asyncio.wait_for(self._nudge.wait(), _FRAME if not self.paused else 1.0)
            except TimeoutError:
                if self.paused:
                    continue
            self._nudge.clear()
            yield

    def history(self, session_id: str) -> list[dict[str, Any]]:
        """The events of a session up to the moment that is shown."""
        passed = self._entries[: bisect.bisect_right(self._times, self.now())]
        return [given for _, kind, given in passed if kind == "event" and given["session_id"] == session_id]

    def open_usage(self) -> None:
        """A recording holds no transcripts."""

    def count_today(self) -> Iterator[float | None]:
        """Nor does it know of a day."""
        return iter(())

    def is_first_time(self, key: str) -> bool:  # noqa: ARG002 (the protocol's name)
        """What is past is not told."""
        return False

    def set_flags(self, session_id: str, flags: SessionFlags) -> None:
        """Nothing: what is recorded is over."""

    def arm(self, on: bool) -> str | None:
        """Nothing waits in a recording."""
        return "This is a recording: what it shows was answered long ago." if on else None

    def renew_lease(self) -> None:
        """Nor is there a lease."""

    def answer(self, request: Request, decision: Decision, by: str = "app") -> Answered:  # noqa: ARG002 (the protocol's names)
        """Nobody hears it."""
        return Answered.GONE

    def mark_seen(self, session_id: str) -> None:
        """Remembered for this replay only."""
        self._seen[session_id] = self.now()

    def _take(self, entry: Entry) -> None:
        _, kind, given = entry
        if kind == "event":
            key = str(given["session_id"])
            self._states[key] = fold.fold(self._states.get(key), given)
        elif given["data"] is None:
            self._registry.pop(given["path"], None)
        elif found := parse_entry(msgspec.json.encode(given["data"])):
            self._registry[given["path"]] = found

    def _facts(self, key: str, state: dict[str, Any]) -> Facts:
        hooks = msgspec.convert({"journal": {}, **state}, HookState)
        registry = tuple(entry for entry in self._registry.values() if entry.session_id == key)
        pids = {entry.pid for entry in registry} | {int(pid) for pid in hooks.processes if pid.isdecimal()}
        given = hooks.metrics
        used = (
            sum(value or 0 for kind, value in given.usage.items() if kind != "output_tokens")
            if given and given.usage
            else None
        )
        context = Context(
            used_tokens=used,
            window_tokens=given.window_tokens if given else None,
            percent=given.used_percent if given else None,
            source="statusline" if given else None,
        )
        return Facts(
            session_id=key,
            hooks=hooks,
            registry=registry,
            processes={pid: ProcessFact(pid=pid) for pid in pids},
            figures=Figures(cost=Cost(usd=given.cost_usd, source="statusline") if given else Cost(), context=context),
            project=self._projects.find(hooks.project_dir or hooks.cwd),
            seen_at=self._seen.get(key, 0.0),
        )


def _shifted(entries: list[Entry]) -> list[Entry]:
    """Recordings count from 0; their registry lines carry epoch times, to which everything else is moved."""
    if entries[0][0] > 1e9:
        return entries
    stamps = [
        given["data"]["statusUpdatedAt"] / 1000 - at
        for at, kind, given in entries
        if kind == "registry" and given["data"] and isinstance(given["data"].get("statusUpdatedAt"), int)
    ]
    base = max(stamps, default=time.time() - entries[-1][0])
    return [(base + at, kind, {**given, "at": base + at} if kind == "event" else given) for at, kind, given in entries]
