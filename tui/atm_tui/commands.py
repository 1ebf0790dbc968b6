"""Every command, declared once: keys, footer, help screen and the README's table all derive from here."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from textual.binding import Binding

from atm_tui.model.session import Session

Disabled = Callable[[Session | None], str | None]
"""Given the selected session, why a command can't run; None when it can."""


def _enabled(_: Session | None) -> str | None:
    return None


def _no_jump(session: Session | None) -> str | None:
    if session is None:
        return "select a session first"
    return "not available for this terminal yet"


def _no_peek(session: Session | None) -> str | None:
    if session is None:
        return "select a session first"
    return "this session's screen can't be shown yet"


@dataclass(frozen=True)
class Command:
    """One command. `id` is stable: users remap keys by it, and the action that runs it has the same name."""

    id: str
    keys: tuple[str, ...]
    title: str
    """A word or two, for the footer."""
    help: str
    """A sentence's worth, for the help screen and the README."""
    group: str
    """tree: where the tree has the focus; main: on the main screen; app: everywhere."""
    footer: bool = False
    disabled: Disabled = _enabled


COMMANDS: tuple[Command, ...] = (
    Command("jump", ("enter",), "jump", "Go to the terminal of the session", "main", True, _no_jump),
    Command("peek", ("space",), "peek", "Look at the session's screen from here", "main", True, _no_peek),
    Command("cursor_down", ("down", "j"), "down", "Next row", "tree"),
    Command("cursor_up", ("up", "k"), "up", "Previous row", "tree"),
    Command("cursor_first", ("home", "g"), "first", "First row", "tree"),
    Command("cursor_last", ("end", "G"), "last", "Last row", "tree"),
    Command("page_down", ("pagedown", "ctrl+f"), "page down", "One screen down", "tree"),
    Command("page_up", ("pageup", "ctrl+b"), "page up", "One screen up", "tree"),
    Command("fold", ("left", "h"), "fold", "Fold the row, or go to the one above it in the tree", "tree"),
    Command("unfold", ("right", "l"), "unfold", "Unfold the row, or go to the first one inside", "tree"),
    Command("panes", ("tab",), "panes", "Move between the tree and the panes, to scroll them", "main", True),
    Command("help", ("question_mark",), "help", "Show all keys and signs", "app", True),
    Command("quit", ("q",), "quit", "Leave; sessions go on", "app", True),
)

_NAMES = {
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
    "question_mark": ("?", "?"),
}


def key_label(key: str, *, ascii_only: bool = False) -> str:
    """How a key is written: ↵ for enter, ^f for ctrl+f; in words when only ASCII can be shown."""
    if key in _NAMES:
        return _NAMES[key][ascii_only]
    return key.replace("ctrl+", "^")


def command(command_id: str) -> Command:
    """The command of that id. Raises KeyError when there is none."""
    for each in COMMANDS:
        if each.id == command_id:
            return each
    raise KeyError(command_id)


def bindings(group: str) -> list[Binding | tuple[str, str] | tuple[str, str, str]]:
    """The key bindings of a group. A command that can be disabled is run through `command`, which says why."""
    return [
        Binding(
            ",".join(each.keys),
            each.id if each.disabled is _enabled else f"command('{each.id}')",
            each.title,
            show=each.footer,
            tooltip=each.help,
            id=each.id,
        )
        for each in COMMANDS
        if each.group == group
    ]


def footer_commands() -> tuple[Command, ...]:
    """The commands that the footer names, in its order."""
    return tuple(each for each in COMMANDS if each.footer)


def readme_rows(commands: Iterable[Command] = COMMANDS) -> list[str]:
    """The rows of the README's table of keys: key names in words, then what the command does."""
    return [
        f"| {' '.join(f'`{key_label(key, ascii_only=True)}`' for key in each.keys)} | {each.help} |"
        for each in commands
    ]
