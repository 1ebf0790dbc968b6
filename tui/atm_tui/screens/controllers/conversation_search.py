"""Searches a conversation: all that unfolded entries show, subagents included."""

import re
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from atm_tui.model.conversation import Entry, EntryKind, Key
from atm_tui.sources.conversation import Conversation
from atm_tui.sources.conversation_lines import find_entries
from atm_tui.sources.thread_index import ThreadIndex
from atm_tui.view.conversation import write_entry
from atm_tui.view.present import UNICODE
from atm_tui.view.styled_lines import count_matches
from atm_tui.widgets.conversation_lines import UNFOLDED_RESULT

STEP = 0.1
"""Seconds of searching between updates of the count."""
WIDTH = 100
"""Cells for the layout of tables, which changes nothing that can be searched."""
_PLAIN = re.compile(r"[!#-%'-.0-;=?-\[\]-~]+")
"""Characters that every writer of JSON leaves as they are."""


class Matches(NamedTuple):
    """The matches that were found. They never change: more of them are another value."""

    entries: Sequence[Entry] = ()
    """Those with matches, in order."""
    sums: Sequence[int] = ()
    """For each of them: how many matches there are up to its last one."""

    @property
    def total(self) -> int:
        """How many matches there are."""
        return self.sums[-1] if self.sums else 0

    def find_match(self, number: int) -> tuple[Entry, int]:
        """Returns the entry of a match, counted from 0, and its number in that entry."""
        at = bisect_right(self.sums, number)
        return self.entries[at], number - (self.sums[at - 1] if at else 0)

    def find_number(self, entry: Entry, among: Sequence[Entry]) -> int:
        """Returns the number of the first match in or after an entry; of the first one of all if there is none.

        `among`: all entries, in order.
        """
        keys = {each.key: at for at, each in enumerate(self.entries)}
        seen = False
        for each in among:
            seen = seen or each.key == entry.key
            if seen and each.key in keys:
                at = keys[each.key]
                return self.sums[at - 1] if at else 0
        return 0


class ConversationSearch:
    """Counts what matches, as far as transcripts are indexed. `run` is called in another thread, while others index.

    A file that was replaced takes another search.
    """

    def __init__(self, conversation: Conversation, text: str) -> None:
        self.text = text
        self.pattern = re.compile(r"\s+".join(map(re.escape, text.split())), re.IGNORECASE)
        pieces = sorted(_PLAIN.findall(text), key=len)
        self._probe = pieces[-1].lower().encode() if pieces else b""
        """What every line that has a match contains, in lower case."""
        self._conversation = conversation
        self._scanned: dict[str, tuple[int, int]] = {}
        """By path: the offsets between which lines were searched."""
        self._counts: dict[Key, int] = {}
        self._steps: Iterator[None] | None = None
        self.found = Matches()

    def run(self) -> bool:
        """Searches for STEP seconds; returns whether there is more to search now."""
        self._steps = self._steps or self._scan()
        end = time.monotonic() + STEP
        is_left = any(time.monotonic() > end for _ in self._steps)
        self._steps = self._steps if is_left else None
        self._sort()
        return is_left

    def _scan(self) -> Iterator[None]:
        agents = list(self._conversation.agents.values())
        for index in (self._conversation.main, *(each.index for each in agents)):
            if (indexed := index.indexed) is None:
                continue
            oldest, newest = indexed
            first, last = self._scanned.get(index.path, (newest, newest))
            for begin, end in ((last, newest), (oldest, first)):
                if begin < end:
                    yield from self._scan_lines(index, begin, end)
            self._scanned[index.path] = (min(first, oldest), max(last, newest))

    def _scan_lines(self, index: ThreadIndex, begin: int, end: int) -> Iterator[None]:
        try:
            for line, offset in index.list_lines(begin, end):
                if self._probe in line.lower():
                    self._count_line(index, line, offset)
                yield
        except OSError:
            return  # the file is gone; the next check of the conversation notices

    def _count_line(self, index: ThreadIndex, line: bytes, offset: int) -> None:
        found = find_entries(line, offset, index.thread)
        calls = [index.calls[each] for each in found.results if each in index.calls]
        for entry in (*found.entries, *calls):
            if entry.kind is EntryKind.RESULT and entry.call_id in index.calls:
                continue
            if entry.key not in self._counts or entry.kind is EntryKind.CALL:
                self._count(entry)

    def _count(self, entry: Entry) -> None:
        said = self._conversation.fetch_text(entry, UNFOLDED_RESULT)
        count = count_matches(write_entry(entry, said, WIDTH, UNICODE, unfolded=True), self.pattern)
        if count:
            self._counts[entry.key] = count

    def _sort(self) -> None:
        entries = self._conversation.list_all_entries()
        for each in entries:
            if each.kind is EntryKind.AGENT:
                self._count(each)
        matching = [each for each in entries if each.key in self._counts]
        self.found = Matches(matching, list(accumulate(self._counts[each.key] for each in matching)))
