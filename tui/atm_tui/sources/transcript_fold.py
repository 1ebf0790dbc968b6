"""Folds the lines of a session's files, its own and those of its agents, into the values that the app needs."""

from operator import attrgetter

import msgspec

from atm_tui.cost.usage import ApiRequest, find_shared_key
from atm_tui.model.transcript import CostState
from atm_tui.sources.folders import has_name
from atm_tui.sources.transcript_lines import Line, read_request
from atm_tui.sources.transcript_thread import ThreadState, read_cost_state

INLINE = "sidechain"
"""Agent id for subagent lines in the session's own file without an id."""
_LATEST = tuple(
    (field, attrgetter(field))
    for field in (
        "session_id",
        "cwd",
        "version",
        "custom_title",
        "agent_name",
        "team_name",
        "last_prompt",
        "permission_mode",
    )
)
"""Fields of which the newest value in the session's own file counts."""


class TranscriptFold(msgspec.Struct, array_like=True):
    """The result of folding so far. It can be stored and continued."""

    main: ThreadState = msgspec.field(default_factory=ThreadState)
    inline: dict[str, ThreadState] = {}
    """Agents whose lines older clients wrote into the session's own file, by id."""
    agents: dict[str, ThreadState] = {}
    """Agents with a file of their own, by its path."""
    requests: list[ApiRequest] = []
    """All requests, for storing the fold; kept in a UsageLedger while in use."""
    forked: set[int] = set()
    """Shared keys of requests in lines that say from which session they were copied."""
    shared: set[int] = set()
    """Shared keys of all other requests."""
    damaged: int = 0
    cost_state: CostState | None = None
    resumed_at: float | None = None
    latest: dict[str, str | None] = {}
    last_request_at: float = 0.0
    started_in: str = ""
    """The folder in which the session was started: the one after which the client named the transcript's folder, else the first."""
    agents_in: str = ""
    """The first folder in which an agent with a file of its own worked."""

    def add_main_line(self, line: Line, folder: str) -> ApiRequest | None:
        """Adds a line of the session's own file, which is in `folder`; returns the request that it belongs to."""
        cwd = line.cwd
        if cwd and cwd != self.started_in and (not self.started_in or has_name(cwd, folder)):
            self.started_in = cwd
        if line.is_sidechain:
            name = line.agent_id or INLINE
            return self._add(line, self.inline.setdefault(name, ThreadState()), name)
        request = self._add(line, self.main, "")
        if line.type == "cost-state":
            self.cost_state = read_cost_state(line, self.main.last_at) or self.cost_state
            self.resumed_at = None
        elif line.type in ("user", "assistant") and self.resumed_at is None:
            self.resumed_at = line.at
        for field, read in _LATEST:
            if (value := read(line)) is not None:
                self.latest[field] = value
        return request

    def drop_inputs(self) -> None:
        """Keeps of the inputs of open calls only their summaries."""
        for thread in (self.main, *self.inline.values(), *self.agents.values()):
            thread.calls.drop_inputs()

    def add_agent(self, path: str) -> None:
        """Adds an agent with a file of its own."""
        self.agents[path] = ThreadState()

    def add_agent_line(self, line: Line, path: str, agent: str) -> ApiRequest | None:
        """Adds a line of an agent's own file; returns the request that it belongs to."""
        self.agents_in = self.agents_in or line.cwd or ""
        return self._add(line, self.agents[path], agent)

    def _add(self, line: Line, thread: ThreadState, agent: str) -> ApiRequest | None:
        request = read_request(line, agent_id=agent)
        thread.add(line, request)
        if request is not None:
            self._note_origin(line, request)
            self.last_request_at = max(self.last_request_at, request.at or 0.0)
        return request

    def _note_origin(self, line: Line, request: ApiRequest) -> None:
        key = find_shared_key(request)
        origin = line.forked_from.session_id if line.forked_from else None
        if key is not None:
            (self.forked if origin and origin != line.session_id else self.shared).add(key)
