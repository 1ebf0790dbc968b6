"""The value of a status, and functions that its rules share. Pure."""

import msgspec

from atm_tui.model.activity import Activity, ActivityKind, make_wait_activity
from atm_tui.model.facts import HookActivity, RegistryEntry
from atm_tui.model.session import Evidence, State
from atm_tui.model.transcript import TranscriptFacts
from atm_tui.model.wait import Reason, Wait


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """The status of a session, and its evidence."""

    state: State
    activity: Activity
    since: float
    waits: tuple[Wait, ...] = ()
    evidence: Evidence
    agents_over: float | None = None
    """When the client reported that no agent works; None: agents are as the hooks say."""
    recheck_at: float | None = None
    """When the passing of time alone may change the status; epoch seconds."""

    @property
    def reason(self) -> Reason | None:
        """Why it needs you, as in Session."""
        return self.activity.reason


def make_idle(activity: HookActivity, evidence: Evidence) -> Status:
    """Makes the status of a session whose turn is over; a failed turn needs a person."""
    state = State.NEEDS_YOU if activity.kind is ActivityKind.FAILED else State.IDLE
    return Status(state=state, activity=activity.activity, since=activity.since, evidence=evidence)


def make_waiting(waits: tuple[Wait, ...], evidence: Evidence) -> Status:
    """Makes the status of a session that waits for a person."""
    return Status(
        state=State.NEEDS_YOU,
        activity=make_wait_activity(waits),
        since=waits[0].since,
        waits=waits,
        evidence=evidence,
    )


def find_failure_time(transcript: TranscriptFacts | None) -> float:
    """Returns when the newest answer came if it is an API error, else 0."""
    return (transcript.last_line_at or 0.0) if transcript and transcript.api_error else 0.0


def guess_end_of_turn(transcript: TranscriptFacts | None, began: float) -> ActivityKind:
    """Decides how a turn ended when no hook reported its end."""
    if transcript is not None:
        if find_failure_time(transcript) >= began > 0:
            return ActivityKind.FAILED
        if (transcript.turn_ended_at or 0) > max(began, transcript.interrupted_at or 0):
            return ActivityKind.FINISHED
    return ActivityKind.INTERRUPTED


_PLAIN = frozenset({"permission prompt", "input needed", "dialog open"})
"""What the registry says for a reason that needs no further words."""


def read_dialog(activity: HookActivity, entry: RegistryEntry) -> Wait:
    """Returns the wait that the registry names; `activity` has the tool that asks."""
    said = entry.waiting_for
    tool = activity.tool if activity.kind is ActivityKind.TOOL else ""
    reason = Reason.DIALOG
    if said == "input needed":
        reason = {"AskUserQuestion": Reason.QUESTION, "ExitPlanMode": Reason.PLAN}.get(tool, Reason.MCP)
    elif said == "permission prompt" and tool in ("ExitPlanMode", "EnterPlanMode"):
        reason = Reason.PLAN
    elif said in ("permission prompt", "sandbox request", "worker request"):
        reason = Reason.PERMISSION
    return Wait(
        key=f"registry|{said}",
        reason=reason,
        tool=tool,
        summary=activity.summary if tool else "" if said in _PLAIN else said,
        since=entry.status_at,
    )
