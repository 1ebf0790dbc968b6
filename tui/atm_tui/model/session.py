"""What the app knows about one session, as frozen values.

Times are epoch seconds, durations seconds, costs USD, sizes tokens. None means unknown, and is never shown as 0.
"""

from enum import StrEnum
from typing import Any

import msgspec

from atm_tui.model.activity import Activity
from atm_tui.model.checked import Time
from atm_tui.model.host import Host
from atm_tui.model.pid_domain import Place
from atm_tui.model.spans import Spans
from atm_tui.model.task import Task
from atm_tui.model.team import Membership
from atm_tui.model.tokens import Tokens
from atm_tui.model.wait import Reason, Wait


class State(StrEnum):
    """Whether the user must act. Everything else about a session is stored in other fields."""

    NEEDS_YOU = "needs_you"
    WORKING = "working"
    IDLE = "idle"


class Liveness(StrEnum):
    """Whether a process serves the session. LOST: it ended without a SessionEnd."""

    LIVE = "live"
    LOST = "lost"
    ENDED = "ended"


class AgentState(StrEnum):
    """The states of an agent: those of State, and three ways to end. IDLE: a teammate between two turns."""

    NEEDS_YOU = "needs_you"
    WORKING = "working"
    IDLE = "idle"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


OVER = frozenset({AgentState.DONE, AgentState.FAILED, AgentState.STOPPED})
"""The states of ended agents."""


class ContextSample(msgspec.Struct, frozen=True, gc=False):
    """How full the window was at the last answer of a turn."""

    at: float | None
    tokens: int
    turn: int
    """Number of the turn in the file, from 1."""


