"""One column of the board: cards in one or, where there is room, several per row."""

from collections.abc import Callable
from dataclasses import dataclass

from textual.events import Click
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from atm_tui.model.board import is_active
from atm_tui.model.request import Request
from atm_tui.model.session import Session
from atm_tui.view import present
from atm_tui.view.aged_lines import CoarseClock
from atm_tui.view.card import (
    FRAME,
    HEIGHT,
    WHAT_LINE,
    format_cache_time,
    format_card_age,
    write_activity_line,
    write_card,
)
from atm_tui.view.whole_request import find_first_wait, fits, names_whole
from atm_tui.widgets.fleet_view import is_in_view
from atm_tui.widgets.line_list import LineList

CARD = 40
"""Width of the column (cells) per card in a row."""
LEAST = 12
"""Least width of a card in cells."""


@dataclass(frozen=True)
class _CardState:
    session: Session
    age: str
    warm: str
    selected: bool
    number: str
    flag: str
    answerable: bool
    width: int


class BoardColumn(LineList[Session, str], can_focus=False):
    """Shows sessions as cards, in the given order. The board moves its cursor."""

    class Picked(Message):
        """A card was clicked; `twice`: by a double click."""

        def __init__(self, session_id: str, *, twice: bool) -> None:
            super().__init__()
            self.session_id = session_id
            self.twice = twice

    class Scrolled(Message):
        """Other cards are in view."""

    def __init__(
        self, at: int, nothing: str, now: Callable[[], float], glyphs: present.Glyphs, thresholds: tuple[int, int, int]
    ) -> None:
        """`nothing`: the text of an empty column."""
        super().__init__(id=f"column-{at}", classes="board-column")
        self._nothing = nothing
        self._now = now
        self._glyphs = glyphs
        self._thresholds = thresholds
        self._flags: dict[str, str] = {}
        self._here: frozenset[str] = frozenset()
        self._numbers: dict[str, str] = {}
        self._marks: tuple[str, ...] = ()
        self._cards: dict[str, tuple[_CardState, list[Strip]]] = {}
        self._clock = CoarseClock()

    @property
    def side_by_side(self) -> int:
        """Number of cards in a row."""
        return max(1, self.line_width // CARD)

    @property
    def line_count(self) -> int:
        """Number of lines of all cards: HEIGHT for each row."""
        return -(-len(self._lines) // self.side_by_side) * HEIGHT

    def get_key(self, line: Session) -> str:
        """Returns the id of a session."""
        return line.session_id

    def find_region(self, at: int) -> tuple[int, int]:
        """Returns the first and the last line of a card."""
        first = at // self.side_by_side * HEIGHT
        return first, first + HEIGHT - 1

    def _find_left(self, place: int) -> int:
        """Returns the cell at which a card begins, by its place in the row; spare cells are shared by the cards."""
        return self.line_width * place // self.side_by_side

    def show(
        self,
        sessions: tuple[Session, ...],
        selected: str | None,
        snoozed: frozenset[str],
        pinned: frozenset[str],
        here: frozenset[str],
        marked: frozenset[str],
    ) -> None:
        """Replaces the cards; renders those that changed."""
        old, was, flags, answerable = self._lines, self._cursor, self._flags, self._here
        self._lines, self._cursor, self._here = sessions, selected, here
        self._index = {each.session_id: at for at, each in enumerate(sessions)}
        self._flags = dict.fromkeys(pinned, "pinned") | dict.fromkeys(snoozed, "snoozed")
        self._flags |= {each: f"marked {self._flags.get(each, '')}".strip() for each in marked}
        if len(old) != len(sessions):
            self.fit_height()
            self.refresh()
        else:
            for at, (before, after) in enumerate(zip(old, sessions, strict=True)):
                touched = (was == before.session_id) != (selected == after.session_id)
                touched |= flags.get(before.session_id) != self._flags.get(after.session_id)
                touched |= (before.session_id in answerable) != (after.session_id in here)
                if touched or before != after:
                    self._repaint_card(at)
        self._cards = {key: value for key, value in self._cards.items() if key in self._index}

    def set_marks(self, marks: tuple[str, ...]) -> None:
        """Sets the words to highlight in names."""
        if marks != self._marks:
            self._marks = marks
            self._cards.clear()
            self.refresh()

    @property
    def sessions_in_view(self) -> tuple[Session, ...]:
        """The sessions whose cards are in view, also in part."""
        return tuple(self._lines[at] for at in self._list_cards_in_view())

    def set_numbers(self, numbers: dict[str, str]) -> None:
        """Sets the number keys that select cards, by session id."""
        before, self._numbers = self._numbers, numbers
        for at in self._list_cards_in_view():
            key = self._lines[at].session_id
            if before.get(key) != numbers.get(key):
                self._repaint_card(at)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Reports that other cards are in view."""
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Scrolled())

    def tick(self) -> None:
        """Renders the cards in view whose ages changed."""
        now = self._now()
        has_advanced = self._clock.has_advanced(now)
        for at in self._list_cards_in_view():
            session = self._lines[at]
            kept = self._cards.get(session.session_id)
            if kept is None or (not has_advanced and not is_active(session)):
                continue
            if (kept[0].age, kept[0].warm) != (format_card_age(session, now), format_cache_time(session, now)):
                self._repaint_card(at)

    def bring_into_view(self, place: int) -> None:
        """Scrolls just enough to show a card."""
        self.scroll_to_region(Region(0, place // self.side_by_side * HEIGHT, 1, HEIGHT), animate=False)

    @property
    def rows_in_view(self) -> int:
        """Number of rows of cards that fit into the view, at least 1."""
        return max(1, self.size.height // HEIGHT)

    def find_line(self, place: int) -> int:
        """Returns the line, counted from the top of the view, at which a card begins."""
        return place // self.side_by_side * HEIGHT - self.scroll_offset.y

    def find_nearest(self, line: int, *, last: bool) -> int:
        """Returns the index of the first (or last) card of the row nearest to a line of the view."""
        rows = -(-len(self._lines) // self.side_by_side)
        row = max(0, min(round((line + self.scroll_offset.y) / HEIGHT), rows - 1))
        return min(row * self.side_by_side + (self.side_by_side - 1 if last else 0), len(self._lines) - 1)

    def shows_whole(self, place: int, request: Request) -> bool:
        """Returns whether a card shows all of a request, uncut."""
        session = self._lines[place]
        row, at = divmod(place, self.side_by_side)
        left = self._find_left(at)
        width = self._find_left(at + 1) - left - (1 if at + 1 < self.side_by_side else 0)
        flag, here = self._flags.get(session.session_id, ""), session.session_id in self._here
        line = row * HEIGHT + WHAT_LINE - self.scroll_offset.y
        return (
            names_whole(find_first_wait(session), request)
            and fits(write_activity_line(session, self._glyphs, flag, answerable=here), width - FRAME)
            and is_in_view(self, Region(left, line, width, 1))
        )

    def _list_cards_in_view(self) -> range:
        top = self.scroll_offset.y // HEIGHT * self.side_by_side
        bottom = (self.scroll_offset.y + self.size.height + HEIGHT - 1) // HEIGHT * self.side_by_side
        return range(top, min(len(self._lines), bottom))

    def _repaint_card(self, at: int) -> None:
        y = at // self.side_by_side * HEIGHT - self.scroll_offset.y
        self.refresh(Region(0, y, self.size.width, HEIGHT))

    def render_line(self, y: int) -> Strip:
        """Renders one row of the widget; an empty column has its text on the second one."""
        if not self._lines and y == 1:
            return self._make_strips([present.fit_parts([("  ", "plain"), (self._nothing, "faint")], self.line_width)])[
                0
            ]
        return super().render_line(y)

    def render_index(self, at: int) -> Strip:
        """Renders a line of the cards of one row."""
        row, line = divmod(at, HEIGHT)
        first = row * self.side_by_side
        parts = []
        for place, session in enumerate(self._lines[first : first + self.side_by_side]):
            cells = self._find_left(place + 1) - self._find_left(place)
            width = cells - (1 if place + 1 < self.side_by_side else 0)
            if width >= LEAST:
                parts.append(self._render_card(session, width)[line].extend_cell_length(cells))
        if not parts:
            return self.render_blank()
        return Strip.join(parts).adjust_cell_length(self.size.width, self.visual_style.rich_style)

    def _render_card(self, session: Session, width: int) -> list[Strip]:
        now = self._now()
        selected = session.session_id == self._cursor
        number, flag = (each.get(session.session_id, "") for each in (self._numbers, self._flags))
        here = session.session_id in self._here
        look = _CardState(
            session,
            format_card_age(session, now),
            format_cache_time(session, now),
            selected,
            number,
            flag,
            here,
            width,
        )
        kept = self._cards.get(session.session_id)
        if kept is None or kept[0] != look:
            lines = write_card(
                session,
                width,
                now,
                self._glyphs,
                self._thresholds,
                selected=selected,
                number=number,
                flag=flag,
                answerable=here,
                marks=self._marks,
            )
            kept = self._cards[session.session_id] = (look, self._make_strips(lines))
        return kept[1]

    def _make_strips(self, lines: list[list[present.Part]]) -> list[Strip]:
        return [self.make_strip(line, max(1, present.make_content(*line).cell_length)) for line in lines]

    def notify_style_update(self) -> None:
        """Drops all rendered cards: colours changed."""
        super().notify_style_update()
        self._cards.clear()

    def click_line(self, at: int, event: Click) -> None:
        """Reports the clicked card."""
        self._report_picked(at, event, twice=event.chain == 2)

    def point_at(self, at: int, event: Click) -> None:
        """Reports the card for a menu."""
        self._report_picked(at, event, twice=False)

    def _report_picked(self, at: int, event: Click, *, twice: bool) -> None:
        place = next((p for p in range(self.side_by_side) if event.x < self._find_left(p + 1)), self.side_by_side - 1)
        card_at = at // HEIGHT * self.side_by_side + place
        if card_at < len(self._lines):
            self.post_message(self.Picked(self._lines[card_at].session_id, twice=twice))
