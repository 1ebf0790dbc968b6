"""Makes the timeline of a session from its events, as they arrive: one entry for each important event. Pure.

wait_tracker.py decides when a wait begins, when it is over, and who answered.
"""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import TypeVar

import msgspec

from atm_tui.timeline.event import Event
from atm_tui.timeline.wait_record import WaitRecord
from atm_tui.timeline.wait_tracker import WaitTracker

KEEP = 256
"""Largest number of tools, agents and waits that a builder remembers."""
_SHOWN_OTHERWISE = frozenset({"AskUserQuestion", "ExitPlanMode", "EnterPlanMode", "Agent", "Task"})
"""Tools without an entry of their own: they are shown as a wait or an agent."""

K = TypeVar("K")
V = TypeVar("V")


class TimelineKind(StrEnum):
    """The kind of an entry; decides its sign and colour."""

    STARTED = "started"
    PROMPT = "prompt"
    TOOL = "tool"
    TOOL_FAILED = "tool failed"
    ASKS = "asks"
    WENT_ON = "went on"
    FINISHED = "finished"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    AGENT = "agent"
    AGENT_DONE = "agent done"
    TASK = "task"
    COMPACTED = "compacted"
    ENDED = "ended"


class TimelineEvent(msgspec.Struct, frozen=True):
    """One line of the timeline."""

    at: float
    """Epoch seconds."""
    session_id: str
    kind: TimelineKind
    text: str = ""
    """What happened; empty if `wait` describes it."""
    seconds: float | None = None
    """Duration in seconds of the tool, wait, turn or agent; None when unknown, or for events without one."""
    agent: str = ""
    """The agent's type or name; empty: the main thread."""
    agent_id: str = ""
    """The agent's id; empty: the main thread."""
    wait: WaitRecord | None = None
    """The wait that begins or ends here."""


