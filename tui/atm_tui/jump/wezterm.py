"""Jumps in WezTerm, by `wezterm cli activate-pane` at the socket that the session recorded."""

import msgspec

from atm_tui.jump.processes import read_tty
from atm_tui.jump.run import read_json_output
from atm_tui.jump.values import JumpError, JumpPlan, Outcome, OwnTerminal
from atm_tui.model.session import Session


class _Pane(msgspec.Struct):
    pane_id: int
    tty_name: str | None = None


def plan(session: Session, _own: OwnTerminal) -> JumpPlan:
    """Plans the jump to the pane on the session's tty."""
    terminal = session.terminal
    instance = ("env", f"WEZTERM_UNIX_SOCKET={terminal.socket}") if terminal.socket else ()
    base = (*instance, "wezterm", "cli")
    try:
        panes = read_json_output((*base, "list", "--format", "json"), tuple[_Pane, ...])
    except JumpError as error:
        return JumpPlan(outcome=Outcome.REFUSED, text=f"WezTerm does not answer: {error}.")
    tty = (read_tty(session.pid) if session.pid is not None else None) or terminal.tty
    known = {str(pane.pane_id): pane.tty_name for pane in panes}
    # a restarted WezTerm numbers its panes anew; older versions don't list the tty
    found = next((pane for pane, at in known.items() if tty and at == tty), None)
    if found is None and terminal.pane in known and known[terminal.pane] is None:
        found = terminal.pane
    if found is None:
        return JumpPlan(outcome=Outcome.REFUSED, text="The session is in no pane of this WezTerm any more.")
    return JumpPlan(
        outcome=Outcome.GO,
        text=f"Going to WezTerm pane {found}.",
        commands=((*base, "activate-pane", "--pane-id", found),),
    )
