"""Jumps in GNU screen, by `select` in the screen session in which the session's process runs."""

from atm_tui.jump.processes import read_ancestors
from atm_tui.jump.run import run_command
from atm_tui.jump.values import JumpError, JumpPlan, Outcome, OwnTerminal
from atm_tui.model.session import Session
from atm_tui.text import clean


def plan(session: Session, own: OwnTerminal) -> JumpPlan:
    """Plans the jump to the window. A detached screen session can be attached here."""
    name, window = session.terminal.session, session.terminal.window
    if not name or not window:
        return JumpPlan(outcome=Outcome.REFUSED, text="screen did not say in which window this session runs.")
    where = f"window {window} of screen session “{clean(name)}”"
    server = name.partition(".")[0]
    if session.pid is None or server not in map(str, read_ancestors(session.pid)):
        return JumpPlan(outcome=Outcome.REFUSED, text=f"The session does not run in {where} any more.")
    if own.terminal.kind == "screen" and (own.terminal.session, own.terminal.window) == (name, window):
        return JumpPlan(outcome=Outcome.THERE, text=f"You are there: {where}.")
    try:
        # the exit code depends on the number of sessions and on the version
        listing = run_command(("screen", "-ls"), any_status=True)
    except JumpError as error:
        return JumpPlan(outcome=Outcome.REFUSED, text=f"screen does not answer: {error}.")
    line = next((line for line in listing.splitlines() if line.strip().startswith(f"{name}\t")), "")
    if "attached" not in line.lower():
        return JumpPlan(
            outcome=Outcome.ATTACH,
            text=f"It runs in {where}, which no terminal shows.",
            takeover=("screen", "-r", name, "-p", window),
        )
    return JumpPlan(
        outcome=Outcome.GO, text=f"Going to {where}.", commands=(("screen", "-S", name, "-X", "select", window),)
    )
