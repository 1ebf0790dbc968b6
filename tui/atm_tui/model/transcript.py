"""What a session's transcript says, as frozen values. Times are epoch seconds, sizes tokens; None means unknown."""

import msgspec

from atm_tui.model.session import Compaction, ContextSample
from atm_tui.model.tokens import Bucket, Tokens


class Interruption(msgspec.Struct, frozen=True, kw_only=True):
    """The newest sign that a person interrupted a turn."""

    at: float | None = None
    kind: str = "text"
    """text: during an answer, or before it. tool: while a tool ran. rejected: "No" to a permission request."""


class RunningCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a tool that has no result yet."""

    tool: str = ""
    summary: str = ""
    """What it is asked to do, in one line."""
    at: float | None = None


class CostState(msgspec.Struct, frozen=True, kw_only=True):
    """The client's own totals, which it writes at the end of a session or when the user leaves it."""

    usd: float
    at: float | None = None
    """The time of the newest line before it."""
    by_model: dict[str, float] = {}
    lines_added: int | None = None
    lines_removed: int | None = None


class AgentFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A subagent or teammate, from its own transcript and the .meta.json beside it."""

    agent_id: str
    path: str = ""
    """Its own file; empty: older clients wrote its lines into the session's file."""
    kind: str = "subagent"
    """subagent | teammate"""
    color: str = ""
    """The colour that the client gave a teammate."""
    team: str = ""
    """Name of the team that a teammate belongs to."""
    type: str = ""
    name: str = ""
    description: str = ""
    parent: str | None = None
    """The id of the agent that started it; None: the main thread."""
    tool_use_id: str | None = None
    model: str | None = None
    tokens: Tokens = Tokens()
    context_usage: Tokens | None = None
    """Tokens of its last answer."""
    samples: tuple[ContextSample, ...] = ()
    compactions: tuple[Compaction, ...] = ()
    started_at: float | None = None
    last_at: float | None = None
    """Time of its newest user or assistant line."""
    finished: bool = False
    stopped: bool = False
    """Whether a person stopped it."""
    failed: bool = False
    """Whether its last answer is an API error."""
    interrupted_at: float | None = None
    stop_reason: str | None = None

    @property
    def context_tokens(self) -> int | None:
        """The prompt of its last answer, in tokens."""
        return self.context_usage.prompt if self.context_usage else None


class TranscriptFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the files of one session say."""

    path: str
    exists: bool = False
    """Whether there is a file; all other fields are empty without one."""
    session_id: str = ""
    cwd: str | None = None
    started_in: str = ""
    """The folder in which it was started; "" when no line tells."""
    last_request_at: float = 0.0
    """When it, or an agent of it, last made a request; 0: no request has a time."""
    version: str | None = None
    title: str | None = None
    """The name that its user gave it."""
    agent_name: str | None = None
    """Its name as an agent: that of the teammate, if it is one."""
    team: str = ""
    """Name of the team in which it is a teammate; "" for the lead."""
    first_prompt: str | None = None
    """The beginning of the prompt, at most 500 characters."""
    last_prompt: str | None = None
    permission_mode: str | None = None
    model: str | None = None
    """The model of the main thread's last answer; never `<synthetic>`."""
    requested_model: str | None = None
    """The model that the client asked for; can end in `[1m]`."""
    turns: int = 0
    """Number of prompts that began a turn, the client's own included."""
    typed_turns: int = 0
    """Number of those that a person typed."""
    buckets: tuple[Bucket, ...] = ()
    """Usage of the session and its agents."""
    inherited: tuple[Bucket, ...] = ()
    """Usage of requests that other sessions made, and that a fork or a resume copied; not in `buckets`."""
    tokens: Tokens = Tokens()
    cost_state: CostState | None = None
    after_cost_state: tuple[Bucket, ...] = ()
    """Usage since the client last wrote its totals, as after a resume."""
    aborted: int = 0
    """Number of interrupted answers; the transcript has only part of their usage."""
    context_usage: Tokens | None = None
    """Tokens of the main thread's last answer; None before the first, and after a compaction until the next."""
    context_at: float | None = None
    largest_prompt: int = 0
    """The largest prompt since the model last changed: it can show that the window is larger than usual."""
    samples: tuple[ContextSample, ...] = ()
    """Samples of the last turns, oldest first."""
    compactions: tuple[Compaction, ...] = ()
    agents: tuple[AgentFacts, ...] = ()
    """Its agents in the order in which they started."""
    interruption: Interruption | None = None
    running_call: RunningCall | None = None
    """The newest call without a result, of the turn that runs."""
    queue: tuple[float, ...] = ()
    """The times at which the prompts came that are still queued."""
    queued_at: float | None = None
    """When a prompt was last queued."""
    queued_turn_at: float | None = None
    """When a turn last began with a queued prompt."""
    last_line_at: float | None = None
    """Time of the newest user or assistant line of the main thread."""
    last_prompt_at: float | None = None
    """Time of the newest line that began a turn, from a person or the client."""
    last_answer_at: float | None = None
    cache_ttl: int | None = None
    """Seconds that the prompt cache lives after an answer: 300 or 3600."""
    stop_reason: str | None = None
    """The stop reason of the last assistant line; None also during an answer."""
    api_error: bool = False
    """Whether the last assistant line is an API error."""
    api_error_kind: str = ""
    """Its name, as in StopFailure: invalid_request, rate_limit, …"""
    turn_ended_at: float | None = None
    """When the client last recorded the duration of a turn, which it does at the end."""
    turn_duration: float | None = None
    """The duration of that turn in seconds."""
    skipped_lines: int = 0
    """Number of lines that could not be read in full."""

    @property
    def context_tokens(self) -> int | None:
        """The prompt of the main thread's last answer, in tokens."""
        return self.context_usage.prompt if self.context_usage else None

    @property
    def interrupted_at(self) -> float | None:
        """When a person last interrupted a turn."""
        return self.interruption.at if self.interruption else None
