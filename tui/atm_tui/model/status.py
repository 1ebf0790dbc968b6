"""Decides state, activity and waits of a session from what hooks, the client's registry and the transcript claim.

Every claim has a time. Hooks know most, but nothing fires on Esc or on a person's answer; the registry knows little, but is the
client's own word. The rules, first match wins; e is the time of the newest hook event behind the hooks' claim, r that of the
registry's status, and a claim is "standing" when it has not changed for GRACE since the other side contradicted it, in time
for which the machine was awake:

| registry           | hooks                  | when                        | result                                              |
|--------------------|------------------------|-----------------------------|-----------------------------------------------------|
| none, or no status | anything               | interruption in transcript  | idle, interrupted (newer than e)                    |
| none, or no status | working                | API error in the transcript | needs you: failed (newer than e)                    |
| none, or no status | working, a prompt came | the transcript queued it    | working on the tool that ran before                 |
| none, or no status | idle                   | a queued prompt began       | working, thinking (newer than e)                    |
| none, or no status | anything               |                             | as the hooks say                                    |
| busy or idle       | waiting, and the hook  | r < e                       | as the hooks say: no dialog need be shown, as of a  |
|                    | still waits for it     |                             | headless run                                        |
| idle or shell      | working or waiting     | r > e for BLIP, or standing | idle: failed or finished by the transcript, else    |
|                    |                        |                             | interrupted; no agent works, nothing waits          |
| idle or shell      | idle                   |                             | as the hooks say                                    |
| busy               | new                    | r < e, standing             | working: agents that /clear took from one session   |
|                    |                        |                             | into the next                                       |
| busy               | waiting                | r > e + SETTLE, or standing | answered: working on the tool that asked            |
| busy               | idle, no agent works   | r > e for BLIP, or standing | working, thinking: a turn that no hook announced    |
| busy               | working                |                             | as the hooks say                                    |
| waiting            | waiting for that       |                             | as the hooks say                                    |
| waiting            | waiting for other than | r > e + GRACE               | needs you: the dialog that the registry names; what |
|                    | the registry names     |                             | the hooks know of was answered no                   |
| waiting            | working or idle        | r > e for BLIP, or standing | needs you: the dialog that the registry names       |
| anything           | no event               |                             | what the registry says, in the transcript's words   |
|                    |                        |                             | (without_hooks.py)                                  |
"""

import msgspec

from atm_tui.model.activity import TURN_OVER, Activity, ActivityKind
from atm_tui.model.facts import HookActivity, HookState, RegistryEntry
from atm_tui.model.session import Evidence, Note, NoteKind, State
from atm_tui.model.status_value import (
    Status,
    find_failure_time,
    guess_end_of_turn,
    make_idle,
    make_waiting,
    read_dialog,
)
from atm_tui.model.transcript import TranscriptFacts
from atm_tui.model.wait import Reason
from atm_tui.model.without_hooks import decide_without_hooks

GRACE = 0.6
"""Seconds in which a contradiction may only be a delay: the registry follows a hook after 0.1 s, later on a busy machine."""
SETTLE = 0.3
"""Seconds after a request in which the registry may still write "busy" before it writes "waiting"."""
BLIP = 0.25
"""Seconds in which a status without a hook event is ignored: /rename and /clear set "busy" for less, and the hook at the end of
a turn can come after "idle"."""

QUEUE_LAG = 2.0
"""Seconds by which the times of a queued prompt in transcript and hook may differ."""
ESC_LAG = 0.5
"""Seconds after the begin of a queued prompt in which the transcript may still record the Esc that ended the turn before."""
AHEAD = 2.0
"""Seconds by which a time may be ahead of the clock before it counts as one from before the clock was set back."""

_NAMED: dict[str, set[Reason]] = {
    "permission prompt": {Reason.PERMISSION, Reason.PLAN},
    "sandbox request": {Reason.PERMISSION},
    "worker request": {Reason.PERMISSION},
    "input needed": {Reason.QUESTION, Reason.MCP},
    "dialog open": {Reason.DIALOG},
}
"""The registry's words for a wait, and the reasons that each can mean. Other words can mean any reason."""
_RANK = {"waiting": 3, "busy": 2, "shell": 1, "idle": 0}


