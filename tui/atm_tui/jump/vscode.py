"""Jumps in VS Code: `code FOLDER` brings its window to the front. No command can select a terminal in it."""

from atm_tui.jump.processes import read_tty
from atm_tui.jump.run import has_program
from atm_tui.jump.values import JumpPlan, Outcome, OwnTerminal
from atm_tui.model.session import Session


def plan(session: Session, _own: OwnTerminal) -> JumpPlan:
    """Plans the jump to the window with the session's project."""
    tty = (read_tty(session.pid) if session.pid is not None else None) or "its tty"
    folder = session.root
    if not has_program("code"):
        text = "VS Code's `code` is not on the PATH: run “Shell Command: Install 'code' command in PATH” in VS Code."
        return JumpPlan(outcome=Outcome.REFUSED, text=text)
    return JumpPlan(
        outcome=Outcome.GO,
        text=f"Going to VS Code's window of {folder}. Choose the terminal on {tty} there: VS Code takes no command for that.",
        commands=(("code", folder),),
    )
