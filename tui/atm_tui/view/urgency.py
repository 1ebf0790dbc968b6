"""Writes the most urgent state of several sessions."""

from collections.abc import Iterable

from atm_tui.model.session import Liveness, Session, State
from atm_tui.model.wait import Reason
from atm_tui.view.present import Glyphs, Part, choose_session_glyph


def describe_most_urgent(sessions: Iterable[Session], glyphs: Glyphs) -> tuple[Part, ...]:
    """Writes the most urgent state of the sessions and their number in it: ● 2 need you."""
    live = [session for session in sessions if session.liveness is Liveness.LIVE]
    asking = [session for session in live if session.state is State.NEEDS_YOU]
    if asking:
        all_failed = all(session.reason is Reason.FAILED for session in asking)
        glyph = choose_session_glyph(asking[0], glyphs) if all_failed else (glyphs.needs, "needs")
        return glyph, (f" {len(asking)} need{'s' if len(asking) == 1 else ''} you", "needs")
    working = sum(session.state is State.WORKING for session in live)
    if working:
        return (glyphs.working, "working"), (f" {working} working", "plain")
    unseen = sum(session.unseen for session in live)
    if unseen:
        return (glyphs.finished, "finished"), (f" {unseen} finished", "finished")
    return ((glyphs.idle, "muted"), (" idle", "muted")) if live else ()
