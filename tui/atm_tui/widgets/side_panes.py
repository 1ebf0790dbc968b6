"""The panes of the main screen: beside the tree, below it or, on a small screen, instead of it."""

from collections.abc import Callable, Sequence
from enum import Enum

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.containers import Container
from textual.events import Click, Leave, MouseDown, MouseMove, MouseUp, Resize
from textual.geometry import Region, Size
from textual.layout import Layout as TextualLayout
from textual.message import Message
from textual.widget import Widget

from atm_tui.cost.limits import Account
from atm_tui.model.layout import Layout, Sizes
from atm_tui.model.request import Request
from atm_tui.view.pane import Line, PaneContent, RenderContext
from atm_tui.view.pane_heights import Allotment, Want, allot_lines
from atm_tui.view.status_pane import find_request_lines
from atm_tui.view.subject import Subject
from atm_tui.widgets.given_layout import GivenLayout
from atm_tui.widgets.pane_names import PaneName, PaneNames
from atm_tui.widgets.scroll_pane import PaneStyle, ScrollPane

NARROWEST = 28
"""Least width of the panes beside the tree in columns."""
LOWEST = 4
"""Least height of the panes below the tree in lines."""
MOST_WIDE, MOST_HIGH = 0.6, 0.7
"""Largest share of the screen for the panes."""
STEP_WIDE, STEP_HIGH, STEP_SHARE = 4, 1, 2
"""By how much one key press resizes: columns, lines, lines of a pane."""


class Form(Enum):
    """Where the panes are placed."""

    WIDE = "beside the tree"
    MIDDLE = "under the tree: the first on the left, one or two of the others on the right"
    ALONE = "in place of the tree, as long as one of them has the focus"


