"""Follows the transcript of one session as it grows: its own file and those of its subagents."""

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from atm_tui.cost.pricing import PriceTable, load_default_table
from atm_tui.cost.usage import ApiRequest, UsageLedger, split_requests
from atm_tui.model.tokens import Bucket, Tokens
from atm_tui.model.transcript import AgentFacts, TranscriptFacts
from atm_tui.sources.checkpoints import VERSION, Checkpoint, CheckpointStore, SavedAgent, pack_keys, unpack_keys
from atm_tui.sources.transcript_agents import AgentFolder, AgentMeta, AgentMetaFile, locate_agents, parse_agent_id
from atm_tui.sources.transcript_tail import FileChange, Tail

if TYPE_CHECKING:  # loaded when there is something to fold
    from atm_tui.sources.transcript_fold import TranscriptFold
    from atm_tui.sources.transcript_lines import Line

SAVED_EVERY = 64 << 10
"""Bytes to read of a session before its checkpoint is written again."""
REST_AFTER = 3600.0
"""Seconds without a new line after which nothing is held that only new lines need: of a long session these are megabytes."""


class _AgentFile:
    """An agent with its own file."""

    __slots__ = ("meta", "tail")

    def __init__(self, path: str, saved: SavedAgent | None = None) -> None:
        self.tail = Tail(path, state=saved.tail if saved else None)
        self.meta = AgentMetaFile(path)
        if saved:
            self.meta.stamp, self.meta.meta = saved.meta_stamp, saved.meta

    @property
    def id(self) -> str:
        """The agent's id."""
        return parse_agent_id(self.tail.path)


