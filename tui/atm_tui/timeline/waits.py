"""What a session waits for and who answered, followed event by event in the order of its journal. Pure.

What opens and settles a wait is decided by the same fold that the hook uses. It is only run while something waits: the state
begins anew with each request.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from atm_hooks.fold import fold
from atm_tui.timeline.ledger import RULE, By, Entry

Event = Mapping[str, Any]

MARKS = (b"PermissionRequest", b"Elicitation", b"AskUserQuestion", b"PlanMode", b"Notification")
"""One of these is in every line of a journal that can open a wait."""
LATE = 2.0
"""Seconds after the end of a wait in which the end of its tool may still arrive; it says more exactly when it was answered."""
LONG = 600.0
"""The same after an answer that was given here: only the tool tells whether its pane had been first."""
_BEFORE = 0.1
"""Seconds by which a tool must have begun before the answer from here, so that it was not this answer that let it begin."""
_KEEP = 64
"""Ends that are remembered, so that a request that is told twice does not open a second wait."""
_ASKING = frozenset({"PermissionRequest", "Elicitation", "Notification"})
_QUESTIONS = frozenset({"AskUserQuestion", "ExitPlanMode", "EnterPlanMode"})
_TOLD_BETTER = {
    "permission_prompt": "PermissionRequest",
    "worker_permission_prompt": "PermissionRequest",
    "elicitation_dialog": "Elicitation",
}
"""Notifications that say nothing new where the client sends this event, too."""
_RAN = frozenset({"PostToolUse", "PostToolUseFailure"})
_ANY_THREAD = frozenset({"UserPromptSubmit", "ElicitationResult"})
"""Events by which a person answers a thread that they don't name."""


class Waiting:
    """Follows one session. Memory is bounded."""

    def __init__(self) -> None:
        self._state: dict[str, Any] | None = None
        self._open: dict[str, Entry] = {}
        self._over: dict[str, float] = {}
        """By key: the time of the event that settled it last."""
        self._late: list[tuple[float, Entry]] = []
        self._sent: set[str] = set()
        """Which of the events that ask this client sends."""
        self._heard = 0.0

    @property
    def idle(self) -> bool:
        """Whether nothing waits: until then, events without one of MARKS say nothing."""
        return self._state is None and not self._late

    @property
    def open(self) -> tuple[Entry, ...]:
        """What waits now."""
        return tuple(self._open.values())

    def take(self, event: Event) -> tuple[list[Entry], list[Entry]]:
        """The waits that an event opens, and those that it ends.

        One that is ended may be given once more, with the same key and `since`, and an earlier `until`.
        """
        kind, at = str(event["event"]), float(event["at"])
        heard, self._heard = self._heard, max(self._heard, at)
        if kind in _ASKING:
            self._sent.add(kind)
        ended = self._sharper(event, kind, at) if self._late else []
        if _TOLD_BETTER.get(str(event.get("notification_type"))) in self._sent:
            return [], ended
        if self._state is None and kind not in _ASKING and str(event.get("tool")) not in _QUESTIONS:
            return [], ended
        try:
            self._state = fold(self._state, dict(event))
        except (LookupError, TypeError, ValueError, AttributeError):  # an event of another version, or damaged
            return [], ended
        waits = {str(wait["key"]): wait for wait in self._state["waits"]}
        for key in [key for key in self._open if key not in waits]:
            entry = _ended(self._open.pop(key), event, kind, at, heard)
            ended.append(entry)
            self._over[key] = at
            if kind not in _RAN:
                self._late.append((at, entry))
        while len(self._over) > _KEEP:
            del self._over[next(iter(self._over))]
        new = [key for key in waits if key not in self._open and waits[key]["since"] > self._over.get(key, 0.0)]
        opened = [_entry(key, waits[key], self._state["agents"]) for key in new]
        self._open.update({entry.key: entry for entry in opened})
        if not self._open:
            self._state = None
        return opened, ended

    def _sharper(self, event: Event, kind: str, at: float) -> list[Entry]:
        """The waits whose tool this event ends, and which ended earlier than was thought."""
        kept, told = [], []
        for over, entry in self._late:
            here = entry.by is By.HERE
            if at > over + (LONG if here else LATE):
                continue
            same = kind in _RAN and _same(entry, event)
            if same:
                better = _ended(entry, event, kind, at, at)
                if (better.until or 0.0) < (entry.until or 0.0) - (_BEFORE if here else 0.0):
                    told.append(better)
            if not (same and here):
                kept.append((over, entry))
        self._late = kept[-_KEEP:]
        return told


def ledger(events: Iterable[Event]) -> list[Entry]:
    """All waits that are over by these events, in the order in which they ended."""
    waiting, found = Waiting(), dict[tuple[str, float], Entry]()
    for event in events:
        for entry in waiting.take(event)[1]:
            found[entry.key, entry.since] = entry
    return sorted(found.values(), key=lambda entry: entry.until or 0.0)


def _entry(key: str, wait: Event, agents: Event) -> Entry:
    agent_id = str(wait["agent_id"])
    agent = agents.get(agent_id, {})
    return Entry(
        key=key,
        since=float(wait["since"]),
        agent_id=agent_id,
        agent=str(agent.get("name") or agent.get("type") or ""),
        reason=str(wait["reason"]),
        tool=str(wait["tool"]),
        summary=str(wait["summary"]),
    )


def _same(entry: Entry, event: Event) -> bool:
    """Whether an event is about the tool that was asked for."""
    told = (str(event.get(key) or "") for key in ("agent_id", "tool", "summary"))
    return tuple(told) == (entry.agent_id, entry.tool, entry.summary)


def _ended(entry: Entry, event: Event, kind: str, at: float, heard: float) -> Entry:
    """The wait as this event ends it; `heard`: the time of the newest event before.

    A tool that ends began when it was answered. Where a session begins anew, it died unseen: it waited until it was last heard.
    """
    until, by, decision, through = at, By.THERE, "", ""
    if kind == "Answered":
        by, decision, through = By.HERE, str(event.get("decision", "")), str(event.get("by", ""))
    elif kind == "SessionStart":
        until, by = heard, By.UNKNOWN
    elif kind == "SessionEnd" or (kind not in _ANY_THREAD and str(event.get("agent_id") or "") != entry.agent_id):
        by = By.UNKNOWN
    elif kind in _RAN and _same(entry, event):
        ran = event.get("ran")
        until = at - ran if isinstance(ran, (int, float)) else at
    until = max(entry.since, until)
    if kind == "PermissionDenied" or (by is By.THERE and until - entry.since < RULE):
        by = By.RULE
    return replace(entry, until=until, by=by, decision=decision, through=through)
