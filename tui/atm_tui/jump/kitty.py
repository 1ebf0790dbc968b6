"""kitty: `kitten @ focus-window`, over the socket that `listen_on` opened for the session's own kitty."""

import json
from typing import Any

from atm_tui.jump.processes import lineage
from atm_tui.jump.run import is_there, output
from atm_tui.jump.values import Here, Jump, JumpError, Outcome
from atm_tui.model.session import Session

_SWITCH_ON = (
    "Put `allow_remote_control socket-only` and `listen_on unix:/tmp/kitty-{kitty_pid}` into kitty.conf, "
    "and start kitty and the session anew."
)


def plan(session: Session, _here: Here) -> Jump:
    """The way to the kitty window in which the session's process runs."""
    socket = session.terminal.socket
    if not socket:
        return Jump(outcome=Outcome.REFUSED, text=f"kitty takes no commands from outside. {_SWITCH_ON}")
    kitten = "kitten" if is_there("kitten") else "kitty"
    base = (kitten, "@", "--to", socket)
    try:
        window = _window(json.loads(output((*base, "ls"))), session.pid)
    except (JumpError, ValueError) as error:
        return Jump(outcome=Outcome.REFUSED, text=f"kitty does not answer: {error}. {_SWITCH_ON}")
    if window is None:
        return Jump(outcome=Outcome.REFUSED, text=f"The session is in no window of the kitty at {socket} any more.")
    return Jump(
        outcome=Outcome.GO,
        text=f"Going to kitty window {window}.",
        commands=((*base, "focus-window", "--match", f"id:{window}"),),
    )


def _window(listing: Any, pid: int | None) -> int | None:
    """The id of the window whose program the session descends from: ids start anew with every kitty."""
    windows = [window for system in listing for tab in system.get("tabs", ()) for window in tab.get("windows", ())]
    by_pid = {window.get("pid"): window for window in windows}
    line = lineage(pid) if pid is not None else ()
    return next((int(by_pid[each]["id"]) for each in line if each in by_pid), None)
