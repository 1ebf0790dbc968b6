"""Writes changes of sessions as lines of text and as JSON, for `atm-tui watch`. Pure."""

from datetime import datetime
from typing import Any

from atm_tui.model.changes import Change, ChangeKind
from atm_tui.model.fleet_index import Totals
from atm_tui.model.host import shorten_id
from atm_tui.model.session import Liveness, Session, State
from atm_tui.text import clean, fit_width
from atm_tui.view.status_json import SCHEMA, build_session_json
from atm_tui.view.status_text import describe_activity, describe_wait

HEARTBEAT = "heartbeat"
"""The change named in a line which only shows that the command is still running."""
_WORDS = {ChangeKind.NAME: "renamed", ChangeKind.REMOVED: "gone"}
_WIDTH = len("needs you")


def format_change(change: Change, at: float) -> str:
    """Returns a line: local time, what happened, the first digits of the id, name, project, what it does or waits for."""
    session = change.session
    word = _WORDS.get(change.kind, change.kind.value)
    if change.kind in (ChangeKind.STATE, ChangeKind.DETAIL, ChangeKind.BACK):
        word = session.state.value.replace("_", " ")
    names = (shorten_id(clean(session.session_id)), clean(session.name), clean(session.project.name))
    return "  ".join(
        filter(None, (_format_time(at), fit_width(word, _WIDTH), *names, describe_doing(session)))
    ).rstrip()


def format_heartbeat(totals: Totals, at: float) -> str:
    """Returns a line with the number of sessions in each state."""
    counts = f"{totals.needs_you} need you, {totals.working} working, {totals.idle} idle"
    return f"{_format_time(at)}  {HEARTBEAT}  {counts}"


def build_change_json(change: Change, at: float) -> dict[str, Any]:
    """Returns the JSON of a change: the session as in `status --json`, and its state before."""
    before = change.before
    return {
        "schema": SCHEMA,
        "at": at,
        "change": change.kind.value,
        "before": None
        if before is None
        else {
            "state": before.state.value,
            "reason": before.reason.value if before.reason else None,
            "liveness": before.liveness.value,
        },
        "session": build_session_json(change.session, at),
    }


def build_heartbeat_json(totals: Totals, at: float) -> dict[str, Any]:
    """Returns the JSON of a heartbeat."""
    counts = {"needs_you": totals.needs_you, "working": totals.working, "idle": totals.idle}
    return {"schema": SCHEMA, "at": at, "change": HEARTBEAT, "totals": counts}


def describe_doing(session: Session) -> str:
    """Returns what a session does or waits for, in clean words; empty when no process serves it."""
    if session.liveness is not Liveness.LIVE:
        return ""
    if session.state is State.NEEDS_YOU and session.waits:
        return "; ".join(describe_wait(wait).text for wait in session.waits)
    return describe_activity(session.activity)


def _format_time(at: float) -> str:
    return f"{datetime.fromtimestamp(at).astimezone():%H:%M:%S}"
