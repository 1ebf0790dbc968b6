"""The tree of projects, sessions and agents."""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import ClassVar

from textual.events import Click, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from atm_tui import commands
from atm_tui.text import FINE_UNTIL, format_age
from atm_tui.view import present
from atm_tui.view.aged_lines import AgedLines, CoarseClock
from atm_tui.view.clocks import Clock, VisibleClocks
from atm_tui.view.columns import DEFAULT, Columns, Layout, fit_columns, write_row
from atm_tui.view.row import Row, RowId
from atm_tui.view.tree_rows import TreeRows
from atm_tui.widgets.line_list import LineList
from atm_tui.widgets.painting import Cells, locate, show_cells

ROUNDED = 1.0
"""Seconds after which an age has surely changed its unit, whatever clocks round."""


class SessionTree(LineList[Row, RowId]):
    """Shows tree rows. Selection and folds follow ids, so that other rows may come and go."""

    FILLS_EDGE: ClassVar[bool] = True
    BINDINGS = commands.make_bindings("tree")
    BINDING_GROUP_TITLE = "Tree"

    class Selected(Message):
        """Another row was selected, or none. `by_user`: by a key or click."""

        def __init__(self, row_id: RowId | None, *, by_user: bool) -> None:
            super().__init__()
            self.row_id = row_id
            self.by_user = by_user

    class Toggled(Message):
        """A row was folded or unfolded: the rows have to be built again."""

    def __init__(
        self,
        now: Callable[[], float],
        glyphs: present.Glyphs,
        thresholds: tuple[int, int, int],
        layout: Layout = DEFAULT,
    ) -> None:
        super().__init__(id="tree")
        self._layout = layout
        self._now = now
        self._glyphs = glyphs
        self._thresholds = thresholds
        self._clock = CoarseClock()
        self._goal: int | None = None
        self._marks: tuple[str, ...] = ()
        self._numbers: dict[RowId, str] = {}
        self._numbered: tuple[Sequence[Row], int, int] = ((), 0, 0)
        """The rows, the first in view and the height for which the numbers hold."""
        self._aged: AgedLines[RowId] = AgedLines()
        self._fine: tuple[Sequence[Row], float] = ((), 0.0)
        """Rows, and until when one of their ages is shown in seconds."""
        self._ticking: tuple[Sequence[Row], int, Size, tuple[int, int], list[int]] = ((), 0, Size(), (0, 0), [])
        """Rows, the first in view, and the size for which these hold: the cell at which ages begin and their width, and the lines
        of the widget whose ages may be shown in seconds.
        """
        self.toggled: set[RowId] = set()
        """Ids whose fold differs from the default."""

    @property
    def rows(self) -> Sequence[Row]:
        """The rows that are shown, top to bottom."""
        return self._lines

    @property
    def selected(self) -> RowId | None:
        """The id of the selected row."""
        return self._cursor

    @property
    def selected_row(self) -> Row | None:
        """The selected row, if it is shown."""
        at = self.cursor_at
        return None if at is None else self._lines[at]

    @property
    def selected_line(self) -> int | None:
        """The line of the widget with the selected row; it may be scrolled away."""
        at = self.cursor_at
        return None if at is None else at - self.top

    @property
    def numbered_ids(self) -> list[RowId]:
        """Ids of the first nine sessions in view."""
        rows = (self._lines[at] for at in self.in_view)
        return list(islice((row.id for row in rows if row.id[0] == "session"), 9))

    # What is shown

    @property
    def columns(self) -> Columns:
        """The columns at this width."""
        return fit_columns(self.line_width, self._layout)

    def show(self, tree: TreeRows) -> None:
        """Replaces the rows: keeps the selection and its place on the screen, renders the rows that changed."""
        self.set_lines(tree.rows)
        if self._aged.is_crowded(len(tree.rows)):
            self._aged.drop_all_but({row.id for row in tree.rows})

    def set_marks(self, marks: tuple[str, ...]) -> None:
        """Sets the words to highlight in names."""
        if marks != self._marks:
            self._marks = marks
            self.clear_strips()

    def get_key(self, write_row: Row) -> RowId | None:
        """Returns the id of a row; an empty line can't be selected."""
        return None if write_row.gap else write_row.id

    def replace_cursor(self, old: Sequence[Row], was: int | None) -> RowId | None:
        """Returns the row into which the selected one was folded, else the row that took its place."""
        gone = self._cursor
        if not self._lines or was is None or gone is None:
            return None
        if gone[0] == "agent" and ("done", gone[1]) in self._index:
            return ("done", gone[1])
        parents = {row.id: row.parent for row in old}
        above = parents.get(gone)
        while above is not None and above not in self._index:
            above = parents.get(above)
        if above is not None and self._lines[self._index[above]].folded:
            return above
        return super().replace_cursor(old, was)

    def tick(self) -> None:
        """Renders the rows in view whose age changed; ages in minutes change all at the same time."""
        now = self._now()
        has_advanced = self._clock.has_advanced(now)
        if not has_advanced and now > self.fine_until:
            return
        lines, top, size = self._lines, self.top, self.outer_size
        if has_advanced or self._ticking[0] is not lines or self._ticking[1:3] != (top, size):
            in_view, columns = self.in_view, self.columns
            fine = [at - top for at in in_view if now <= _find_fine_end(lines[at])]
            self._ticking = lines, top, size, (columns.age_at, columns.age), fine
            places: Sequence[int] = [at - top for at in in_view]
        else:
            places = self._ticking[4]
        column, width = self._ticking[3]
        changed: list[Cells] = []
        for place in places:
            row = lines[top + place]
            age = _format_age(row, now)
            if self._aged.find_age(row.id) in (None, age):
                continue
            if part := self._aged.change_age(row.id, age, column, width):
                changed.append((part[0], place, part[1]))
        if changed:
            show_cells(self, changed)

    def add_clocks(self, clocks: VisibleClocks) -> None:
        """Adds the ages that the last `tick` found to be shown in seconds."""
        if clocks.now > self.fine_until or (where := locate(self)) is None:
            return
        lines, first, size, (column, width), places = self._ticking
        if lines is not self._lines or (first, size) != (self.top, self.outer_size):  # other rows are shown since then
            clocks.give_up()
            return
        left, top = where
        for place in places:
            row = lines[first + place]
            if _format_age(row, clocks.now):
                clocks.add(Clock(left + column, top + place, width, row.since or 0.0, _find_fine_span(row)))

    @property
    def fine_until(self) -> float:
        """Until when an age is shown in seconds, epoch seconds."""
        if self._fine[0] is not self._lines:
            self._fine = self._lines, max(map(_find_fine_end, self._lines), default=0.0)
        return self._fine[1]

    def render_lines(self, crop: Region) -> list[Strip]:
        """Renders rows of the widget; when only the age of one changed, only its age."""
        top, columns = self.top, self.columns
        view = self._lines, top, self.outer_size.height
        if self._numbered[0] is not view[0] or self._numbered != view:
            self._numbered = view
            self._numbers = {row_id: str(number) for number, row_id in enumerate(self.numbered_ids, 1)}
        strips, now = super().render_lines(crop), self._now()
        if not columns.age:
            return strips
        left = columns.age_at - crop.x
        for place, at in enumerate(range(crop.y + top, min(crop.bottom + top, self.line_count))):
            row = self._lines[at]
            strips[place] = self._aged.place_age(row.id, strips[place], _format_age(row, now), left, columns.age)
        return strips

    def get_line_state(self, at: int) -> tuple[Row, bool, str, Columns]:
        """Returns what a row shows besides its age, with its current number."""
        row = self._lines[at]
        return row, at == self.cursor_at, self._numbers.get(row.id, ""), self.columns

    def write_line(self, at: int) -> Sequence[present.Part]:
        """Returns a row in the columns of this width, without its age."""
        row, selected, number, fields = self.get_line_state(at)
        return write_row(
            row, fields, "", self._glyphs, self._thresholds, selected=selected, number=number, marks=self._marks
        )

    def on_resize(self, _: Resize) -> None:
        """Scrolls to compensate for lines that were added above the tree, before the selection is kept in view."""
        goal, self._goal = self._goal, None
        if goal is not None:
            self.fit_height()
            self.scroll_to(y=goal, animate=False)

    def move_top(self, lines: int) -> None:
        """Announces that lines will be added above the tree; on resize the rows then stay in place on the screen."""
        if lines:
            self._goal = self.scroll_offset.y + lines

    # What is selected

    def select(self, row_id: RowId, *, by_user: bool = False) -> None:
        """Selects a row; does nothing if it is not shown."""
        if row_id in self._index:
            self.put_cursor(row_id, by_user=by_user)

    def report_cursor(self, *, by_user: bool) -> None:
        """Reports which row is selected."""
        self.post_message(self.Selected(self._cursor, by_user=by_user))

    def find_region(self, at: int) -> tuple[int, int]:
        """Returns a row; for the first session of a project, with the project's row."""
        return (at - 1 if at and self._lines[at - 1].id == self._lines[at].parent else at), at

    # What is folded

    def action_fold(self) -> None:
        """Folds the row, or goes to its parent."""
        row = self.selected_row
        if row is None:
            return
        if row.folded is False:
            self._toggle(row)
        elif row.parent is not None:
            self.select(row.parent, by_user=True)

    def action_unfold(self) -> None:
        """Unfolds the row, or goes to its first child."""
        row = self.selected_row
        if row is None:
            return
        if row.folded:
            self._toggle(row)
        elif row.folded is False:
            self.move_by(1)

    def _toggle(self, row: Row) -> None:
        self.toggled ^= {row.id}
        self.post_message(self.Toggled())

    def click_line(self, at: int, event: Click) -> None:
        """Folds or unfolds on a click at the mark, else selects; a double click jumps."""
        row = self._lines[at]
        # The cursor's cell comes first; the mark is easier to hit with a cell on each side.
        if row.folded is not None and abs(event.x - 1 - row.mark_at) <= 1:
            self._toggle(row)
        elif event.chain == 2 and row.id == self.selected and row.id[0] in ("session", "agent"):
            self.call_later(self.run_action, "screen.command('jump')")
        else:
            super().click_line(at, event)


def _format_age(row: Row, now: float) -> str:
    if row.since is None or row.since <= 0 or row.spans:
        return ""
    return format_age(now - row.since, _find_fine_span(row))


def _find_fine_end(row: Row) -> float:
    """Returns until when the age of a row is shown in seconds, epoch seconds."""
    return (row.since or 0.0) + _find_fine_span(row) + ROUNDED


def _find_fine_span(row: Row) -> float:
    """Returns for how many seconds the age of a row is shown in seconds."""
    return FINE_UNTIL if row.counts_seconds else 60.0
