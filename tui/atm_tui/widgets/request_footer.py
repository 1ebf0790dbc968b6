"""The end of the request dialog: what is to be known before a key is pressed, and the keys that work now."""

from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content, Span
from textual.events import Resize
from textual.style import Style
from textual.widgets import Static

from atm_tui.commands import key_label
from atm_tui.model.request import ALIKE, PLAN, Request
from atm_tui.view import present
from atm_tui.view.present import Part, count
from atm_tui.view.request_choices import Choices


@dataclass(frozen=True)
class Key:
    """A key that works now. `name` is written as it stands where it is none of Textual's names."""

    name: str
    title: str
    action: str
    """What a click runs; empty where a click would not say which."""


@dataclass(frozen=True)
class Foot:
    """What the dialog is at."""

    request: Request
    mode: str
    """"" | sure | offers | reason | other | over"""
    said: str
    """What became of a key; one that begins with a colon goes on from what is not seen yet."""
    unseen: int
    """Lines that did not stand on the screen yet."""
    siblings: int
    """Requests of the session."""
    choices: Choices
    warning: str
    """The sign of a warning."""


def foot(at: Foot) -> tuple[Part, tuple[Key, ...]]:
    """The line above the keys, and the keys."""
    back = Key("escape", "back", "back")
    match at.mode:
        case "over":
            return (at.said, "needs"), (Key("escape", "close", "back"),)
        case "sure":
            words = at.said or "looks dangerous, see above: y says yes all the same"
            return (f"{at.warning} {words}", "needs"), (Key("y", "yes", "sure"), back)
        case "reason":
            return (at.said or "deny: Enter sends", "strong"), (Key("enter", "deny", ""), back)
        case "other":
            return (at.said or "other: Enter takes it", "strong"), (Key("enter", "take", ""), back)
    more = at.said if at.said.startswith(":") else ""
    notice = "" if more else at.said
    if at.unseen and not notice:
        notice = f"{count(at.unseen, 'line')} not seen yet{more}"
    keys = [Key("space", "see on", "scroll('page_down')")] if at.unseen else []
    if at.mode == "offers":
        return (notice, "notice"), (*keys, _offers(len(at.request.suggestions)), back)
    keys += _answers(at)
    keys += [Key("right", "next request", "next_request")] if at.siblings > 1 else []
    alike = at.choices.questions and "answer" not in at.request.kinds
    shown = (
        (notice, "notice") if notice else (f"{ALIKE}: answer in its pane" if alike else _so_far(at.choices), "muted")
    )
    return shown, (*keys, Key("escape", "close", "back"))


def _offers(number: int) -> Key:
    if number == 1:
        return Key("1", "allow from now on", "choose('1')")
    return Key(f"1-{number}", "allow from now on", "")


def _so_far(choices: Choices) -> str:
    asks = len(choices.questions)
    if asks and not choices.left:
        return "Enter sends the answer"
    return f"{asks - len(choices.left)} of {asks} answered" if asks > 1 else ""


def _answers(at: Foot) -> list[Key]:
    deny = Key("d", "deny", "deny")
    if at.choices.questions and "answer" not in at.request.kinds:
        return [deny]
    if at.choices.questions:
        most = len(at.choices.question.options) + 1
        keys = [Key(f"1-{most}", "choose", "")]
        keys += [] if at.choices.single else [Key("enter", "send", "send")]
        keys += [Key("tab", "next question", "question(1)")] if len(at.choices.questions) > 1 else []
        return [*keys, deny]
    allow = Key("a", "approve" if at.request.tool == PLAN else "allow", "allow")
    always = [Key("w", "allow from now on", "always")] if "always" in at.request.kinds else []
    return [allow, deny, *always]


class RequestFooter(Static):
    """Two lines, the second of which shows as many keys as fit; the last one, which closes, stays longest."""

    ALLOW_SELECT = False
    auto_links = False

    def __init__(self, *, ascii_only: bool) -> None:
        super().__init__(id="request-foot")
        self._ascii = ascii_only
        self._notice: Part = ("", "plain")
        self._keys: tuple[Key, ...] = ()
        self._shown: Content | None = None

    def show(self, notice: Part, keys: tuple[Key, ...]) -> None:
        """Takes the line above the keys, and the keys."""
        self._notice, self._keys = notice, keys
        self._paint()

    def on_resize(self, _: Resize) -> None:
        """Shows as many keys as fit."""
        self._paint()

    def _paint(self) -> None:
        width = self.content_size.width
        if width < 1:
            return
        text, role = self._notice
        shown = Content("\n").join((present.content(*present.fit_parts([(text, role)], width)), self._line(width)))
        if self._shown is None or not shown.is_same(self._shown):
            self._shown = shown
            self.update(shown, layout=False)

    def _line(self, width: int) -> Content:
        gap = "   " if width >= 60 else "  "
        entries = []
        for each in self._keys:
            label = key_label(each.name, ascii_only=self._ascii)
            text = present.content((label, "key"), (f" {each.title}", "muted"))
            if each.action:
                text = text.add_spans([Span(0, len(text), Style.from_meta({"@click": f"screen.{each.action}"}))])
            entries.append(text)
        while len(entries) > 1 and sum(each.cell_length + cell_len(gap) for each in entries) - len(gap) > width:
            entries.pop(-2)
        return Content(gap).join(entries)
