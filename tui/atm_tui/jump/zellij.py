"""Zellij: `zellij action focus-pane-id` (0.44), in the session's own Zellij session."""

import json

from atm_tui.jump.run import output
from atm_tui.jump.values import Here, Jump, JumpError, Outcome
from atm_tui.model.session import Session
from atm_tui.text import clean

_NEEDS = "Jumping needs Zellij 0.44 or newer."


def plan(session: Session, here: Here) -> Jump:
    """The way to the pane; its clients are moved, for Zellij does not tell them apart."""
    terminal = session.terminal
    if not terminal.session or not terminal.pane:
        return Jump(outcome=Outcome.REFUSED, text="Zellij did not say in which pane this session runs.")
    base = ("zellij", "--session", terminal.session, "action")
    try:
        panes = json.loads(output((*base, "list-panes", "--json")))
    except (JumpError, ValueError) as error:
        return Jump(outcome=Outcome.REFUSED, text=f"Zellij does not answer: {error}. {_NEEDS}")
    mine = [pane for pane in panes if str(pane.get("id")) == terminal.pane and not pane.get("is_plugin")]
    if not mine or mine[0].get("exited"):
        return Jump(outcome=Outcome.REFUSED, text=f"Zellij has no pane {terminal.pane} any more.")
    name = clean(terminal.session)
    elsewhere = here.terminal.kind != "zellij" or here.terminal.session != terminal.session
    return Jump(
        outcome=Outcome.GO,
        text=f"Going to pane {terminal.pane} of Zellij session “{name}”"
        + (", wherever it is attached (`zellij attach` shows it here)." if elsewhere else "."),
        commands=((*base, "focus-pane-id", f"terminal_{terminal.pane}"),),
    )
