"""What happened in a session, told from its events as they come: one moment for each thing worth a line. Pure.

What is waited for is not decided here: the same fold that the hook uses says when a wait begins and when it is over.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from atm_hooks.fold import fold

Event = Mapping[str, Any]

KEEP = 256
"""Tools, agents and waits that a teller remembers the begin of."""
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
    AGENT_OVER = "agent over"
    TASK = "task"
    COMPACTED = "compacted"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Moment:
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


class Teller:
    """Tells one session. Events come in the order of its journal; memory is bounded."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._state: dict[str, Any] | None = None
        self._waits: dict[str, Mapping[str, Any]] = {}
        self._tools: dict[str, float] = {}
        self._agents: dict[str, tuple[str, float]] = {}
        self._turn: float | None = None

    def tell(self, events: Iterable[Event]) -> list[Moment]:
        """The moments of further events."""
        told: list[Moment] = []
        for event in events:
            at, kind = float(event["at"]), str(event["event"])
            told += self._over_waits(event)
            if handler := _HANDLERS.get(kind):
                told += handler(self, event, at)
            told += self._new_waits()
        return told

    def _moment(
        self, event: Event, kind: Kind, text: str = "", *, seconds: float | None = None, agent: str | None = None
    ) -> Moment:
        name = self._agent(event) if agent is None else agent
        return Moment(float(event["at"]), self._session_id, kind, text, seconds, name)

    def _agent(self, event: Event) -> str:
        agent_id = str(event.get("agent_id") or "")
        if not agent_id:
            return ""
        known = self._agents.get(agent_id)
        return str(event.get("agent_type") or (known[0] if known else "")) or agent_id[:8]

    # Waits

    def _over_waits(self, event: Event) -> list[Moment]:
        """Folds the event; says which waits it ended."""
        try:
            self._state = fold(self._state, dict(event))
        except (LookupError, TypeError, ValueError, AttributeError):  # an event of another version, or damaged
            return []
        now = {str(wait["key"]) for wait in self._state["waits"]}
        over = [self._waits.pop(key) for key in list(self._waits) if key not in now]
        at = float(event["at"])
        return [
            Moment(at, self._session_id, Kind.WENT_ON, _asked(wait), max(0.0, at - wait["since"]), self._asker(wait))
            for wait in over
        ]

    def _new_waits(self) -> list[Moment]:
        told = []
        for wait in self._state["waits"] if self._state else ():
            key = str(wait["key"])
            if key not in self._waits:
                _remember(self._waits, key, wait)
                told.append(
                    Moment(float(wait["since"]), self._session_id, Kind.ASKS, _asked(wait), None, self._asker(wait))
                )
        return told

    def _asker(self, wait: Mapping[str, Any]) -> str:
        return self._agent({"agent_id": wait.get("agent_id")})

    # Events

    def _started(self, event: Event, _at: float) -> list[Moment]:
        how = {"resume": "resumed", "clear": "cleared", "compact": ""}.get(str(event.get("source")), "started")
        return [self._moment(event, Kind.STARTED, how)] if how else []

    def _prompt(self, event: Event, at: float) -> list[Moment]:
        self._turn = at
        human = event.get("prompt_kind", "human") == "human"
        return [self._moment(event, Kind.PROMPT, str(event.get("prompt", "")))] if human else []

    def _tool_begins(self, event: Event, at: float) -> list[Moment]:
        _remember(self._tools, str(event.get("tool_use_id")), at)
        return []

    def _tool(self, event: Event, at: float) -> list[Moment]:
        begun = self._tools.pop(str(event.get("tool_use_id")), None)
        name = str(event.get("tool", ""))
        if name in _TOLD_OTHERWISE:
            return []
        seconds = at - begun if begun is not None else None
        return [self._moment(event, Kind.TOOL, _call(event), seconds=seconds)]

    def _tool_failed(self, event: Event, at: float) -> list[Moment]:
        begun = self._tools.pop(str(event.get("tool_use_id")), None)
        seconds = at - begun if begun is not None else None
        if event.get("is_interrupt"):
            return [self._moment(event, Kind.INTERRUPTED, _call(event), seconds=seconds)]
        text = f"{_call(event)}: {event.get('error', '')}".rstrip(": ")
        return [self._moment(event, Kind.TOOL_FAILED, text, seconds=seconds)]

    def _stop(self, event: Event, at: float) -> list[Moment]:
        seconds = at - self._turn if self._turn is not None else None
        self._turn = None
        return [self._moment(event, Kind.FINISHED, str(event.get("reply", "")), seconds=seconds)]

    def _stop_failure(self, event: Event, at: float) -> list[Moment]:
        seconds = at - self._turn if self._turn is not None else None
        self._turn = None
        return [self._moment(event, Kind.FAILED, str(event.get("error", "")).replace("_", " "), seconds=seconds)]

    def _agent_begins(self, event: Event, at: float) -> list[Moment]:
        name = self._agent(event)
        _remember(self._agents, str(event.get("agent_id")), (name, at))
        return [self._moment(event, Kind.AGENT, "started", agent=name)]

    def _agent_ends(self, event: Event, at: float) -> list[Moment]:
        known = self._agents.get(str(event.get("agent_id")))
        seconds = at - known[1] if known else None
        return [self._moment(event, Kind.AGENT_OVER, str(event.get("reply", "")), seconds=seconds)]

    def _compacted(self, event: Event, _at: float) -> list[Moment]:
        return [self._moment(event, Kind.COMPACTED, str(event.get("trigger", "")))]

    def _task(self, event: Event, _at: float) -> list[Moment]:
        return [self._moment(event, Kind.TASK, str(event.get("subject", "")))]

    def _ended(self, event: Event, _at: float) -> list[Moment]:
        return [self._moment(event, Kind.ENDED, str(event.get("reason", "")).replace("_", " "))]


_HANDLERS: dict[str, Callable[[Teller, Event, float], list[Moment]]] = {
    "SessionStart": Teller._started,  # noqa: SLF001  the table of the class above
    "UserPromptSubmit": Teller._prompt,  # noqa: SLF001
    "PreToolUse": Teller._tool_begins,  # noqa: SLF001
    "PostToolUse": Teller._tool,  # noqa: SLF001
    "PostToolUseFailure": Teller._tool_failed,  # noqa: SLF001
    "Stop": Teller._stop,  # noqa: SLF001
    "StopFailure": Teller._stop_failure,  # noqa: SLF001
    "SubagentStart": Teller._agent_begins,  # noqa: SLF001
    "SubagentStop": Teller._agent_ends,  # noqa: SLF001
    "PostCompact": Teller._compacted,  # noqa: SLF001
    "TaskCompleted": Teller._task,  # noqa: SLF001
    "SessionEnd": Teller._ended,  # noqa: SLF001
}


def _remember(where: dict[str, Any], key: str, value: object) -> None:
    """Keeps the newest; what never ends goes at last."""
    where[key] = value
    while len(where) > KEEP:
        del where[next(iter(where))]


def _call(event: Event) -> str:
    return f"{event.get('tool', '')} {event.get('summary', '')}".strip()


def _asked(wait: Mapping[str, Any]) -> str:
    reason = str(wait.get("reason") or "dialog")
    reason = {"mcp": "MCP input"}.get(reason, reason)
    tool = str(wait.get("tool") or "") if reason == "permission" else ""
    return " ".join(part for part in (reason, tool, str(wait.get("summary") or "")) if part)
