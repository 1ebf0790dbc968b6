"""The way to a session as the app offers it: the jump itself or, where nothing runs any more, how it goes on."""

import msgspec

from atm_tui.jump.here import here as find_here
from atm_tui.jump.plan import plan_jump, plan_resume, printed
from atm_tui.jump.tmux_client import own_screen
from atm_tui.jump.values import Command, Here, Jump, Outcome
from atm_tui.model.session import Liveness, Session


class JumpPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What Enter can do."""

    jump: Jump
    resumes: bool = False
    """Whether it starts the session again: that is asked before."""
    line: str = ""
    """For a shell, to copy: what brings the session here; empty when there is nothing to copy."""


def find_jump_plan(session: Session, launched: str = "", here: Here | None = None) -> JumpPlan:
    """The way to a live session, else how it is resumed; `launched` as in plan_resume. Takes some tenths of a second."""
    here = here or find_here()
    jump = plan_jump(session, here)
    if jump.outcome is not Outcome.RESUME:
        return JumpPlan(jump=jump, line=jump.copy or (printed(jump) if jump.takeover else ""))
    # its process may have gone a moment ago
    over = session
    if session.liveness is Liveness.LIVE:
        over = msgspec.structs.replace(session, liveness=Liveness.LOST)
    found = plan_resume(over, here, launched)
    if found.outcome is Outcome.GO and (ours := own_screen(here)):
        found = msgspec.structs.replace(found, popup=ours.popup)
    line = printed(jump) if jump.directory or not found.copy else found.copy
    return JumpPlan(jump=found, resumes=True, line=line)


def tmux_copy(text: str, here: Here | None = None) -> Command | None:
    """What puts text into tmux's buffer and the terminal's clipboard; None outside tmux.

    By default tmux ignores the sequence (OSC 52) by which the programs inside it ask for that.
    """
    terminal = (here or find_here()).terminal
    if terminal.kind != "tmux" or not terminal.socket:
        return None
    return ("tmux", "-S", terminal.socket, "set-buffer", "-w", "--", text)
