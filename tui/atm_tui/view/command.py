"""The value of a command: its keys, its texts, and when it is disabled. The table of commands is in commands.py."""

import unicodedata
from collections.abc import Callable
from functools import cache

import msgspec

from atm_tui.model.request import Arming, Request
from atm_tui.model.session import Session


class Selection(msgspec.Struct, frozen=True):
    """What a command acts on: the selected row, and what else decides whether the command is enabled."""

    kind: str = ""
    """session, agent, done (the ended agents of a session), project, closed, unreadable, or transcript (a session that is
    known only by its transcript); empty when nothing is selected."""
    session: Session | None = None
    """The session that the row belongs to."""
    folder: str = ""
    """The folder of the session or project; empty when unknown."""
    waiting: int = 0
    """The sessions that need you, in the whole fleet."""
    empty: bool = True
    """Whether there are no rows."""
    view: str = "tree"
    """The current view, by the id of its command."""
    agent_id: str | None = None
    """The agent of the row."""
    request: Request | None = None
    """The oldest request of the row that can be answered here."""
    arming: Arming | None = Arming.OFF
    """Whether this app is armed for the session's machine; None: requests there can't be answered from here."""
    arming_problem: str = ""
    """Why requests on the session's machine can't be answered from here."""
    own_arming: Arming = Arming.OFF
    """Whether this app is armed, or can be."""
    marked: int = 0
    """The sessions that the user marked."""


NOTHING = Selection()


def get_work_folder(session: Session) -> str:
    """Returns the folder in which a session works: its own worktree, not the root that all worktrees share."""
    return session.cwd if session.project.worktree else session.root


Disabled = Callable[[Selection], str | None]
"""Returns why a command is disabled for a selection; None when it is enabled."""


def require_nothing(_: Selection) -> str | None:
    """The rule of a command that is always enabled."""
    return None


class Command(msgspec.Struct, frozen=True):
    """One command. `id` is stable: users set its keys by it, type it, and its handler is found by it."""

    id: str
    keys: tuple[str, ...]
    title: str
    """A word or two, for the footer."""
    help: str
    """A sentence, for the help screen and the documentation."""
    group: str
    """Where its keys work: one of the keys of GROUPS in commands.py."""
    footer: bool = False
    """Whether the footer shows it."""
    disabled: Disabled = require_nothing
    by_key: bool = False
    """Whether it has a key for each number, which the handler is told."""
    views: bool = False
    """For the groups main and organize: whether it also works on board, timeline and history."""
    typing: bool = False
    """Whether the keys that follow are text, so that it must run before any of them is handled."""
    only_enabled: bool = False
    """Whether the footer shows it only while it is enabled."""


_LABELS = {
    "enter": ("↵", "Enter"),
    "space": ("␣", "Space"),
    "down": ("↓", "Down"),
    "up": ("↑", "Up"),
    "left": ("←", "Left"),
    "right": ("→", "Right"),
    "home": ("Home", "Home"),
    "end": ("End", "End"),
    "pagedown": ("PgDn", "PgDn"),
    "pageup": ("PgUp", "PgUp"),
    "tab": ("⇥", "Tab"),
    "shift+tab": ("⇧⇥", "Shift+Tab"),
    "plus": ("+", "+"),
    "minus": ("-", "-"),
    "equals_sign": ("=", "="),
    "question_mark": ("?", "?"),
    "slash": ("/", "/"),
    "escape": ("Esc", "Esc"),
    "comma": (",", ","),
    "full_stop": (".", "."),
    "less_than_sign": ("<", "<"),
    "greater_than_sign": (">", ">"),
    "left_square_bracket": ("[", "["),
    "right_square_bracket": ("]", "]"),
    "left_curly_bracket": ("{", "{"),
    "right_curly_bracket": ("}", "}"),
    "shift+left": ("⇧←", "Shift+Left"),
    "shift+right": ("⇧→", "Shift+Right"),
    "shift+up": ("⇧↑", "Shift+Up"),
    "shift+down": ("⇧↓", "Shift+Down"),
    "delete": ("Del", "Del"),
    "insert": ("Ins", "Ins"),
    "backspace": ("⌫", "Backspace"),
    "at": ("@", "@"),
    "backslash": ("\\", "\\"),
    "underscore": ("_", "_"),
}


def format_key(key: str, *, ascii_only: bool = False) -> str:
    """Returns the label of a key or chord: ↵ for enter, ^f for ctrl+f; in words when only ASCII can be shown."""
    if " " in key:
        return " ".join(format_key(each, ascii_only=ascii_only) for each in key.split())
    if key in _LABELS:
        return _LABELS[key][ascii_only]
    *modifiers, last = key.split("+")
    if last in _LABELS:
        last = _LABELS[last][ascii_only]
    elif last[:1] == "f" and last[1:].isdigit():
        last = last.upper()
    else:
        last = _find_character(last) or last
    ctrl = "^" if "ctrl" in modifiers else ""
    return "+".join([*(each for each in modifiers if each != "ctrl"), ctrl + last])


@cache
def _find_character(key: str) -> str:
    """Returns the character of a key that Textual calls by its Unicode name, as number_sign; empty for any other key."""
    try:
        character = unicodedata.lookup(key.replace("_", " "))
    except KeyError:
        return ""
    return character if character.isascii() and character.isprintable() else ""


def format_keys(command: Command, *, ascii_only: bool = False) -> list[str]:
    """Returns the labels of a command's keys; a range is shown by its first and last key."""
    labels = [format_key(key, ascii_only=ascii_only) for key in command.keys]
    if command.by_key and len(labels) > 2:
        return [f"{labels[0]}-{labels[-1]}" if ascii_only else f"{labels[0]} … {labels[-1]}"]
    return labels


_WHERE = {
    "replay": "In a replay: ",
    "pane": "In a pane: ",
    "usage": "On the usage screen: ",
    "request": "In a request: ",
    "peek": "In the peek: ",
    "conversation": "In a conversation: ",
    "settings": "On the settings screen: ",
    "choices": "In a list to choose from: ",
    "text": "In help and notices: ",
    "wizard": "In the install wizard: ",
}


def write_command_row(command: Command, *, with_id: bool = False) -> str:
    """Returns a command's row in the documentation's table of keys: key names in words, its id, and what it does."""
    keys = " ".join(f"`{label}`" for label in format_keys(command, ascii_only=True))
    named = f" `{command.id}` |" if with_id else ""
    return f"| {keys} |{named} {_WHERE.get(command.group, '')}{command.help} |"