def rank_entry(entry: RegistryEntry) -> tuple[int, float]:
    """Ranks the entries of one session: the most urgent status first, then the newest."""
    return (_RANK.get(entry.status, 2) if entry.status else -1), entry.status_at


def find_deciding_entry(entries: tuple[RegistryEntry, ...]) -> RegistryEntry | None:
    """Returns the entry that decides when several processes have one session: the most urgent one, then the newest."""
    known = [entry for entry in entries if entry.status]
    return max(known, key=rank_entry, default=None)


def decide_status(
    hooks: HookState | None,
    entries: tuple[RegistryEntry, ...],
    transcript: TranscriptFacts | None,
    now: float,
    awake_at: float = 0.0,
    asking: frozenset[str] = frozenset(),
) -> Status:
    """Decides the status of a live session. `entries`: the registry entries whose process runs.

    `asking`: keys of the waits whose hook still waits for an answer.
    `awake_at`: when the machine last woke; a contradiction counts as standing only after that.
    """
    entry = find_deciding_entry(entries)
    if hooks is None:
        return decide_without_hooks(entry, transcript, entries[0].started_at if entries else 0.0, now)
    claim = _read_hooks(hooks, transcript)
    if entry is None:
        return claim
    corrected = _correct_by_registry(hooks, claim, entry, transcript, now, awake_at, asking)
    if corrected is claim:
        return msgspec.structs.replace(claim, evidence=_compare_with_registry(claim, entry))
    return corrected


# --- hooks and transcript without the registry


def find_evidence_time(hooks: HookState) -> float:
    """Returns the time of the newest event behind the hooks' claim."""
    times = [agent.since for agent in hooks.agents.values() if agent.state in ("working", "needs_you")]
    if hooks.waits:
        times += [wait.since for wait in hooks.waits]
    if hooks.answers:
        times += [answer.at for answer in hooks.answers]
    return max(hooks.activity.since, hooks.activity.began, *times)


def _name_deciding_event(hooks: HookState) -> Evidence:
    """Returns the event behind the hooks' claim, and its time: of the first wait, else of a running turn or agent, else the end."""
    activity, events = hooks.activity, hooks.decided_by
    working = [(each.since, key) for key, each in hooks.agents.items() if each.state in ("working", "needs_you")]
    answered = max((answer.at for answer in hooks.answers), default=0.0)
    if hooks.waits:
        event, at = events.waits.get(hooks.waits[0].key, ""), hooks.waits[0].since
    elif answered > max(activity.since, activity.began) and activity.kind not in TURN_OVER:
        event, at = "Answered", answered
    elif activity.kind in TURN_OVER and working:
        at, agent = max(working)
        event = events.agents.get(agent, "")
    else:
        event, at = events.activity, activity.since
    return Evidence(source="hooks", event=event or hooks.last_event, at=at)


def _find_queued_begin(transcript: TranscriptFacts | None) -> float:
    """Returns when a turn began with a queued prompt, which no hook reports, if it has not ended; else 0.

    Where Esc ends a turn and a queued prompt begins, the line about Esc comes after that about the prompt.
    """
    if transcript is None or not transcript.queued_turn_at:
        return 0.0
    begun = transcript.queued_turn_at
    over = max(transcript.turn_ended_at or 0.0, (transcript.interrupted_at or 0.0) - ESC_LAG)
    return begun if begun > over else 0.0


def _correct_for_queue(hooks: HookState, transcript: TranscriptFacts | None) -> tuple[HookActivity, Evidence | None]:
    """Corrects the main thread's activity by the transcript's queue of prompts; returns it, and the evidence if it changed."""
    activity, before = hooks.activity, hooks.tool_before_prompt
    queued_at = (transcript.queued_at if transcript else None) or 0.0
    if before and activity.kind is ActivityKind.THINKING and abs(queued_at - before.prompted) < QUEUE_LAG:
        doing = HookActivity(
            kind=ActivityKind.TOOL,
            since=activity.since,
            began=activity.began,
            tool=before.tool,
            summary=before.summary,
            tool_use_id=before.tool_use_id,
        )
        return doing, Evidence(source="transcript", event="prompt queued", at=queued_at)
    begun = _find_queued_begin(transcript)
    if begun > max(activity.since, activity.began):
        cut = (transcript.interrupted_at if transcript else None) or 0.0
        if activity.kind in TURN_OVER or cut > begun - ESC_LAG:
            thinking = HookActivity(kind=ActivityKind.THINKING, since=max(begun, cut), began=begun)
            return thinking, Evidence(source="transcript", event="queued prompt begun", at=begun)
    return activity, None


