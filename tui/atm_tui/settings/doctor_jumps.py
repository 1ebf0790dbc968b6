"""Checks for each live session whether Enter can jump to its terminal, and if not, what to enable."""

from collections.abc import Iterable, Iterator

from atm_tui.jump.plan import plan_jump
from atm_tui.jump.values import Outcome, OwnTerminal
from atm_tui.model.session import Liveness, Session
from atm_tui.settings.check import Check, Level
from atm_tui.text import clean

_ENTER = {
    Outcome.GO: "Enter works",
    Outcome.THERE: "Enter works",
    Outcome.ATTACH: "Enter can bring it here",
    Outcome.RESUME: "Enter can resume it",
    Outcome.REFUSED: "Enter can't go there",
}


def check_jumps(sessions: Iterable[Session], own: OwnTerminal | None = None) -> Iterator[Check]:
    """Yields a check for each live session; plans its jump without running it."""
    for session in sessions:
        if session.liveness is Liveness.LIVE:
            yield _check_jump(session, own)


def _check_jump(session: Session, own: OwnTerminal | None) -> Check:
    jump = plan_jump(session, own)
    where = f"session {clean(session.name)} ({session.session_id[:8]})"
    text = f"{_ENTER[jump.outcome]} ({session.terminal.kind}): {clean(jump.text)}"
    if jump.outcome is not Outcome.REFUSED:
        return Check("jump", Level.OK, where, text)
    advice = f"Once it has ended, this resumes it: {jump.copy}" if jump.copy else ""
    return Check("jump", Level.WARNING, where, text, advice)
