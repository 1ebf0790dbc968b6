"""Makes one Session from the facts of all sources, with the evidence for its status. Pure. The authority for each part:

| what                        | authority                                                                                  |
|-----------------------------|--------------------------------------------------------------------------------------------|
| liveness                    | process table and registry (liveness.py); the reason of an end from hooks                  |
| the turn, waits             | hooks, corrected by the registry and the transcript (status.py)                            |
| subagents, teammates        | hooks, filled in from their transcripts (agents.py)                                        |
| cost, context, limits       | the statusLine sample, else the transcript and the price table (figures.py)                |
| name                        | what its user gave it: the newest title of hooks, the registry, the transcript; else the   |
|                             | first prompt; else the client's own name; else the start of its id                         |
| model                       | the statusLine sample and hooks; else the transcript                                       |
| permission mode             | the newest event that carries it; else the transcript                                      |
| project                     | the folder in which the client was started; the branch of the folder where it works now    |
| terminal                    | what the hook recorded; the registry's own tmux field where it recorded none               |
"""

from collections.abc import Mapping

import msgspec

from atm_tui.model.activity import TURN_OVER, Activity, ActivityKind
from atm_tui.model.agents import list_agents
from atm_tui.model.facts import HookState, ProcessFact, RegistryEntry
from atm_tui.model.limit_check import check_limits
from atm_tui.model.liveness import SILENT, Vantage, decide_liveness, find_hook_place, find_live_entries
from atm_tui.model.pid_domain import Place, find_place
from atm_tui.model.serving import list_serving
from atm_tui.model.session import (
    Background,
    Context,
    Cost,
    Evidence,
    Files,
    Limits,
    Liveness,
    Note,
    NoteKind,
    Project,
    ServingProcess,
    Session,
    State,
)
from atm_tui.model.status import AHEAD, decide_status, find_evidence_time
from atm_tui.model.status_value import Status
from atm_tui.model.task import TaskFolder
from atm_tui.model.task_list import list_tasks
from atm_tui.model.team import Membership
from atm_tui.model.terminal import find_terminal
from atm_tui.model.transcript import TranscriptFacts
from atm_tui.model.wait import Reason

_NO_BACKGROUND, _NO_FILES = Background(), Files()
TITLE = 60
"""Largest length of a title from the first prompt, in characters."""


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Cost and context of a session and of its agents, by agent id."""

    cost: Cost = Cost()
    context: Context = Context()
    agent_costs: dict[str, Cost] = {}
    agent_contexts: dict[str, Context] = {}
    cache_until: float | None = None
    """When the prompt cache expires, as in Session."""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the sources say about one session."""

    session_id: str
    hooks: HookState | None = None
    registry: tuple[RegistryEntry, ...] = ()
    """All entries with this session, also of dead processes."""
    processes: Mapping[int, ProcessFact] = {}
    """Those processes that run, among the pids that any source names."""
    serving: Mapping[int, str] = {}
    """By pid: the session that the process serves now, by the registry."""
    transcript: TranscriptFacts | None = None
    tasks: TaskFolder | None = None
    """The task list in the client's files; None without one."""
    membership: Membership | None = None
    """Its place in a team; None: it is not a teammate."""
    figures: Figures = Figures()
    project: Project = Project()
    deleted_folder: str = ""
    """The folder in which it was started, where that was deleted: the client then names another one."""
    branch: str | None = None
    """The project of the folder where it works now."""
    problem: str | None = None
    """The reason why its current state file can't be read."""
    asking: frozenset[str] = frozenset()
    """Keys of the waits for which a hook still waits for an answer from here."""
    seen_at: float = 0.0
    """When its user last selected it or jumped to it."""
    boot_at: float = 0.0
    pid_domain: str = ""
    """Our own machine and pid namespace; empty where the system does not tell."""
    awake_at: float = 0.0
    """When the machine last woke from sleep, as far as the app noticed."""


class ResolvedSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session, and when the passing of time alone may change it (epoch seconds)."""

    session: Session
    recheck_at: float | None = None


def resolve(facts: Facts, now: float) -> ResolvedSession:
    """Resolves all facts about a session, as of `now` (epoch seconds)."""
    hooks, transcript = facts.hooks, facts.transcript
    # with --bare only the statusLine runs, which reports figures, but nothing about the turn
    reported = hooks if hooks and hooks.last_event else None
    vantage = Vantage(pid_domain=facts.pid_domain, boot_at=facts.boot_at, now=now)
    live = find_live_entries(facts.registry, facts.processes, vantage, hooks.updated_at if hooks else 0.0)
    liveness, ended_reason = decide_liveness(
        hooks,
        live,
        facts.processes,
        facts.serving,
        facts.boot_at,
        now,
        pid_domain=facts.pid_domain,
        entries=facts.registry,
    )
    status = decide_status(reported, live, transcript, now, facts.awake_at, facts.asking)
    if liveness is not Liveness.LIVE:
        status = _end_status(status, reported, facts.registry)
    if not status.since:
        status = msgspec.structs.replace(status, since=hooks.updated_at if hooks else 0.0)
    entry = (live or facts.registry or (None,))[0]
    serving: tuple[ServingProcess, ...] = ()
    if liveness is Liveness.LIVE:
        serving = list_serving(hooks, live, facts.registry, facts.processes, vantage, status.state)
    main = serving[0] if serving else _find_last_process(facts)
    agents = list_agents(
        reported,
        transcript.agents if transcript else (),
        status.waits,
        status.agents_over,
        facts.figures.agent_contexts,
        facts.figures.agent_costs,
    )
    title = _choose_title(hooks, entry, transcript, facts.membership)
    prompt = hooks.prompts[-1] if hooks and hooks.prompts else None
    sample = hooks.metrics if hooks else None
    saved = transcript.cost_state if transcript else None
    session = Session(
        session_id=facts.session_id,
        name=title or (entry.name if entry else "") or facts.session_id[:8],
        title=title,
        membership=facts.membership,
        project=_find_project(facts),
        cwd=facts.deleted_folder or (hooks.cwd if hooks else "") or (entry.cwd if entry else ""),
        config_dir=(hooks.config_dir if hooks else "") or (entry.config_dir if entry else None) or None,
        transcript_path=(hooks.transcript_path if hooks else "") or (transcript.path if transcript else None),
        model=(hooks.model if hooks else None) or (transcript.model if transcript else None),
        permission_mode=(hooks.permission_mode if hooks else None)
        or (transcript.permission_mode if transcript else None),
        effort=hooks.effort if hooks else None,
        version=(entry.version if entry else None) or (hooks.version if hooks else None),
        kind=entry.kind if entry else "headless" if hooks and hooks.entrypoint.startswith("sdk") else "interactive",
        state=status.state,
        activity=status.activity,
        liveness=liveness,
        ended_reason=ended_reason,
        ended_at=hooks.ended.at if hooks and hooks.ended and liveness is Liveness.ENDED else None,
        since=status.since,
        # whoever resumed it has seen its earlier result
        unseen=_is_unseen(status, max(facts.seen_at, entry.started_at if entry and not reported else 0.0), now),
        is_reported=reported is not None,
        turns=reported.turns if reported else transcript.typed_turns if transcript else 0,
        last_prompt=prompt.text if prompt else (transcript.last_prompt or "") if transcript else "",
        last_prompt_at=prompt.at if prompt else transcript.last_prompt_at if transcript else None,
        last_reply=hooks.last_reply if hooks else "",
        pid=main.pid,
        place=main.place,
        terminal=main.terminal,
        processes=serving,
        queued=_count_queued(facts, live, status) if liveness is Liveness.LIVE else 0,
        waits=status.waits,
        agents=agents,
        background=_count_background(
            reported, live, status, sum(agent.state in ("working", "needs_you") for agent in agents)
        ),
        tools_used=hooks.tools_used if hooks else {},
        files=_list_files(hooks),
        errors=hooks.errors if hooks else (),
        tasks=list_tasks(hooks, facts.tasks) if facts.membership is None else (),  # the list belongs to its lead
        context=facts.figures.context,
        cost=facts.figures.cost,
        limits=_read_limits(hooks),
        cache_until=facts.figures.cache_until,
        duration=sample.duration_ms / 1000 if sample and sample.duration_ms is not None else None,
        lines_added=_choose_larger(sample.lines_added if sample else None, saved.lines_added if saved else None),
        lines_removed=_choose_larger(sample.lines_removed if sample else None, saved.lines_removed if saved else None),
        started_at=(hooks.created_at if hooks else 0.0) or (entry.started_at if entry else 0.0),
        updated_at=max(hooks.updated_at if hooks else 0.0, entry.updated_at if entry else 0.0),
        evidence=status.evidence,
        problem=facts.problem,
    )
    rechecks = [status.recheck_at] if status.recheck_at is not None and liveness is Liveness.LIVE else []
    rechecks += _find_future_times(facts, reported, now)
    updates = [hooks.updated_at, *(each.last for each in hooks.processes.values())] if hooks else []
    updates += [max(entry.updated_at, entry.status_at, entry.started_at) for entry in live]
    rechecks += [at + SILENT for at in updates if at + SILENT > now]
    return ResolvedSession(session=session, recheck_at=min(rechecks, default=None))


def _find_future_times(facts: Facts, reported: HookState | None, now: float) -> list[float]:
    """Returns the times that lie ahead of a clock that was set back: there the status may change."""
    times = [
        facts.seen_at,
        *(entry.status_at for entry in facts.registry),
        find_evidence_time(reported) if reported else 0.0,
    ]
    return [at - AHEAD if at - AHEAD > now else at for at in times if at > now]


def _end_status(status: Status, hooks: HookState | None, registry: tuple[RegistryEntry, ...]) -> Status:
    """Returns the status of a session without a process: nothing works or waits, and a turn that ran was interrupted."""
    at = max(
        status.since,
        hooks.ended.at if hooks and hooks.ended else 0.0,
        hooks.updated_at if hooks else 0.0,
        max((entry.status_at for entry in registry), default=0.0),
    )
    evidence = msgspec.structs.replace(status.evidence, note=Note(kind=NoteKind.NO_PROCESS))
    over = status.agents_over or at
    if status.reason is Reason.FAILED:
        return msgspec.structs.replace(status, state=State.IDLE, agents_over=over, recheck_at=None, evidence=evidence)
    if status.state is State.IDLE:
        return msgspec.structs.replace(status, agents_over=over, recheck_at=None, evidence=evidence)
    main_ran = hooks is None or hooks.activity.kind not in TURN_OVER or status.state is State.NEEDS_YOU
    last_known = Note(kind=NoteKind.LAST_KNOWN, activity=status.activity)
    return Status(
        state=State.IDLE,
        activity=Activity(kind=ActivityKind.INTERRUPTED)
        if main_ran
        else hooks.activity.activity
        if hooks
        else Activity(),
        since=at,
        evidence=Evidence(source="process", event="gone", at=at, agrees=False, note=last_known),
        agents_over=over,
    )


def _count_queued(facts: Facts, live: tuple[RegistryEntry, ...], status: Status) -> int:
    """Counts the prompts that are queued in the running turn. A restarted client has lost earlier ones."""
    if facts.transcript is None or status.state is State.IDLE:
        return 0
    fresh = facts.hooks.fresh.at if facts.hooks and facts.hooks.fresh else 0.0
    started = max(fresh, *(entry.started_at for entry in live)) if live else fresh
    return sum(at >= started for at in facts.transcript.queue)


def _choose_title(
    hooks: HookState | None,
    entry: RegistryEntry | None,
    transcript: TranscriptFacts | None,
    membership: Membership | None,
) -> str | None:
    given = (entry.name if entry and entry.name_by_user else None) or (hooks.title if hooks else None)
    given = given or (transcript.title if transcript else None) or (membership.name if membership else None)
    if given:
        return given
    first = (transcript.first_prompt if transcript else None) or (
        hooks.prompts[0].text if hooks and hooks.prompts else ""
    )
    words = " ".join(first.split())
    if len(words) > TITLE:
        words = words[: TITLE - 1].rsplit(" ", 1)[0] + "…"
    return words or None


def _find_project(facts: Facts) -> Project:
    return msgspec.structs.replace(facts.project, branch=facts.branch) if facts.branch else facts.project


def _find_last_process(facts: Facts) -> ServingProcess:
    """Returns the process that served the session last, if none is known to serve it now."""
    hooks, entry = facts.hooks, next(iter(facts.registry), None)
    pid = hooks.pid if hooks else entry.pid if entry else None
    place = find_place(entry.pid_domain if entry else None, facts.pid_domain)
    if hooks and (record := hooks.processes.get(str(pid))):
        place = find_hook_place(str(pid), record, facts.registry, facts.pid_domain)
    process = facts.processes.get(pid) if pid and place is Place.HERE else None
    terminal = find_terminal(hooks.terminal if hooks else {}, None, process.tty if process else None)
    return ServingProcess(pid=pid if place is Place.HERE else None, place=place, terminal=terminal)


def _is_unseen(status: Status, seen_at: float, now: float) -> bool:
    """Whether a session finished or began to wait since the user last looked. The user's own Esc or /clear count as seen.

    A last look in the future was recorded before the clock was set back.
    """
    wants_a_look = status.state is State.NEEDS_YOU or (
        status.state is State.IDLE and status.activity.kind is ActivityKind.FINISHED
    )
    return wants_a_look and (status.since > seen_at or seen_at > now + AHEAD >= status.since)


def _count_background(
    hooks: HookState | None, live: tuple[RegistryEntry, ...], status: Status, agents: int
) -> Background:
    """Counts the background tasks at the end of the last turn; for shells the registry's "shell" and "idle" may be newer."""
    if (
        not live
        and not agents
        and (hooks is None or not (hooks.background.tasks or hooks.shells or hooks.background.crons))
    ):
        return _NO_BACKGROUND
    tasks = hooks.background.tasks if hooks else ()
    running = [task.type for task in tasks if task.status == "running"]
    listed = {task.id for task in tasks}
    started = {key: at for key, at in (hooks.shells if hooks else {}).items() if key not in listed}
    shells = running.count("shell") + sum(at > hooks.background.at for at in started.values()) if hooks else 0
    for entry in live:
        if entry.status == "shell":
            shells = max(shells, 1)
        elif entry.status == "idle" and hooks and entry.status_at > max(hooks.background.at, *started.values(), 0.0):
            shells = 0
    idle = status.agents_over is not None
    return Background(
        shells=shells,
        agents=agents,
        workflows=0 if idle else running.count("workflow"),
        crons=hooks.background.crons if hooks else 0,
    )


def _sort_by_time(paths: dict[str, float]) -> tuple[str, ...]:
    return tuple(sorted(paths, key=lambda path: (paths[path], path)))


def _list_files(hooks: HookState | None) -> Files:
    files = hooks.files if hooks else None
    if files is None or not (files.new or files.edited or files.read):
        return _NO_FILES
    return Files(new=_sort_by_time(files.new), edited=_sort_by_time(files.edited), read=_sort_by_time(files.read))


def _choose_larger(sampled: int | None, saved: int | None) -> int | None:
    """Returns the larger, and so newer, of two totals: the statusLine's, and the client's own at the end of the session."""
    return max((figure for figure in (sampled, saved) if figure is not None), default=None)


def _read_limits(hooks: HookState | None) -> Limits | None:
    sample = hooks.metrics if hooks else None
    if sample is None or sample.limits is None:
        return None
    return check_limits(sample.limits, sample.at)
