"""GNU screen: `select` sent to the screen session in which the session's process runs."""

from atm_tui.jump.processes import lineage
from atm_tui.jump.run import output
from atm_tui.jump.values import Here, Jump, JumpError, Outcome
from atm_tui.model.session import Session
from atm_tui.text import clean


def plan(session: Session, here: Here) -> Jump:
    """The way to the window; a detached screen session can be attached here."""
    name, window = session.terminal.session, session.terminal.window
    if not name or not window:
        return Jump(outcome=Outcome.REFUSED, text="screen did not say in which window this session runs.")
    where = f"window {window} of screen session “{clean(name)}”"
    server = name.partition(".")[0]
    if session.pid is None or server not in map(str, lineage(session.pid)):
        return Jump(outcome=Outcome.REFUSED, text=f"The session does not run in {where} any more.")
    if here.terminal.kind == "screen" and (here.terminal.session, here.terminal.window) == (name, window):
        return Jump(outcome=Outcome.THERE, text=f"You are there: {where}.")
    try:
        # its status says how many there are, and differs between versions
        listing = output(("screen", "-ls"), any_status=True)
    except JumpError as error:
        return Jump(outcome=Outcome.REFUSED, text=f"screen does not answer: {error}.")
    line = next((line for line in listing.splitlines() if line.strip().startswith(f"{name}\t")), "")
    if "attached" not in line.lower():
        return Jump(
            outcome=Outcome.ATTACH,
            text=f"It runs in {where}, which no terminal shows.",
            takeover=("screen", "-r", name, "-p", window),
        )
    return Jump(
        outcome=Outcome.GO, text=f"Going to {where}.", commands=(("screen", "-S", name, "-X", "select", window),)
    )
