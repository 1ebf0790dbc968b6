"""Jumps in kitty, by `kitten @ focus-window` over the socket that `listen_on` opened for the session's own kitty."""

import msgspec

from atm_tui.jump.processes import read_ancestors
from atm_tui.jump.run import has_program, read_json_output
from atm_tui.jump.values import JumpError, JumpPlan, Outcome, OwnTerminal
from atm_tui.model.session import Session

_SWITCH_ON = (
    "Put `allow_remote_control socket-only` and `listen_on unix:/tmp/kitty-{kitty_pid}` into kitty.conf, "
    "and start kitty and the session anew."
)


class _Window(msgspec.Struct):
    id: int
    pid: int | None = None


class _Tab(msgspec.Struct):
    windows: tuple[_Window, ...] = ()


class _System(msgspec.Struct):
    """A window of the desktop."""

    tabs: tuple[_Tab, ...] = ()


def plan(session: Session, _own: OwnTerminal) -> JumpPlan:
    """Plans the jump to the kitty window in which the session's process runs."""
    socket = session.terminal.socket
    if not socket:
        return JumpPlan(outcome=Outcome.REFUSED, text=f"kitty takes no commands from outside. {_SWITCH_ON}")
    kitten = "kitten" if has_program("kitten") else "kitty"
    base = (kitten, "@", "--to", socket)
    try:
        window = _find_window(read_json_output((*base, "ls"), tuple[_System, ...]), session.pid)
    except JumpError as error:
        return JumpPlan(outcome=Outcome.REFUSED, text=f"kitty does not answer: {error}. {_SWITCH_ON}")
    if window is None:
        return JumpPlan(outcome=Outcome.REFUSED, text=f"The session is in no window of the kitty at {socket} any more.")
    return JumpPlan(
        outcome=Outcome.GO,
        text=f"Going to kitty window {window}.",
        commands=((*base, "focus-window", "--match", f"id:{window}"),),
    )


def _find_window(systems: tuple[_System, ...], pid: int | None) -> int | None:
    """Returns the id of the window whose program is an ancestor of the session; recorded ids are of no use after a restart."""
    by_pid = {window.pid: window.id for system in systems for tab in system.tabs for window in tab.windows}
    ancestors = read_ancestors(pid) if pid is not None else ()
    return next((by_pid[each] for each in ancestors if each in by_pid), None)
