"""Decides the status of a session without hook events, such as one from before the install, by registry and transcript. Pure."""

from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.facts import HookActivity, RegistryEntry
from atm_tui.model.session import Evidence, State
from atm_tui.model.status_value import Status, guess_end_of_turn, make_idle, make_waiting, read_dialog
from atm_tui.model.transcript import TranscriptFacts

SILENT_SECONDS = 900.0
"""Seconds without a new line after which a turn without a running tool counts as interrupted: an early Esc leaves no line."""
_ENDS = ("end_turn", "stop_sequence", "max_tokens", "refusal")
"""Stop reasons of an answer that end the turn."""


def decide_without_hooks(
    entry: RegistryEntry | None, transcript: TranscriptFacts | None, started_at: float, now: float
) -> Status:
    """Returns the status without hook events: what the registry says, with details from the transcript.

    `entry`: a registry entry with a status; None for older clients, which have none. `started_at`: when the process began.
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
    """Returns what a running turn does: the newest tool without a result, else thinking."""
    call = transcript.running_call if transcript else None
    if call is None:
        return HookActivity(kind=ActivityKind.THINKING)
    return HookActivity(kind=ActivityKind.TOOL, tool=call.tool, summary=call.summary)


def _find_end(transcript: TranscriptFacts | None, started_at: float, at: float) -> HookActivity:
    """Returns how the last turn ended; `at`: since when the client is idle. A session without any prompt is new.

    A turn from before a resume counts as finished or interrupted: nobody needs to act on its failure any more.
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
    """Decides the status by the transcript alone, where the registry has none."""
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
