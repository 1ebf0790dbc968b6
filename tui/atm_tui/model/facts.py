"""What each source says about a session. Sources make these values; `resolve` decides from them what is true.

Times are epoch seconds. Fields that an outside program supplies can be missing, and so have defaults.
"""

import msgspec

from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.checked import Pid, Time, is_pid_key
from atm_tui.model.session import Failure, Limits
from atm_tui.model.wait import Wait


class HookActivity(msgspec.Struct, frozen=True, kw_only=True):
    """What the main thread does, by the hook's state file."""

    kind: ActivityKind = ActivityKind.NEW
    since: Time = 0.0
    began: Time = 0.0
    """When the turn began; 0 when none runs."""
    tool: str = ""
    summary: str = ""
    tool_use_id: str = ""
    error: str = ""

    @property
    def activity(self) -> Activity:
        """The activity without times and ids."""
        return Activity(
            kind=self.kind, tool=self.tool, what=self.error if self.kind is ActivityKind.FAILED else self.summary
        )


class DecidingEvents(msgspec.Struct, frozen=True, kw_only=True):
    """Names of the events behind the hooks' claims. Empty in the state of an older hook."""

    activity: str = ""
    waits: dict[str, str] = {}
    """Names of events by the key of a wait."""
    agents: dict[str, str] = {}
    """Names of events by the id of an agent that works."""
    pid: str = ""
    """The process that asks or works; empty where no hook knew it."""


class ToolBeforePrompt(msgspec.Struct, frozen=True, kw_only=True):
    """A tool that ran when a prompt came. It goes on if the prompt was queued, which only the transcript knows."""

    tool: str = ""
    summary: str = ""
    tool_use_id: str = ""
    since: Time = 0.0
    prompted: Time = 0.0
    """When the prompt came."""


class HookAgent(msgspec.Struct, frozen=True, kw_only=True):
    """A subagent or teammate, by the hook's state file."""

    type: str = ""
    name: str = ""
    kind: str = "subagent"
    description: str = ""
    parent: str = ""
    model: str | None = None
    tool_use_id: str = ""
    state: str = "working"
    activity: Activity = Activity()
    since: Time = 0.0
    started_at: Time | None = None
    ended_at: Time | None = None
    last_reply: str = ""


class HookProcess(msgspec.Struct, frozen=True, kw_only=True):
    """A process that served the session, by the hooks; its key is the pid, "" when no hook knew it."""

    first: Time = 0.0
    last: Time = 0.0
    began: Time = 0.0
    ended: Time = 0.0
    reason: str = ""
    start: str | None = None
    """Its start in clock ticks since boot; empty when unknown."""
    domain: str | None = None
    """The machine and pid namespace that its pid is of."""
    terminal: dict[str, str] = {}
    """The terminal variables of its environment."""


class BackgroundTask(msgspec.Struct, frozen=True, kw_only=True):
    """A background task, as the client lists it at the end of a turn."""

    id: str = ""
    type: str = ""
    status: str = ""
    description: str = ""


class BackgroundTasks(msgspec.Struct, frozen=True, kw_only=True):
    """The background tasks at the end of the last turn."""

    at: Time = 0.0
    tasks: tuple[BackgroundTask, ...] = ()
    crons: int = 0


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt that a person typed."""

    at: Time = 0.0
    text: str = ""


class GivenAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that a person gave in atm-tui."""

    at: Time = 0.0
    key: str = ""
    """The key of its wait, as in Wait."""


class ListedTask(msgspec.Struct, frozen=True, kw_only=True):
    """An item of the session's task list."""

    subject: str = ""
    at: Time = 0.0
    done: Time = 0.0


class HookStart(msgspec.Struct, frozen=True, kw_only=True):
    """The newest SessionStart."""

    at: Time = 0.0
    pid: Pid = 0
    source: str = ""


class HookEnd(msgspec.Struct, frozen=True, kw_only=True):
    """When and why the last process left the session."""

    at: Time = 0.0
    reason: str = "other"


class TouchedFiles(msgspec.Struct, frozen=True, kw_only=True):
    """When a tool last touched each file."""

    new: dict[str, Time] = {}
    edited: dict[str, Time] = {}
    read: dict[str, Time] = {}


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """The last statusLine sample: the client's own figures."""

    at: Time = 0.0
    cost_usd: float | None = None
    """USD, subagents included."""
    lines_added: int | None = None
    lines_removed: int | None = None
    duration_ms: float | None = None
    api_duration_ms: float | None = None
    window_tokens: int | None = None
    used_percent: float | None = None
    usage: dict[str, int | None] | None = None
    """Tokens of the main thread's last answer, by the client's names; None before the first."""
    model_name: str = ""
    limits: Limits | None = None


class HookState(msgspec.Struct, frozen=True, kw_only=True):
    """The decoded state file of a session. hooks/README.md documents its keys."""

    schema: int
    session_id: str
    created_at: Time = 0.0
    updated_at: Time = 0.0
    title: str | None = None
    cwd: str = ""
    project_dir: str = ""
    transcript_path: str = ""
    config_dir: str = ""
    model: str | None = None
    permission_mode: str | None = None
    effort: str | None = None
    version: str | None = None
    entrypoint: str = ""
    session_active: bool = True
    ended: HookEnd | None = None
    pid: Pid | None = None
    pid_start: str | None = None
    terminal: dict[str, str] = {}
    processes: dict[str, HookProcess] = {}
    fresh: HookStart | None = None
    activity: HookActivity = HookActivity()
    decided_by: DecidingEvents = DecidingEvents()
    tool_before_prompt: ToolBeforePrompt | None = None
    waits: tuple[Wait, ...] = ()
    answers: tuple[GivenAnswer, ...] = ()
    """The last prompts, oldest first."""
    agents: dict[str, HookAgent] = {}
    background: BackgroundTasks = BackgroundTasks()
    shells: dict[str, Time] = {}
    """When each background shell was started, by its id."""
    prompts: tuple[Prompt, ...] = ()
    turns: int = 0
    last_reply: str = ""
    last_event: str = ""
    errors: tuple[Failure, ...] = ()
    files: TouchedFiles = TouchedFiles()
    tasks: dict[str, ListedTask] = {}
    tools_used: dict[str, int] = {}
    metrics: Sample | None = None

    def __post_init__(self) -> None:
        if not all(map(is_pid_key, self.processes)):  # decoding makes a ValidationError of it
            raise ValueError("Expected process ids as keys of `processes`")


class RegistryEntry(msgspec.Struct, frozen=True, kw_only=True):
    """The client's own record of one running process."""

    pid: int
    session_id: str
    config_dir: str = ""
    pid_domain: str | None = None
    """The machine and pid namespace that its pid is of; None: this client does not say."""
    proc_start: str | None = None
    cwd: str = ""
    started_at: float = 0.0
    version: str | None = None
    kind: str = "interactive"
    """interactive | headless | background"""
    tmux: str | None = None
    """session:@window.%pane"""
    name: str = ""
    name_by_user: bool = False
    status: str | None = None
    """idle | busy | waiting | shell; None: this client does not report it."""
    waiting_for: str = ""
    status_at: float = 0.0
    updated_at: Time = 0.0


class ProcessFact(msgspec.Struct, frozen=True, kw_only=True):
    """A process that runs now, and is no zombie."""

    pid: int
    start: str | None = None
    """Its start in clock ticks since boot; None when unknown."""
    created_at: Time = 0.0
    tty: str | None = None
