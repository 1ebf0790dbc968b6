"""Summarizes the fleet for the line for tmux. Pure."""

from atm_tui.model.fleet import Fleet
from atm_tui.model.session import Liveness, State
from atm_tui.view.tmux_line import TmuxFacts


def summarize_for_tmux(fleet: Fleet) -> TmuxFacts:
    """Returns the facts of the line: the numbers of sessions that need you or are working, and the one that waits longest."""
    waiting = fleet.list_attention()
    working = sum(each.liveness is Liveness.LIVE and each.state is State.WORKING for each in fleet.sessions.values())
    if not waiting:
        return TmuxFacts(0, working)
    return TmuxFacts(len(waiting), working, waiting[0].name, waiting[0].since)