def _read_hooks(hooks: HookState, transcript: TranscriptFacts | None) -> Status:
    activity, queue_evidence = _correct_for_queue(hooks, transcript)
    waits = hooks.waits
    cut = transcript.interrupted_at if transcript else None
    if cut and activity.kind not in TURN_OVER and cut > activity.began and cut > activity.since:
        waits = tuple(wait for wait in waits if wait.agent_id)
        activity = HookActivity(kind=ActivityKind.INTERRUPTED, since=cut)
        evidence = Evidence(source="transcript", event="interrupted by user", at=cut)
    elif (failed := find_failure_time(transcript)) > max(
        activity.since, activity.began
    ) and activity.kind not in TURN_OVER:
        error = transcript.api_error_kind if transcript else ""
        activity = HookActivity(kind=ActivityKind.FAILED, since=failed, error=error)
        evidence = Evidence(source="transcript", event="API error", at=failed)
    else:
        evidence = queue_evidence or _name_deciding_event(hooks)
    if waits:
        return make_waiting(waits, evidence)
    working = [agent for agent in hooks.agents.values() if agent.state in ("working", "needs_you")]
    if activity.kind not in TURN_OVER:
        since = activity.began or activity.since
        return Status(state=State.WORKING, activity=activity.activity, since=since, evidence=evidence)
    if working:
        since = max(activity.since, min(agent.started_at or agent.since for agent in working))
        agents = Activity(kind=ActivityKind.AGENTS, count=len(working))
        return Status(state=State.WORKING, activity=agents, since=since, evidence=evidence)
    workflows = sum(task.type == "workflow" and task.status == "running" for task in hooks.background.tasks)
    if workflows and activity.kind is ActivityKind.FINISHED and hooks.background.at >= activity.since:
        running = Activity(kind=ActivityKind.WORKFLOWS, count=workflows)
        return Status(state=State.WORKING, activity=running, since=activity.since, evidence=evidence)
    return make_idle(activity, evidence)


# --- the registry


def _compare_with_registry(claim: Status, entry: RegistryEntry) -> Evidence:
    said = {"busy": State.WORKING, "waiting": State.NEEDS_YOU}.get(entry.status or "", State.IDLE)
    same = said is claim.state or (claim.reason is Reason.FAILED and said is State.IDLE)
    note = None if same else Note(kind=NoteKind.REGISTRY, status=entry.status or "", at=entry.status_at)
    return msgspec.structs.replace(claim.evidence, agrees=same, note=note)


