"""Explains the status of a session: each fact with its source and time, what disagrees, and what would change it."""

from collections.abc import Sequence
from datetime import datetime

from atm_tui.model.activity import ActivityKind
from atm_tui.model.facts import RegistryEntry
from atm_tui.model.limit_check import check_limits, describe_impossible_share, is_share
from atm_tui.model.liveness import Vantage, find_hook_place, find_live_entries
from atm_tui.model.pid_domain import PLACES, Place, find_place
from atm_tui.model.resolve import Facts
from atm_tui.model.session import Limits, Liveness, Session, State
from atm_tui.model.wait import Reason
from atm_tui.model.waited import measure_wait_today
from atm_tui.text import FINE_UNTIL, UNKNOWN, clean, format_age, format_money, format_percent
from atm_tui.timeline.event import Event
from atm_tui.timeline.wait_record import WaitRecord
from atm_tui.timeline.wait_tracker import list_ended_waits
from atm_tui.view.answered import describe_answer
from atm_tui.view.process_text import describe_process
from atm_tui.view.status_text import describe_activity, describe_note, describe_wait

JOURNAL = 20
"""Number of journal entries that are shown."""
ANSWERS = 10
"""Number of ended waits that are shown."""

_NEXT = {
    "waiting": (
        "an answer in its pane: the registry turns busy, or PostToolUse, PostToolBatch or Stop comes",
        "Esc or No: the registry turns idle, and the transcript says that the request was interrupted",
    ),
    "failed": ("a new prompt (UserPromptSubmit)", "the end of the process"),
    "working": (
        "the end of the turn: Stop or StopFailure",
        "a request for you: PermissionRequest, Elicitation, or the registry's waiting",
        "Esc: the registry turns idle for longer than a moment; no hook fires",
    ),
    "agents": (
        "the end of the last agent: SubagentStop, its notification, or a Stop that no longer lists it",
        "the registry's idle",
    ),
    "idle": (
        "a new prompt (UserPromptSubmit), or the registry's busy for longer than a moment",
        "the end of the process",
    ),
    "gone": ("a start of the same session: claude --resume, which sends SessionStart",),
}


def format_time(at: float | None) -> str:
    """Returns the time of day with milliseconds, and the date unless it is today; "–" for no time."""
    if not at:
        return "–"
    moment = datetime.fromtimestamp(at).astimezone()
    today = datetime.now().astimezone().date() == moment.date()
    return (
        moment.strftime("%H:%M:%S.")
        + f"{moment.microsecond // 1000:03}"
        + ("" if today else moment.strftime(" %Y-%m-%d"))
    )


def explain(facts: Facts, session: Session, events: Sequence[Event], now: float) -> list[str]:
    """Returns all lines of the explanation. `events`: the session's journal, oldest first."""
    state = session.state.value.replace("_", " ")
    since = format_age(now - session.since) if session.since else "–"
    lines = [
        f"{clean(session.name)}  {session.session_id}",
        f"  {state}: {describe_activity(session.activity)}, for {since}  ({_describe_liveness(session)})",
        "",
        "Why",
        *_list_evidence(session),
        "",
        "Facts",
        *(f"  {source:<11}{format_time(at):<14}{text}" for source, at, text in _list_facts(facts, now)),
        *_list_processes(session),
        "",
        "Open waits",
        *(_list_waits(session, now) or ["  none"]),
        "",
        f"Answers, last {ANSWERS} (waited on you today: {format_age(measure_wait_today(session, now))})",
        *(_list_answers(list_ended_waits(events)) or ["  none"]),
        "",
        "What would change it",
        *(f"  {each}" for each in _NEXT[_find_situation(session)]),
        "",
        f"Journal, last {JOURNAL}",
        *([f"  {_format_event(event)}" for event in events[-JOURNAL:]] or ["  no events from hooks"]),
    ]
    return [line.rstrip() for line in lines]


