"""Commands that the user adds in the configuration: checked, and filled in for a session. Pure."""

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import cache
from typing import Annotated

import msgspec

from atm_tui.model.session import Liveness, Session, State
from atm_tui.model.template import Template, TemplateError, fill_template, parse_template

NonEmpty = Annotated[str, msgspec.Meta(min_length=1)]


class Place(StrEnum):
    """Where a command runs."""

    TERMINAL = "terminal"
    """In the terminal of the app, which comes back when it ends."""
    WINDOW = "window"
    """In a new tmux window."""
    BACKGROUND = "background"
    """Without a terminal; the app says how it ended."""


class Enabled(StrEnum):
    """For which selection a command is enabled."""

    ALWAYS = "always"
    SESSION = "session"
    RUNNING = "running"
    NEEDS_YOU = "needs_you"
    WORKING = "working"
    IDLE = "idle"
    ENDED = "ended"


class CustomCommand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command of the configuration. MEANINGS describes each key."""

    key: NonEmpty
    title: NonEmpty
    run: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    place: Place = Place.TERMINAL
    enabled: Enabled = Enabled.SESSION
    help: str = ""


MEANINGS = {
    "key": "the key that runs it, as `f`, `ctrl+g` or `f5`; not one that atm-tui uses itself",
    "title": "a word or two, for the footer and the palette",
    "run": "the program and its arguments, each with the fields below; no shell reads them",
    "place": "`terminal`: in the terminal of atm-tui, which comes back when it ends; `window`: in a new tmux window; "
    "`background`: without a terminal, and the footer says how it ended (default: `terminal`)",
    "enabled": "when it can run: `always`, or with a selected `session`, or one that is `running`, `needs_you`, `working`, "
    "`idle` or has `ended` (default: `session`)",
    "help": "a sentence for the help screen (default: the command)",
}
"""What each key of a command does, for the documentation."""

_FIELDS: dict[str, tuple[str, str, Callable[[Session], str | None]]] = {
    "id": ("the id of the session", "it has no id", lambda each: each.session_id),
    "cwd": ("its working directory", "its folder isn't known", lambda each: each.cwd),
    "pane": (
        "its pane, as its terminal calls it: `%5` in tmux",
        "its pane isn't known",
        lambda each: each.terminal.pane,
    ),
    "branch": ("its branch", "its branch isn't known", lambda each: each.project.branch),
    "transcript": ("the path of its transcript", "it has no transcript yet", lambda each: each.transcript_path),
}
"""For each field: its meaning, the message if there is none, and its text."""


def list_meaning_rows() -> list[str]:
    """Returns the rows of the documentation's table of keys, in Markdown."""
    return [f"| `{name}` | {meaning} |" for name, meaning in MEANINGS.items()]


def list_field_rows() -> list[str]:
    """Returns the rows of the documentation's table of fields, in Markdown."""
    return [f"| `{{{name}}}` | {meaning} |" for name, (meaning, _, _) in _FIELDS.items()]


def check_custom_commands(commands: Sequence[CustomCommand]) -> Iterator[tuple[int, str, str]]:
    """Checks what the types leave open: yields the position of a command, its key and what is wrong there: an unknown field, a
    missing program, or a key that two commands have.
    """
    keys: dict[str, str] = {}
    for number, command in enumerate(commands):
        for argument in command.run:
            try:
                _parse(argument)
            except TemplateError as error:
                yield number, "run", str(error)
        if not command.run[0] or "{" in command.run[0]:
            yield number, "run", "the first word must name a program, without fields"
        if command.key in keys:
            yield number, "key", f'"{command.key}" is the key of "{keys[command.key]}" already'
        keys[command.key] = command.title


def find_obstacle(command: CustomCommand, session: Session | None) -> str | None:
    """Returns the message why a command can't run for a session; None if it can. `session`: None if none is selected."""
    if session is None:
        needs_session = command.enabled is not Enabled.ALWAYS or _list_fields(command)
        return "there is no session selected" if needs_session else None
    if session.elsewhere is not None and (command.enabled is not Enabled.ALWAYS or _list_fields(command)):
        return f"it runs on {session.machine}, this command here"
    if not _is_enabled(command.enabled, session):
        return _REASONS[command.enabled]
    for field, starts_argument in _list_fields(command):
        _, missing, find_text = _FIELDS[field]
        text = find_text(session)
        if not text:
            return missing
        if "\0" in text or (starts_argument and text.startswith("-")):
            return f"the {field} of this session can't be an argument: it would be read as an option"
    return None


def fill_in(command: CustomCommand, session: Session | None) -> tuple[str, ...]:
    """Returns the program and its arguments for a session. There must be no obstacle."""

    def find_text(field: str) -> str:
        return (_FIELDS[field][2](session) or "") if session is not None else ""

    return tuple(fill_template(_parse(argument), find_text) for argument in command.run)


_REASONS = {
    Enabled.ALWAYS: "",
    Enabled.SESSION: "there is no session selected",
    Enabled.RUNNING: "it has ended",
    Enabled.NEEDS_YOU: "it doesn't need you",
    Enabled.WORKING: "it isn't working",
    Enabled.IDLE: "it isn't idle",
    Enabled.ENDED: "it is still running",
}


def _is_enabled(enabled: Enabled, session: Session) -> bool:
    is_live = session.liveness is Liveness.LIVE
    match enabled:
        case Enabled.ALWAYS | Enabled.SESSION:
            return True
        case Enabled.RUNNING:
            return is_live
        case Enabled.ENDED:
            return not is_live
    return is_live and session.state is State(enabled.value)


@cache
def _parse(argument: str) -> Template:
    return parse_template(argument, _FIELDS)


def _list_fields(command: CustomCommand) -> list[tuple[str, bool]]:
    """Returns the fields of the arguments, each with whether its argument begins with it."""
    return [
        (field, position == 0 and not before)
        for argument in command.run
        for position, (before, field) in enumerate(_parse(argument))
        if field is not None
    ]
