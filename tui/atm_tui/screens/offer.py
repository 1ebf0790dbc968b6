"""A box with alternatives for a session whose terminal can't be shown: resume it, or copy the command."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content, Span
from textual.events import Resize
from textual.style import Style
from textual.widgets import Static

from atm_tui.jump.values import JumpPlan, Outcome
from atm_tui.screens.dialog_screen import DialogScreen
from atm_tui.text import clean, wrap_text
from atm_tui.view.command import format_key
from atm_tui.view.present import Glyphs, make_content

WIDTH = 74
"""Largest width of the box in cells; the same as in the style sheet."""
FRAME = 6
"""Cells of border and padding."""
DO = "do"
COPY = "copy"


def describe_main_choice(plan: JumpPlan) -> str:
    """Returns what Enter does in the box; empty if it only closes it."""
    match plan.outcome:
        case Outcome.GO:
            return "resume it in a new tmux window"
        case Outcome.RESUME:
            return "resume it here; atm-tui comes back when it ends"
        case Outcome.ATTACH:
            return "show it here; atm-tui comes back when you detach or leave it"
        case _:
            return ""


def describe_copy_choice(plan: JumpPlan) -> str:
    """Returns what `y` copies; empty if there is nothing."""
    if not plan.copy:
        return ""
    if plan.runs_there:
        return "copy the command, to run it there"
    if plan.outcome is Outcome.REFUSED and not plan.resumes:
        return "copy the command that resumes it, for when it has ended"
    return "copy the command, to run it elsewhere"


class OfferScreen(DialogScreen[str]):
    """Dismissed with DO, COPY or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose('do')"),
        Binding("y", "choose('copy')"),
        Binding("escape,q,space", "choose('')"),
    ]

    def __init__(self, name: str, plan: JumpPlan, glyphs: Glyphs) -> None:
        super().__init__()
        self._title = name
        self._plan = plan
        self._glyphs = glyphs
        self._text = Static(id="offer")
        self._text.auto_links = False

    def compose(self) -> ComposeResult:
        """Yields the text."""
        yield self._text

    def on_mount(self) -> None:
        """Sets the titles."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self._text.border_title = Content(clean(self._title))
        self._text.border_subtitle = "Esc closes"

    def on_resize(self, event: Resize) -> None:
        """Wraps the lines for the new width."""
        width = max(10, min(event.size.width, WIDTH) - FRAME)
        lines = [make_content((text, "plain")) for text in wrap_text(clean(self._plan.text), width, 8)]
        if self._plan.copy:
            lines += [
                make_content(),
                *(make_content((text, "muted")) for text in wrap_text(clean(self._plan.copy), width, 6)),
            ]
        lines.append(make_content())
        for key, choice, text in (
            ("enter", DO, describe_main_choice(self._plan)),
            ("y", COPY, describe_copy_choice(self._plan)),
        ):
            for at, part in enumerate(wrap_text(text, width - 4, 2)):
                label = format_key(key, ascii_only=self._glyphs.ascii) if not at else ""
                line = make_content((f"{label:<5} " if self._glyphs.ascii else f"{label:<2} ", "key"), (part, "plain"))
                lines.append(
                    line.add_spans([Span(0, len(line), Style.from_meta({"@click": f"screen.choose('{choice}')"}))])
                )
        self._text.update(Content("\n").join(lines))

    def action_choose(self, choice: str) -> None:
        """Closes with a choice, or with None if Enter has nothing to do. Does nothing if there is nothing to copy."""
        offered = {DO: describe_main_choice(self._plan), COPY: describe_copy_choice(self._plan)}
        if choice == COPY and not offered[COPY]:
            return
        self.dismiss(choice if offered.get(choice) else "")
