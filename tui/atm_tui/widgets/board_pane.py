"""The board: three columns of cards, with a selection that follows a session's id.

The selected card stays in its column and at its place, whatever its session does; all other cards are always sorted.
When the user selects another card, the previous one moves to its sorted place.
"""

from collections.abc import Callable, Iterable

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.events import Resize
from textual.message import Message

from atm_tui import commands
from atm_tui.model.board import DONE, NEEDS, Columns, HeldCard, arrange_board, choose_column, hold_card, is_waiting
from atm_tui.model.request import Request
from atm_tui.model.session import Liveness, Session
from atm_tui.view.present import Glyphs, Part
from atm_tui.widgets.board_column import BoardColumn
from atm_tui.widgets.board_heading import BoardHeading

NARROW = 72
"""Width in cells below which one column is shown at a time."""
TITLES = ("Needs you", "Running", "Done")
_NOTHING = ("nothing waits for you", "nothing runs", "nothing is done yet")
_ROLES = ("needs", "working", "muted")


class Board(Horizontal, can_focus=True):
    """Shows sessions by what they need. Arrow keys move between cards; a column has as many in a row as fit."""

    BINDINGS = commands.make_bindings("tree")
    BINDING_GROUP_TITLE = "Board"

    class Selected(Message):
        """Another card was selected, or none. `by_user`: by a key or click."""

        def __init__(self, session_id: str | None, *, by_user: bool) -> None:
            super().__init__()
            self.session_id = session_id
            self.by_user = by_user

    def __init__(self, now: Callable[[], float], glyphs: Glyphs, thresholds: tuple[int, int, int]) -> None:
        super().__init__(id="board")
        self._now = now
        self._sessions: tuple[Session, ...] = ()
        self._snoozed: frozenset[str] = frozenset()
        self._pinned: frozenset[str] = frozenset()
        self._here: frozenset[str] = frozenset()
        self._marked: frozenset[str] = frozenset()
        self._columns: Columns = ((), (), ())
        self._held: HeldCard | None = None
        self._at = NEEDS
        self.selected: str | None = None
        """The id of the selected session."""
        self._headings = [BoardHeading() for _ in TITLES]
        self._lanes = [BoardColumn(at, _NOTHING[at], now, glyphs, thresholds) for at in range(len(TITLES))]

    def compose(self) -> ComposeResult:
        """Yields a heading and a column for each state."""
        for at, (heading, lane) in enumerate(zip(self._headings, self._lanes, strict=True)):
            with Vertical(id=f"lane-{at}", classes="board-lane"):
                yield heading
                yield lane

    @property
    def columns(self) -> Columns:
        """The sessions by column, in the order shown."""
        return self._columns

    # What is shown

    def show(
        self,
        sessions: Iterable[Session],
        snoozed: frozenset[str] = frozenset(),
        pinned: frozenset[str] = frozenset(),
        here: frozenset[str] = frozenset(),
        marks: tuple[str, ...] = (),
        marked: frozenset[str] = frozenset(),
    ) -> None:
        """Updates the sessions, with the ids of the snoozed, pinned and marked ones.

        `here`: ids of those that can be answered here; `marks`: the words to highlight in names.
        """
        self._marked = marked
        self._sessions, self._snoozed, self._pinned, self._here = tuple(sessions), snoozed, pinned, here
        for lane in self._lanes:
            lane.set_marks(marks)
        self._arrange()
        if self._held is None or not self._find_place(self.selected):
            self._select_initial()

    def tick(self) -> None:
        """Updates the ages on the cards."""
        for lane in self._lanes:
            lane.tick()

    def _arrange(self) -> None:
        self._columns = hold_card(arrange_board(self._sessions, self._snoozed, self._pinned), self._held)
        if found := self._find_place(self.selected):
            self._held = HeldCard(found[2].session_id, found[0], found[1])
        for lane, column in zip(self._lanes, self._columns, strict=True):
            lane.show(column, self.selected, self._snoozed, self._pinned, self._here, self._marked)
        self._number_cards()
        self._write_headings()

    def _number_cards(self) -> None:
        numbers = {session_id: str(number) for number, session_id in enumerate(self.numbered_ids, 1)}
        for lane in self._lanes:
            lane.set_numbers(numbers)

    @property
    def numbered_ids(self) -> list[str]:
        """Ids of the first nine cards in view, column by column."""
        return [each.session_id for lane in self._lanes for each in lane.sessions_in_view][:9]

    def _select_initial(self) -> None:
        """Selects the remembered session if it is listed, else the card in its place, else the first card."""
        if found := self._find_place(self.selected):
            self._select(found[0], found[1], by_user=False)
        elif self._held and self._columns[self._held.column]:
            column = self._held.column
            self._select(column, min(self._held.place, len(self._columns[column]) - 1), by_user=False)
        elif filled := [at for at, column in enumerate(self._columns) if column]:
            self._select(filled[0], 0, by_user=False)
        elif self.selected is not None:
            self.selected = self._held = None
            self.post_message(self.Selected(None, by_user=False))

    def _find_place(self, session_id: str | None) -> tuple[int, int, Session] | None:
        for at, column in enumerate(self._columns):
            for place, session in enumerate(column):
                if session.session_id == session_id:
                    return at, place, session
        return None

    # Headings

    def _write_headings(self) -> None:
        narrow = self._is_narrow
        asides = [self._write_other_heading(at) for at in range(len(TITLES))]
        for at, heading in enumerate(self._headings):
            others = [part for other, aside in enumerate(asides) if other != at and narrow for part in aside]
            heading.show(self._write_heading(at, short=False), self._write_heading(at, short=True), others)

    @property
    def _is_narrow(self) -> bool:
        """Whether there is room for only one column; the board is as wide as the screen."""
        return self.app.size.width < NARROW

    def _count_sessions(self, at: int) -> tuple[int, int]:
        """Returns how many sessions belong into a column by their state, and how many of these only have to be reviewed."""
        here = [each for each in self._sessions if choose_column(each) == at]
        asleep = [each for each in here if each.session_id in self._snoozed]
        look = sum(not is_waiting(each) or each in asleep for each in here) if at == NEEDS else 0
        return len(here) - look, look

    def _write_heading(self, at: int, *, short: bool) -> list[Part]:
        number, look = self._count_sessions(at)
        parts: list[Part] = [(TITLES[at], "strong"), (f"  {number}", _ROLES[at] if number else "faint")]
        if look:
            parts.append((f"  +{look}" if short else f"  +{look} to review", "muted"))
        lost = sum(each.liveness is Liveness.LOST for each in self._sessions) if at == DONE else 0
        return [*parts, (f"  {lost} lost", "muted")] if lost else parts

    def _write_other_heading(self, at: int) -> list[Part]:
        """Writes the title of a hidden column, and its number of sessions."""
        number, look = self._count_sessions(at)
        shown = number + look
        return [("  ", "plain"), (f"{TITLES[at]} {shown}", _ROLES[at] if shown and at != DONE else "faint")]

    # What is selected

    def select(self, session_id: str, *, by_user: bool = True) -> None:
        """Selects a session's card; does nothing if it is not listed."""
        if found := self._find_place(session_id):
            self._select(found[0], found[1], by_user=by_user)

    def _select(self, column: int, place: int, *, by_user: bool) -> None:
        session = self._columns[column][place]
        changed = session.session_id != self.selected
        self.selected = session.session_id
        self._held = HeldCard(session.session_id, column, place)
        self._at = column
        self._show_column(column)
        # The card that was selected before moves to its sorted place; the new one stays where it is.
        self._arrange()
        self._lanes[column].bring_into_view(place)
        if changed:
            self.post_message(self.Selected(self.selected, by_user=by_user))

    def _show_column(self, column: int) -> None:
        """Shows only this column if there is room for one."""
        narrow = self._is_narrow
        for at, lane in enumerate(self._lanes):
            if lane.parent is not None:
                lane.parent.set_class(narrow and at != column, "-away")

    def release(self) -> None:
        """Stops holding the selected card: it moves to its sorted place."""
        self._held = None

    def shows_whole(self, request: Request) -> bool:
        """Returns whether the card of the request's session shows all of it, uncut."""
        found = self._find_place(request.session_id)
        return found is not None and self._lanes[found[0]].shows_whole(found[1], request)

    def on_board_column_picked(self, message: BoardColumn.Picked) -> None:
        """Selects the clicked card; jumps on a double click."""
        if message.twice and message.session_id == self.selected:
            self.call_later(self.run_action, "screen.command('jump')")
        else:
            self.select(message.session_id)

    def on_board_column_scrolled(self) -> None:
        """Numbers the cards that are in view now."""
        self._number_cards()

    def on_resize(self, _: Resize) -> None:
        """Shows as many columns as fit."""
        self._show_column(self._at)
        self.call_after_refresh(self._update_after_layout)

    def _update_after_layout(self) -> None:
        self._number_cards()
        self._write_headings()

    # Keys

    @property
    def _cursor(self) -> tuple[int, int]:
        return (self._held.column, self._held.place) if self._held else (self._at, 0)

    def _move(self, step: int) -> None:
        column, place = self._cursor
        last = len(self._columns[column]) - 1
        if last >= 0:
            self._select(column, max(0, min(place + step, last)), by_user=True)

    def _move_rows(self, rows: int) -> None:
        column, place = self._cursor
        across = self._lanes[column].side_by_side
        target = place + rows * across
        last = len(self._columns[column]) - 1
        if target < 0:
            target = place % across
        if target > last and place // across == last // across:
            return
        self._move(target - place)

    def action_cursor_down(self) -> None:
        """Selects the card below."""
        self._move_rows(+1)

    def action_cursor_up(self) -> None:
        """Selects the card above."""
        self._move_rows(-1)

    def action_cursor_first(self) -> None:
        """Selects the first card of the column."""
        self._move(-len(self._sessions))

    def action_cursor_last(self) -> None:
        """Selects the last card of the column."""
        self._move(len(self._sessions))

    def action_page_down(self) -> None:
        """Selects the card one screen down."""
        self._move_rows(self._page)

    def action_page_up(self) -> None:
        """Selects the card one screen up."""
        self._move_rows(-self._page)

    @property
    def _page(self) -> int:
        return self._lanes[self._cursor[0]].rows_in_view

    def action_fold(self) -> None:
        """Selects the card to the left."""
        self._move_sideways(-1)

    def action_unfold(self) -> None:
        """Selects the card to the right."""
        self._move_sideways(+1)

    def _move_sideways(self, step: int) -> None:
        column, place = self._cursor
        across = self._lanes[column].side_by_side
        beside = place + step
        if 0 <= beside < len(self._columns[column]) and beside // across == place // across:
            self._move(step)
            return
        height = self._lanes[column].find_line(place)
        at = column + step
        while 0 <= at < len(TITLES) and not self._columns[at]:
            at += step
        if 0 <= at < len(TITLES):
            self._select(at, self._lanes[at].find_nearest(height, last=step < 0), by_user=True)
