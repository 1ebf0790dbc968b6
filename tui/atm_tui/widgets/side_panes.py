"""The panes of the main screen: beside the tree, under it or, where there is room for one of them only, in its place."""

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum

from msgspec.structs import replace as changed
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.events import Click, Leave, MouseDown, MouseMove, MouseUp, Resize
from textual.message import Message
from textual.widget import Widget

from atm_tui.model.layout import Layout, Sizes
from atm_tui.model.request import Request
from atm_tui.view.pane import Line, PaneContent, RenderContext
from atm_tui.view.pane_heights import Allotment, Want, allot_lines
from atm_tui.view.status_pane import find_request_lines
from atm_tui.view.subject import Subject
from atm_tui.widgets.pane_names import Name, PaneNames
from atm_tui.widgets.scroll_pane import PaneStyle, ScrollPane

NARROWEST = 28
"""Columns of the panes beside the tree at least."""
LOWEST = 4
"""Lines of the panes under the tree at least."""
MOST_WIDE, MOST_HIGH = 0.6, 0.7
"""What the panes may take of the screen: the tree keeps a rest."""
STEP_WIDE, STEP_HIGH, STEP_SHARE = 4, 1, 2
"""By how much one key resizes: columns, lines, lines of a pane."""


class Form(Enum):
    """Where the panes are."""

    WIDE = "beside the tree"
    MIDDLE = "under the tree: the first on the left, one or two of the others on the right"
    ALONE = "in place of the tree, as long as one of them has the focus"


