"""Follows the transcript of one session as it grows: its own file and those of its subagents."""

from collections.abc import Hashable, Iterator

from atm_tui.cost.pricing import PriceTable, load_default_table
from atm_tui.cost.usage import ApiRequest, UsageLedger, find_shared_key, split_requests
from atm_tui.model.tokens import Bucket, Tokens
from atm_tui.model.transcript import AgentFacts, CostState, TranscriptFacts
from atm_tui.sources.transcript_agents import AgentFolder, AgentMeta, AgentMetaFile, parse_agent_id
from atm_tui.sources.transcript_lines import Line, decode_line, read_request
from atm_tui.sources.transcript_tail import FileChange, Tail
from atm_tui.sources.transcript_thread import ThreadState, read_cost_state

INLINE = "sidechain"
"""Agent id for subagent lines in the session's own file without an id."""


class _AgentFile:
    """An agent with its own file."""

    def __init__(self, path: str) -> None:
        self.id = parse_agent_id(path)
        self.tail = Tail(path)
        self.meta = AgentMetaFile(path)
        self.thread = ThreadState()


class TranscriptReader:
    """Follows `<session>.jsonl` and `<session>/subagents/**/agent-*.jsonl`.

    `read()` costs one stat per file while nothing changes, and reads only new lines. When a file was replaced, rewritten
    or deleted, all files are read again, so that nothing is counted twice. Raises nothing.

    `facts` always describe whole files: they change only when a large file has been read to its end.
    """

    def __init__(self, path: str, table: PriceTable | None = None) -> None:
        self.path = str(path)
        self._table = table or load_default_table()
        self._folder = AgentFolder(self.path.removesuffix(".jsonl") + "/subagents")
        self._inherited: frozenset[Hashable] = frozenset()
        self._reset()
        self._left: int | None = None
        self._has_news = False
        self.is_behind = False
        """Whether the last `read` stopped at its limit: there is more."""
        self.bytes_read = 0
        """The facts, as of the last `read`."""
        self.facts = TranscriptFacts(path=self.path)

    def _reset(self) -> None:
        self._tail = Tail(self.path)
        self._exists = False
        self._agents: dict[str, _AgentFile] = {}
        self._inline: dict[str, ThreadState] = {}
        self._main = ThreadState()
        self._ledger = UsageLedger(self._table)
        self._forked: set[Hashable] = set()
        """Shared keys of requests in lines that say from which session they were copied."""
        self.shared_keys: set[Hashable] = set()
        """Shared keys of all other requests."""
        self._damaged = 0
        self._cost_state: CostState | None = None
        self._resumed_at: float | None = None
        self._latest: dict[str, str | None] = {}
        self._last_request_at = 0.0

    @property
    def problem(self) -> str | None:
        """Why the session's own file can't be read; None when it can, or when it does not exist."""
        return self._tail.problem

    def read(self, limit: int | None = None) -> bool:
        """Reads new lines, at most about `limit` bytes of them; returns whether `facts` changed."""
        self.bytes_read, self._left = 0, limit
        changed = self._read_new_lines()
        if changed is None:
            self._reset()
            self._read_new_lines()
            changed = True
        self._has_news = self._has_news or changed
        self.is_behind = self._tail.is_behind or any(agent.tail.is_behind for agent in self._agents.values())
        if self.is_behind or not self._has_news:
            return False
        self._has_news = False
        old, self.facts = self.facts, self._make_facts()
        return self.facts != old

    def _read_new_lines(self) -> bool | None:
        """Reads new lines; returns whether there were any, or None when a file was replaced and all has to be read again."""
        change = self._tail.check()
        if change in (FileChange.REPLACED, FileChange.GONE):
            return None
        changed = change is FileChange.GREW
        for path in self._folder.list_files():
            if path not in self._agents:
                self._agents[path] = _AgentFile(path)
        for agent in self._agents.values():
            change_of_agent = agent.tail.check()
            if change_of_agent in (FileChange.REPLACED, FileChange.GONE):
                return None
            if change_of_agent is FileChange.GREW:
                changed = True
                for line in self._read_lines(agent.tail):
                    self._add_line(line, agent.thread, agent.id)
            changed = agent.meta.read() or changed
        if change is FileChange.GREW:
            self._exists = True
            for line in self._read_lines(self._tail):
                self._add_main_line(line)
        return changed

    def _read_lines(self, tail: Tail) -> Iterator[Line]:
        begin = tail.offset
        for raw in tail.read_lines(self._left):
            records, damaged = decode_line(raw)
            self._damaged += damaged
            yield from records
        self.bytes_read += tail.offset - begin
        if self._left is not None:
            self._left = max(0, self._left - (tail.offset - begin))

    def _add_main_line(self, line: Line) -> None:
        if line.is_sidechain:
            name = line.agent_id or INLINE
            self._add_line(line, self._inline.setdefault(name, ThreadState()), name)
            return
        self._add_line(line, self._main, "")
        if line.type == "cost-state":
            self._cost_state = read_cost_state(line, self._main.last_at) or self._cost_state
            self._resumed_at = None
        elif line.type in ("user", "assistant") and self._resumed_at is None:
            self._resumed_at = line.at
        for field in ("session_id", "cwd", "version", "custom_title", "agent_name", "last_prompt", "permission_mode"):
            if (value := getattr(line, field)) is not None:
                self._latest[field] = value

    def _add_line(self, line: Line, thread: ThreadState, agent: str) -> None:
        request = read_request(line, agent_id=agent)
        thread.add(line, request)
        if request is not None:
            self._ledger.add(request)
            self._note_origin(line, request)
            self._last_request_at = max(self._last_request_at, request.at or 0.0)

    def _note_origin(self, line: Line, request: ApiRequest) -> None:
        key = find_shared_key(request)
        origin = line.forked_from.session_id if line.forked_from else None
        if key is not None:
            (self._forked if origin and origin != line.session_id else self.shared_keys).add(key)

    def set_inherited(self, keys: frozenset[Hashable]) -> bool:
        """Sets the requests, by their shared keys, that count for another session; returns whether `facts` changed."""
        if keys == self._inherited:
            return False
        self._inherited = keys
        old, self.facts = self.facts, self._make_facts()
        return self.facts != old

    def _make_facts(self) -> TranscriptFacts:
        inherited_keys = self._inherited | self._forked
        buckets = self._ledger.list_buckets()
        inherited: tuple[Bucket, ...] = ()
        if inherited_keys:
            buckets, inherited = split_requests(self._ledger.list_requests(), inherited_keys, self._table)
        by_agent: dict[str, Tokens] = {}
        for bucket in buckets:
            by_agent[bucket.agent_id] = by_agent.get(bucket.agent_id, Tokens()) + bucket.tokens
        main, latest = self._main, self._latest
        return TranscriptFacts(
            path=self.path,
            exists=self._exists,
            session_id=latest.get("session_id") or "",
            cwd=latest.get("cwd"),
            version=latest.get("version"),
            title=latest.get("custom_title"),
            agent_name=latest.get("agent_name"),
            first_prompt=main.first_prompt,
            last_prompt=latest.get("last_prompt") or main.last_prompt,
            permission_mode=latest.get("permission_mode"),
            model=main.model,
            requested_model=main.requested_model,
            turns=main.turns,
            typed_turns=main.typed_turns,
            buckets=buckets,
            inherited=inherited,
            tokens=sum(by_agent.values(), Tokens()),
            cost_state=self._cost_state,
            after_cost_state=self._list_usage_after_totals(),
            aborted=len(main.aborted),
            context_usage=main.context_usage,
            context_at=main.context_at,
            largest_prompt=main.largest_prompt,
            samples=tuple(main.samples),
            compactions=tuple(main.compactions),
            agents=self._make_agent_facts(by_agent),
            interruption=main.interruption,
            running_call=main.calls.newest,
            queue=main.queue.waiting,
            queued_at=main.queue.added_at,
            queued_turn_at=main.queue.begun_at,
            last_line_at=main.last_at,
            last_prompt_at=main.last_prompt_at,
            last_answer_at=main.last_answer_at,
            cache_ttl=main.cache_ttl,
            stop_reason=main.stop_reason,
            api_error=main.api_error,
            api_error_kind=main.api_error_kind,
            turn_ended_at=main.turn_ended_at,
            turn_duration=main.turn_duration,
            skipped_lines=self._damaged + self._tail.overlong + sum(a.tail.overlong for a in self._agents.values()),
        )

    def _make_agent_facts(self, tokens: dict[str, Tokens]) -> tuple[AgentFacts, ...]:
        facts = [
            thread.to_agent_facts(name, "", AgentMeta(), tokens.get(name, Tokens()))
            for name, thread in self._inline.items()
        ]
        facts += [
            agent.thread.to_agent_facts(agent.id, agent.tail.path, agent.meta.meta, tokens.get(agent.id, Tokens()))
            for agent in self._agents.values()
        ]
        return tuple(sorted(facts, key=lambda agent: (agent.started_at or 0.0, agent.agent_id)))

    def _list_usage_after_totals(self) -> tuple[Bucket, ...]:
        at = self._resumed_at
        if self._cost_state is None or at is None or self._last_request_at < at:
            return ()
        later = UsageLedger(self._table)
        for request in self._ledger.list_requests():
            if request.at is not None and request.at >= at:
                later.add(request)
        return later.list_buckets()
