"""The messages of commands that fail: one wording for each kind of error."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from atm_tui.text import clean

if TYPE_CHECKING:
    from atm_tui.jump.find import Candidate

_MOST = 20
"""Most sessions that are listed when several match."""


def describe_no_session(text: str, nearest: "Sequence[Candidate]") -> str:
    """Returns the message that no session matches `text`, with the nearest names."""
    message = f"no session matches “{clean(text)}”: no id, tmux pane, name or project/name does."
    if not nearest:
        return f"{message} There are no sessions."
    return "\n".join([f"{message} The nearest are:", *_list_lines(nearest), "`atm-tui status` lists all."])


def describe_several_sessions(text: str, candidates: "Sequence[Candidate]") -> str:
    """Returns the message that several sessions match `text`, with their ids."""
    lines = [
        f"“{clean(text)}” matches {len(candidates)} sessions. Name one by its id:",
        *_list_lines(candidates[:_MOST]),
    ]
    return "\n".join(lines + ([f"  and {len(candidates) - _MOST} more"] if len(candidates) > _MOST else []))


def _list_lines(candidates: "Iterable[Candidate]") -> Iterable[str]:
    for each in candidates:
        name = clean(each.names[0]) if each.names else "–"
        state = "" if each.is_live else "  (ended)"
        yield f"  {clean(each.session_id)}  {name}  {clean(each.directory)}".rstrip() + state


def describe_missing_terminal(what: str, instead: str = "") -> str:
    """Returns the message that `what`, a screen, needs a terminal."""
    return (
        f"{what} needs a terminal: start it in one, without a pipe or a redirection.{f' {instead}' if instead else ''}"
    )


def describe_missing_prompt(instead: str) -> str:
    """Returns the message that a question needs a terminal. `instead`: how to answer it by an option."""
    return f"can't ask you without a terminal: {instead}"


def describe_read_error(what: str, error: object) -> str:
    """Returns the message that a file, or something in files, can't be read."""
    return f"{what} can't be read: {_describe_reason(error)}"


def describe_write_error(what: str, error: object, instead: str = "") -> str:
    """Returns the message that a file can't be written. `instead`: what to do."""
    return f"{what} can't be written: {_describe_reason(error)}{f'; {instead}' if instead else ''}"


def describe_missing_folder(path: object, instead: str) -> str:
    """Returns the message that a given folder does not exist."""
    return f"{path}: no such folder. {instead}"


def _describe_reason(error: object) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