class Compaction(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A compaction of a thread: when, why, and how full the context window was before and after."""

    at: float | None = None
    trigger: str = ""
    """manual | auto"""
    before: int | None = None
    after: int | None = None


class Forecast(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """When the client will compact, if the context goes on growing as it did."""

    turns: float
    minutes: float | None
    """Minutes at the pace of the last turns, pauses included; None when their times are unknown."""
    limit_tokens: int


class Context(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How full the context window of a thread is."""

    used_tokens: int | None = None
    """Prompt tokens of the last answer: input, cache writes, cache reads. None before the first and after a compaction."""
    window_tokens: int | None = None
    percent: float | None = None
    """100 * used / window; None also where that can't be true."""
    problem: str | None = None
    """Why there is no share although tokens and window are known; None if nothing is wrong."""
    source: str | None = None
    """statusline | transcript"""
    tokens: Tokens | None = None
    """Tokens of the last answer by kind; its prompt is `used_tokens`. The statusLine does not tell the lifetime of cache
    writes: they are counted as 5-minute ones then."""
    samples: tuple[ContextSample, ...] = ()
    """Samples of the last turns, oldest first; at most 40."""
    compactions: tuple[Compaction, ...] = ()
    """All compactions of the session, oldest first."""
    forecast: Forecast | None = None
    """None when too little is known for a forecast."""
    is_pending: bool = False
    """Whether the share is not known yet, since the transcript is still being read."""


class Cost(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a session or agent has cost so far."""

    usd: float | None = None
    is_pending: bool = False
    """Whether it is not known yet, since the transcript is still being read."""
    source: str | None = None
    """statusline | cost-state | transcript"""
    unpriced_tokens: int = 0
    """Tokens of models without a known price; they are in no sum."""
    tokens: Tokens | None = None
    """Tokens by kind of the whole session and its agents, counted in the transcripts."""
    inherited_usd: float | None = None
    """What the part cost that a fork or resume copied from another session, for which it counts; in no other figure here.
    None: nothing was copied."""
    by_model: dict[str, float] = {}
    """USD by model id."""
    by_agent: dict[str, float] = {}
    """USD by agent id; "" is the main thread."""
    by_kind: dict[str, float] = {}
    """USD by kind of token, as `Tokens` names them, and by "web_search"; only kinds that cost anything."""
    recent: tuple[tuple[float, float], ...] = ()
    """The last quarters of an hour with costs: begin in epoch seconds, and USD. Oldest first; they cover at least the hour
    before the last request."""
    disagrees: str | None = None
    """Two sources that differ by more than 1 %: which, by how much and why; None when they agree."""


class Limit(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One rate-limit window of the account."""

    percent: float | None = 0.0
    """None: the reported value is impossible."""
    resets_at: float | None = None
    """Epoch seconds."""
    problem: str = ""
    """Why one of its figures is left out."""


class Limits(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The account's rate limits, as last seen in the statusLine."""

    five_hour: Limit | None = None
    seven_day: Limit | None = None
    at: float = 0.0
    """When the sample was taken; 0 within a sample, which has its own time."""


class Agent(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A subagent or teammate of a session."""

    agent_id: str
    name: str = ""
    kind: str = "subagent"
    """subagent | teammate"""
    color: str = ""
    """The colour that the client gave a teammate: blue, green, …"""
    type: str = ""
    description: str = ""
    parent: str | None = None
    """The id of the agent that started it; None: the main thread."""
    state: AgentState = AgentState.WORKING
    activity: Activity = Activity()
    since: float = 0.0
    started_at: float | None = None
    ended_at: float | None = None
    model: str | None = None
    tokens: Tokens | None = None
    context: Context = Context()
    cost: Cost = Cost()
    last_reply: str = ""


class Background(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The number of things that run in the background of a session, by kind."""

    shells: int = 0
    agents: int = 0
    workflows: int = 0
    crons: int = 0


class Files(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Files that tools of a session touched, newest last."""

    new: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    read: tuple[str, ...] = ()


class Failure(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A tool or a turn that failed."""

    at: Time = 0.0
    kind: str = ""
    """Name of the tool, or the client's name of an API error."""
    message: str = ""
    agent_id: str = ""
    """The subagent in which it failed; empty: the main thread."""


class Project(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The repository that a working directory belongs to, else the directory itself."""

    root: str = ""
    """The folder that identifies the repository, the same for all its worktrees."""
    name: str = ""
    branch: str | None = None
    """The branch, or the first 8 digits of a detached commit."""
    worktree: str | None = None
    """Name of the linked worktree; None in the main one."""


class Terminal(msgspec.Struct, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """The terminal in which the client runs, as far as its environment tells."""

    kind: str = "unknown"
    """tmux | kitty | wezterm | iterm2 | ghostty | apple | zellij | screen | vscode | unknown"""
    tty: str | None = None
    socket: str | None = None
    """tmux: path of the server's socket. kitty: its listen address. wezterm: its socket."""
    server_pid: int | None = None
    session: str | None = None
    """tmux: id or name of the session. zellij, screen: its name."""
    window: str | None = None
    pane: str | None = None
    """Pane or window id in the terminal's own spelling: tmux %14, kitty 3, wezterm 12, an iTerm2 session id."""


class ServingProcess(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A process that serves a session. Pid, tty and pane are of the same one."""

    pid: int | None = None
    """None where it is not one of our pids."""
    place: Place = Place.HERE
    terminal: Terminal = Terminal()
    status: str = ""
    """What the client's registry says of it, with what it waits for; empty where it says nothing."""


class Elsewhere(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Where a session of another machine runs, for which no file, pid or pane of this one stands."""

    machine: str
    host: Host = Host()
    """How the machine is reached."""
    session_id: str = ""
    """Its id there."""
    cwd: str = ""
    pid: int | None = None
    terminal: Terminal = Terminal()
    silent_since: float | None = None
    """When the last word of its machine came; None while the link to it is live."""
    unknown: dict[str, Any] = {}
    """What its line had and we don't know, as `find_unknown` returns it."""


class NoteKind(StrEnum):
    """What a note about the evidence says."""

    HOOKS = "hooks"
    """The hooks differ: `activity` is what they say."""
    REGISTRY = "registry"
    """The registry differs: it says `status`, since `at`."""
    LAST_KNOWN = "last known"
    """What the session did when it last had a process: `activity`."""
    NO_PROCESS = "no process"
    """No process serves the session."""


class Note(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What another source says, beside the one that decided."""

    kind: NoteKind
    activity: Activity = Activity()
    status: str = ""
    at: float = 0.0


class Evidence(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The source that decided the state, and whether another one differs."""

    source: str = "hooks"
    """hooks | registry | transcript | process"""
    event: str = ""
    at: float = 0.0
    agrees: bool = True
    note: Note | None = None


class Session(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One session, as resolved from all sources."""

    session_id: str
    name: str = ""
    """The name to show: the user's, else a title, else the client's own name, else the start of its id."""
    title: str | None = None
    """The user's own name for it, else the beginning of the first prompt."""
    membership: Membership | None = None
    """Its place in a team whose teammates have panes of their own; None: it is no teammate."""
    project: Project = Project()
    cwd: str = ""
    config_dir: str | None = None
    transcript_path: str | None = None
    model: str | None = None
    permission_mode: str | None = None
    effort: str | None = None
    version: str | None = None
    kind: str = "interactive"
    """interactive | headless | background"""
    state: State = State.IDLE
    activity: Activity = Activity()
    liveness: Liveness = Liveness.LIVE
    ended_reason: str | None = None
    ended_at: float | None = None
    since: float = 0.0
    unseen: bool = False
    is_reported: bool = True
    """Whether hooks have reported it; False: it is known from the client's registry alone."""
    turns: int = 0
    last_prompt: str = ""
    last_prompt_at: float | None = None
    last_reply: str = ""
    pid: int | None = None
    """Of the process that asks, else of the one that is busiest; None where it is not one of our pids."""
    place: Place = Place.HERE
    """Where that process runs."""
    terminal: Terminal = Terminal()
    """Of that process."""
    processes: tuple[ServingProcess, ...] = ()
    """All that serve it, that one first; more than one when it was opened twice."""
    queued: int = 0
    """Number of prompts that were typed while the turn runs, and wait for its end."""
    waits: tuple[Wait, ...] = ()
    """Open waits, oldest first."""
    waited: Spans = ()
    """The spans in which it waited for a person until it was answered; at least all of today."""
    agents: tuple[Agent, ...] = ()
    """Its agents in the order in which they started."""
    background: Background = Background()
    tools_used: dict[str, int] = {}
    files: Files = Files()
    errors: tuple[Failure, ...] = ()
    tasks: tuple[Task, ...] = ()
    context: Context = Context()
    cost: Cost = Cost()
    limits: Limits | None = None
    cache_until: float | None = None
    """When the prompt cache of the main thread expires: 5 minutes or an hour after its last answer. None when no answer
    used a cache."""
    duration: float | None = None
    """Seconds since the client started, as it reports them."""
    lines_added: int | None = None
    lines_removed: int | None = None
    started_at: float = 0.0
    updated_at: float = 0.0
    evidence: Evidence = Evidence()
    problem: str | None = None
    """The reason why its state can't be read, with file and position; the other fields keep the last good values."""
    elsewhere: Elsewhere | None = None
    """None: it runs on this machine. Else its id, config folder, and name and root of its project begin with `machine:`."""

    @property
    def root(self) -> str:
        """The folder that stands for its project: that of the repository, else the working directory."""
        return self.project.root or self.cwd

    @property
    def machine(self) -> str:
        """The name of the other machine on which it runs; empty for this one."""
        return self.elsewhere.machine if self.elsewhere else ""

    @property
    def is_silent(self) -> bool:
        """Whether the link to its machine is down, so that all of this may be out of date."""
        return self.elsewhere is not None and self.elsewhere.silent_since is not None

    @property
    def reason(self) -> Reason | None:
        """Why it needs you, or how its last turn broke off; None where neither applies."""
        return self.activity.reason

    def is_cache_warm(self, now: float) -> bool | None:
        """Whether a prompt at `now` (epoch seconds) would hit the cache; None when unknown, or when the session has no process."""
        if self.cache_until is None or self.liveness is not Liveness.LIVE:
            return None
        return now < self.cache_until


class Unreadable(msgspec.Struct, frozen=True, kw_only=True):
    """A state file that holds no session; a row shows the reason."""

    path: str
    problem: str
    since: float = 0.0
