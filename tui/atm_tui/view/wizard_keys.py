"""The keys of the install wizard: its bindings and its footer derive from this table."""

from dataclasses import dataclass

from atm_tui.settings.setup_steps import Mode, Planned
from atm_tui.view.command import format_key


@dataclass(frozen=True)
class Key:
    """A command of the wizard. `action`: also the name of its method; `title`: a word or two."""

    action: str
    keys: tuple[str, ...]
    title: str

    def format_label(self, *, ascii_only: bool) -> str:
        """Returns the label of its first key."""
        return "Esc" if self.keys[0] == "escape" else format_key(self.keys[0], ascii_only=ascii_only)


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
"""All commands of the wizard."""


Able = tuple[str, str]
"""(action, title) of a key that works now. Empty title: the usual one. Text after a comma is left out where space is short."""


def list_keys(
    page: str, planned: Planned, *, has_ours: bool, has_backups: bool, has_written: bool, can_undo: bool
) -> list[Able]:
    """Returns the keys that work on a page.

    `has_ours`: some file contains our hooks; `has_backups`: the file under the cursor has backups; `has_written`: something
    was written; `can_undo`: the last step can be undone.
    """
    leave = ("leave", "leave" if has_written else "leave, nothing changed")
    match page:
        case "files":
            keys = [("forward", ""), ("choose", "pick"), ("doctor", "")]
            keys += [("uninstall", "")] if has_ours else []
            keys += [("backups", "")] if has_backups else []
            return [*keys, ("again", ""), leave]
        case "options":
            return [("forward", ""), ("choose", "change"), ("back", ""), leave]
        case "change":
            if planned.trouble is not None:
                return [("again", ""), ("back", ""), leave]
            write = ("apply", "") if planned.is_needed else ("forward", "check")
            events = [("events", "")] if planned.mode is Mode.INSTALL else []
            return [write, ("back", ""), *events, ("details", ""), leave]
        case "done":
            undo = [("undo", "")] if can_undo else []
            return [("forward", "close"), *undo, ("doctor", "check all"), ("back", "start over")]
        case "doctor":
            return [("again", "check again"), ("back", ""), ("leave", "close")]
        case _:
            return [("forward", "look at it"), ("back", ""), leave]


def find_key(action: str) -> Key:
    """Returns the key of an action. Raises KeyError."""
    return _BY_ACTION[action]


_BY_ACTION = {key.action: key for key in KEYS}
