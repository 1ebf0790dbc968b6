"""The command line: a line at the bottom of the screen, and above it what it can be completed to."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Resize
from textual.widgets import Input, Static

from atm_tui.keys.conflicts import YES
from atm_tui.screens.dialog_screen import DialogScreen
from atm_tui.text import clean, fit_width
from atm_tui.view.command import Command, format_keys
from atm_tui.view.command_line import (
    Arguments,
    CommandLineError,
    Completion,
    Typed,
    complete_line,
    find_common_start,
    parse_line,
)
from atm_tui.view.present import Glyphs, Part, fit_keys, fit_parts, make_content
from atm_tui.widgets.typed_input import TypedInput

SHOWN = 8
"""Most completions that are listed."""
NAME = 20
LABELS = 10
"""Largest widths in cells of a completion's name and of its keys."""
KEYS = (("Enter", "run"), ("Tab", "complete"), ("Up", "earlier ones"), ("Esc", "close"))


class CommandLineScreen(DialogScreen[Typed | None]):
    """Dismissed with the command to run, or None. A line that can't run stays, with the reason."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False, priority=True),
        Binding("tab", "complete(1)", show=False, priority=True),
        Binding("shift+tab", "complete(-1)", show=False, priority=True),
        Binding("up", "recall(-1)", show=False, priority=True),
        Binding("down", "recall(1)", show=False, priority=True),
    ]

    def __init__(self, commands: Sequence[Command], arguments: Arguments, history: list[str], glyphs: Glyphs) -> None:
        """`commands`: those that can be typed; `history`: the lines that ran before, to which this one is added."""
        super().__init__()
        self._commands = commands
        self._arguments = arguments
        self._history = history
        self._at = len(history)
        self._glyphs = glyphs
        self._problem = ""
        self._found: list[Completion] = []
        self._chosen: int | None = None
        """The completion that stands in the line."""
        self._list = Static(id="command-list")
        self._input = TypedInput(compact=True, select_on_focus=False)

    def compose(self) -> ComposeResult:
        """Yields completions and line."""
        with Vertical(id="command-line"):
            yield self._list
            with Horizontal():
                yield Static(make_content((":", "key")), id="command-sign")
                yield self._input

    def open(self) -> None:
        """Takes the focus at once, so that the next key is typed here."""
        self.set_focus(self._input)

    def on_mount(self) -> None:
        """Lists all commands."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self._find()

    def on_resize(self, _: Resize) -> None:
        """Writes the list for the new width."""
        self._paint()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Lists what the line can be completed to."""
        event.stop()
        self._problem = ""
        self._find()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Runs the line, or says why it can't run."""
        event.stop()
        text = event.value.strip()
        if not text.removeprefix(":").strip():
            self.dismiss(None)
            return
        try:
            typed = parse_line(text, self._commands, self._arguments, answers=YES)
        except CommandLineError as error:
            self._problem = str(error)
            self._paint()
            return
        if text in self._history:
            self._history.remove(text)
        self._history.append(text)
        self.dismiss(typed)

    def action_leave(self) -> None:
        """Closes the line; nothing runs."""
        self.dismiss(None)

    def action_complete(self, step: int) -> None:
        """Completes the line as far as it is certain, then to one completion after the other."""
        if not self._found:
            return
        if self._chosen is None and step > 0:
            common = find_common_start(self._found, self._input.value)
            if len(common) > len(self._input.value) and len(self._found) > 1:
                self._set_text(common)
                self._find()
                return
        self._chosen = (step - 1) // 2 if self._chosen is None else self._chosen + step
        self._chosen %= len(self._found)
        text = self._found[self._chosen].text
        takes = " " if text in self._arguments and len(self._found) == 1 else ""
        self._set_text(text + takes)
        if len(self._found) == 1:
            self._find()
        self._paint()

    def action_recall(self, step: int) -> None:
        """Shows an earlier or a later line of the history."""
        if not self._history:
            return
        self._at = max(0, min(self._at + step, len(self._history)))
        self._set_text(self._history[self._at] if self._at < len(self._history) else "")
        self._find()

    def _set_text(self, text: str) -> None:
        with self.prevent(Input.Changed):
            self._input.value = text
        self._input.cursor_position = len(text)
        self._problem = ""

    def _find(self) -> None:
        self._found = complete_line(self._input.value, self._commands, self._arguments)
        self._chosen = None
        self._paint()

    def _paint(self) -> None:
        width = self.size.width - 2
        if width < 10:
            return
        top = 0 if self._chosen is None else max(0, min(self._chosen - SHOWN // 2, len(self._found) - SHOWN))
        lines = [
            make_content(*fit_parts(self._write(each, width, chosen=at == self._chosen), width))
            for at, each in enumerate(self._found[top : top + SHOWN], top)
        ]
        more = len(self._found) - SHOWN
        note: Part = (f"+{more} more   ", "faint") if more > 0 else ("", "faint")
        last = [note, *fit_keys(KEYS, width - len(note[0]))]
        if self._problem:
            last = fit_parts([(clean(self._problem), "needs")], width)
        self._list.update(Content("\n").join([*lines, make_content(*last)]))

    def _write(self, each: Completion, width: int, *, chosen: bool) -> list[Part]:
        keys = self._write_labels(each)
        name = min(NAME, width // 2, self._measure_longest(lambda found: found.text)) if each.meaning else width - 2
        parts: list[Part] = [
            (self._glyphs.cursor if chosen else " ", "key"),
            (fit_width(each.text, name), "strong" if chosen else "plain"),
            (" ", "plain"),
        ]
        if each.meaning and width >= NAME * 2:
            label = fit_width(keys, min(LABELS, self._measure_longest(self._write_labels)))
            parts += [(" ", "plain"), (label, "key"), ("  ", "plain"), (clean(each.meaning), "muted")]
        return parts

    def _write_labels(self, each: Completion) -> str:
        command = next((known for known in self._commands if known.id == each.text), None)
        return " ".join(format_keys(command, ascii_only=self._glyphs.ascii)) if command else ""

    def _measure_longest(self, write: Callable[[Completion], str]) -> int:
        """Returns the width in cells of the longest text of all completions, so that columns stay while one is chosen."""
        return max((cell_len(write(each)) for each in self._found), default=0)
