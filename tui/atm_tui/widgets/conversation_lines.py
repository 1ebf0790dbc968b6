"""The lines of a conversation. Only those around the view are written; the others are known by their entries."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.binding import BindingType
from textual.events import Click, MouseScrollDown, MouseScrollUp, Resize
from textual.message import Message

from atm_tui import commands
from atm_tui.model.conversation import Entry, EntryKind, Key
from atm_tui.sources.conversation import Conversation
from atm_tui.view.conversation import FOLDABLE, needs_gap, write_entry
from atm_tui.view.present import Glyphs, Part
from atm_tui.view.styled_lines import WrappedLine, wrap
from atm_tui.widgets.line_list import LineList

if TYPE_CHECKING:
    import re

AHEAD = 2
"""Pages that are written before and after the cursor."""
KEPT = 400
"""Written entries that are kept."""
FOLDED_RESULT = 1 << 20
"""Bytes of the longest result that is read to say how long it is."""
UNFOLDED_RESULT = 16 << 20
WHEEL = 3
"""Lines per step of the mouse wheel."""

LineKey = tuple[Key, int]


class ConversationLine(NamedTuple):
    """A line of an entry."""

    entry: Entry
    number: int
    """Its number in the entry; -1: the empty line before it."""
    parts: Sequence[Part] = ()
    matches: int = 0
    """How many matches of the search begin in it."""


class ConversationLines(LineList[ConversationLine, LineKey]):
    """Shows the part of a conversation around the cursor. At the end, it follows what comes."""

    BINDINGS: ClassVar[list[BindingType]] = commands.make_bindings("tree")
    BINDING_GROUP_TITLE = "Conversation"

    class Moved(Message):
        """The cursor moved."""

    class AgentToggled(Message):
        """A subagent is to be unfolded or folded."""

        def __init__(self, agent_id: str) -> None:
            super().__init__()
            self.agent_id = agent_id

    def __init__(self, conversation: Conversation, glyphs: Glyphs) -> None:
        super().__init__(id="conversation")
        self._conversation = conversation
        self._glyphs = glyphs
        self._entries: Sequence[Entry] = ()
        self._range = (0, 0)
        """The entries that are written."""
        self._top = 0
        self._unfolded: set[Key] = set()
        self._agents: AbstractSet[str] = frozenset()
        self._pattern: re.Pattern[str] | None = None
        self._written: dict[Key, tuple[object, list[WrappedLine]]] = {}
        self.follows = True
        """Whether the cursor is on the last line, and stays there when more come."""

    # What is shown

    @property
    def top(self) -> int:
        """Index of the first line in view."""
        return self._top

    @property
    def line_width(self) -> int:
        """Width of a line in cells."""
        return self.size.width

    def fit_height(self) -> None:
        """Does nothing: it scrolls by itself, without a scrollbar."""

    @property
    def entry(self) -> Entry | None:
        """The entry under the cursor."""
        at = self.cursor_at
        return None if at is None else self._lines[at].entry

    def set_entries(self, entries: Sequence[Entry], agents: AbstractSet[str]) -> None:
        """Replaces all entries; what is in view stays in place. `agents`: the subagents that are unfolded."""
        place, self._entries, self._agents = self._find_place(), entries, agents
        if self.follows or place is None:
            self._show_end()
        else:
            entry, number, row = place
            self._show_around(self._find(entry), number, row)

    def search(self, pattern: "re.Pattern[str] | None") -> None:
        """Marks what matches."""
        if pattern != self._pattern:
            self._pattern = pattern
            self.write_again()

    def write_again(self) -> None:
        """Writes all lines anew; what is in view stays in place."""
        place = self._find_place()
        if place is None or self.follows:
            self._show_end()
        else:
            entry, number, row = place
            self._show_around(self._find(entry), number, row)

    def forget(self) -> None:
        """Discards what was written: the file was replaced."""
        self._written.clear()

    def show_match(self, entry: Entry, number: int) -> None:
        """Puts the cursor on a match of an entry, which it unfolds."""
        self._unfolded.add(entry.key)
        at = self._find(entry)
        ends = accumulate(each.matches for each in self._write(at))
        line = next((line for line, end in enumerate(ends) if end > number), 0)
        self._show_around(at, line, self.page // 3)
        self.follows = False
        self._note_move()

    def _find(self, entry: Entry) -> int:
        """Returns the index of an entry, else of the folded subagent that it is in, else of what is in its place."""
        key = entry.key
        for at, each in enumerate(self._entries):
            if each is entry or each.key == key:
                return at
        for at, each in enumerate(self._entries if entry.thread else ()):
            if each.kind is EntryKind.AGENT and each.name == entry.thread:
                return at
        return min(self._range[0], max(0, len(self._entries) - 1))

    def _find_place(self) -> tuple[Entry, int, int] | None:
        """Returns entry and number of the line under the cursor, and its row on the screen."""
        at = self.cursor_at
        if at is None:
            return None
        line = self._lines[at]
        return line.entry, line.number, at - self._top

    def _show_end(self) -> None:
        last = len(self._entries) - 1
        if last < 0:
            self._range, self._top, self._lines, self._index, self._cursor = (0, 0), 0, [], {}, None
            self.refresh()
            return
        self._show_around(last, len(self._write(last)) - 1, max(0, self.page - 1))
        self.follows = True

    def _show_around(self, at: int, number: int, row: int) -> None:
        """Writes what is around a line of an entry, puts the cursor on it, and the line on a row of the screen."""
        if not self._entries or not self.page:
            return
        size = AHEAD * self.page
        lines = self._list_lines(at)
        cursor = next((n for n, each in enumerate(lines) if each.number >= number), len(lines) - 1)
        first, last = at, at + 1
        while len(lines) - cursor <= size and last < len(self._entries):
            lines += self._list_lines(last)
            last += 1
        before: list[list[ConversationLine]] = []
        count = 0
        while count + cursor <= size and first > 0:
            first -= 1
            before.append(self._list_lines(first))
            count += len(before[-1])
        lines = [line for part in reversed(before) for line in part] + lines
        if not lines:
            return
        cursor = max(0, min(cursor + count, len(lines) - 1))
        self._range, self._lines = (first, last), lines
        self._index = {self.get_key(line): n for n, line in enumerate(lines)}
        self._top = max(0, min(cursor - row, len(lines) - self.page))
        self._top = max(min(self._top, cursor), cursor - self.page + 1)
        self._cursor = self.get_key(lines[cursor])
        self.follows = last == len(self._entries) and cursor == len(lines) - 1
        self._drop_old_strips()
        self.refresh()

    def _list_lines(self, at: int) -> list[ConversationLine]:
        entry, written = self._entries[at], self._write(at)
        lines = [ConversationLine(entry, n, each.parts, each.matches) for n, each in enumerate(written)]
        gap = bool(lines) and needs_gap(entry, self._entries[at - 1] if at else None)
        return [ConversationLine(entry, -1), *lines] if gap else lines

    def _write(self, at: int) -> list[WrappedLine]:
        """Returns the lines of an entry."""
        entry = self._entries[at]
        unfolded = entry.name in self._agents if entry.kind is EntryKind.AGENT else entry.key in self._unfolded
        index = self._conversation.find_index(entry)
        state = (unfolded, self.line_width, self._pattern, index.results.get(entry.call_id), entry)
        known = self._written.get(entry.key)
        if known is not None and known[0] == state and entry.kind is not EntryKind.AGENT:
            return known[1]
        said = self._conversation.fetch_text(entry, UNFOLDED_RESULT if unfolded else FOLDED_RESULT)
        before = [(f"{self._glyphs.pipe} ", "rule")] * self._conversation.find_depth(entry)
        width = max(8, self.line_width - 2 - 2 * len(before))
        lines = [
            WrappedLine([(" ", "plain"), *before, *line.parts], line.matches)
            for each in write_entry(entry, said, width, self._glyphs, unfolded=unfolded)
            for line in wrap(each, width, self._pattern)
        ]
        if len(self._written) >= KEPT:
            self._written = dict(list(self._written.items())[KEPT // 2 :])
        self._written[entry.key] = (state, lines)
        return lines

    def get_key(self, line: ConversationLine) -> LineKey:
        """Returns what the cursor follows."""
        return line.entry.key, line.number

    def write_line(self, at: int) -> Sequence[Part]:
        """Returns the text of a line."""
        return self._lines[at].parts

    def on_resize(self, _: Resize) -> None:
        """Writes the lines for the new width."""
        self.write_again()

    # Moving

    def scroll_to_cursor(self) -> None:
        """Scrolls just enough to bring the cursor's line into view."""
        at = self.cursor_at
        if at is not None and self.page:
            top = max(min(self._top, at), at - self.page + 1)
            if top != self._top:
                self._top = top
                self.refresh()

    def report_cursor(self, *, by_user: bool) -> None:  # noqa: ARG002 (the base's name)
        """Writes more lines where the cursor comes near their end."""
        at = self.cursor_at
        if at is None:
            return
        first, last = self._range
        self.follows = last == len(self._entries) and at == self.line_count - 1
        is_near = (at < self.page and first) or (self.line_count - at <= self.page and last < len(self._entries))
        if is_near and (place := self._find_place()):
            entry, number, row = place
            within = next(n for n in range(first, last) if self._entries[n].key == entry.key)
            self._show_around(within, number, row)
        self._note_move()

    def _note_move(self) -> None:
        self.post_message(self.Moved())

    def action_cursor_first(self) -> None:
        """Goes to the beginning."""
        self._show_around(0, -1, 0)
        self._note_move()

    def action_cursor_last(self) -> None:
        """Goes to the end, and follows it."""
        self._show_end()
        self._note_move()

    def _scroll_lines(self, lines: int) -> None:
        at = self.cursor_at
        if at is None:
            return
        self._top = max(0, min(self._top + lines, self.line_count - self.page))
        inside = max(self._top, min(at, self._top + self.page - 1))
        if inside == at and lines > 0 and self._top == self.line_count - self.page:
            inside = self.line_count - 1
        self.refresh()
        self.put_cursor(self.get_key(self._lines[inside]), by_user=True)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Scrolls down."""
        event.stop()
        self._scroll_lines(WHEEL)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Scrolls up."""
        event.stop()
        self._scroll_lines(-WHEEL)

    # Folding

    def is_unfolded(self, entry: Entry) -> bool:
        """Returns whether an entry shows all that it has."""
        return entry.name in self._agents if entry.kind is EntryKind.AGENT else entry.key in self._unfolded

    def toggle(self) -> None:
        """Unfolds or folds the entry under the cursor."""
        place = self._find_place()
        if place is None or place[0].kind not in FOLDABLE:
            return
        entry, number, row = place
        if entry.kind is EntryKind.AGENT:
            self.post_message(self.AgentToggled(entry.name))
            return
        self._unfolded ^= {entry.key}
        self.follows = False
        self._show_around(self._find(entry), 0, max(0, row - max(0, number)))
        self._note_move()

    def action_unfold(self) -> None:
        """Unfolds the entry under the cursor."""
        if self.entry is not None and not self.is_unfolded(self.entry):
            self.toggle()

    def action_fold(self) -> None:
        """Folds the entry under the cursor, or the subagent that it is in."""
        entry = self.entry
        if entry is None:
            return
        if entry.kind in FOLDABLE and self.is_unfolded(entry):
            self.toggle()
        elif entry.thread:
            self.post_message(self.AgentToggled(entry.thread))

    def click_line(self, at: int, event: Click) -> None:  # noqa: ARG002 (the base's name)
        """Moves the cursor to the clicked line; unfolds or folds what can be folded."""
        line = self._lines[at]
        self.put_cursor(self.get_key(line), by_user=True)
        if line.number == 0 and line.entry.kind in FOLDABLE:
            self.toggle()
