"""VS Code: `code FOLDER` brings the window with that folder to the front; no command selects a terminal in it."""

from atm_tui.jump.processes import tty_of
from atm_tui.jump.run import is_there
from atm_tui.jump.values import Here, Jump, Outcome
from atm_tui.model.session import Session


def plan(session: Session, _here: Here) -> Jump:
    """The way to the window of the session's project."""
    tty = (tty_of(session.pid) if session.pid is not None else None) or "its tty"
    folder = session.project.root or session.cwd
    if not is_there("code"):
        text = "VS Code's `code` is not on the PATH: run “Shell Command: Install 'code' command in PATH” in VS Code."
        return Jump(outcome=Outcome.REFUSED, text=text)
    return Jump(
        outcome=Outcome.GO,
        text=f"Going to VS Code's window of {folder}. Choose the terminal on {tty} there: VS Code can't be told which.",
        commands=(("code", folder),),
    )
