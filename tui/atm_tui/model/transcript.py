"""What a session's transcript tells: frozen values. Times are epoch seconds, sizes tokens; None is "not known"."""

import msgspec

from atm_tui.model.session import Compaction, ContextSample
from atm_tui.model.tokens import Bucket, Tokens


class Interruption(msgspec.Struct, frozen=True, kw_only=True):
    """The newest sign that a person broke a turn off."""

    at: float | None = None
    kind: str = "text"
    """text: while an answer was written or awaited. tool: while a tool ran. rejected: "No" to a permission request."""


class RunningCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a tool that has no result yet."""

    tool: str = ""
    summary: str = ""
    """What it is asked to do, in one line."""
    at: float | None = None


class CostState(msgspec.Struct, frozen=True, kw_only=True):
    """The client's own totals, which it writes when a session ends or is left."""

    usd: float
    at: float | None = None
    """The time of the newest line before it."""
    by_model: dict[str, float] = {}
    unknown_model: bool = False
    """The client had no price for a model, and charged it as another one."""
    lines_added: int | None = None
    lines_removed: int | None = None


class AgentFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A subagent or teammate, from its own transcript and the .meta.json beside it."""

    agent_id: str
    path: str = ""
    """Empty: its lines stand in the session's own file, as older clients wrote them."""
    kind: str = "subagent"
    """subagent | teammate"""
    type: str = ""
    name: str = ""
    description: str = ""
    parent: str | None = None
    """agent_id of the agent that started it; None: the main thread."""
    tool_use_id: str | None = None
    model: str | None = None
    tokens: Tokens = Tokens()
    context_usage: Tokens | None = None
    """Tokens of its last answer."""
    samples: tuple[ContextSample, ...] = ()
    compactions: tuple[Compaction, ...] = ()
    started_at: float | None = None
    last_at: float | None = None
    """Its newest user or assistant line."""
    finished: bool = False
    stopped: bool = False
    """A person stopped it."""
    failed: bool = False
    """Its last answer is an API error."""
    interrupted_at: float | None = None
    stop_reason: str | None = None

    @property
    def context_tokens(self) -> int | None:
        """Prompt of its last answer."""
        return self.context_usage.prompt if self.context_usage else None


class TranscriptFacts(msgspec.Struct, frozen=True, kw_only=True):
    """All that the files of one session tell."""

    path: str
    exists: bool = False
    """False: there is no file, or it was deleted; everything else is then empty."""
    session_id: str = ""
    cwd: str | None = None
    version: str | None = None
    title: str | None = None
    """The name that its user gave it."""
    agent_name: str | None = None
    first_prompt: str | None = None
    """At most 500 characters."""
    last_prompt: str | None = None
    permission_mode: str | None = None
    model: str | None = None
    """Of the last answer of the main thread; never `<synthetic>`."""
    requested_model: str | None = None
    """What the client asked for; can end in `[1m]`."""
    turns: int = 0
    """Prompts that began a turn, the client's own too."""
    typed_turns: int = 0
    """Of them, those that a person typed."""
    buckets: tuple[Bucket, ...] = ()
    """Usage of the session and its agents; see atm_tui.model.tokens."""
    tokens: Tokens = Tokens()
    cost_state: CostState | None = None
    after_cost_state: tuple[Bucket, ...] = ()
    """Usage since the client wrote its totals, as after a resume."""
    aborted: int = 0
    """Answers that were broken off; the transcript has only part of their usage."""
    context_usage: Tokens | None = None
    """Tokens of the main thread's last answer; None before the first and from a compaction to the next answer."""
    context_at: float | None = None
    largest_prompt: int = 0
    """Since the model last changed: evidence of a window larger than its usual one."""
    samples: tuple[ContextSample, ...] = ()
    """The last turns, oldest first."""
    compactions: tuple[Compaction, ...] = ()
    agents: tuple[AgentFacts, ...] = ()
    """In the order in which they started."""
    interruption: Interruption | None = None
    running_call: RunningCall | None = None
    """The newest call without a result, of the turn that runs."""
    queue: tuple[float, ...] = ()
    """When the prompts came that are queued and not begun."""
    queued_at: float | None = None
    """When a prompt was last queued."""
    queued_turn_at: float | None = None
    """When a turn last began with a queued prompt."""
    last_line_at: float | None = None
    """Newest user or assistant line of the main thread."""
    last_prompt_at: float | None = None
    """Newest line that began a turn, whoever wrote it."""
    last_answer_at: float | None = None
    cache_ttl: int | None = None
    """Seconds that the prompt cache lives after an answer: 300 or 3600."""
    stop_reason: str | None = None
    """Of the last assistant line; None also while an answer is written."""
    api_error: bool = False
    """The last assistant line is an API error."""
    api_error_kind: str = ""
    """Its name, as in StopFailure: invalid_request, rate_limit, …"""
    turn_ended_at: float | None = None
    """When the client last noted a turn's duration, which it does at its end."""
    turn_duration: float | None = None
    """Seconds, of that turn."""
    skipped_lines: int = 0
    """Lines that could not be read in full."""

    @property
    def context_tokens(self) -> int | None:
        """Prompt of the main thread's last answer."""
        return self.context_usage.prompt if self.context_usage else None

    @property
    def interrupted_at(self) -> float | None:
        """When a person last broke a turn off."""
        return self.interruption.at if self.interruption else None
