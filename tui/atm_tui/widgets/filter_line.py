"""The input line for a filter. It replaces the rule under the header, so that no row moves."""

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from atm_tui.view.present import make_content

HINT = "any word shown · waiting state: project: branch: model: agent: ctx:>80 cost:>5"


class _Line(Input):
    """An input that gives up the focus at once on Enter or Escape, so that the next key goes elsewhere."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "give_up", show=False),
        Binding("down", "submit", show=False),
    ]

    class GivenUp(Message):
        """Escape was pressed."""

    def __init__(self, leave: Callable[[], None]) -> None:
        super().__init__(placeholder=HINT, compact=True, select_on_focus=False)
        self._leave = leave

    async def action_submit(self) -> None:
        """Gives up the focus, then submits the text."""
        self._leave()
        await super().action_submit()

    def action_give_up(self) -> None:
        """Gives up the focus, then reports it."""
        self._leave()
        self.post_message(self.GivenUp())


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

    def __init__(self) -> None:
        super().__init__(id="filter")
        self._input = _Line(self._leave)
        self._count = Static(id="filter-count")
        self._before: Widget | None = None

    def compose(self) -> ComposeResult:
        """Yields sign, input and count."""
        yield Static(make_content((" / ", "key")), id="filter-sign")
        yield self._input
        yield self._count

    def open(self) -> None:
        """Takes the focus at once, so that the next key is typed here."""
        if not self._input.has_focus:
            self._before = self.screen.focused
        self.screen.set_focus(self._input)

    def _leave(self) -> None:
        """Returns the focus to the widget that had it."""
        self.screen.set_focus(self._before)

    def set_text(self, text: str) -> None:
        """Sets the text without a Changed message."""
        if self._input.value != text:
            with self.prevent(Input.Changed):
                self._input.value = text

    def show_count(self, found: int, of: int) -> None:
        """Shows how many sessions or events the filter lets through."""
        self._count.update(make_content((f" {found} of {of} ", "muted" if found else "needs")))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Reports the changed text."""
        event.stop()
        self.post_message(self.Changed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Reports that the filter is kept."""
        event.stop()
        self.post_message(self.Kept())

    def on__line_given_up(self, event: _Line.GivenUp) -> None:
        """Reports that the filter is cleared."""
        event.stop()
        self.post_message(self.Cleared())