def _describe_liveness(session: Session) -> str:
    if session.liveness is Liveness.ENDED:
        reason = session.ended_reason or "other"
        return "ended" if reason == "other" else f"ended: {reason}"
    return session.liveness.value + (f", pid {session.pid}" if session.pid else "")


def _list_evidence(session: Session) -> list[str]:
    evidence = session.evidence
    lines = [f"  {evidence.source} decide: {evidence.event or 'no event'} at {format_time(evidence.at)}"]
    if evidence.note:
        lines.append(f"  {'beside it' if evidence.agrees else 'disagrees'}: {describe_note(evidence.note)}")
    elif evidence.agrees:
        lines.append("  no source disagrees")
    if session.cost.disagrees:
        lines.append(f"  cost: {session.cost.disagrees}")
    if session.context.problem:
        lines.append(f"  context: {UNKNOWN}; not shown: {session.context.problem}")
    if session.problem:
        lines.append(f"  state file: {clean(session.problem)} (last good value shown)")
    return lines


def _list_facts(facts: Facts, now: float) -> list[tuple[str, float | None, str]]:
    found: list[tuple[str, float | None, str]] = []
    hooks = facts.hooks
    if hooks is None:
        found.append(("hooks", None, "no hook has reported this session"))
    else:
        doing = f"{hooks.activity.kind} {hooks.activity.tool} {hooks.activity.summary}"
        found.append(("hooks", hooks.updated_at, f"last event {hooks.last_event}"))
        found.append(("hooks", hooks.activity.since, f"main thread: {clean(doing)}"))
        found += [
            (
                "hooks",
                agent.since,
                f"agent {clean(agent.name or agent.type)} {key[:8]}: {agent.state} {describe_activity(agent.activity)}",
            )
            for key, agent in hooks.agents.items()
        ]
        if hooks.background.tasks:
            tasks = ", ".join(f"{task.type} {task.status}" for task in hooks.background.tasks)
            found.append(("hooks", hooks.background.at, f"background tasks at the last Stop: {tasks}"))
        if hooks.ended:
            found.append(("hooks", hooks.ended.at, f"SessionEnd: {hooks.ended.reason}"))
        if hooks.metrics:
            share = hooks.metrics.used_percent
            used = format_percent(share)
            if share is not None and not is_share(share):
                used = f"{UNKNOWN}; not shown: {describe_impossible_share(share)}"
            found.append(("statusLine", hooks.metrics.at, f"{format_money(hooks.metrics.cost_usd)}, context {used}"))
            given = check_limits(hooks.metrics.limits or Limits(), hooks.metrics.at)
            for name, limit in (("5h", given.five_hour), ("7d", given.seven_day)):
                if limit is not None:
                    figures = f"limit {name}: {format_percent(limit.percent)}, resets {format_time(limit.resets_at)}"
                    reason = f"; not shown: {limit.problem}" if limit.problem else ""
                    found.append(("statusLine", hooks.metrics.at, figures + reason))
    vantage = Vantage(pid_domain=facts.pid_domain, boot_at=facts.boot_at, now=now)
    live = find_live_entries(facts.registry, facts.processes, vantage, hooks.updated_at if hooks else 0.0)
    found += [
        ("registry", entry.status_at, _describe_registry_entry(entry, facts.pid_domain, alive=entry in live))
        for entry in facts.registry
    ]
    if not facts.registry:
        found.append(("registry", None, "no entry for this session"))
    pids = {entry.pid for entry in facts.registry} | {
        int(key) for key in (hooks.processes if hooks else {}) if key.isdecimal()
    }
    away = {entry.pid for entry in facts.registry if find_place(entry.pid_domain, facts.pid_domain) is not Place.HERE}
    away |= {
        int(key)
        for key, record in (hooks.processes.items() if hooks else ())
        if key.isdecimal() and find_hook_place(key, record, facts.registry, facts.pid_domain) is not Place.HERE
    }
    found += [("process", None, f"pid {pid} is not one of ours: it decides nothing") for pid in sorted(away)]
    for pid in sorted(pids):
        if pid in away:
            continue
        process = facts.processes.get(pid)
        serves = facts.serving.get(pid, facts.session_id)
        text = "runs" if process else "no such process, a zombie, or already sent SessionEnd"
        other = f", and serves {serves[:8]} now" if serves != facts.session_id else ""
        found.append(("process", process.created_at if process else None, f"pid {pid} {text}{other}"))
    return found + _list_transcript_facts(facts)


