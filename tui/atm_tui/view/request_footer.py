"""Writes the footer of the request dialog: a notice, and the keys that work now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from atm_tui.model.request import ALIKE, PLAN, Request
from atm_tui.text import format_count
from atm_tui.view.command import format_key
from atm_tui.view.present import Part
from atm_tui.view.request_choices import Choices


@dataclass(frozen=True)
class Key:
    """A key that works now. A `name` that is not one of Textual's keys is shown as it is."""

    name: str
    title: str
    action: str
    """The action that a click runs; empty for a range of keys."""
    is_apart: bool = False
    """Whether it is at the right edge, apart from the keys of other states."""


Mode = Literal["", "confirm", "suggestions", "reason", "other", "done"]
"""What the dialog shows: the request; the confirmation of a yes; the suggestions; an input for the reason of a denial; an input
for an answer in the user's own words; why the request is gone."""


@dataclass(frozen=True)
class DialogState:
    """What the footer of the dialog depends on."""

    request: Request
    mode: Mode
    notice: str
    """What a key did; text that begins with a colon is appended to the count of unseen lines."""
    unseen: int
    """Number of lines that have not been on the screen yet."""
    siblings: int
    """Number of open requests of the session."""
    choices: Choices
    warning: str
    """The sign for a warning."""
    no_yes: str = ""
    """Why the request can't be allowed here; empty if it can."""
    keys: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By id: the keys of the commands, if not the default ones."""

    def get_key(self, command_id: str, default: str) -> str:
        """Returns the key of a command that is shown; empty if it has none."""
        return next(iter(self.keys.get(command_id, [default])), "")

    def list_numbers(self, count: int) -> str:
        """Returns the label of the keys that choose one of `count`."""
        keys = self.keys.get("choose", "123456789")[:count]
        labels = [format_key(each, ascii_only=True) for each in keys]
        return "-".join((labels[0], labels[-1])) if labels[1:] else "".join(labels)


def describe_state(at: DialogState) -> tuple[Part, tuple[Key, ...]]:
    """Returns the line above the keys, and the keys."""
    back = Key("escape", "back", "back")
    match at.mode:
        case "done":
            return (at.notice, "needs"), (Key("escape", "close", "back"),)
        case "confirm":
            sure = at.get_key("sure", "y")
            words = at.notice or f"looks dangerous, see above: {format_key(sure, ascii_only=True)} says yes anyway"
            return (f"{at.warning} {words}", "needs"), (Key(sure, "yes", "sure", is_apart=True), back)
        case "reason":
            return (at.notice or "deny: Enter sends", "strong"), (Key("enter", "deny", ""), back)
        case "other":
            return (at.notice or "other: Enter accepts it", "strong"), (Key("enter", "take", ""), back)
    more = at.notice if at.notice.startswith(":") else ""
    notice = "" if more else at.notice
    if at.no_yes:
        notice, more = notice or at.no_yes, ""
    elif at.unseen and not notice:
        notice = f"{format_count(at.unseen, 'line')} not seen yet{more}"
    scroll = [Key("space", "show more", "scroll('page_down')")] if at.unseen else []
    if at.mode == "suggestions":
        return (notice, "notice"), (_find_suggestions_key(at), *scroll, back)
    # After the key for yes, which must not move to where "show more" was just clicked.
    first, *others = _answer_keys(at)
    keys = [first, *scroll, *others]
    keys += [Key(at.get_key("next_request", "right"), "next request", "next_request")] if at.siblings > 1 else []
    alike = at.choices.questions and "answer" not in at.request.kinds
    shown = (
        (notice, "notice")
        if notice
        else (f"{ALIKE}: answer in its pane" if alike else _describe_progress(at.choices), "muted")
    )
    return shown, (*keys, Key("escape", "close", "back"))


def _find_suggestions_key(at: DialogState) -> Key:
    count = len(at.request.suggestions)
    return Key(at.list_numbers(count), "allow from now on", "choose('1')" if count == 1 else "")


def _describe_progress(choices: Choices) -> str:
    asks = len(choices.questions)
    if asks and not choices.unanswered:
        return "Enter sends the answer"
    return f"{asks - len(choices.unanswered)} of {asks} answered" if asks > 1 else ""


def _answer_keys(at: DialogState) -> list[Key]:
    deny = Key(at.get_key("deny", "d"), "deny", "deny")
    if at.no_yes or (at.choices.questions and "answer" not in at.request.kinds):
        return [deny]
    if at.choices.questions:
        keys = [Key(at.list_numbers(len(at.choices.question.options) + 1), "choose", "")]
        keys += [] if at.choices.single else [Key(at.get_key("send", "enter"), "send", "send")]
        keys += [Key("tab", "next question", "question(1)")] if len(at.choices.questions) > 1 else []
        return [*keys, deny]
    allow = Key(at.get_key("allow", "a"), "approve" if at.request.tool == PLAN else "allow", "allow")
    always = [Key(at.get_key("always", "w"), "allow from now on", "always")] if "always" in at.request.kinds else []
    return [allow, deny, *always]
