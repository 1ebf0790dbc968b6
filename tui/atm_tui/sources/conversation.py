"""The conversation of a session: its transcript and those of its subagents, indexed as far as it is needed."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from atm_hooks.regular_file import read_start
from atm_tui.model.conversation import Entry, EntryKind, EntryText, Place
from atm_tui.sources.thread_index import ThreadIndex, find_position, get_order
from atm_tui.sources.transcript_agents import AgentFolder, AgentMeta, AgentMetaFile, parse_agent_id
from atm_tui.sources.transcript_lines import decode_line

FIRST = 256 << 10
"""Bytes at the end of a transcript that are indexed before anything is shown."""
BLOCK = 4 << 20
"""Bytes that are indexed at once after that."""
_HEAD = 64 << 10
"""Bytes of a subagent's transcript in which its start is searched."""
_DEEPEST = 8
"""Levels of subagents inside subagents that are shown."""


class AgentThread:
    """A subagent with a transcript of its own."""

    def __init__(self, path: str, index: ThreadIndex) -> None:
        self.id = index.thread
        self.index = index
        self.meta_file = AgentMetaFile(path)
        self.started_at = _read_start(path)
        self.is_open = False
        """Whether its transcript is being read."""

    @property
    def meta(self) -> AgentMeta:
        """What the client noted of it."""
        return self.meta_file.meta


class Conversation:
    """Follows the transcript of a session. One thread at a time may call what reads: `check` and `read_older`."""

    def __init__(self, path: str) -> None:
        self.main = self._make_index(path, "")
        self._folder = AgentFolder(path.removesuffix(".jsonl") + "/subagents")
        self.agents: dict[str, AgentThread] = {}
        """By id: subagents with their own transcripts."""
        self._by_path: dict[str, AgentThread] = {}

    def _make_index(self, path: str, thread: str) -> ThreadIndex:
        return ThreadIndex(path, thread)

    def close(self) -> None:
        """Ends it. Nothing is left to do for files that are here."""

    @property
    def problem(self) -> str | None:
        """Why the transcript can't be read; None when it can."""
        return self.main.problem

    @property
    def _indexes(self) -> list[ThreadIndex]:
        return [self.main, *(each.index for each in list(self.agents.values()) if each.is_open)]

    @property
    def is_behind(self) -> bool:
        """Whether older lines of an open transcript are not indexed."""
        return any(each.is_behind for each in self._indexes)

    @property
    def is_opening(self) -> bool:
        """Whether an open transcript was not read at all yet."""
        return not all(each.is_checked for each in self._indexes)

    @property
    def generation(self) -> int:
        """A number that changes when a file was replaced, cut or deleted."""
        return sum(each.generation for each in self._indexes)

    def open_agents(self, ids: Iterable[str]) -> None:
        """Lets the next `check` read the transcripts of these subagents."""
        for each in ids:
            if each in self.agents:
                self.agents[each].is_open = True

    def check(self) -> bool:
        """Indexes what is new; returns whether anything is."""
        changed = False
        for path in self._folder.list_files():
            if path not in self._by_path:
                agent = self._by_path[path] = AgentThread(path, self._make_index(path, parse_agent_id(path)))
                self.agents = {**self.agents, agent.id: agent}
                changed = True
        for agent in self.agents.values():
            changed = agent.meta_file.read() or changed
        for index in self._indexes:
            found = index.check()
            if found is None:  # read anew
                index.read_older(FIRST)
            changed = changed or found is not False
        return changed

    def read_older(self, size: int = BLOCK) -> None:
        """Indexes older lines of all open transcripts, about `size` bytes of each."""
        for index in self._indexes:
            index.read_older(size)

    # What is shown

    def list_entries(self, unfolded: AbstractSet[str]) -> list[Entry]:
        """Returns all known entries in order, with those of the `unfolded` subagents inside."""
        inline: dict[str, list[Entry]] = {}
        own: list[Entry] = []
        for each in self.main.entries:
            (inline.setdefault(each.thread, []) if each.thread else own).append(each)
        below: dict[str, list[Entry]] = {}
        for name, entries in inline.items():  # transcripts of old clients hold their subagents' lines, too
            first = entries[0].place
            below.setdefault("", []).append(_make_agent(name, "", Place(first.offset, 0, 0)))
        for agent in self.agents.values():
            parent, place = self._find_call(agent, own)
            if place is not None:
                below.setdefault(parent, []).append(_make_agent(agent.id, parent, place))

        def insert(thread: str, entries: Sequence[Entry], depth: int) -> list[Entry]:
            result: list[Entry] = []
            position = 0
            for each in sorted(below.get(thread, ()), key=get_order):
                at = max(position, find_position(entries, each.place))
                result += [*entries[position:at], each]
                position = at
                if each.name in unfolded and depth < _DEEPEST:
                    agent = self.agents.get(each.name)
                    inside = agent.index.entries if agent else inline.get(each.name, ())
                    result += insert(each.name, inside, depth + 1)
            return [*result, *entries[position:]]

        return insert("", own, 0)

    def list_all_entries(self) -> list[Entry]:
        """Returns all known entries, with those of all subagents inside."""
        inline = {each.thread for each in self.main.entries}
        return self.list_entries(inline | self.agents.keys())

    def _find_call(self, agent: AgentThread, own: Sequence[Entry]) -> tuple[str, Place | None]:
        """Returns the thread that called an agent, and the place after the call; one without a known call is placed by its time."""
        parent = self.agents.get(agent.meta.parent_agent_id or "")
        index = parent.index if parent else self.main
        call = index.calls.get(agent.meta.tool_use_id or "")
        if call is not None:
            return index.thread, Place(call.place.offset, 0, call.place.number + 1)
        if parent or self.main.is_behind:
            return "", None
        after = (each for each in own if each.at is not None and each.at > agent.started_at)
        later = next(after, None)
        return "", later.place if later else Place(self.main.size, 0, 0)

    def find_index(self, entry: Entry) -> ThreadIndex:
        """Returns the index of the file that an entry is in."""
        agent = self.agents.get(entry.thread)
        return agent.index if agent else self.main

    def fetch_text(self, entry: Entry, longest_result: int) -> EntryText:
        """Reads what an entry says; of a subagent, its name or type, and on a second line its description."""
        if entry.kind is EntryKind.AGENT:
            agent = self.agents.get(entry.name)
            meta = agent.meta if agent else AgentMeta()
            return EntryText(f"{meta.name or meta.agent_type or ''}\n{meta.description or ''}")
        return self.find_index(entry).fetch_text(entry, longest_result)

    def find_depth(self, entry: Entry) -> int:
        """Returns in how many subagents an entry is."""
        depth, thread = 0, entry.thread
        while thread and depth <= _DEEPEST:
            depth += 1
            agent = self.agents.get(thread)
            thread = (agent.meta.parent_agent_id or "") if agent else ""
        return depth


def _make_agent(name: str, parent: str, place: Place) -> Entry:
    return Entry(place, EntryKind.AGENT, parent, name)


def _read_start(path: str) -> float:
    """Returns the time of the first line of a transcript in epoch seconds; infinite if it has none."""
    try:
        head = read_start(path, _HEAD)
    except OSError:
        return float("inf")
    for line in head.split(b"\n")[:-1]:
        for record in decode_line(line)[0]:
            if record.at is not None:
                return record.at
    return float("inf")
