"""Folds the lines of one thread, the main one or an agent's, into the facts that the app needs."""

import math

import msgspec

from atm_tui.cost.usage import ApiRequest
from atm_tui.model.session import Compaction, ContextSample
from atm_tui.model.tokens import Tokens
from atm_tui.model.transcript import AgentFacts, CostState, Interruption
from atm_tui.sources.open_calls import OpenCalls
from atm_tui.sources.prompt_queue import PromptQueue
from atm_tui.sources.transcript_agents import AgentMeta
from atm_tui.sources.transcript_lines import SYNTHETIC, Line, read_text
from atm_tui.sources.typed_text import INTERRUPTED, is_typed_text

SAMPLES = 40
"""Number of context samples that are kept, one per turn."""
PROMPT = 500
"""Characters of a prompt that are kept."""
_SAME_INTERRUPTION = 5.0
"""Seconds in which a second line reports the same interruption."""
_TTL = {"5m": 300, "1h": 3600}


class ThreadState(msgspec.Struct, array_like=True):
    """What is known about one thread so far. Each value is as in TranscriptFacts."""

    model: str | None = None
    requested_model: str | None = None
    context_usage: Tokens | None = None
    context_at: float | None = None
    largest_prompt: int = 0
    samples: list[ContextSample] = []
    compactions: list[Compaction] = []
    turns: int = 0
    typed_turns: int = 0
    aborted: set[str] = set()
    first_prompt: str | None = None
    last_prompt: str | None = None
    last_prompt_at: float | None = None
    interruption: Interruption | None = None
    first_at: float | None = None
    last_at: float | None = None
    last_answer_at: float | None = None
    cache_ttl: int | None = None
    stop_reason: str | None = None
    api_error: bool = False
    api_error_kind: str = ""
    turn_ended_at: float | None = None
    turn_duration: float | None = None
    queue: PromptQueue = msgspec.field(default_factory=PromptQueue)
    calls: OpenCalls = msgspec.field(default_factory=OpenCalls)

    def add(self, line: Line, request: ApiRequest | None) -> None:
        """Adds a line, and the request to the API that it belongs to."""
        at = line.at
        if line.type in ("user", "assistant"):
            self.last_at = _find_later(self.last_at, at)
            if self.first_at is None:
                self.first_at = at
        if line.type == "assistant":
            self._add_answer(line, request, at)
        elif line.type == "user" and line.message is not None:
            self._add_user_line(line, at)
        elif line.type == "system":
            self._add_system_line(line, at)
        elif line.type == "queue-operation":
            self.queue.add(line.operation or "", line.content, at)

    def _add_answer(self, line: Line, request: ApiRequest | None, at: float | None) -> None:
        message = line.message
        self.stop_reason = message.stop_reason if message else None
        self.api_error = bool(line.is_api_error_message)
        self.api_error_kind = (line.error or "unknown") if self.api_error else ""
        if line.is_aborted_mid_stream:
            self.aborted.add((message and message.id) or line.uuid or "")
            self._record_interruption(at, "text")
        if message is None or message.model == SYNTHETIC or line.is_api_error_message:
            return
        self.calls.add_answer(message.content, at)
        if message.model and message.model != self.model:
            self.model, self.largest_prompt = message.model, 0
        self.requested_model = line.requested_model or self.requested_model
        self.last_answer_at = _find_later(self.last_answer_at, at)
        if request is None:
            return
        if request.tokens.cache_write_1h or request.tokens.cache_write_5m:
            self.cache_ttl = 3600 if request.tokens.cache_write_1h else 300
        self.cache_ttl = _TTL.get(line.prompt_cache_requested or "", self.cache_ttl)
        compacted = self.compactions[-1].at if self.compactions else None
        if at is not None and compacted is not None and at < compacted:
            return  # a message from before the compaction, written again
        self.context_usage, self.context_at = request.tokens, at
        self.largest_prompt = max(self.largest_prompt, request.tokens.prompt)
        if self.samples and self.samples[-1].turn == self.turns:
            self.samples.pop()
        self.samples.append(ContextSample(at, request.tokens.prompt, self.turns))
        del self.samples[:-SAMPLES]

    def _add_user_line(self, line: Line, at: float | None) -> None:
        assert line.message is not None  # noqa: S101
        if line.is_meta or line.is_compact_summary:
            return
        text = read_text(line.message)
        if text is None:
            self.calls.add_results(line.message.content)
            refused_by_rule = line.permission_decision is not None and line.permission_decision.source == "config"
            if line.tool_denial_kind == "user-rejected" and not refused_by_rule:
                self._record_interruption(at, "rejected" if line.tool_denial_before_run else "tool")
        elif text.startswith(INTERRUPTED):
            self._record_interruption(at, "tool" if "for tool use" in text[:60] else "text")
        elif text:
            self.calls.clear()
            self.turns += 1
            self.last_prompt_at = _find_later(self.last_prompt_at, at)
            if line.prompt_source == "queued":
                self.queue.begin(at)
            if is_typed(line, text):
                self.typed_turns += 1
                self.last_prompt = text[:PROMPT]
                self.first_prompt = self.first_prompt or self.last_prompt

    def _record_interruption(self, at: float | None, kind: str) -> None:
        """Records the newest interruption. After a refused tool, a second line of kind "tool" reports the same one."""
        old = self.interruption
        if old and old.kind == "rejected" and kind == "tool" and (at or 0.0) - (old.at or 0.0) < _SAME_INTERRUPTION:
            kind = "rejected"
        self.calls.clear()
        self.interruption = Interruption(at=at, kind=kind)

    def _add_system_line(self, line: Line, at: float | None) -> None:
        if line.subtype == "compact_boundary":
            given = line.compact_metadata
            mark = Compaction(at=at)
            if given:
                mark = Compaction(at=at, trigger=given.trigger or "", before=given.preTokens, after=given.postTokens)
            self.compactions.append(mark)
            self.context_usage = self.context_at = None
        elif line.subtype == "turn_duration":
            self.calls.clear()
            self.turn_ended_at = at
            self.turn_duration = None if line.duration_ms is None else line.duration_ms / 1000

    def to_agent_facts(self, agent_id: str, path: str, meta: AgentMeta, tokens: Tokens) -> AgentFacts:
        """Returns the facts of the agent with this thread."""
        return AgentFacts(
            agent_id=agent_id,
            path=path,
            kind="teammate" if "teammate" in (meta.task_kind or "") else "subagent",
            color=meta.color or "",
            team=meta.team_name or "",
            type=meta.agent_type or "",
            name=meta.name or "",
            description=meta.description or "",
            parent=meta.parent_agent_id,
            tool_use_id=meta.tool_use_id,
            model=self.model or meta.model,
            tokens=tokens,
            context_usage=self.context_usage,
            samples=tuple(self.samples),
            compactions=tuple(self.compactions),
            started_at=self.first_at,
            last_at=self.last_at,
            finished=bool(meta.finished),
            stopped=bool(meta.stopped_by_user),
            failed=self.api_error,
            interrupted_at=self.interruption.at if self.interruption else None,
            stop_reason=self.stop_reason,
        )


def is_typed(line: Line, text: str | None) -> bool:
    """Whether the text of a user line is a prompt that a person typed."""
    human = line.origin is None or line.origin.kind in (None, "human")
    return human and is_typed_text(text or "")


def read_cost_state(line: Line, before: float | None) -> CostState | None:
    """Reads the client's totals in a cost-state line; None without any. `before`: the time of the line before, epoch seconds."""
    if line.total_cost is None or not math.isfinite(line.total_cost):
        return None
    return CostState(
        usd=line.total_cost,
        at=before,
        by_model={m: total.costUSD for m, total in (line.model_usage or {}).items() if total.costUSD is not None},
        lines_added=line.total_lines_added,
        lines_removed=line.total_lines_removed,
    )


def _find_later(old: float | None, new: float | None) -> float | None:
    return new if old is None or (new is not None and new > old) else old
