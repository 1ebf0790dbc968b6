"""Follows what a session waits for, event by event in the order of its journal: what opens, what ends, who answered. Pure.

The fold that the hooks use decides what opens and settles a wait. It only runs while something waits: its state begins
anew with each request.
"""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from atm_hooks.fold import fold
from atm_tui.model.wait import Wait
from atm_tui.timeline.event import Event
from atm_tui.timeline.wait_record import RULE_SECONDS, AnsweredBy, WaitRecord

MARKS = (b"PermissionRequest", b"Elicitation", b"AskUserQuestion", b"PlanMode", b"Notification")
"""Each line of a journal that can open a wait holds one of these."""
LATE = 2.0
"""Seconds after the end of a wait in which the end of its tool may still arrive, which tells the time of the answer better."""
LATE_HERE = 600.0
"""The same after an answer that was given here: only the tool tells whether the pane was first."""
_BEGAN_BEFORE = 0.1
"""Seconds by which a tool must have begun before an answer given here for that answer not to be the one that started it."""
_KEEP = 64
"""Ends that are remembered, so that a request that comes twice does not open a second wait."""
_ASKING = frozenset({"PermissionRequest", "Elicitation", "Notification"})
_QUESTIONS = frozenset({"AskUserQuestion", "ExitPlanMode", "EnterPlanMode"})
_REPEATS = {
    "permission_prompt": "PermissionRequest",
    "worker_permission_prompt": "PermissionRequest",
    "elicitation_dialog": "Elicitation",
}
"""Notifications that only repeat this event, from a client that sends it."""
_TOOL_ENDS = frozenset({"PostToolUse", "PostToolUseFailure"})
_ANY_THREAD = frozenset({"UserPromptSubmit", "ElicitationResult"})
"""Events by which a person answers a thread that they don't name."""


class WaitTracker:
    """Follows one session. Memory is bounded."""

    def __init__(self) -> None:
        self._state: dict[str, Any] | None = None
        self._open: dict[str, WaitRecord] = {}
        self._settled: dict[str, float] = {}
        """By key: the time of the event that settled it last."""
        self._recent: list[tuple[float, WaitRecord]] = []
        """Waits that ended, and when, whose tool may still tell a better time."""
        self._sent: set[str] = set()
        """Which of the events that ask this client sends."""
        self._newest = 0.0
        """Time of the newest event."""

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits: until something does, events without one of MARKS change nothing."""
        return self._state is None and not self._recent

    @property
    def open(self) -> tuple[WaitRecord, ...]:
        """What waits now."""
        return tuple(self._open.values())

    def apply(self, event: Event) -> tuple[list[WaitRecord], list[WaitRecord]]:
        """The waits that an event opens, and those that it ends.

        One that has ended may come again, with the same name and an earlier `until`.
        """
        newest, self._newest = self._newest, max(self._newest, event.at)
        if event.event in _ASKING:
            self._sent.add(event.event)
        ended = self._correct_recent(event) if self._recent else []
        if _REPEATS.get(event.notification_type) in self._sent:
            return [], ended
        if self._state is None and event.event not in _ASKING and event.tool not in _QUESTIONS:
            return [], ended
        try:
            self._state = fold(self._state, event.to_raw())
        except (LookupError, TypeError, ValueError, AttributeError):  # an event of another version
            return [], ended
        waits = {wait.key: wait for wait in msgspec.convert(self._state["waits"], tuple[Wait, ...])}
        for key in [key for key in self._open if key not in waits]:
            record = _end_wait(self._open.pop(key), event, newest)
            ended.append(record)
            self._settled[key] = event.at
            if event.event not in _TOOL_ENDS:
                self._recent.append((event.at, record))
        while len(self._settled) > _KEEP:
            del self._settled[next(iter(self._settled))]
        agents = self._state["agents"]
        opened = [
            WaitRecord(wait=wait, agent=_name_agent(agents.get(wait.agent_id)))
            for key, wait in waits.items()
            if key not in self._open and wait.since > self._settled.get(key, 0.0)
        ]
        self._open.update({record.wait.key: record for record in opened})
        if not self._open:
            self._state = None
        return opened, ended

    def _correct_recent(self, event: Event) -> list[WaitRecord]:
        """The ended waits whose tool this event ends, where they turn out to have ended earlier."""
        kept, corrected = [], []
        for ended_at, record in self._recent:
            here = record.by is AnsweredBy.HERE
            if event.at > ended_at + (LATE_HERE if here else LATE):
                continue
            same = event.event in _TOOL_ENDS and _is_about(record.wait, event)
            if same:
                better = _end_wait(record, event, event.at)
                if (better.until or 0.0) < (record.until or 0.0) - (_BEGAN_BEFORE if here else 0.0):
                    corrected.append(better)
            if not (same and here):
                kept.append((ended_at, record))
        self._recent = kept[-_KEEP:]
        return corrected


def list_ended_waits(events: Iterable[Event]) -> list[WaitRecord]:
    """All waits that are over by these events, in the order in which they ended."""
    tracker, found = WaitTracker(), dict[tuple[str, float], WaitRecord]()
    for event in events:
        for record in tracker.apply(event)[1]:
            found[record.name] = record
    return sorted(found.values(), key=lambda record: record.until or 0.0)


def _name_agent(agent: dict[str, Any] | None) -> str:
    return str(agent.get("name") or agent.get("type") or "") if agent else ""


def _is_about(wait: Wait, event: Event) -> bool:
    """Whether an event is about the tool that was asked for."""
    return (event.agent_id, event.tool, event.summary) == (wait.agent_id, wait.tool, wait.summary)


def _end_wait(record: WaitRecord, event: Event, newest: float) -> WaitRecord:
    """The wait as this event ends it; `newest`: the time of the newest event before.

    A tool that ends began when it was answered. Where a session starts again, it had died unseen: it waited until its
    newest event.
    """
    wait, kind = record.wait, event.event
    until, by, decision, through = event.at, AnsweredBy.THERE, "", ""
    if kind == "Answered":
        by, decision, through = AnsweredBy.HERE, event.decision, event.by
    elif kind == "SessionStart":
        until, by = newest, AnsweredBy.UNKNOWN
    elif kind == "SessionEnd" or (kind not in _ANY_THREAD and event.agent_id != wait.agent_id):
        by = AnsweredBy.UNKNOWN
    elif kind in _TOOL_ENDS and _is_about(wait, event):
        until = event.at - (event.ran or 0.0)
    until = max(wait.since, until)
    if kind == "PermissionDenied" or (by is AnsweredBy.THERE and until - wait.since < RULE_SECONDS):
        by = AnsweredBy.RULE
    return replace(record, until=until, by=by, decision=decision, through=through)
