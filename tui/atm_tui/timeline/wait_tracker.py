"""Follows the waits of a session by the events in its journal: when they begin and end, and who answered. Pure.

The hooks' fold decides what opens and ends a wait. It runs only while something waits, with a new state for each
request.
"""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from atm_hooks import fold
from atm_tui.model.decoding import convert
from atm_tui.model.wait import Wait
from atm_tui.timeline.event import Event
from atm_tui.timeline.wait_record import RULE_SECONDS, AnsweredBy, WaitRecord

MARKS = (b"PermissionRequest", b"Elicitation", b"AskUserQuestion", b"PlanMode", b"Notification")
"""Every line of a journal that can open a wait contains one of these."""
LATE = 2.0
"""Seconds after the end of a wait in which the end of its tool may arrive, which gives a better time of the answer."""
LATE_HERE = 600.0
"""The same after an answer from here: only the tool shows whether the answer in the pane came first."""
_BEGAN_BEFORE = 0.1
"""Seconds: a tool that began at least so long before an answer from here was not started by that answer."""
_KEEP = 64
"""Number of ends that are remembered, so that a repeated request opens no second wait."""
_ASKING = frozenset({"PermissionRequest", "Elicitation", "Notification"})
_QUESTIONS = frozenset({"AskUserQuestion", "ExitPlanMode", "EnterPlanMode"})
_REPEATS = {
    "permission_prompt": "PermissionRequest",
    "worker_permission_prompt": "PermissionRequest",
    "elicitation_dialog": "Elicitation",
}
"""Notifications that only repeat an event, from clients that send this event."""
_TOOL_ENDS = frozenset({"PostToolUse", "PostToolUseFailure"})
_ANY_THREAD = frozenset({"UserPromptSubmit", "ElicitationResult"})
"""Events of a person's answer without the id of the thread."""


class WaitTracker:
    """Follows one session. Memory is bounded."""

    def __init__(self) -> None:
        self._state: dict[str, Any] | None = None
        self._open: dict[str, WaitRecord] = {}
        self._settled: dict[str, float] = {}
        """By key of a wait: the time of the event that last settled it."""
        self._recent: list[tuple[float, WaitRecord]] = []
        """Ended waits whose tool may still give a better time, and when they ended."""
        self._sent: set[str] = set()
        """The kinds of requests that this client sends as events."""
        self._newest = 0.0
        """Time of the newest event."""

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits: then events without one of MARKS change nothing."""
        return self._state is None and not self._recent

    @property
    def open(self) -> tuple[WaitRecord, ...]:
        """The open waits."""
        return tuple(self._open.values())

    def apply(self, event: Event) -> tuple[list[WaitRecord], list[WaitRecord]]:
        """Applies an event; returns the waits that it opens, and those that it ends.

        An ended wait can be returned again, with the same name and an earlier `until`.
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
            self._state = fold.fold(self._state, event.to_raw())
        except (LookupError, TypeError, ValueError, AttributeError):  # an event of another version
            return [], ended
        waits = {wait.key: wait for wait in convert(self._state["waits"], tuple[Wait, ...])}
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
        """Returns the ended waits whose tool ends with this event, if this shows that they ended earlier."""
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
    """Returns all ended waits among these events, in the order in which they ended."""
    tracker, found = WaitTracker(), dict[tuple[str, float], WaitRecord]()
    for event in events:
        for record in tracker.apply(event)[1]:
            found[record.name] = record
    return sorted(found.values(), key=lambda record: record.until or 0.0)


def _name_agent(agent: dict[str, Any] | None) -> str:
    return str(agent.get("name") or agent.get("type") or "") if agent else ""


def _is_about(wait: Wait, event: Event) -> bool:
    """Whether an event is about the tool of a wait."""
    return (event.agent_id, event.tool, event.summary) == (wait.agent_id, wait.tool, wait.summary)


def _end_wait(record: WaitRecord, event: Event, newest: float) -> WaitRecord:
    """Ends a wait by an event; `newest`: the time of the newest event before.

    When a tool ends, its begin is the time of the answer. When a session starts again, it had died without an event: the
    wait then lasted until the newest event.
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