class SidePanes(Container):
    """Lays out and feeds the panes. `id` is "panes"."""

    class Divided(Message):
        """Its user divided the screen otherwise."""

        def __init__(self, layout: Layout) -> None:
            super().__init__()
            self.layout = layout

    class Shown(Message):
        """Other panes are in view than before."""

    def __init__(self, contents: Sequence[PaneContent], context: RenderContext, layout: Layout) -> None:
        """The first of `contents` is the one that is always shown."""
        super().__init__(id="panes")
        self.panes = {each.name: ScrollPane(each, context.glyphs) for each in contents}
        self._first = contents[0].name
        self._others = Vertical(id="others")
        self._names = PaneNames(context.glyphs)
        self._render_context = context
        self._glyphs = context.glyphs
        self._divided = layout
        self._form: Form | None = None
        self._subject: Subject = None
        self._title = self._first
        self._held: str | None = None
        self._chosen: str | None = None
        self._allotted: dict[str, int] = {}
        self._grip = False
        self._dragging = False
        self._dragged = False

    def compose(self) -> ComposeResult:
        """The first pane, and a column of the others with the names of those that are not shown."""
        first, *others = self.panes.values()
        yield first
        with self._others:
            yield from others
            yield self._names

    # What is shown

    def show(self, subject: Subject, now: float, title: str) -> None:
        """Shows a subject as it stands at `now` (epoch seconds); `title` is that of the first pane."""
        self._subject, self._title = subject, title
        self._render_context = replace(self._render_context, now=now)
        self._arrange()

    def home(self) -> None:
        """Another row is selected: all begin anew."""
        for each in self.panes.values():
            each.reset()

    def place(self, form: Form) -> None:
        """Where the panes are from now on."""
        self._form = form
        self._apply_size()

    def hold(self, name: str | None) -> None:
        """The pane that has the focus; None: it is elsewhere."""
        if name != self._held:
            self._held = name
            self._chosen = name if name not in (None, self._first) else self._chosen
            self._arrange()

    @property
    def held(self) -> str | None:
        """The pane that has the focus."""
        return self._held

    @property
    def reachable(self) -> list[str]:
        """The panes in which there is something, in order."""
        return [name for name in self.panes if not self.refusal(name)]

    def refusal(self, name: str) -> str | None:
        """Why there is no use in going to a pane; None when there is."""
        if self._count(name) is None:
            return "not available for this row"
        lines = self._write(name, self._render_context.width or 80)
        return None if lines or name == self._first else "there are none"

    def shows(self, name: str) -> bool:
        """Whether a pane is in view."""
        return name in self._allotted and self.size.height > 0

    def shows_whole(self, request: Request) -> bool:
        """Whether the first pane, which tells what the subject waits for, shows all of a request."""
        pane = self.panes[self._first]
        if self._first not in self._allotted or not pane.display:
            return False
        context = replace(self._render_context, width=pane.text_width, whole=self._first == self._held)
        lines = find_request_lines(self._subject, context, request)
        return lines is not None and pane.shows_lines(lines)

    def on_resize(self, _: Resize) -> None:
        """Divides the room anew."""
        self._arrange()

    def _count(self, name: str) -> str | None:
        return self.panes[name].content.count(self._subject)

    def _write(self, name: str, width: int) -> list[Line]:
        context = replace(self._render_context, width=width, whole=name == self._held)
        return self.panes[name].content.write(self._subject, context)

    def _arrange(self) -> None:
        width, height = self.size
        if not width or not height or self._form is None:
            return
        before = set(self._allotted)
        lined = self._form is not Form.ALONE
        if self._form is Form.MIDDLE:
            left = width * 3 // 5
            self._allotted = self._column([self._first], left, height, lined=False).lines
            others = self._column([*self.panes][1:], width - left, height, lined=lined)
            self._allotted |= others.lines
        else:
            self._allotted = self._column([*self.panes], width, height, lined=lined).lines
        if set(self._allotted) != before:
            self.post_message(self.Shown())

    def _column(self, names: Sequence[str], width: int, height: int, *, lined: bool) -> Allotment:
        inner = max(1, width - 2 - lined)
        texts = {name: self._write(name, inner) for name in names}
        counts = {name: self._count(name) for name in names}
        shares = self._sizes.shares if self._form is Form.WIDE else {}
        wants = [
            self._want(name, len(text), shares.get(name))
            for name, text in texts.items()
            if counts[name] is not None or name == self._held
        ]
        held = self._held if self._held in names else self._chosen if self._chosen in names else None
        held = held if any(each.name == held and (each.lines or held == self._held) for each in wants) else None
        done = allot_lines(wants, height, held)
        glyphs, role = self._glyphs, "key" if self._grip and self._form is Form.WIDE else "rule"
        tops = "key" if self._grip and self._form is Form.MIDDLE else "rule"
        for name in names:
            pane = self.panes[name]
            pane.display = name in done.lines
            if not pane.display:
                continue
            pane.styles.width = width
            pane.styles.height = done.lines[name] + 1
            first = name == next(iter(done.lines))
            corner = (glyphs.corner if first else glyphs.tee) if lined else ""
            mine = name == self._held
            title = self._title if name == self._first else name
            number = self._number(name) if self._held else 0
            top = "key" if mine else tops if first else "rule"
            pane.set_style(PaneStyle(title, counts[name] or "", number, mine, corner, role, top))
            pane.show(texts[name] or ([[("none", "faint")]] if mine else []))
        if names[-1] != self._first:
            self._names.display = done.names
            away = [each for each in wants if each.name not in done.lines]
            entries = [self._entry(each, counts[each.name] or "") for each in away]
            self._names.show(entries, glyphs.tee if lined else "", role, width)
        return done

    def _want(self, name: str, lines: int, share: int | None) -> Want:
        content = self.panes[name].content
        return Want(name, max(lines, name == self._first), content.least, share, content.enough)

    def _entry(self, of: Want, figure: str) -> Name:
        return Name(of.name, figure, self._number(of.name), bool(self._held), empty=not of.lines)

    def _number(self, name: str) -> int:
        return list(self.panes).index(name) + 1

    # Sizes

    @property
    def _sizes(self) -> Sizes:
        return self._divided.wide if self._form is Form.WIDE else self._divided.middle

    def _apply_size(self) -> None:
        """Applies the size that its user gave it, within the bounds of the style sheet."""
        given = self._sizes.side if self._form is not Form.ALONE else 0
        self.set_class(bool(given), "-sized")
        for rule, form in (("width", Form.WIDE), ("height", Form.MIDDLE)):
            if given and form is self._form:
                setattr(self.styles, rule, given)
            elif self.styles.inline.clear_rule(rule):
                self.refresh(layout=True)

    def _divide(self, sizes: Sizes) -> None:
        wide = self._form is Form.WIDE
        self._divided = changed(self._divided, wide=sizes) if wide else changed(self._divided, middle=sizes)
        self._apply_size()
        self._arrange()

    def _bounded(self, cells: int) -> int:
        """Neither the panes nor the tree disappear."""
        around = self.parent.size if isinstance(self.parent, Widget) else self.size
        if self._form is Form.WIDE:
            return max(NARROWEST, min(cells, int(around.width * MOST_WIDE)))
        return max(LOWEST, min(cells, int(around.height * MOST_HIGH)))

    def _resize_side(self, cells: int) -> bool:
        now = self.size.width if self._form is Form.WIDE else self.size.height
        if (bounded := self._bounded(cells)) == now:
            return False
        self._divide(changed(self._sizes, side=bounded))
        return True

    def grow(self, step: int) -> str | None:
        """What has the focus takes a step more, or less when `step` is -1: the tree, a pane's share, or all panes where
        they lie under the tree. Says why it can't; None when it did.
        """
        if self._form is Form.ALONE:
            return "there is room for only one pane"
        if self._held and self._form is Form.WIDE:
            if reason := self._grow_share(self._held, step):
                return reason
        else:
            way = step if self._held else -step
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
        self._divide(changed(kept, shares={**kept.shares, name: max(1, now + step * STEP_SHARE)}))
        if step > 0 and self._allotted.get(name, 0) <= now:
            self._divide(kept)
            return "it can't get larger: the others would be too small"
        return None

    def even(self) -> None:
        """All sizes of this form are as at first."""
        self._divide(Sizes())
        self.post_message(self.Divided(self._divided))

    # The mouse

    def _on_grip(self, event: MouseDown | MouseMove) -> bool:
        """Whether it is over the line between tree and panes."""
        if self._form is Form.WIDE:
            return 0 <= event.screen_x - self.region.x < 2
        return self._form is Form.MIDDLE and event.screen_y == self.region.y

    def _light(self, *, grip: bool) -> None:
        if grip != self._grip:
            self._grip = grip
            self._arrange()

    def on_mouse_down(self, event: MouseDown) -> None:
        """Takes hold of the line."""
        self._dragged = False
        if event.button == 1 and self._on_grip(event):
            event.stop()
            self._dragging = True
            self.capture_mouse()

    def on_mouse_move(self, event: MouseMove) -> None:
        """Moves it; or lights it up, so that its user sees that it can be moved."""
        if not self._dragging:
            self._light(grip=self._on_grip(event))
            return
        area = self.region
        to = area.right - event.screen_x if self._form is Form.WIDE else area.bottom - event.screen_y
        self._dragged = self._resize_side(int(to)) or self._dragged

    def on_mouse_up(self, _: MouseUp) -> None:
        """Lets go of it."""
        if self._dragging:
            self._dragging = False
            self.release_mouse()
            if self._dragged:
                self.post_message(self.Divided(self._divided))

    def on_leave(self, _: Leave) -> None:
        """The mouse is elsewhere."""
        if not self._dragging:
            self._light(grip=False)

    def on_click(self, event: Click) -> None:
        """A click gives a pane the focus; the end of a drag does not."""
        hit, _ = self.screen.get_widget_at(event.screen_x, event.screen_y)
        if not self._dragged and isinstance(hit, ScrollPane):
            hit.focus()