class TranscriptReader:
    """Follows `<session>.jsonl` and `<session>/subagents/**/agent-*.jsonl`.

    `read()` costs one stat per file while nothing changes, and reads only new lines. When a file was replaced, rewritten
    or deleted, all files are read again, so that nothing is counted twice. Raises nothing.

    `facts` always describe whole files: they change only when a large file has been read to its end.
    """

    def __init__(self, path: str, table: PriceTable | None = None, checkpoints: CheckpointStore | None = None) -> None:
        """`checkpoints`: where the first `read` continues from and `save` writes to; None: nowhere."""
        self.path = str(path)
        self._table = table or load_default_table()
        self._checkpoints = checkpoints
        self._is_restored = checkpoints is None
        self._folder = AgentFolder(locate_agents(self.path))
        self._inherited: frozenset[int] = frozenset()
        self._reset()
        self._left: int | None = None
        self._has_news = False
        self._unsaved: int | None = None
        """Bytes that were read since the checkpoint was written; None when nothing is to be written."""
        self._tried_to_rest = False
        """Whether `rest` was called, and nothing was read or loaded since."""
        self.is_behind = False
        """Whether the last `read` stopped at its limit: there is more."""
        self.bytes_read = 0
        """Bytes that the last `read` read."""
        self.facts = TranscriptFacts(path=self.path)
        """The facts, as of the last `read`."""

    def _reset(self) -> None:
        self._tail = Tail(self.path)
        self._exists = False
        self._has_checkpoint = False
        """Whether any of the files being read exists."""
        self._agents: dict[str, _AgentFile] = {}
        self._checkpoint: Checkpoint | None = None
        """The checkpoint whose fold was not needed so far; then `_ledger` is empty."""
        self._folded: TranscriptFold | None = None
        self._ledger = UsageLedger(self._table)
        self.shared_keys: set[int] = set()
        """Shared keys of requests in lines that don't say from which session they were copied."""

    @property
    def _fold(self) -> "TranscriptFold":
        """The fold of the lines; empty while the fold of the checkpoint was not needed."""
        if self._folded is None:
            from atm_tui.sources.transcript_fold import TranscriptFold  # noqa: PLC0415

            self._folded = TranscriptFold(shared=self.shared_keys)
        return self._folded

    def list_keys(self) -> bytes:
        """Returns the shared keys of all its requests, packed, including copied ones; a key may occur twice."""
        if self._checkpoint is not None:
            return self._checkpoint.shared + self._checkpoint.forked
        return pack_keys([*self.shared_keys, *self._fold.forked])

    def list_requests(self) -> Iterable[ApiRequest]:
        """Returns all its requests, each with the figures of its last line. Reads everything again if necessary."""
        if not self._load_fold():
            self._reset()
            self._left = None
            self._read_new_lines()
        return self._ledger.list_requests()

    def list_paths(self) -> list[str]:
        """Returns all files and folders that `read` checks."""
        agents = [path for agent in self._agents.values() for path in (agent.tail.path, agent.meta.path)]
        return [self.path, *self._folder.list_folders(), *agents]

    @property
    def problems(self) -> dict[str, str]:
        """By the path of each file that can't be read: why."""
        tails = (self._tail, *(agent.tail for agent in self._agents.values()))
        return {tail.path: tail.problem for tail in tails if tail.problem}

    @property
    def problem(self) -> str | None:
        """Why the session's own file can't be read; None when it can, or when it does not exist."""
        return self._tail.problem

    def read(self, limit: int | None = None) -> bool:
        """Reads new lines, at most about `limit` bytes of them; returns whether `facts` changed."""
        self.bytes_read, self._left = 0, limit
        old = self.facts
        if not self._is_restored:
            self._is_restored = True
            self._restore()
        changed = self._read_new_lines()
        if changed is None:
            self._reset()
            self._read_new_lines()
            changed = True
        if changed or self.bytes_read:
            self._unsaved = (self._unsaved or 0) + self.bytes_read
            self._tried_to_rest = False
        self._has_news = self._has_news or changed
        self.is_behind = self._tail.is_behind or any(agent.tail.is_behind for agent in self._agents.values())
        if not self.is_behind and self._has_news:
            self._has_news = False
            self.facts = self._make_facts()
        return self.facts is not old and self.facts != old

    def _read_new_lines(self) -> bool | None:
        """Reads new lines; returns whether there were any, or None when a file was replaced and all has to be read again."""
        change = self._tail.check()
        if change in (FileChange.REPLACED, FileChange.GONE):
            return None
        changed = change is FileChange.GREW
        if changed and not self._load_fold():
            return None
        for path in self._folder.list_files():
            if path not in self._agents:
                if not self._load_fold():
                    return None
                self._agents[path] = _AgentFile(path)
                self._fold.add_agent(path)
        for path, agent in self._agents.items():
            change_of_agent = agent.tail.check()
            if change_of_agent in (FileChange.REPLACED, FileChange.GONE):
                return None
            if change_of_agent is FileChange.GREW:
                if not self._load_fold():
                    return None
                changed = True
                fold = self._fold
                for line in self._read_lines(agent.tail, fold):
                    if request := fold.add_agent_line(line, path, agent.id):
                        self._ledger.add(request)
                    del line  # the memory of a long line is used again
            if agent.meta.path in self._folder.metas and agent.meta.read():
                if not self._load_fold():
                    return None
                changed = True
        if change is FileChange.GREW:
            self._exists = True
            folder = os.path.basename(os.path.dirname(self.path))  # noqa: PTH119, PTH120
            fold = self._fold
            for line in self._read_lines(self._tail, fold):
                if request := fold.add_main_line(line, folder):
                    self._ledger.add(request)
                del line
        return changed

    def _read_lines(self, tail: Tail, fold: "TranscriptFold") -> "Iterator[Line]":
        from atm_tui.sources.transcript_lines import decode_line  # noqa: PLC0415

        begin = tail.offset
        for raw in tail.read_lines(self._left):
            records, damaged = decode_line(raw)
            fold.damaged += damaged
            del raw
            while records:
                yield records.pop(0)
        self.bytes_read += tail.offset - begin
        if self._left is not None:
            self._left = max(0, self._left - (tail.offset - begin))

    # --- checkpoints

    def _restore(self) -> None:
        """Continues from the checkpoint, if there is one."""
        store = self._checkpoints
        found = store.load(self.path) if store else None
        if store is None or found is None:
            return
        self._checkpoint, self._has_checkpoint = found, True
        self._tail = Tail(self.path, state=found.tail)
        self._agents = {each.path: _AgentFile(each.path, each) for each in found.agents}
        self._exists = found.facts.exists
        self.shared_keys = set(unpack_keys(found.shared))
        if found.prices == store.prices:
            self._inherited = frozenset(unpack_keys(found.inherited))
            self.facts = found.facts
        elif self._load_fold():
            self._has_news = True
        else:
            self._reset()

    def _load_fold(self) -> bool:
        """Loads the fold that is needed to continue reading, unless loaded already; returns whether that worked."""
        checkpoint, self._checkpoint = self._checkpoint, None
        if checkpoint is None:
            return True
        self._tried_to_rest = False
        found = self._checkpoints.load_fold(checkpoint) if self._checkpoints else None
        if found is None or found.agents.keys() != self._agents.keys():
            return False
        for request in found.requests:
            self._ledger.add(request)
        found.requests = []
        found.shared = self.shared_keys
        self._folded = found
        return True

    def save(self, *, even_little: bool = False) -> None:
        """Writes a checkpoint, if enough was read since the last one, or `even_little`, and nothing is left to read."""
        if self._unsaved is None:  # true for most of a thousand sessions after each event
            return
        store = self._checkpoints
        enough = even_little or self._unsaved >= SAVED_EVERY or not self._has_checkpoint
        if store is None or not enough or self.is_behind or self.problems:
            return
        state, agents = self._tail.state, self._list_saved_agents()
        if len(agents) != len(self._agents) or (state is None and not agents):
            return
        self._unsaved, self._has_checkpoint = None, True
        self._fold.drop_inputs()
        fold = msgspec.structs.replace(self._fold, requests=list(self._ledger.list_requests()), shared=set())
        serial = int.from_bytes(os.urandom(7), "little")
        shared, forked, inherited = map(pack_keys, (self.shared_keys, self._fold.forked, self._inherited))
        checkpoint = Checkpoint(
            VERSION, self.path, serial, store.prices, state, agents, shared, forked, inherited, self.facts
        )
        store.save(checkpoint, fold)

    def rest(self, now: float) -> None:
        """Drops what is needed only to go on reading, if it is saved and no file changed in the hour before `now` (epoch seconds).

        With the next new line, it comes back from the checkpoint.
        """
        if self._folded is None or self._tried_to_rest or now - self._changed_at < REST_AFTER:
            return
        self._tried_to_rest = True
        self.save(even_little=True)
        found = self._checkpoints.load(self.path) if self._checkpoints else None
        if found and (found.tail, found.agents) == (self._tail.state, self._list_saved_agents()):
            found.facts = self.facts
            self._checkpoint, self._folded, self._ledger = found, None, UsageLedger(self._table)

    @property
    def _changed_at(self) -> float:
        """When one of the files last changed, epoch seconds."""
        return max(tail.changed_at for tail in (self._tail, *(agent.tail for agent in self._agents.values())))

    def _list_saved_agents(self) -> list[SavedAgent]:
        """Returns the agents whose files were read."""
        return [
            SavedAgent(path, found, agent.meta.stamp, agent.meta.meta)
            for path, agent in self._agents.items()
            if (found := agent.tail.state)
        ]

    # --- facts

    def set_inherited(self, keys: frozenset[int]) -> bool:
        """Sets the requests, by their shared keys, that count for another session; returns whether `facts` changed."""
        if keys == self._inherited:
            return False
        self._inherited = keys
        if not self._load_fold():  # the next `read` reads everything again
            self._reset()
            self.is_behind = True
            return False
        old, self.facts = self.facts, self._make_facts()
        return self.facts != old

    def _make_facts(self) -> TranscriptFacts:
        inherited_keys = self._inherited | self._fold.forked
        buckets = self._ledger.list_buckets()
        inherited: tuple[Bucket, ...] = ()
        if inherited_keys:
            buckets, inherited = split_requests(self._ledger.list_requests(), inherited_keys, self._table)
        by_agent: dict[str, Tokens] = {}
        for bucket in buckets:
            by_agent[bucket.agent_id] = by_agent.get(bucket.agent_id, Tokens()) + bucket.tokens
        fold = self._fold
        main, latest = fold.main, fold.latest
        return TranscriptFacts(
            path=self.path,
            exists=self._exists,
            session_id=latest.get("session_id") or "",
            cwd=latest.get("cwd"),
            started_in=fold.started_in or fold.agents_in,
            last_request_at=fold.last_request_at,
            version=latest.get("version"),
            title=latest.get("custom_title"),
            agent_name=latest.get("agent_name"),
            team=latest.get("team_name") or "",
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
            cost_state=fold.cost_state,
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
            skipped_lines=fold.damaged + self._tail.overlong + sum(a.tail.overlong for a in self._agents.values()),
        )

    def _make_agent_facts(self, tokens: dict[str, Tokens]) -> tuple[AgentFacts, ...]:
        facts = [
            thread.to_agent_facts(name, "", AgentMeta(), tokens.get(name, Tokens()))
            for name, thread in self._fold.inline.items()
        ]
        facts += [
            self._fold.agents[path].to_agent_facts(agent.id, path, agent.meta.meta, tokens.get(agent.id, Tokens()))
            for path, agent in self._agents.items()
        ]
        return tuple(sorted(facts, key=lambda agent: (agent.started_at or 0.0, agent.agent_id)))

    def _list_usage_after_totals(self) -> tuple[Bucket, ...]:
        at = self._fold.resumed_at
        if self._fold.cost_state is None or at is None or self._fold.last_request_at < at:
            return ()
        later = UsageLedger(self._table)
        for request in self._ledger.list_requests():
            if request.at is not None and request.at >= at:
                later.add(request)
        return later.list_buckets()
