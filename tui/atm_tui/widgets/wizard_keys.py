"""The wizard's keys, declared once: bindings and the line of keys at its foot derive from here."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual.binding import Binding, BindingType
from textual.content import Content, Span
from textual.events import Resize
from textual.style import Style
from textual.widgets import Static

from atm_tui.commands import key_label
from atm_tui.view import present
from atm_tui.view.present import Glyphs


@dataclass(frozen=True)
class Key:
    """One command of the wizard. action: also the name of its method; title: a word or two."""

    action: str
    keys: tuple[str, ...]
    title: str

    def label(self, *, ascii_only: bool) -> str:
        """How its first key is written."""
        return "Esc" if self.keys[0] == "escape" else key_label(self.keys[0], ascii_only=ascii_only)


KEYS = (
    Key("forward", ("enter",), "next"),
    Key("apply", ("a",), "apply"),
    Key("choose", ("space",), "choose"),
    Key("back", ("left", "backspace", "h"), "back"),
    Key("events", ("e",), "events"),
    Key("details", ("d",), "whole lines"),
    Key("undo", ("z",), "undo"),
    Key("doctor", ("c",), "check"),
    Key("again", ("r",), "look again"),
    Key("uninstall", ("u",), "uninstall"),
    Key("backups", ("b",), "backups"),
    Key("leave", ("escape", "q"), "leave"),
)
"""All of them."""
_BY_ACTION = {key.action: key for key in KEYS}

LINES_KEYS: tuple[BindingType, ...] = (
    Binding("down,j", "move(1)", "down", show=False),
    Binding("up,k", "move(-1)", "up", show=False),
    Binding("pagedown,ctrl+f", "page(1)", "page down", show=False),
    Binding("pageup,ctrl+b", "page(-1)", "page up", show=False),
    Binding("home,g", "end(-1)", "first", show=False),
    Binding("end,G", "end(1)", "last", show=False),
)
"""What moves in every list of lines."""


def bindings() -> list[BindingType]:
    """The bindings of the wizard's screen."""
    return [Binding(",".join(key.keys), key.action, key.title, show=False, id=f"wizard.{key.action}") for key in KEYS]


Able = tuple[str, str]
"""(action, title): a key that does something now; an empty title means its usual one. After a comma: where there is room."""


class WizardFooter(Static):
    """The keys that work now; in their place a word, while something is being done or could not be."""

    ALLOW_SELECT = False
    auto_links = False

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="wizard-foot")
        self._glyphs = glyphs
        self._able: Sequence[Able] = ()
        self._word = ""

    def show(self, able: Sequence[Able], word: str = "") -> None:
        """Takes the keys that work now, and what is to be said instead."""
        if (able, word) != (self._able, self._word):
            self._able, self._word = able, word
            self._paint()

    def on_resize(self, _: Resize) -> None:
        """Shows as many keys as fit."""
        self._paint()

    def _paint(self) -> None:
        width = self.content_size.width
        if width < 1:
            return
        word = present.content(*present.fit_parts([(self._word, "needs")], width))
        self.update(word if self._word else self._keys(width), layout=False)

    def _keys(self, width: int) -> Content:
        """As many as fit, in short words where that helps; the first and the last one stay longest."""
        gap = Content("   " if width >= 60 else "  ")
        line = gap.join(self._entries(self._able))
        able = [(action, title.split(",")[0]) for action, title in self._able]
        while line.cell_length > width and len(able) > 1:
            line = gap.join(self._entries(able))
            able.pop(-2)
        return line

    def _entries(self, able: Sequence[Able]) -> list[Content]:
        entries = []
        for action, title in able:
            key = _BY_ACTION[action]
            label = key.label(ascii_only=self._glyphs.ascii)
            text = present.content((label, "key"), (f" {title or key.title}", "muted"))
            click = Style.from_meta({"@click": f"screen.{action}"})
            entries.append(text.add_spans([Span(0, len(text), click)]))
        return entries
