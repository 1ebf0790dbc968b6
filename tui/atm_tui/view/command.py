"""What a command is: its keys, its texts, and why it can't run for what is selected. The table of them is in commands.py."""

from collections.abc import Callable
from dataclasses import dataclass

from atm_tui.model.request import Arming, Request
from atm_tui.model.session import Session


@dataclass(frozen=True)
class Selection:
    """What a command acts on: the selected row, and what else decides whether the command can run."""

    kind: str = ""
    """session, agent, done (the ended agents of a session), project, closed, unreadable, or transcript (a session of
    which only its transcript is left); empty when nothing is selected."""
    session: Session | None = None
    """The session that the row belongs to."""
    folder: str = ""
    """Where it works, or where the project is; empty when that is not known."""
    waiting: int = 0
    """Sessions that need you, anywhere."""
    empty: bool = True
    """There is no row at all."""
    view: str = "tree"
    """The view that it is selected on, by the id of its command."""
    agent_id: str | None = None
    """The agent that the row is of."""
    request: Request | None = None
    """The oldest request of the row that can be answered here."""
    arming: Arming = Arming.OFF
    """Whether answers are taken here."""


NOTHING = Selection()


def work_folder(session: Session) -> str:
    """The folder in which a session works. All worktrees of a repository have one root: of these, its own is meant."""
    return session.cwd if session.project.worktree else session.project.root or session.cwd


Disabled = Callable[[Selection], str | None]
"""Given what is selected, why a command can't run; None when it can."""


def allow_always(_: Selection) -> str | None:
    """Of a command that can always run."""
    return None


@dataclass(frozen=True)
class Command:
    """One command. `id` is stable: users remap keys by it, and what runs it is found by it."""

    id: str
    keys: tuple[str, ...]
    title: str
    """A word or two, for the footer."""
    help: str
    """A sentence's worth, for the help screen and the documentation."""
    group: str
    """Where its keys work: a key of GROUPS in commands.py."""
    footer: bool = False
    """Whether the footer names it."""
    disabled: Disabled = allow_always
    by_key: bool = False
    """Whether the command wants to know which of its keys was pressed."""
    views: bool = False
    """Whether a command of the groups main and organize works on board, timeline and history, too."""
    typing: bool = False
    """Whether the keys after it are text: then it runs before any of them is handled."""
    only_enabled: bool = False
    """Whether the footer names it only while it can run."""


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
    "left_square_bracket": ("[", "["),
    "right_square_bracket": ("]", "]"),
    "left_curly_bracket": ("{", "{"),
    "right_curly_bracket": ("}", "}"),
    "shift+left": ("⇧←", "Shift+Left"),
    "shift+right": ("⇧→", "Shift+Right"),
}


def key_label(key: str, *, ascii_only: bool = False) -> str:
    """How a key is written: ↵ for enter, ^f for ctrl+f; in words when only ASCII can be shown."""
    if key in _LABELS:
        return _LABELS[key][ascii_only]
    return key.replace("ctrl+", "^")


def key_labels(command: Command, *, ascii_only: bool = False) -> list[str]:
    """How the keys of a command are written; a range of them by its ends."""
    if command.by_key:
        first, last = command.keys[0], command.keys[-1]
        return [f"{first} … {last}" if not ascii_only else f"{first}-{last}"]
    return [key_label(key, ascii_only=ascii_only) for key in command.keys]


_WHERE = {
    "replay": "In a replay: ",
    "pane": "In a pane: ",
    "usage": "On the usage screen: ",
    "request": "In a request: ",
    "peek": "In the peek: ",
}


def write_command_row(command: Command) -> str:
    """The row of a command in the table of keys of the documentation: key names in words, then what it does."""
    keys = " ".join(f"`{label}`" for label in key_labels(command, ascii_only=True))
    return f"| {keys} | {_WHERE.get(command.group, '')}{command.help} |"
