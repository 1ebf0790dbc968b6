"""Jumps in Zellij, by `zellij action focus-pane-id` (0.44) in the session's own Zellij session."""

import msgspec

from atm_tui.jump.run import read_json_output
from atm_tui.jump.values import JumpError, JumpPlan, Outcome, OwnTerminal
from atm_tui.model.session import Session
from atm_tui.text import clean

_NEEDS = "Jumping needs Zellij 0.44 or newer."


class _Pane(msgspec.Struct):
    id: int
    is_plugin: bool = False
    exited: bool = False


def plan(session: Session, own: OwnTerminal) -> JumpPlan:
    """Plans the jump to the pane. Moves all clients of its Zellij session, since Zellij can't move a single one."""
    terminal = session.terminal
    if not terminal.session or not terminal.pane:
        return JumpPlan(outcome=Outcome.REFUSED, text="Zellij did not say in which pane this session runs.")
    base = ("zellij", "--session", terminal.session, "action")
    try:
        panes = read_json_output((*base, "list-panes", "--json"), tuple[_Pane, ...])
    except JumpError as error:
        return JumpPlan(outcome=Outcome.REFUSED, text=f"Zellij does not answer: {error}. {_NEEDS}")
    found = [pane for pane in panes if str(pane.id) == terminal.pane and not pane.is_plugin]
    if not found or found[0].exited:
        return JumpPlan(outcome=Outcome.REFUSED, text=f"Zellij has no pane {terminal.pane} any more.")
    name = clean(terminal.session)
    elsewhere = own.terminal.kind != "zellij" or own.terminal.session != terminal.session
    return JumpPlan(
        outcome=Outcome.GO,
        text=f"Going to pane {terminal.pane} of Zellij session “{name}”"
        + (", wherever it is attached (`zellij attach` shows it here)." if elsewhere else "."),
        commands=((*base, "focus-pane-id", f"terminal_{terminal.pane}"),),
    )
