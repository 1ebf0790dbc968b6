"""WezTerm: `wezterm cli activate-pane`, at the instance whose socket the session knows."""

import json

from atm_tui.jump.processes import tty_of
from atm_tui.jump.run import output
from atm_tui.jump.values import Here, Jump, JumpError, Outcome
from atm_tui.model.session import Session


def plan(session: Session, _here: Here) -> Jump:
    """The way to the pane on the session's tty."""
    terminal = session.terminal
    instance = ("env", f"WEZTERM_UNIX_SOCKET={terminal.socket}") if terminal.socket else ()
    base = (*instance, "wezterm", "cli")
    try:
        panes = json.loads(output((*base, "list", "--format", "json")))
    except (JumpError, ValueError) as error:
        return Jump(outcome=Outcome.REFUSED, text=f"WezTerm does not answer: {error}.")
    tty = (tty_of(session.pid) if session.pid is not None else None) or terminal.tty
    known = {str(pane.get("pane_id")): pane.get("tty_name") for pane in panes}
    # ids start anew with every WezTerm; older ones don't tell the tty
    found = next((pane for pane, at in known.items() if tty and at == tty), None)
    if found is None and terminal.pane in known and known[terminal.pane] is None:
        found = terminal.pane
    if found is None:
        return Jump(outcome=Outcome.REFUSED, text="The session is in no pane of this WezTerm any more.")
    return Jump(
        outcome=Outcome.GO,
        text=f"Going to WezTerm pane {found}.",
        commands=((*base, "activate-pane", "--pane-id", found),),
    )