def _correct_by_registry(
    hooks: HookState,
    claim: Status,
    entry: RegistryEntry,
    transcript: TranscriptFacts | None,
    now: float,
    awake_at: float,
    asking: frozenset[str],
) -> Status:
    """Returns the claim itself where the registry agrees or may only be late, else the status that follows from the registry."""
    at, said = find_evidence_time(hooks), entry.status
    busy = claim.state is State.WORKING
    waiting = claim.state is State.NEEDS_YOU and claim.reason is not Reason.FAILED
    # times in the future were written before the clock was set back, and so are older than all others
    newer = entry.status_at > at or (at > now + AHEAD and entry.status_at <= now)
    stands_at = max(at, entry.status_at, awake_at) + GRACE
    change_at = max(entry.status_at, awake_at) + BLIP if newer else stands_at
    is_settled = now >= change_at or entry.status_at > now + AHEAD
    if waiting and not newer and any(wait.key in asking for wait in claim.waits):
        return claim
    if said in ("idle", "shell") and (busy or waiting):
        if is_settled:
            return _end_by_registry(hooks, entry, transcript, _contradict(claim, entry))
        return _put_off(claim, entry, change_at)
    if said == "busy" and waiting:
        settled = entry.status_at > max(wait.since for wait in claim.waits) + SETTLE
        if settled or now >= stands_at or (newer and at > now + AHEAD):
            return _resume_after_answer(hooks, entry, _contradict(claim, entry))
        return _put_off(claim, entry, stands_at)
    if said == "busy" and not busy and not newer and _waits_for_team(hooks):
        return claim
    if said == "busy" and not busy:
        if not is_settled:
            return _put_off(claim, entry, change_at)
        since = entry.status_at if newer else at
        fresh = hooks.activity.kind is ActivityKind.NEW and not newer
        activity = Activity(kind=ActivityKind.AGENTS if fresh else ActivityKind.THINKING)
        return Status(state=State.WORKING, activity=activity, since=since, evidence=_contradict(claim, entry))
    if said == "waiting" and waiting and entry.waiting_for in _NAMED:
        fits = _NAMED[entry.waiting_for]
        other = not any(wait.reason in fits for wait in claim.waits)
        if other and entry.status_at > max(wait.since for wait in claim.waits) + GRACE:
            return make_waiting((read_dialog(hooks.activity, entry),), _contradict(claim, entry))
    if said == "waiting" and not waiting:
        if is_settled:
            return make_waiting((read_dialog(hooks.activity, entry),), _contradict(claim, entry))
        return _put_off(claim, entry, change_at)
    return claim


def _contradict(claim: Status, entry: RegistryEntry) -> Evidence:
    """Returns the evidence of a status that follows from the registry, against the hooks' claim."""
    return Evidence(
        source="registry",
        event=f"{entry.status} {entry.waiting_for}".strip(),
        at=entry.status_at,
        agrees=False,
        note=Note(kind=NoteKind.HOOKS, activity=claim.activity),
    )


def _put_off(claim: Status, entry: RegistryEntry, recheck_at: float) -> Status:
    """Returns the claim as long as the registry may only be late."""
    return msgspec.structs.replace(claim, recheck_at=recheck_at, evidence=_compare_with_registry(claim, entry))


def _waits_for_team(hooks: HookState) -> bool:
    """Whether the turn ended while there are teammates: a lead whose teammates have panes of their own stays busy all the time."""
    has_teammates = any(task.type == "teammate" and task.status == "running" for task in hooks.background.tasks)
    return (
        has_teammates and hooks.activity.kind is ActivityKind.FINISHED and hooks.background.at >= hooks.activity.since
    )


def _end_by_registry(
    hooks: HookState, entry: RegistryEntry, transcript: TranscriptFacts | None, evidence: Evidence
) -> Status:
    """Returns the status when the client is idle although no hook reported the end of the turn."""
    activity, since = hooks.activity, entry.status_at
    if activity.kind in TURN_OVER:  # only its agents, or a wait of one, were active
        kind = activity.kind
    elif activity.kind in (ActivityKind.COMPACTING, ActivityKind.SETUP):
        kind = ActivityKind.FINISHED
    else:
        kind = guess_end_of_turn(transcript, activity.began)
    error = activity.error
    if transcript and kind is ActivityKind.FAILED and activity.kind is not ActivityKind.FAILED:
        error = transcript.api_error_kind
    since = max(since, activity.since)
    status = make_idle(HookActivity(kind=kind, since=since, error=error), evidence)
    return msgspec.structs.replace(status, agents_over=since)


def _resume_after_answer(hooks: HookState, entry: RegistryEntry, evidence: Evidence) -> Status:
    """Returns the status after a person's yes; the next hook event comes when the tool has ended."""
    activity = hooks.activity
    working = [agent for agent in hooks.agents.values() if agent.state in ("working", "needs_you")]
    since = max(activity.began, entry.status_at)
    if activity.kind not in TURN_OVER:
        now_done = activity.activity
    elif working:
        now_done = Activity(kind=ActivityKind.AGENTS, count=len(working))
    else:
        now_done = Activity(kind=ActivityKind.THINKING)
    return Status(state=State.WORKING, activity=now_done, since=since, evidence=evidence)