def _describe_registry_entry(entry: RegistryEntry, own: str, *, alive: bool) -> str:
    status = f"{entry.status or 'no status'} {entry.waiting_for}".strip()
    place = find_place(entry.pid_domain, own)
    where = "" if place is Place.HERE else f", {PLACES[place]} ({clean(entry.pid_domain or '')})"
    stale = "its process is gone" if place is Place.HERE else "no update for hours"
    return f"pid {entry.pid}: {clean(status)}, {entry.kind}{where}" + ("" if alive else f" (stale: {stale})")


def _list_transcript_facts(facts: Facts) -> list[tuple[str, float | None, str]]:
    transcript = facts.transcript
    if transcript is None or not transcript.exists:
        return [("transcript", None, "no file")]
    found: list[tuple[str, float | None, str]] = [
        ("transcript", transcript.last_line_at, "newest line of the main thread")
    ]
    if transcript.interruption:
        found.append(
            ("transcript", transcript.interruption.at, f"interrupted by user ({transcript.interruption.kind})")
        )
    if transcript.api_error:
        found.append(
            ("transcript", transcript.last_line_at, f"the last answer is an API error: {transcript.api_error_kind}")
        )
    if transcript.turn_ended_at:
        found.append(("transcript", transcript.turn_ended_at, "the client noted the end of a turn"))
    if transcript.skipped_lines:
        found.append(("transcript", None, f"{transcript.skipped_lines} damaged lines skipped"))
    return found


def _list_processes(session: Session) -> list[str]:
    """Lists the processes of a session that has several; jump and answers go to the first."""
    if len(session.processes) < 2:
        return []
    return ["", f"Open {len(session.processes)} times", *(f"  {describe_process(each)}" for each in session.processes)]


def _list_waits(session: Session, now: float) -> list[str]:
    labels = {agent.agent_id: agent.name or agent.type for agent in session.agents}
    return [
        f"  {clean(labels.get(wait.agent_id, 'main'))}: {describe_wait(wait).title}  {clean(wait.summary)}"
        f"  since {format_time(wait.since)}, {format_age(now - wait.since) if wait.since else '–'}"
        for wait in session.waits
    ]


def _list_answers(records: list[WaitRecord]) -> list[str]:
    """Lists ended waits: time, who asked for what, who answered, and how long it took."""
    return [
        f"  {format_time(record.until)}  {clean(record.agent) or 'main'}: {_shorten(describe_wait(record.wait).text)}: "
        f"{describe_answer(record)}, after {format_age(record.seconds or 0.0, FINE_UNTIL)}"
        for record in records[-ANSWERS:]
    ]


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


def _find_situation(session: Session) -> str:
    if session.liveness is not Liveness.LIVE:
        return "gone"
    if session.reason is Reason.FAILED:
        return "failed"
    if session.state is State.NEEDS_YOU:
        return "waiting"
    if session.state is State.WORKING:
        return "agents" if session.activity.kind is ActivityKind.AGENTS else "working"
    return "idle"


_TELLING = (
    "tool", "summary", "prompt", "notification_type", "source", "reason", "error", "trigger", "child_status", "message",
    "decision", "by",
)  # fmt: skip
"""Fields of an event that tell what happened."""


def _format_event(event: Event) -> str:
    """Returns a journal event as one line: time, event, and the fields that tell what happened."""
    text = clean(" ".join(str(value) for field in _TELLING if (value := getattr(event, field))))
    who = f"[{event.agent_type or 'agent'} {event.agent_id[:8]}] " if event.agent_id else ""
    return f"{format_time(event.at):<14}{event.event:<20}{who}{text if len(text) <= 90 else text[:89] + '…'}"
