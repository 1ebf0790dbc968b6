"""The rules by which commands are disabled: each returns the reason to show to the user, or None when its condition holds.

A reason names a key by its command: "press <arm>".
"""

from atm_tui.model.request import Arming
from atm_tui.model.session import Liveness, Session
from atm_tui.view.command import Selection

_NO_SESSION = {
    "machine": "this is a machine; select one of its sessions",
    "project": "this is a project; select one of its sessions",
    "closed": "this is a group; select a session in it",
    "older": "this stands for many; the history lists them, and a filter finds one",
    "unreadable": "this file can't be read, so its session isn't known",
}


def require_session(at: Selection) -> str | None:
    """Requires a selected session."""
    return None if at.session else _NO_SESSION.get(at.kind, "there is no session to select yet")


def require_conversation(at: Selection) -> str | None:
    """Requires a session whose conversation can be shown: it has a transcript, or is on a machine that can be asked."""
    if at.session is None or at.session.elsewhere is None:
        return require_transcript(at)
    return f"there is no link to {at.session.machine}" if at.session.is_silent else None


def require_transcript(at: Selection) -> str | None:
    """Requires a session with a transcript on this machine."""
    if at.session is None:
        return require_session(at)
    if at.session.elsewhere is not None:
        return f"its transcript is on {at.session.machine}"
    return None if at.session.transcript_path else "it has no transcript yet"


def require_folder(at: Selection) -> str | None:
    """Requires a selection whose folder is known, and on this machine."""
    if at.session is not None and at.session.elsewhere is not None:
        return f"its folder is on {at.session.machine}"
    return None if at.folder else require_session(at) or "its folder isn't known"


def require_waiting_session(at: Selection) -> str | None:
    """Requires a session that needs you."""
    return None if at.waiting else "no session needs you"


def require_hooks(at: Selection) -> str | None:
    """Requires a session that hooks reported, not just its transcript."""
    return "only its transcript is left; <conversation> shows that" if at.kind == "transcript" else require_session(at)


def require_markable(at: Selection) -> str | None:
    """Requires a session that hooks reported, or a project with such sessions."""
    return None if at.kind == "project" else require_hooks(at)


def require_running(at: Selection) -> str | None:
    """Requires a running session."""
    ended = at.session is not None and at.session.liveness is not Liveness.LIVE
    return "it has ended; dismiss it instead" if ended else require_session(at)


def require_ended(at: Selection) -> str | None:
    """Requires a session that has ended."""
    live = at.session is not None and at.session.liveness is Liveness.LIVE
    return "it is still running; snooze it instead" if live else require_hooks(at)


_FIXED_ORDER = {
    "board": "the board has its own order: the quickest answer first",
    "timeline": "the timeline goes by time, newest last",
    "history": "the history goes by time, newest first",
}


def require_sortable(at: Selection) -> str | None:
    """Requires a view whose order can be changed."""
    return require_rows(at) or _FIXED_ORDER.get(at.view)


def require_rows(at: Selection) -> str | None:
    """Requires a list with rows."""
    return "there are no sessions yet" if at.empty else None


def require_no_rows(at: Selection) -> str | None:
    """Requires an empty list."""
    return None if at.empty else "there are sessions to watch; `atm-tui demo` shows it beside them"


_NOT_ARMED = {
    Arming.OFF: "not armed: press <arm>",
    Arming.ELSEWHERE: "another atm-tui is armed: <arm> takes over",
    Arming.READ_ONLY: "this atm-tui is read only: see --read-only, and read_only in the configuration",
    Arming.NOT_INSTALLED: "answering is not installed: press <install>, then choose answering",
    Arming.RECORDING: "this is a recording, not the session",
}


def require_armable(at: Selection) -> str | None:
    """Requires an app that can be armed."""
    can = at.own_arming in (Arming.ON, Arming.OFF, Arming.ELSEWHERE)
    return None if can else _NOT_ARMED[at.own_arming]


def require_request(at: Selection) -> str | None:
    """Requires a request that can be answered here."""
    if at.session is not None and at.session.elsewhere is not None and at.arming is not Arming.ON:
        return _explain_machine(at, at.session)
    if at.arming is not Arming.ON:
        return _NOT_ARMED[at.arming or Arming.OFF]
    return None if at.request else require_session(at) or "nothing waits for an answer here"


def _explain_machine(at: Selection, session: Session) -> str:
    """Returns why requests of a session on another machine can't be answered from here."""
    if session.is_silent:
        return f"there is no word from {session.machine}: answer it there"
    if at.arming is Arming.OFF and at.own_arming is not Arming.ON:
        return _NOT_ARMED[Arming.OFF]
    if at.arming is Arming.ELSEWHERE:
        return f"another atm-tui is armed for {session.machine}: press <arm> again to take over"
    return (
        f"{session.machine}: {at.arming_problem}"
        if at.arming_problem
        else f"it runs on {session.machine}: answer it there"
    )


def require_suggestions(at: Selection) -> str | None:
    """Requires a request that can be allowed from now on."""
    if at.request is None or at.arming is not Arming.ON:
        return require_request(at)
    return None if "always" in at.request.kinds else "Claude Code suggests nothing to allow from now on"
