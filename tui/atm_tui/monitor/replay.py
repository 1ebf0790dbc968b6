"""The monitor of a recording: the sessions as they were, with a clock that the user controls.

Nothing is written, and only the repositories of the recorded folders are read from disk.
"""

import asyncio
import bisect
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec

from atm_hooks import fold
from atm_tui import paths
from atm_tui.config import Config
from atm_tui.model.decoding import convert
from atm_tui.model.facts import HookState, ProcessFact, RegistryEntry
from atm_tui.model.flags import SessionFlags
from atm_tui.model.fleet import Fleet
from atm_tui.model.limit_check import is_share
from atm_tui.model.project_names import name_projects_apart
from atm_tui.model.request import AnswerOutcome, Arming, Decision, Request
from atm_tui.model.resolve import Facts, Figures, resolve
from atm_tui.model.session import Context, Cost, Session, Unreadable
from atm_tui.monitor.capabilities import Capabilities
from atm_tui.monitor.protocol import Stop
from atm_tui.monitor.recording import Entry, RegistryLine, describe_entry, shift_to_epoch
from atm_tui.sources.conversation import Conversation
from atm_tui.sources.project import ProjectCache
from atm_tui.sources.registry import parse_entry
from atm_tui.timeline.event import Event

SPEEDS = (0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""The speeds that `change_speed` chooses from: recorded seconds per second."""
_SNAPSHOT_EVERY = 100
"""Number of entries between two snapshots; a step back starts from the previous snapshot."""
_HINT_INTERVAL = 0.2
"""Seconds between two hints during playback."""


class Replay:
    """A Monitor, its TimeControls, and the Contents of its sessions."""

    def __init__(self, entries: list[Entry], monotonic: Callable[[], float] = time.monotonic) -> None:
        """`entries`: as from read_entries, at least one."""
        self.fleet = Fleet()
        self.contents = self
        self.spending = None
        self.home = str(paths.find_home())
        self.fleet.arming = Arming.RECORDING
        self.capabilities = Capabilities(jumps=False, answers=False, flags=False, recording=self)
        self.paused = False
        self.speed = 1.0
        self._entries = shift_to_epoch(entries)
        self._times = [entry.at for entry in self._entries]
        self._monotonic = monotonic
        self._anchor = (self.begin, monotonic())
        self._done = 0
        self._states: dict[str, Any] = {}
        self._registry: dict[str, RegistryEntry] = {}
        self._snapshots: list[tuple[int, dict[str, Any], dict[str, RegistryEntry]]] = [(0, {}, {})]
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
        """Returns the current time of the recording, in epoch seconds."""
        position, since = self._anchor
        if not self.paused:
            position += (self._monotonic() - since) * self.speed
        return min(position, self.end)

    def seek(self, to: float) -> None:
        """As in TimeControls."""
        self._anchor = (min(max(to, self.begin), self.end), self._monotonic())
        self._nudge.set()

    def toggle(self) -> None:
        """As in TimeControls."""
        here = self.now()
        at_end = here >= self.end
        self.paused = not self.paused and not at_end
        self.seek(self.begin if at_end else here)

    def step(self, entries: int) -> None:
        """As in TimeControls."""
        now = self.now()
        self.paused = True
        at = bisect.bisect_right(self._times, now) if entries > 0 else bisect.bisect_left(self._times, now) - 1
        self.seek(self._times[min(max(at, 0), len(self._times) - 1)])

    def change_speed(self, by: int) -> None:
        """As in TimeControls, to the next of SPEEDS."""
        here = self.now()
        at = min(range(len(SPEEDS)), key=lambda index: abs(SPEEDS[index] - self.speed))
        self.speed = SPEEDS[min(max(at + by, 0), len(SPEEDS) - 1)]
        self.seek(here)

    @property
    def position(self) -> tuple[int, int]:
        """As in TimeControls."""
        return bisect.bisect_right(self._times, self.now()), len(self._times)

    def describe_entry(self) -> str:
        """Describes the last entry up to the current time; "" before the first one."""
        passed = self.position[0]
        return describe_entry(self._entries[passed - 1]) if passed else ""

    # --- Monitor

    def refresh(self) -> bool:
        """Folds all events up to the current time; returns whether anything changed."""
        now = self.now()
        wanted = bisect.bisect_right(self._times, now)
        if wanted < self._done:
            kept = max((each for each in self._snapshots if each[0] <= wanted), key=lambda each: each[0])
            self._done, self._states, self._registry = kept[0], dict(kept[1]), dict(kept[2])
        for index in range(self._done, wanted):
            self._apply(self._entries[index].recorded)
            if (index + 1) % _SNAPSHOT_EVERY == 0 and self._snapshots[-1][0] < index + 1:
                self._snapshots.append((index + 1, dict(self._states), dict(self._registry)))
        self._done = wanted
        sessions: list[Session] = []
        unreadable: list[Unreadable] = []
        for key, state in self._states.items():
            try:
                sessions.append(resolve(self._make_facts(key, state), now).session)
            except msgspec.ValidationError as error:
                unreadable.append(Unreadable(path=key, problem=str(error)))
        return self.fleet.update(name_projects_apart(sessions), unreadable)

    async def watch(self, stop: Stop) -> AsyncIterator[None]:
        """Yields during playback, and when the user moves the clock."""
        while not stop.is_set():
            try:
                async with asyncio.timeout(_HINT_INTERVAL if not self.paused else 1.0):
                    await self._nudge.wait()
            except TimeoutError:
                if self.paused:
                    continue
            self._nudge.clear()
            yield

    def read_events(self, session_id: str) -> list[Event]:
        """Returns the events of a session up to the current time."""
        passed = self._entries[: bisect.bisect_right(self._times, self.now())]
        return [each for _, each in passed if isinstance(each, Event) and each.session_id == session_id]

    def follow_elsewhere(self, session_id: str) -> None:
        """Returns None: a recording is of this machine."""

    def find_inputs(self, session: Session) -> dict[str, dict[str, Any]]:
        """As in Contents."""
        from atm_tui.sources.tool_input import find_inputs  # noqa: PLC0415  rarely needed

        return find_inputs(session, self.fleet.list_requests(session.session_id))

    def open_conversation(self, session: Session) -> Conversation:
        """As in Contents."""
        return Conversation(session.transcript_path or "")

    def is_first_time(self, key: str) -> bool:  # noqa: ARG002 (the protocol's name)
        """Returns False: there are no alerts for the past."""
        return False

    def set_flags(self, session_id: str, flags: SessionFlags) -> None:
        """Does nothing: the sessions are over."""

    def arm(self, on: bool) -> str | None:
        """Returns that it is a recording."""
        return "This is a recording: its requests were answered long ago." if on else None

    def note_alive(self) -> None:
        """Does nothing: there is no lease."""

    def answer(self, request: Request, decision: Decision, by: str = "app") -> AnswerOutcome:  # noqa: ARG002 (the protocol's names)
        """Returns GONE: no hook waits."""
        return AnswerOutcome.GONE

    def apply_config(self, config: Config) -> None:
        """Does nothing: a recording stays as it was."""

    def mark_seen(self, session_id: str) -> None:
        """Marks a session as seen, in this replay only."""
        self._seen[session_id] = self.now()

    def _apply(self, recorded: Event | RegistryLine) -> None:
        if isinstance(recorded, Event):
            key = recorded.session_id
            with contextlib.suppress(*fold.DAMAGED):  # hooks skip such an event too
                self._states[key] = fold.fold(self._states.get(key), recorded.to_raw())
        elif recorded.data is None:
            self._registry.pop(recorded.path, None)
        elif found := parse_entry(msgspec.json.encode(recorded.data)):
            self._registry[recorded.path] = found

    def _make_facts(self, key: str, state: dict[str, Any]) -> Facts:
        hooks = convert({"journal": {}, **state}, HookState)
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
            percent=given.used_percent if given and is_share(given.used_percent or 0.0) else None,
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
