"""The choices of the copy menu: what can be copied of a session."""

from typing import NamedTuple

from atm_tui.model.request import Request
from atm_tui.model.session import Session
from atm_tui.text import clean

_BASH = "Bash"


class CopyChoice(NamedTuple):
    """A line of the copy menu."""

    key: str
    title: str
    text: str
    """The text to copy, without control characters; empty if there is none."""
    missing: str
    """Why there is no text."""


def list_copy_choices(session: Session, request: Request | None, resume: str | None) -> tuple[CopyChoice, ...]:
    """Returns all lines. `request`: the one that can be answered here; `resume`: the command that resumes the session; None:
    it is still being looked up.
    """
    choices = (
        CopyChoice("y", "id", session.session_id, ""),
        CopyChoice("f", "folder", session.cwd, "it isn't known"),
        CopyChoice("r", "resume command", resume or "", "it isn't known" if resume is not None else "looking it up"),
        CopyChoice("w", "waiting command", find_waiting_command(session, request), "no command waits for you"),
        CopyChoice("l", "last reply", session.last_reply, "it has not replied yet"),
        CopyChoice("t", "path of the transcript", session.transcript_path or "", "it has no transcript yet"),
    )
    return tuple(each._replace(text=clean(each.text, lines=True).strip()) for each in choices)


def find_waiting_command(session: Session, request: Request | None) -> str:
    """Returns the shell command that waits for a permission: all of it where it can be answered here; empty without one."""
    command = request.input.get("command") if request is not None else None
    if isinstance(command, str):
        return command
    return next((wait.summary for wait in session.waits if wait.tool == _BASH), "")
