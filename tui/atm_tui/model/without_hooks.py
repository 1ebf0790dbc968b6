"""Decides the status of a session that no hook spoke of, as one from before the install: by registry and transcript. Pure."""

from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.facts import HookActivity, RegistryEntry
from atm_tui.model.session import Evidence, State
from atm_tui.model.status_value import Status, guess_end_of_turn, make_idle, make_waiting, read_dialog
from atm_tui.model.transcript import TranscriptFacts

SILENT_SECONDS = 900.0
"""Seconds without a line after which a turn that runs no tool counts as interrupted: Esc before any output leaves no line."""
_ENDS = ("end_turn", "stop_sequence", "max_tokens", "refusal")
"""Reasons for which an answer ends its turn."""


def decide_without_hooks(
    entry: RegistryEntry | None, transcript: TranscriptFacts | None, started_at: float, now: float
) -> Status:
    """The status without hook events: what the registry says, in the words of the transcript.

    `entry`: the registry entry that tells a status; None for an older client, which tells none. `started_at`: of the process.
    """
    if entry is None:
        return _decide_by_transcript(transcript, started_at, now)
    at = entry.status_at or started_at
    evidence = Evidence(source="registry", event=f"{entry.status} {entry.waiting_for}".strip(), at=at)
    if entry.status == "waiting":
        return make_waiting((read_dialog(_find_activity(transcript), entry),), evidence)
    if entry.status == "busy":
        return Status(state=State.WORKING, activity=_find_activity(transcript).activity, since=at, evidence=evidence)
    return make_idle(_find_end(transcript, started_at, at), evidence)


def _find_activity(transcript: TranscriptFacts | None) -> HookActivity:
    """What a running turn does: the newest tool that has no result yet, else thinking."""
    call = transcript.running_call if transcript else None
    if call is None:
        return HookActivity(kind=ActivityKind.THINKING)
    return HookActivity(kind=ActivityKind.TOOL, tool=call.tool, summary=call.summary)


def _find_end(transcript: TranscriptFacts | None, started_at: float, at: float) -> HookActivity:
    """How the last turn ended; `at`: since when the client is idle. Only what never had a prompt is new.

    What a turn before a resume came to, nobody needs to act on any more: it was only finished or interrupted.
    """
    if transcript is None or not (transcript.turns or transcript.last_prompt_at):
        return HookActivity(kind=ActivityKind.NEW, since=at)
    began, cut = transcript.last_prompt_at or 0.0, transcript.interrupted_at or 0.0
    kind = guess_end_of_turn(transcript, began)
    if kind is ActivityKind.INTERRUPTED and cut < began:
        kind = ActivityKind.FINISHED
    if began < started_at - 1:
        kind = ActivityKind.INTERRUPTED if cut > began else ActivityKind.FINISHED
        at = max(began, cut, transcript.turn_ended_at or 0.0, transcript.last_line_at or 0.0) or at
    error = transcript.api_error_kind if kind is ActivityKind.FAILED else ""
    return HookActivity(kind=kind, since=at, error=error)


def _decide_by_transcript(transcript: TranscriptFacts | None, started_at: float, now: float) -> Status:
    """The status where not even the registry tells one."""
    last = (transcript.last_line_at or 0.0) if transcript else 0.0
    if transcript is None or not transcript.turns:
        nothing = Evidence(source="registry", event="", at=started_at)
        return Status(state=State.IDLE, activity=Activity(), since=started_at, evidence=nothing)
    began = transcript.last_prompt_at or 0.0
    over = max(transcript.turn_ended_at or 0.0, transcript.interrupted_at or 0.0)
    ended = transcript.stop_reason in _ENDS and (transcript.last_answer_at or 0.0) >= began
    runs = began >= started_at - 1 and began > over and not ended and not transcript.api_error
    if runs and (transcript.running_call or now < last + SILENT_SECONDS):
        evidence = Evidence(source="transcript", event="turn not ended", at=last)
        recheck = None if transcript.running_call else last + SILENT_SECONDS
        activity = _find_activity(transcript).activity
        return Status(state=State.WORKING, activity=activity, since=began, evidence=evidence, recheck_at=recheck)
    evidence = Evidence(source="transcript", event="turn ended", at=max(over, last))
    if runs:
        return make_idle(HookActivity(kind=ActivityKind.INTERRUPTED, since=last), evidence)
    return make_idle(_find_end(transcript, started_at, max(over, last)), evidence)