class TimelineBuilder:
    """Builds the timeline of one session. Events come in the order of its journal; memory is bounded."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._waits = WaitTracker()
        self._shown_ends: dict[tuple[str, float], bool] = {}
        self._tools: dict[str, float] = {}
        self._agents: dict[str, tuple[str, float]] = {}
        self._turn: float | None = None

    def build(self, events: Iterable[Event]) -> list[TimelineEvent]:
        """Returns the entries of further events."""
        entries: list[TimelineEvent] = []
        for event in events:
            opened, ended = self._waits.apply(event)
            entries += self._end_waits(ended, event.at)
            if handler := _HANDLERS.get(event.event):
                entries += handler(self, event)
            entries += [self._add_wait(record.wait.since, TimelineKind.ASKS, record) for record in opened]
        return entries

    def _add(
        self,
        event: Event,
        kind: TimelineKind,
        text: str = "",
        *,
        seconds: float | None = None,
        agent: str | None = None,
    ) -> TimelineEvent:
        name = self._name_agent(event.agent_id, event.agent_type) if agent is None else agent
        return TimelineEvent(event.at, self._session_id, kind, text, seconds, name, event.agent_id)

    def _name_agent(self, agent_id: str, agent_type: str) -> str:
        if not agent_id:
            return ""
        known = self._agents.get(agent_id)
        return agent_type or (known[0] if known else "") or agent_id[:8]

    # Waits

    def _end_waits(self, ended: Iterable[WaitRecord], at: float) -> list[TimelineEvent]:
        """Adds one entry for the end of each wait; `at`: the time of the entry."""
        entries = []
        for record in ended:
            if record.name not in self._shown_ends:
                _remember(self._shown_ends, record.name, True)
                entries.append(self._add_wait(at, TimelineKind.WENT_ON, record))
        return entries

    def _add_wait(self, at: float, kind: TimelineKind, record: WaitRecord) -> TimelineEvent:
        agent_id = record.wait.agent_id
        agent = self._name_agent(agent_id, record.agent)
        return TimelineEvent(at, self._session_id, kind, "", record.seconds, agent, agent_id, record)

    # Events

    def _start_session(self, event: Event) -> list[TimelineEvent]:
        how = {"resume": "resumed", "clear": "cleared", "compact": ""}.get(event.source, "started")
        return [self._add(event, TimelineKind.STARTED, how)] if how else []

    def _add_prompt(self, event: Event) -> list[TimelineEvent]:
        self._turn = event.at
        human = event.prompt_kind in ("", "human")
        return [self._add(event, TimelineKind.PROMPT, event.prompt)] if human else []

    def _begin_tool(self, event: Event) -> list[TimelineEvent]:
        _remember(self._tools, event.tool_use_id, event.at)
        return []

    def _end_tool(self, event: Event) -> list[TimelineEvent]:
        begun = self._tools.pop(event.tool_use_id, None)
        if event.tool in _SHOWN_OTHERWISE:
            return []
        return [self._add(event, TimelineKind.TOOL, _describe_call(event), seconds=_measure_run(event, begun))]

    def _fail_tool(self, event: Event) -> list[TimelineEvent]:
        seconds = _measure_run(event, self._tools.pop(event.tool_use_id, None))
        if event.is_interrupt:
            return [self._add(event, TimelineKind.INTERRUPTED, _describe_call(event), seconds=seconds)]
        text = f"{_describe_call(event)}: {event.error}".rstrip(": ")
        return [self._add(event, TimelineKind.TOOL_FAILED, text, seconds=seconds)]

    def _end_turn(self, event: Event) -> list[TimelineEvent]:
        return [self._add(event, TimelineKind.FINISHED, event.reply, seconds=self._measure_turn(event))]

    def _fail_turn(self, event: Event) -> list[TimelineEvent]:
        text = event.error.replace("_", " ")
        return [self._add(event, TimelineKind.FAILED, text, seconds=self._measure_turn(event))]

    def _measure_turn(self, event: Event) -> float | None:
        seconds = event.at - self._turn if self._turn is not None else None
        self._turn = None
        return seconds

    def _begin_agent(self, event: Event) -> list[TimelineEvent]:
        name = self._name_agent(event.agent_id, event.agent_type)
        _remember(self._agents, event.agent_id, (name, event.at))
        return [self._add(event, TimelineKind.AGENT, "started", agent=name)]

    def _end_agent(self, event: Event) -> list[TimelineEvent]:
        known = self._agents.get(event.agent_id)
        seconds = event.at - known[1] if known else None
        return [self._add(event, TimelineKind.AGENT_DONE, event.reply, seconds=seconds)]

    def _add_compaction(self, event: Event) -> list[TimelineEvent]:
        return [self._add(event, TimelineKind.COMPACTED, event.trigger)]

    def _end_task(self, event: Event) -> list[TimelineEvent]:
        return [self._add(event, TimelineKind.TASK, event.subject)]

    def _end_session(self, event: Event) -> list[TimelineEvent]:
        return [self._add(event, TimelineKind.ENDED, event.reason.replace("_", " "))]


_HANDLERS: dict[str, Callable[[TimelineBuilder, Event], list[TimelineEvent]]] = {
    "SessionStart": TimelineBuilder._start_session,  # noqa: SLF001  the table of the class above
    "UserPromptSubmit": TimelineBuilder._add_prompt,  # noqa: SLF001
    "PreToolUse": TimelineBuilder._begin_tool,  # noqa: SLF001
    "PostToolUse": TimelineBuilder._end_tool,  # noqa: SLF001
    "PostToolUseFailure": TimelineBuilder._fail_tool,  # noqa: SLF001
    "Stop": TimelineBuilder._end_turn,  # noqa: SLF001
    "StopFailure": TimelineBuilder._fail_turn,  # noqa: SLF001
    "SubagentStart": TimelineBuilder._begin_agent,  # noqa: SLF001
    "SubagentStop": TimelineBuilder._end_agent,  # noqa: SLF001
    "PostCompact": TimelineBuilder._add_compaction,  # noqa: SLF001
    "TaskCompleted": TimelineBuilder._end_task,  # noqa: SLF001
    "SessionEnd": TimelineBuilder._end_session,  # noqa: SLF001
}


def _remember(where: dict[K, V], key: K, value: V) -> None:
    """Adds a value; drops the oldest ones beyond KEEP."""
    where[key] = value
    while len(where) > KEEP:
        del where[next(iter(where))]


def _measure_run(event: Event, begun: float | None) -> float | None:
    """Returns how many seconds a tool ran: the client's figure, which excludes the wait before it, else the time since its call."""
    if event.ran is not None:
        return event.ran
    return event.at - begun if begun is not None else None


def _describe_call(event: Event) -> str:
    return f"{event.tool} {event.summary}".strip()
