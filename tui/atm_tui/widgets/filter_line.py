"""The input line for a filter. It replaces the rule under the header, so that no row moves."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.events import Resize
from textual.message import Message
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input, Static

from atm_tui.text import clean, fit_width
from atm_tui.view.filter_terms import complete_line
from atm_tui.view.present import make_content
from atm_tui.widgets.typed_input import LeavingInput

HINT = "any word shown · waiting state: project: branch: model: agent: ctx:>80 cost:>5 · ↑ earlier"
SIGN = " / "
OTHERS = 4
"""Number of further completions that are named beside the line."""

Complete = Callable[[str], Sequence[str]]
"""Returns what the last term of a line can become."""


def write_hint(width: int) -> str:
    """Writes as many words of the hint as fit into a width in cells."""
    return HINT if len(HINT) <= width else HINT[: max(0, HINT.rfind(" ", 0, width - 1))].rstrip(" ·↑") + " …"


class _Completion(Suggester):
    """Suggests the first completion."""

    def __init__(self, complete: Complete) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._complete = complete

    async def get_suggestion(self, value: str) -> str | None:
        """Returns the line with its last term completed."""
        found = self._complete(value)
        return complete_line(value, found[0]) if found else None


class _Line(LeavingInput):
    """An input with earlier filters and completions."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "recall(1)", show=False),
        Binding("down", "recall(-1)", show=False),
        Binding("tab", "complete", show=False),
        Binding("ctrl+s", "save", show=False),
        Binding("ctrl+r", "forget", show=False),
    ]

    class Saving(Message):
        """The filter is to get a name."""

    class Forgotten(Message):
        """The saved filter is to be removed."""

    def __init__(self, leave: Callable[[], None], complete: Complete) -> None:
        super().__init__(leave, compact=True, select_on_focus=False, suggester=_Completion(complete))
        self._earlier: Sequence[str] = ()
        self._at = 0
        """How far the user went back; 0 is the line being typed."""
        self._typed = ""

    def start(self, earlier: Sequence[str]) -> None:
        """Takes the filters that Up goes back to, newest first."""
        self._earlier, self._at = earlier, 0

    async def action_recall(self, step: int) -> None:
        """Shows an earlier filter, or a later one; Down on the line being typed goes to the list."""
        if self._at == 0:
            self._typed = self.value
        lines = [self._typed, *(each for each in self._earlier if each != self._typed.strip())]
        if self._at + step < 0:
            await self.action_submit()
            return
        self._at = min(self._at + step, len(lines) - 1)
        self.value = lines[self._at]
        self.cursor_position = len(self.value)

    def action_complete(self) -> None:
        """Completes the term."""
        if not (self._suggestion and self.cursor_position == len(self.value)):
            raise SkipAction
        self.value = self._suggestion
        self.cursor_position = len(self.value)

    def action_save(self) -> None:
        """Asks for a name."""
        self.post_message(self.Saving())

    def action_forget(self) -> None:
        """Reports it."""
        self.post_message(self.Forgotten())


class FilterLine(Horizontal):
    """Reports each change while typing; Enter keeps the filter, Escape clears it."""

    class Changed(Message):
        """The text changed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Kept(Message):
        """Enter was pressed: the filter is kept."""

    class Cleared(Message):
        """Escape was pressed: the filter is cleared."""

    def __init__(self, complete: Complete, save: Callable[[str, str], None], forget: Callable[[str], None]) -> None:
        """`save` is called with a name and the filter that gets it, `forget` with a line that names a saved filter."""
        super().__init__(id="filter")
        self._complete = complete
        self._save = save
        self._forget = forget
        self._input = _Line(self._leave, self._list_completions)
        self._sign = Static(id="filter-sign")
        self._others = Static(id="filter-others")
        self._count = Static(id="filter-count")
        self._counted = 0
        """Width of the count in cells."""
        self._before: Widget | None = None
        self._named: str | None = None
        """The filter for which a name is being typed."""

    def compose(self) -> ComposeResult:
        """Yields sign, input, further completions and count."""
        self._show_sign()
        yield self._sign
        yield self._input
        yield self._others
        yield self._count

    def _show_sign(self) -> None:
        self._sign.update(make_content((SIGN if self._named is None else " save as ", "key")))

    def _list_completions(self, text: str) -> Sequence[str]:
        return () if self._named is not None else self._complete(text)

    def open(self, earlier: Sequence[str] = ()) -> None:
        """Takes the focus at once, so that the next key is typed here. `earlier`: what Up goes back to, newest first."""
        if not self._input.has_focus:
            self._before = self.screen.focused
        self._input.start(earlier)
        self.screen.set_focus(self._input)
        self._show_others()

    def _leave(self) -> None:
        """Returns the focus to the widget that had it, unless it was a name that was typed."""
        self._others.update("")
        if self._named is None:
            self.screen.set_focus(self._before)

    def set_text(self, text: str) -> None:
        """Sets the text without a Changed message."""
        if self._input.value != text:
            with self.prevent(Input.Changed):
                self._input.value = text
                self._input.cursor_position = len(text)

    def show_count(self, found: int, of: int) -> None:
        """Shows how many sessions or events the filter lets through."""
        text = f" {found} of {of} "
        self._count.update(make_content((text, "muted" if found else "needs")))
        self._counted = len(text)
        self._show_hint()

    def on_resize(self, _: Resize) -> None:
        """Writes the hint for the new width."""
        self._show_hint()

    def _show_hint(self) -> None:
        """Says in the empty line what can be typed."""
        if self._named is None:
            self._input.placeholder = write_hint(self.size.width - len(SIGN) - self._counted)

    def _show_others(self) -> None:
        """Names the completions after the first, which the line itself shows."""
        found = self._list_completions(self._input.value)[1 : 1 + OTHERS] if self._input.value else ()
        room = self.size.width // 3
        text = " ".join(clean(each.partition(":")[2] or each) for each in found)
        shown = fit_width(text, room).rstrip() if len(text) > room else text
        self._others.update(make_content((f" {shown}" if shown and self._input.has_focus else "", "faint")))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Reports the changed text."""
        event.stop()
        if self._named is None:
            self._show_others()
            self.post_message(self.Changed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Reports that the filter is kept, or its name."""
        event.stop()
        if self._named is None:
            self.post_message(self.Kept())
        else:
            name, text = event.value.strip(), self._named
            self._end_naming()
            self._save(name, text)

    def on_leaving_input_given_up(self, event: LeavingInput.GivenUp) -> None:
        """Reports that the filter is cleared; without a name, goes on with the filter."""
        event.stop()
        if self._named is None:
            self.post_message(self.Cleared())
        else:
            self._end_naming()

    def on__line_saving(self, event: _Line.Saving) -> None:
        """Takes the next line as the name of the filter."""
        event.stop()
        if self._named is None and self._input.value.strip():
            self._named = self._input.value
            self._show_sign()
            self.set_text("")
            self._input.placeholder = f"a name for  {clean(self._named)}"

    def _end_naming(self) -> None:
        text, self._named = self._named or "", None
        self._show_sign()
        self._show_hint()
        self.set_text(text)

    def on__line_forgotten(self, event: _Line.Forgotten) -> None:
        """Removes the saved filter that the line names."""
        event.stop()
        self._forget(self._input.value.strip())