class SidePanes(Container):
    """Lays out the panes, and writes their lines. Its id is "panes"."""

    class Divided(Message):
        """The user resized the panes."""

        def __init__(self, layout: Layout) -> None:
            super().__init__()
            self.layout = layout

    class Shown(Message):
        """Other panes are shown than before, or elsewhere."""

    def __init__(
        self,
        contents: Sequence[PaneContent],
        context: RenderContext,
        layout: Layout,
        place: Callable[..., bool],
        now: Callable[[], float],
    ) -> None:
        """The first of `contents` is always shown. `place`: as CommandScreen.place_children. `now`: the time in epoch seconds."""
        super().__init__(id="panes")
        self._place = place
        self.panes = {each.name: ScrollPane(each, context.glyphs, lambda: (self._subject, now())) for each in contents}
        self._first = contents[0].name
        self._names = PaneNames(context.glyphs)
        self._render_context = context
        self._glyphs = context.glyphs
        self._divided = layout
        self._form: Form | None = None
        self._subject: Subject = None
        self._title = self._first
        self._focused: str | None = None
        self._zoomed: str | None = None
        """The pane that takes the whole area."""
        self.chosen: str | None = None
        """The pane that was focused last, besides the first one: it stays in view."""
        self._allotted: dict[str, int] = {}
        self._regions: dict[Widget, Region] = {}
        """Regions of the panes and their names; a widget without one is hidden."""
        self._arranged_for = Size()
        self._given_layout = GivenLayout(self._find_regions)
        self._grip = False
        self._dragging = False
        self._dragged = False

    @property
    def layout(self) -> TextualLayout:
        """The layout: the regions of `_find_regions`."""
        return self._given_layout

    def compose(self) -> ComposeResult:
        """Yields the panes, and the line with the names of hidden ones."""
        yield from self.panes.values()
        yield self._names

    # What is shown

    def show(self, subject: Subject, now: float, title: str, accounts: tuple[Account, ...] = ()) -> None:
        """Shows a subject at `now` (epoch seconds). `title`: the title of the first pane."""
        self._subject, self._title = subject, title
        self._render_context = replace(self._render_context, now=now, accounts=accounts)
        self._arrange_panes()

    def tick(self, now: float) -> None:
        """Updates the visible panes that depend on the clock; `now` as in `show`."""
        self._render_context = replace(self._render_context, now=now)
        for name in self._allotted:
            pane = self.panes[name]
            if pane.content.follows_clock and pane.size.width and (lines := self._write(name, pane.text_width)):
                if len(lines) != pane.line_count:
                    self._arrange_panes()
                    return
                pane.show(lines)

    def tick_clocks(self, now: float) -> None:
        """Updates only the ends of lines in the first pane that count seconds; `now` as in `show`."""
        if self._first in self._allotted and not self.panes[self._first].tick_clocks():
            self.tick(now)

    def reset(self) -> None:
        """Scrolls all panes to their start, since another row is selected."""
        for each in self.panes.values():
            each.reset()

    def place(self, form: Form) -> None:
        """Changes where the panes are placed."""
        if form is not self._form:
            self._form = form
            self._arranged_for = Size()
        self._apply_size()

    def set_focused(self, name: str | None) -> None:
        """Sets which pane has the focus; None: none."""
        if name != self._focused:
            self._focused = name
            self.chosen = name if name not in (None, self._first) else self.chosen
            self._arrange_panes()

    @property
    def focused(self) -> str | None:
        """The pane that has the focus."""
        return self._focused

    def zoom(self, name: str | None) -> None:
        """Gives the whole area to one pane; None: to all."""
        self._zoomed = name
        self._apply_size()
        self._arrange_panes()

    @property
    def reachable(self) -> list[str]:
        """The names of the panes that have lines, in order."""
        return [name for name in self.panes if not self.explain_refusal(name)]

    def explain_refusal(self, name: str) -> str | None:
        """Returns why a pane can't get the focus; None when it can."""
        if self._count(name) is None:
            return "not available for this row"
        lines = self._write(name, self._render_context.width or 80)
        return None if lines or name == self._first else "there are none"

    def shows(self, name: str) -> bool:
        """Returns whether a pane is in view."""
        return name in self._allotted and self.size.height > 0

    def shows_whole(self, request: Request) -> bool:
        """Returns whether the first pane, with the waits of the subject, shows all of a request."""
        pane = self.panes[self._first]
        if self._first not in self._allotted:
            return False
        lines = find_request_lines(self._subject, self._make_context(self._first, pane.text_width), request)
        return lines is not None and pane.shows_lines(lines)

    def on_resize(self, _: Resize) -> None:
        """Arranges the panes for the new size, unless the layout already did."""
        if self.size != self._arranged_for:
            self._arrange_panes()

    def _count(self, name: str) -> str | None:
        return self.panes[name].content.count(self._subject)

    def _write(self, name: str, width: int) -> list[Line]:
        return self.panes[name].content.write(self._subject, self._make_context(name, width))

    def _make_context(self, name: str, width: int) -> RenderContext:
        return replace(self._render_context, width=width, whole=name == self._focused)

    def _find_regions(self, size: Size) -> dict[Widget, Region]:
        """Returns the region of each shown widget for a size (cells). Called during layout."""
        if size != self._arranged_for:
            self._divide(size)
        return self._regions

    def _arrange_panes(self) -> None:
        """Writes the panes; places them again if their heights changed."""
        before = self._regions
        self._divide(self.size)
        if self._regions != before and not self._place(self, self._regions):
            next(iter(self._regions or before)).refresh(layout=True)

    def _divide(self, size: Size) -> None:
        """Divides a size (cells) among the panes, and writes those that are shown."""
        width, height = size
        if not width or not height or self._form is None:
            return
        before, self._arranged_for, self._regions = set(self._allotted), size, {}
        lined = self._form is not Form.ALONE
        if self._zoomed:
            self._allotted = self._arrange_column([self._zoomed], size.region, lined=False).lines
        elif self._form is Form.MIDDLE:
            others = [*self.panes][1:]
            has_others = any(self._count(each) is not None or each == self._focused for each in others)
            left = width * 3 // 5 if has_others else width
            self._allotted = self._arrange_column([self._first], Region(0, 0, left, height), lined=False).lines
            self._allotted |= self._arrange_column(others, Region(left, 0, width - left, height), lined=lined).lines
        else:
            self._allotted = self._arrange_column([*self.panes], size.region, lined=lined).lines
        if set(self._allotted) != before:
            self.post_message(self.Shown())

    def _arrange_column(self, names: Sequence[str], area: Region, *, lined: bool) -> Allotment:
        width, inner = area.width, max(1, area.width - 2 - lined)
        texts = {name: self._write(name, inner) for name in names}
        counts = {name: self._count(name) for name in names}
        shares = self._sizes.shares if self._form is Form.WIDE else {}
        wants = [
            self._make_want(name, len(text), shares.get(name))
            for name, text in texts.items()
            if counts[name] is not None or name == self._focused
        ]
        focused = self._focused if self._focused in names else self.chosen if self.chosen in names else None
        focused = (
            focused
            if any(each.name == focused and (each.lines or focused == self._focused) for each in wants)
            else None
        )
        done = allot_lines(wants, area.height, focused)
        glyphs, role = self._glyphs, "key" if self._grip and self._form is Form.WIDE else "rule"
        tops = "key" if self._grip and self._form is Form.MIDDLE else "rule"
        y = area.y
        for name, lines in done.lines.items():
            pane, first = self.panes[name], y == area.y
            self._regions[pane] = Region(area.x, y, width, lines + 1)
            y += lines + 1
            corner = (glyphs.corner if first else glyphs.tee) if lined else ""
            mine = name == self._focused
            title = self._title if name == self._first else name
            number = self._get_number(name) if self._focused else 0
            top = "key" if mine else tops if first else "rule"
            pane.set_style(PaneStyle(title, counts[name] or "", number, mine, corner, role, top))
            pane.show(texts[name] or ([[("none", "faint")]] if mine else []))
        if names[-1] != self._first and done.names:
            self._regions[self._names] = Region(area.x, y, width, 1)
            away = [each for each in wants if each.name not in done.lines]
            entries = [self._make_name(each, counts[each.name] or "") for each in away]
            self._names.show(entries, glyphs.tee if lined else "", role, width)
        return done

    def _make_want(self, name: str, lines: int, share: int | None) -> Want:
        content = self.panes[name].content
        return Want(name, max(lines, name == self._first), content.least, share, content.enough)

    def _make_name(self, of: Want, figure: str) -> PaneName:
        return PaneName(of.name, figure, self._get_number(of.name), bool(self._focused), empty=not of.lines)

    def _get_number(self, name: str) -> int:
        return list(self.panes).index(name) + 1

    # Sizes

    @property
    def _sizes(self) -> Sizes:
        return self._divided.wide if self._form is Form.WIDE else self._divided.middle

    def _apply_size(self) -> None:
        """Applies the user's size, within the limits of the style sheet."""
        given = self._sizes.side if self._form is not Form.ALONE and not self._zoomed else 0
        self.set_class(bool(given), "-sized")
        for rule, form in (("width", Form.WIDE), ("height", Form.MIDDLE)):
            if given and form is self._form:
                setattr(self.styles, rule, given)
            elif self.styles.inline.clear_rule(rule):
                self.refresh(layout=True)

    def _set_sizes(self, sizes: Sizes) -> None:
        wide = self._form is Form.WIDE
        self._divided = replace(self._divided, wide=sizes) if wide else replace(self._divided, middle=sizes)
        self._apply_size()
        self._arrange_panes()

    def _limit_size(self, cells: int) -> int:
        """Clamps a size so that neither the panes nor the tree disappear."""
        around = self.parent.size if isinstance(self.parent, Widget) else self.size
        if self._form is Form.WIDE:
            return max(NARROWEST, min(cells, int(around.width * MOST_WIDE)))
        return max(LOWEST, min(cells, int(around.height * MOST_HIGH)))

    def _resize_side(self, cells: int) -> bool:
        now = self.size.width if self._form is Form.WIDE else self.size.height
        if (bounded := self._limit_size(cells)) == now:
            return False
        self._set_sizes(replace(self._sizes, side=bounded))
        return True

    def explain_fixed(self) -> str | None:
        """Returns why no size can be changed now; None when it can."""
        if self._form is Form.ALONE:
            return "there is room for only one pane"
        return "it has the whole screen" if self._zoomed else None

    def grow(self, step: int) -> str | None:
        """Grows what has the focus by a step, or shrinks it when `step` is -1: the tree, a pane's share or, under the tree,
        all panes. Returns why not, or None when it did.
        """
        if reason := self.explain_fixed():
            return reason
        if self._focused and self._form is Form.WIDE:
            if reason := self._grow_share(self._focused, step):
                return reason
        else:
            way = step if self._focused else -step
            now = self.size.width + way * STEP_WIDE if self._form is Form.WIDE else self.size.height + way * STEP_HIGH
            if not self._resize_side(now):
                return "it can't get larger: the other would be too small" if step > 0 else "it can't get smaller"
        self.post_message(self.Divided(self._divided))
        return None

    def _grow_share(self, name: str, step: int) -> str | None:
        whole = len(self.panes[name].lines)
        now = min(self._allotted.get(name, 0), whole)
        if step > 0 and now == whole:
            return "all of it is shown"
        if step < 0 and now <= 1:
            return "it can't get smaller"
        kept = self._sizes
        self._set_sizes(replace(kept, shares={**kept.shares, name: max(1, now + step * STEP_SHARE)}))
        if step > 0 and self._allotted.get(name, 0) <= now:
            self._set_sizes(kept)
            return "it can't get larger: the others would be too small"
        return None

    def reset_sizes(self) -> None:
        """Resets all sizes of this form."""
        self._set_sizes(Sizes())
        self.post_message(self.Divided(self._divided))

    # The mouse

    def _is_on_grip(self, event: MouseDown | MouseMove) -> bool:
        """Whether the mouse is over the line between tree and panes."""
        if self._form is Form.WIDE:
            return 0 <= event.screen_x - self.region.x < 2
        return self._form is Form.MIDDLE and event.screen_y == self.region.y

    def _highlight_grip(self, *, grip: bool) -> None:
        if grip != self._grip:
            self._grip = grip
            self._arrange_panes()

    def on_mouse_down(self, event: MouseDown) -> None:
        """Starts to drag the line."""
        self._dragged = False
        if event.button == 1 and self._is_on_grip(event):
            event.stop()
            self._dragging = True
            self.capture_mouse()

    def on_mouse_move(self, event: MouseMove) -> None:
        """Drags the line, or highlights it to show that it can be dragged."""
        if not self._dragging:
            self._highlight_grip(grip=self._is_on_grip(event))
            return
        area = self.region
        to = area.right - event.screen_x if self._form is Form.WIDE else area.bottom - event.screen_y
        self._dragged = self._resize_side(int(to)) or self._dragged

    def on_mouse_up(self, _: MouseUp) -> None:
        """Ends the drag."""
        if self._dragging:
            self._dragging = False
            self.release_mouse()
            if self._dragged:
                self.post_message(self.Divided(self._divided))

    def on_leave(self, _: Leave) -> None:
        """Removes the highlight."""
        if not self._dragging:
            self._highlight_grip(grip=False)

    def on_click(self, event: Click) -> None:
        """Gives the clicked pane the focus, unless the click ended a drag."""
        hit, _ = self.screen.get_widget_at(event.screen_x, event.screen_y)
        if not self._dragged and isinstance(hit, ScrollPane):
            hit.focus()
