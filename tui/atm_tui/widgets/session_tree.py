"""The tree of projects, sessions and agents: one widget that paints lines, so that a thousand rows stay quick."""

from collections.abc import Callable
from itertools import islice
from typing import ClassVar

from textual.events import Blur, Click, Focus, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from atm_tui import commands
from atm_tui.view import present
from atm_tui.view.columns import Columns, columns, line
from atm_tui.view.row import Row, RowId
from atm_tui.view.tree_rows import TreeRows

FINE_UNTIL = 600.0
"""Seconds for which the age of a state that matters now counts every second."""
COARSE_STEP = 15.0
"""Ages in minutes move on together, this often (seconds), so that a quiet screen is painted seldom."""

Look = tuple[Row, str, bool, str, Columns]


class SessionTree(ScrollView, can_focus=True):
    """Shows an Outline. Selection and folds are bound to ids: what comes and goes around them moves neither."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"session-tree--cursor"}
    BINDINGS = commands.bindings("tree")
    BINDING_GROUP_TITLE = "Tree"

    class Selected(Message):
        """Another row is selected, or none. `by_user`: a key or click did it."""

        def __init__(self, row_id: RowId | None, *, by_user: bool) -> None:
            super().__init__()
            self.row_id = row_id
            self.by_user = by_user

    class Toggled(Message):
        """A row was folded or unfolded: the outline has to be built again."""

    def __init__(self, now: Callable[[], float], glyphs: present.Glyphs, thresholds: tuple[int, int, int]) -> None:
        super().__init__(id="tree")
        self._now = now
        self._glyphs = glyphs
        self._thresholds = thresholds
        self._rows: tuple[Row, ...] = ()
        self._index: dict[RowId, int] = {}
        self._painted: dict[RowId, tuple[Look, Strip]] = {}
        self._step = 0.0
        self._goal: int | None = None
        self._marks: tuple[str, ...] = ()
        self._numbers: tuple[tuple[int, int], dict[RowId, str]] = ((-1, -1), {})
        self.selected: RowId | None = None
        self.toggled: set[RowId] = set()
        """Ids whose fold differs from the default."""

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows that are shown, top to bottom."""
        return self._rows

    @property
    def selected_row(self) -> Row | None:
        """The row of the selected id."""
        at = self._index.get(self.selected) if self.selected else None
        return None if at is None else self._rows[at]

    @property
    def numbered(self) -> list[RowId]:
        """The first nine sessions that are in view, by the number that they show."""
        rows = (self._rows[at] for at in self._visible())
        return list(islice((row.id for row in rows if row.id[0] == "session"), 9))

    # What is shown

    def show(self, outline: TreeRows) -> None:
        """Takes a new outline: keeps the selection and its place on the screen, repaints the lines that differ."""
        old, self._rows = self._rows, outline.rows
        self._numbers = ((-1, -1), {})
        stays = len(old) == len(self._rows) and all(
            a is b or a.id == b.id for a, b in zip(old, self._rows, strict=True)
        )
        old_index = self._index
        if not stays:
            self._index = {row.id: at for at, row in enumerate(outline.rows)}
        was = old_index.get(self.selected) if self.selected else None
        chosen = self._survivor(old, was)
        if stays:
            for at in self._visible():
                if old[at] != self._rows[at]:
                    self.refresh_line(at)
        else:
            if len(old) != len(self._rows):
                self.virtual_size = Size(self.size.width, len(self._rows))
            self.refresh()
        if chosen != self.selected:
            self._select(chosen, by_user=False)
        elif was is not None and chosen is not None and (shift := self._index[chosen] - was):
            self.scroll_to(y=self.scroll_offset.y + shift, animate=False, immediate=True)
        if len(self._painted) > 2 * len(self._rows) + 200:
            self._painted = {key: kept for key, kept in self._painted.items() if key in self._index}

    def mark(self, marks: tuple[str, ...]) -> None:
        """What is marked in names from now on."""
        if marks != self._marks:
            self._marks = marks
            self._painted.clear()
            self.refresh()

    def _survivor(self, old: tuple[Row, ...], was: int | None) -> RowId | None:
        """The selected id; when it is gone, what it was folded into, else the row that took its place."""
        if self.selected in self._index or not self._rows:
            return self.selected if self._rows else None
        if was is None:
            return None
        if self.selected and self.selected[0] == "agent" and ("over", self.selected[1]) in self._index:
            return ("over", self.selected[1])
        parents = {row.id: row.parent for row in old}
        above = parents.get(self.selected) if self.selected else None
        while above is not None and above not in self._index:
            above = parents.get(above)
        if above is not None and self._rows[self._index[above]].folded:
            return above
        return self._rows[self._solid(min(was, len(self._rows) - 1), -1)].id

    def tick(self) -> None:
        """Time went on: repaints the visible lines whose age reads otherwise now; those that count minutes all together."""
        now = self._now()
        step, before = now // COARSE_STEP, self._step
        self._step = step
        for at in self._visible():
            row = self._rows[at]
            if step == before and not row.fine and now - (row.since or 0) > 61:
                continue
            kept = self._painted.get(row.id)
            if kept is not None and kept[0][1] != self._age(row):
                self.refresh_line(at)

    def _visible(self) -> range:
        top = self.scroll_offset.y
        return range(top, min(len(self._rows), top + self.size.height))

    def _age(self, row: Row) -> str:
        if row.since is None or row.since <= 0:
            return ""
        return present.age(self._now() - row.since, FINE_UNTIL if row.fine else 60.0)

    def render_line(self, y: int) -> Strip:
        """One line of the widget."""
        at = y + self.scroll_offset.y
        if at >= len(self._rows):
            return Strip.blank(self.size.width, self.visual_style.rich_style)
        row = self._rows[at]
        selected = row.id == self.selected
        look: Look = (row, self._age(row), selected, self._number(at), columns(self._line_width))
        kept = self._painted.get(row.id)
        if kept is None or kept[0] != look:
            kept = self._painted[row.id] = (look, self._strip(look))
        return kept[1].crop(0, self.size.width)

    def _number(self, at: int) -> str:
        """The key that selects this row, where one does."""
        if self._rows[at].id[0] != "session":
            return ""
        top = self.scroll_offset.y
        if self._numbers[0] != (top, self.size.height):
            self._numbers = ((top, self.size.height), {row_id: str(n) for n, row_id in enumerate(self.numbered, 1)})
        return self._numbers[1].get(self._rows[at].id, "")

    @property
    def _line_width(self) -> int:
        """All but the scrollbar's cell, whether it is there or not: columns don't move when it comes."""
        return max(1, self.outer_size.width - 1)

    def _strip(self, look: Look) -> Strip:
        row, age, selected, number, at = look
        style = self.get_visual_style("session-tree--cursor") if selected else self.visual_style
        parts = line(row, at, age, self._glyphs, self._thresholds, selected=selected, number=number, marks=self._marks)
        shown = present.content(*parts)
        return Visual.to_strips(self, shown, at.width + 1, 1, style, apply_selection=False, pad=True)[0]

    def notify_style_update(self) -> None:
        """Colours changed: nothing painted is of use any more."""
        super().notify_style_update()
        self._painted.clear()

    def on_resize(self, _: Resize) -> None:
        """Keeps the selection in view."""
        self.virtual_size = Size(self.size.width, len(self._rows))
        goal, self._goal = self._goal, None
        if goal is not None:
            self.scroll_to(y=goal, animate=False, immediate=True)
        self._keep_in_view()

    def top_moves(self, lines: int) -> None:
        """What is above the tree takes so many lines more: with its new size, the rows stay where they are on the screen."""
        if lines:
            self._goal = self.scroll_offset.y + lines

    def on_focus(self, _: Focus) -> None:
        """The cursor looks otherwise."""
        self._painted.clear()

    def on_blur(self, _: Blur) -> None:
        """The cursor looks otherwise."""
        self._painted.clear()

    # What is selected

    def select(self, row_id: RowId, *, by_user: bool = False) -> None:
        """Selects a row that is shown; one that isn't changes nothing."""
        if row_id in self._index and row_id != self.selected:
            self._select(row_id, by_user=by_user)

    def _select(self, row_id: RowId | None, *, by_user: bool) -> None:
        for each in (self.selected, row_id):
            if each is not None and each in self._index:
                self.refresh_line(self._index[each])
        self.selected = row_id
        self._keep_in_view()
        self.post_message(self.Selected(row_id, by_user=by_user))

    def _keep_in_view(self) -> None:
        if self.selected in self._index and self.size.height:
            # The project's head comes into view with its first session.
            at = self._index[self.selected]
            top = at - 1 if at and self._rows[at - 1].id == self._rows[at].parent else at
            self.scroll_to_region(Region(0, top, 1, at - top + 1), animate=False)

    def _move_to(self, at: int, step: int = 1) -> None:
        if self._rows:
            self.select(self._rows[self._solid(max(0, min(at, len(self._rows) - 1)), step)].id, by_user=True)

    def _solid(self, at: int, step: int) -> int:
        """The index itself or, where there is only air, its neighbour: a gap is never first nor last."""
        return at + step if self._rows[at].gap else at

    @property
    def _at(self) -> int:
        return self._index.get(self.selected, 0) if self.selected else 0

    def action_cursor_down(self) -> None:
        """Selects the next row."""
        self._move_to(self._at + 1)

    def action_cursor_up(self) -> None:
        """Selects the previous row."""
        self._move_to(self._at - 1, -1)

    def action_cursor_first(self) -> None:
        """Selects the first row."""
        self._move_to(0)

    def action_cursor_last(self) -> None:
        """Selects the last row."""
        self._move_to(len(self._rows) - 1)

    def action_page_down(self) -> None:
        """Selects the row one screen down."""
        self._move_to(self._at + max(1, self.size.height - 1))

    def action_page_up(self) -> None:
        """Selects the row one screen up."""
        self._move_to(self._at - max(1, self.size.height - 1), -1)

    # What is folded

    def action_fold(self) -> None:
        """Folds the row, or goes to the one that it is in."""
        if not self._rows or self.selected is None:
            return
        row = self._rows[self._at]
        if row.folded is False:
            self._toggle(row)
        elif row.parent is not None:
            self.select(row.parent, by_user=True)

    def action_unfold(self) -> None:
        """Unfolds the row, or goes to the first one in it."""
        if not self._rows or self.selected is None:
            return
        row = self._rows[self._at]
        if row.folded:
            self._toggle(row)
        elif row.folded is False:
            self._move_to(self._at + 1)

    def _toggle(self, row: Row) -> None:
        self.toggled ^= {row.id}
        self.post_message(self.Toggled())

    def on_click(self, event: Click) -> None:
        """Folds where the mark is hit, else selects; a second click at once jumps."""
        at = event.y + self.scroll_offset.y
        if at >= len(self._rows):
            return
        row = self._rows[at]
        # The cursor's cell comes first; the mark is easier to hit with a cell on each side.
        if row.folded is not None and abs(event.x - 1 - row.mark_at) <= 1:
            self._toggle(row)
        elif event.chain == 2 and row.id == self.selected and row.id[0] in ("session", "agent"):
            self.call_later(self.run_action, "screen.command('jump')")
        elif not row.gap:
            self.select(row.id, by_user=True)
