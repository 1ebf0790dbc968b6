"""What happened in a session, told from its events as they come: one moment for each thing worth a line. Pure.

What is waited for is not decided here: waiting.py says when a wait begins, when it is over and who answered.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from atm_tui.timeline.ledger import Entry, answer_word, asked_words
from atm_tui.timeline.waits import Waiting

Event = Mapping[str, Any]

KEEP = 256
"""Tools, agents and waits that a teller remembers."""
_TOLD_OTHERWISE = frozenset({"AskUserQuestion", "ExitPlanMode", "EnterPlanMode", "Agent", "Task"})
"""Tools that are told as a wait or as an agent."""


class Kind(StrEnum):
    """What a moment is; decides sign and colour."""

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


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    """One line of the timeline."""

    at: float
    """Epoch seconds."""
    session_id: str
    kind: Kind
    text: str = ""
    seconds: float | None = None
    """How long the tool ran, the wait lasted, the turn or the agent took; None: not known, or it has no length."""
    agent: str = ""
    """The agent's type or name; empty is the main thread."""
    agent_id: str = ""
    """The same agent's id."""
    word: str = ""
    """Of a wait that is over: who answered, in at most 11 cells; empty: not known."""


class TimelineBuilder:
    """Tells one session. Events come in the order of its journal; memory is bounded."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._waiting = Waiting()
        self._answered: dict[tuple[str, float], bool] = {}
        self._tools: dict[str, float] = {}
        self._agents: dict[str, tuple[str, float]] = {}
        self._turn: float | None = None

    def tell(self, events: Iterable[Event]) -> list[TimelineEvent]:
        """The moments of further events."""
        told: list[TimelineEvent] = []
        for event in events:
            at, kind = float(event["at"]), str(event["event"])
            opened, ended = self._waiting.take(event)
            told += self._ended_waits(ended, at)
            if handler := _HANDLERS.get(kind):
                told += handler(self, event, at)
            told += [self._waited(entry.since, Kind.ASKS, entry) for entry in opened]
        return told

    def _moment(
        self, event: Event, kind: Kind, text: str = "", *, seconds: float | None = None, agent: str | None = None
    ) -> TimelineEvent:
        name = self._agent(event) if agent is None else agent
        return TimelineEvent(
            float(event["at"]), self._session_id, kind, text, seconds, name, str(event.get("agent_id") or "")
        )

    def _agent(self, event: Event) -> str:
        agent_id = str(event.get("agent_id") or "")
        if not agent_id:
            return ""
        known = self._agents.get(agent_id)
        return str(event.get("agent_type") or (known[0] if known else "")) or agent_id[:8]

    # Waits

    def _ended_waits(self, ended: Iterable[Entry], at: float) -> list[TimelineEvent]:
        """Who answered what, once; `at`: when it is told."""
        told = []
        for entry in ended:
            if (entry.key, entry.since) not in self._answered:
                _remember(self._answered, (entry.key, entry.since), True)
                told.append(self._waited(at, Kind.WENT_ON, entry))
        return told

    def _waited(self, at: float, kind: Kind, entry: Entry) -> TimelineEvent:
        agent = self._agent({"agent_id": entry.agent_id, "agent_type": entry.agent})
        told = (asked_words(entry), entry.seconds, agent, entry.agent_id, answer_word(entry))
        return TimelineEvent(at, self._session_id, kind, *told)

    # Events

    def _started(self, event: Event, _at: float) -> list[TimelineEvent]:
        how = {"resume": "resumed", "clear": "cleared", "compact": ""}.get(str(event.get("source")), "started")
        return [self._moment(event, Kind.STARTED, how)] if how else []

    def _prompt(self, event: Event, at: float) -> list[TimelineEvent]:
        self._turn = at
        human = event.get("prompt_kind", "human") == "human"
        return [self._moment(event, Kind.PROMPT, str(event.get("prompt", "")))] if human else []

    def _tool_begins(self, event: Event, at: float) -> list[TimelineEvent]:
        _remember(self._tools, str(event.get("tool_use_id")), at)
        return []

    def _tool(self, event: Event, _at: float) -> list[TimelineEvent]:
        begun = self._tools.pop(str(event.get("tool_use_id")), None)
        name = str(event.get("tool", ""))
        if name in _TOLD_OTHERWISE:
            return []
        return [self._moment(event, Kind.TOOL, _call(event), seconds=_ran(event, begun))]

    def _tool_failed(self, event: Event, _at: float) -> list[TimelineEvent]:
        seconds = _ran(event, self._tools.pop(str(event.get("tool_use_id")), None))
        if event.get("is_interrupt"):
            return [self._moment(event, Kind.INTERRUPTED, _call(event), seconds=seconds)]
        text = f"{_call(event)}: {event.get('error', '')}".rstrip(": ")
        return [self._moment(event, Kind.TOOL_FAILED, text, seconds=seconds)]

    def _stop(self, event: Event, at: float) -> list[TimelineEvent]:
        seconds = at - self._turn if self._turn is not None else None
        self._turn = None
        return [self._moment(event, Kind.FINISHED, str(event.get("reply", "")), seconds=seconds)]

    def _stop_failure(self, event: Event, at: float) -> list[TimelineEvent]:
        seconds = at - self._turn if self._turn is not None else None
        self._turn = None
        return [self._moment(event, Kind.FAILED, str(event.get("error", "")).replace("_", " "), seconds=seconds)]

    def _agent_begins(self, event: Event, at: float) -> list[TimelineEvent]:
        name = self._agent(event)
        _remember(self._agents, str(event.get("agent_id")), (name, at))
        return [self._moment(event, Kind.AGENT, "started", agent=name)]

    def _agent_ends(self, event: Event, at: float) -> list[TimelineEvent]:
        known = self._agents.get(str(event.get("agent_id")))
        seconds = at - known[1] if known else None
        return [self._moment(event, Kind.AGENT_DONE, str(event.get("reply", "")), seconds=seconds)]

    def _compacted(self, event: Event, _at: float) -> list[TimelineEvent]:
        return [self._moment(event, Kind.COMPACTED, str(event.get("trigger", "")))]

    def _task(self, event: Event, _at: float) -> list[TimelineEvent]:
        return [self._moment(event, Kind.TASK, str(event.get("subject", "")))]

    def _ended(self, event: Event, _at: float) -> list[TimelineEvent]:
        return [self._moment(event, Kind.ENDED, str(event.get("reason", "")).replace("_", " "))]


_HANDLERS: dict[str, Callable[[TimelineBuilder, Event, float], list[TimelineEvent]]] = {
    "SessionStart": TimelineBuilder._started,  # noqa: SLF001  the table of the class above
    "UserPromptSubmit": TimelineBuilder._prompt,  # noqa: SLF001
    "PreToolUse": TimelineBuilder._tool_begins,  # noqa: SLF001
    "PostToolUse": TimelineBuilder._tool,  # noqa: SLF001
    "PostToolUseFailure": TimelineBuilder._tool_failed,  # noqa: SLF001
    "Stop": TimelineBuilder._stop,  # noqa: SLF001
    "StopFailure": TimelineBuilder._stop_failure,  # noqa: SLF001
    "SubagentStart": TimelineBuilder._agent_begins,  # noqa: SLF001
    "SubagentStop": TimelineBuilder._agent_ends,  # noqa: SLF001
    "PostCompact": TimelineBuilder._compacted,  # noqa: SLF001
    "TaskCompleted": TimelineBuilder._task,  # noqa: SLF001
    "SessionEnd": TimelineBuilder._ended,  # noqa: SLF001
}


def _remember(where: dict[Any, Any], key: object, value: object) -> None:
    """Keeps the newest; what never ends goes at last."""
    where[key] = value
    while len(where) > KEEP:
        del where[next(iter(where))]


def _ran(event: Event, begun: float | None) -> float | None:
    """How long a tool ran: as the client says, which does not count the wait before it; else since it was called."""
    ran = event.get("ran")
    if isinstance(ran, (int, float)):
        return float(ran)
    return float(event["at"]) - begun if begun is not None else None


def _call(event: Event) -> str:
    return f"{event.get('tool', '')} {event.get('summary', '')}".strip()
