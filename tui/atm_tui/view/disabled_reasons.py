"""Why a command can't run for what is selected, in words for its user: each function returns None when it can."""

from atm_tui.model.request import Arming
from atm_tui.model.session import Liveness
from atm_tui.view.command import Selection

_NO_SESSION = {
    "project": "this is a project; select one of its sessions",
    "closed": "this is a group; select a session in it",
    "unreadable": "this file can't be read, so its session isn't known",
}


def without_session(at: Selection) -> str | None:
    """For commands on a session."""
    return None if at.session else _NO_SESSION.get(at.kind, "there is no session to select yet")


def without_transcript(at: Selection) -> str | None:
    """For commands on a transcript."""
    if at.session is None:
        return without_session(at)
    return None if at.session.transcript_path else "it has no transcript yet"


def without_folder(at: Selection) -> str | None:
    """For commands on a folder."""
    return None if at.folder else without_session(at) or "its folder isn't known"


def without_waiting(at: Selection) -> str | None:
    """For commands on the sessions that need you."""
    return None if at.waiting else "no session needs you"


def only_transcript(at: Selection) -> str | None:
    """For commands on a session that hooks reported."""
    return "only its transcript is left; o opens that" if at.kind == "transcript" else without_session(at)


def not_live(at: Selection) -> str | None:
    """For commands on a session that runs."""
    ended = at.session is not None and at.session.liveness is not Liveness.LIVE
    return "it has ended; dismiss it instead" if ended else without_session(at)


def not_ended(at: Selection) -> str | None:
    """For commands on a session that has ended."""
    live = at.session is not None and at.session.liveness is Liveness.LIVE
    return "it is still running; snooze it instead" if live else only_transcript(at)


_FIXED_ORDER = {
    "board": "the board has its own order: the quickest answer first",
    "timeline": "the timeline goes by time, newest last",
    "history": "the history goes by time, newest first",
}


def not_sortable(at: Selection) -> str | None:
    """For commands that change the order of the list."""
    return without_rows(at) or _FIXED_ORDER.get(at.view)


def without_rows(at: Selection) -> str | None:
    """For commands on the list."""
    return "there are no sessions yet" if at.empty else None


def with_rows(at: Selection) -> str | None:
    """For commands that are offered only while there is nothing to see."""
    return None if at.empty else "there are sessions to watch; `atm-tui demo` shows it beside them"


_NOT_ARMED = {
    Arming.OFF: "not armed: press A",
    Arming.ELSEWHERE: "another atm-tui is armed: A takes over",
    Arming.READ_ONLY: "this atm-tui is read only: see --read-only, and read_only in the configuration",
    Arming.NOT_INSTALLED: "answering is not installed: press i, then choose answering",
    Arming.RECORDING: "this is a recording, not the session",
}


def not_armable(at: Selection) -> str | None:
    """For arming."""
    can = at.arming in (Arming.ON, Arming.OFF, Arming.ELSEWHERE)
    return None if can else _NOT_ARMED[at.arming]


def without_request(at: Selection) -> str | None:
    """For commands that answer a request."""
    if at.arming is not Arming.ON:
        return _NOT_ARMED[at.arming]
    return None if at.request else without_session(at) or "nothing waits for an answer here"


def without_suggestions(at: Selection) -> str | None:
    """For allowing from now on."""
    if at.request is None or at.arming is not Arming.ON:
        return without_request(at)
    return None if "always" in at.request.kinds else "Claude Code suggests nothing to allow from now on"
