"""Describes sessions for the line for tmux. Pure."""

from atm_tui.model.fleet import Fleet
from atm_tui.model.session import Liveness, State
from atm_tui.view.tmux_line import NEEDS, WORKING


def describe_for_tmux(fleet: Fleet) -> dict[str, list[str]]:
    """Returns what counts of each session that needs you or is working, by its id: the sign, since when, and the name."""
    waiting = {each.session_id: [NEEDS[0], repr(each.since), each.name] for each in fleet.list_attention()}
    working = {
        key: [WORKING[0], repr(each.since), each.name]
        for key, each in fleet.sessions.items()
        if each.liveness is Liveness.LIVE and each.state is State.WORKING
    }
    return waiting | working
