"""The status pane: state, waits, last prompt and reply, model and place of the selected session or agent."""

from collections.abc import Iterable

from rich.cells import cell_len

from atm_tui.model.board import is_active
from atm_tui.model.hook_loading import loads_hooks_by_itself
from atm_tui.model.machine import Machine
from atm_tui.model.permission_mode import name_mode
from atm_tui.model.pid_domain import PLACES
from atm_tui.model.request import Request
from atm_tui.model.session import Agent, Liveness, Session, State, Terminal, Unreadable
from atm_tui.model.task_list import find_current_task
from atm_tui.model.wait import Reason, Wait
from atm_tui.model.waited import measure_wait_today, sum_waits_today
from atm_tui.text import FINE_UNTIL, UNKNOWN, clean, cut_width, fit_width, format_age, format_count, wrap_text
from atm_tui.view import present
from atm_tui.view.machine_text import describe_answers, describe_clock, describe_counts, describe_link, describe_silence
from atm_tui.view.pane import Counting, Line, RenderContext
from atm_tui.view.present import Part
from atm_tui.view.status_text import describe_activity, describe_queue, describe_wait
from atm_tui.view.subject import AgentIn, DoneAgents, Group, Subject
from atm_tui.view.urgency import describe_most_urgent
from atm_tui.view.whole_request import names_whole

CACHE_FINE = 600.0
"""Seconds before the prompt cache expires in which its remaining time is shown to the second."""
_CACHE = "cache"


def write(subject: Subject, context: RenderContext) -> list[Line]:
    """Writes the lines of the pane."""
    match subject:
        case Session():
            return _write_session(subject, context)
        case AgentIn(session, agent):
            return _write_agent(session, agent, context)
        case DoneAgents(session, agents):
            return [
                _write_name(present.get_agent_name(each), present.write_agent_status(each, session.waits), context)
                for each in agents
            ]
        case Group():
            return _write_group(subject, context)
        case Unreadable():
            return _write_unreadable(subject, context)
        case None:
            return []


def write_clocks(subject: Subject, now: float) -> list[tuple[str, Part]]:
    """Writes what may change with every second, once the state is older than a minute: the last parts of lines of the pane, each
    with the word with which the line begins, "" for the first line.
    """
    match subject:
        case Session():
            cache = _describe_cache(subject, now)
            return [("", _write_session_age(subject, now)), *([(_CACHE, cache)] if cache else [])]
        case AgentIn(_, agent):
            return [("", _write_agent_age(agent, now))]
        case _:
            return []


def list_countings(subject: Subject, now: float) -> list[Counting]:
    """Lists what counts seconds at `now` (epoch seconds)."""
    match subject:
        case Session():
            since, until = _find_session_start(subject), subject.cache_until or 0.0
            is_cooling = subject.is_cache_warm(now) and until - now < CACHE_FINE
            ages = [Counting("", since, FINE_UNTIL)] if since and is_active(subject) else []
            return [*ages, *([Counting(_CACHE, until, CACHE_FINE, counts_down=True)] if is_cooling else [])]
        case AgentIn(_, agent):
            since = _find_agent_start(agent)
            return [Counting("", since, FINE_UNTIL)] if since and _is_agent_active(agent) else []
        case _:
            return []


def _write_age(since: float | None, now: float, *, fine: bool) -> Part:
    age = format_age(now - since, FINE_UNTIL if fine else 60.0) if since else ""
    return f" {age}", "plain" if fine else "muted"


def _write_session_age(session: Session, now: float) -> Part:
    return _write_age(_find_session_start(session), now, fine=is_active(session))


def _find_session_start(session: Session) -> float | None:
    return session.since if session.liveness is Liveness.LIVE else session.ended_at


def _write_agent_age(agent: Agent, now: float) -> Part:
    return _write_age(_find_agent_start(agent), now, fine=_is_agent_active(agent))


def _find_agent_start(agent: Agent) -> float | None:
    return agent.since if agent.ended_at is None else agent.ended_at


def _is_agent_active(agent: Agent) -> bool:
    return agent.state in {"needs_you", "working"}


def _write_heading(glyph: Part, words: list[Part], age: Part, context: RenderContext) -> Line:
    return present.spread([glyph, (" ", "plain"), *words], [age], context.width)


def _write_session_heading(session: Session, context: RenderContext) -> Line:
    glyph = present.choose_session_glyph(session, context.glyphs)
    words = present.fade(session, _write_state(session))
    return _write_heading(glyph, words, _write_session_age(session, context.now), context)


def _write_session(session: Session, context: RenderContext) -> list[Line]:
    live = session.liveness is Liveness.LIVE
    lines = [_write_session_heading(session, context)]
    for wait in session.waits if live else ():
        lines += _write_wait(wait, present.find_agent_name(session, wait.agent_id), context)
    if session.problem:
        problem = wrap_text(f"{context.glyphs.warning} {clean(session.problem)}", context.width, context.limit_lines(4))
        lines += [[(text, "needs")] for text in problem]
    if not session.is_reported:
        lines += [[(text, "muted")] for text in wrap_text(_advise_without_hooks(session), context.width, 3)]
    lines.append([])
    lines += context.write_text("prompt", clean(session.last_prompt), 3)
    lines += context.write_text("reply", clean(session.last_reply), 3, "muted")
    lines += [[]] if session.last_prompt or session.last_reply else []
    lines.append(context.write_pair("model", _join_texts(present.shorten_model(session.model), session.effort)))
    mode = session.permission_mode
    lines.append(context.write_pair("mode", clean(name_mode(mode)) if mode else UNKNOWN))
    lines.append(
        context.write_pair(
            "folder", _cut_start(present.shorten_path(session.cwd, context.home), context.width - 8) or UNKNOWN
        )
    )
    branch = _join_texts(session.project.branch, session.project.worktree and f"worktree {session.project.worktree}")
    lines.append(context.write_pair("branch", branch or UNKNOWN))
    there = session.elsewhere
    if there:
        lines.append(context.write_pair("machine", _join_texts(there.machine, describe_silence(session, context.now))))
    pid, terminal = (there.pid, there.terminal) if there else (session.pid, session.terminal)
    lines.append(context.write_pair("runs in", format_terminal(terminal) or UNKNOWN))
    lines.append(context.write_pair("pid", str(pid) if pid else PLACES[session.place] or UNKNOWN))
    if len(session.processes) > 1:
        others = ", ".join(str(each.pid or PLACES[each.place]) for each in session.processes[1:])
        lines.append(context.write_pair("also in", others))
    cache = _describe_cache(session, context.now)
    lines += [context.write_pair(_CACHE, *cache)] if cache else []
    lines += _write_waited(measure_wait_today(session, context.now), context)
    return [*lines, *_write_background(session, context)]


def _describe_cache(session: Session, now: float) -> Part | None:
    """Writes how long the prompt cache stays warm; None where that is unknown."""
    warm = session.is_cache_warm(now)
    if warm:
        return f"warm {format_age((session.cache_until or 0.0) - now, CACHE_FINE)}", "plain"
    return None if warm is None else ("cold", "muted")


def _write_waited(seconds: float, context: RenderContext) -> list[Line]:
    """Writes how long sessions waited for the user today; nothing for less than a second."""
    return [context.write_pair("waited", f"{format_age(seconds)} on you today")] if seconds >= 1.0 else []


def _write_background(session: Session, context: RenderContext) -> list[Line]:
    """Writes background jobs and the last error, if any."""
    lines: list[Line] = []
    background = session.background
    counts = [(background.agents, "agent"), (background.shells, "shell"), (background.workflows, "workflow"),
              (background.crons, "cron job")]  # fmt: skip
    if any(number for number, _ in counts):
        text = " · ".join(format_count(number, noun) for number, noun in counts if number)
        lines.append(context.write_pair("jobs", text))
    if session.errors:
        last = session.errors[-1]
        lines += context.write_text("error", _join_texts(last.kind, last.message), 2)
    return lines


def _write_state(session: Session) -> list[Part]:
    """Writes the state; waits are on lines of their own."""
    if session.liveness is not Liveness.LIVE:
        return [
            (
                _join_texts(session.liveness.value, session.ended_reason if session.ended_reason != "other" else None),
                "muted",
            )
        ]
    if session.state is State.NEEDS_YOU and len(session.waits) > 1:
        return [(f"{len(session.waits)} things wait for you", "needs")]
    if session.state is State.NEEDS_YOU and session.waits:
        return present.write_wait(session.waits[0])[:1]
    role = {State.NEEDS_YOU: "needs", State.WORKING: "working", State.IDLE: "plain"}[session.state]
    if session.reason is Reason.FAILED:
        role = "error"
    queued = describe_queue(session.queued)
    return [
        (describe_activity(session.activity) or session.state.value.replace("_", " "), role),
        *([(f" {queued}", "muted")] if queued else []),
    ]


def _advise_without_hooks(session: Session) -> str:
    if loads_hooks_by_itself(session.version):
        return "its hooks have reported nothing yet: they do from its next prompt on"
    return "its hooks have reported nothing: restart it to see more"


def _write_sentence(wait: Wait, agent: str | None) -> str:
    """Returns a sentence that tells who asks for what."""
    return f"{agent or 'It'} {describe_wait(wait).sentence}"


def _write_wait(wait: Wait, agent: str | None, context: RenderContext) -> list[Line]:
    """Writes a sentence, then the input, which may be long."""
    lines: list[Line] = [[(cut_width(_write_sentence(wait, agent), context.width), "plain")]]
    summary = describe_wait(wait).summary
    lines += [
        [("  ", "plain"), (text, "strong")] for text in wrap_text(summary, context.width - 2, context.limit_lines(4))
    ]
    return lines


def find_request_lines(subject: Subject, context: RenderContext, request: Request) -> range | None:
    """Returns the lines of the pane that show all of a request (a sentence, and the input on the next line), or None."""
    waits: tuple[Wait, ...] = ()
    if isinstance(subject, Session):
        waits = subject.waits if subject.liveness is Liveness.LIVE else ()
    elif isinstance(subject, AgentIn):
        waits = tuple(wait for wait in subject.session.waits if wait.agent_id == subject.agent.agent_id)
    session = subject.session if isinstance(subject, AgentIn) else subject
    at = 1
    for wait in waits:
        assert isinstance(session, Session)  # noqa: S101 (nothing else has waits)
        name = present.find_agent_name(session, wait.agent_id)
        lines = _write_wait(wait, name, context)
        if names_whole(wait, request):
            whole = (
                cell_len(_write_sentence(wait, name)) <= context.width
                and cell_len(clean(wait.summary)) <= context.width - 2
            )
            return range(at, at + 2) if whole and len(lines) == 2 else None
        at += len(lines)
    return None


def _write_agent_heading(session: Session, agent: Agent, context: RenderContext) -> Line:
    words = present.write_agent_status(agent, session.waits)
    waits = any(wait.agent_id == agent.agent_id for wait in session.waits)
    glyph, age = present.choose_agent_glyph(agent, context.glyphs), _write_agent_age(agent, context.now)
    return _write_heading(glyph, words[:1] if waits else words, age, context)


def _write_agent(session: Session, agent: Agent, context: RenderContext) -> list[Line]:
    waits = [wait for wait in session.waits if wait.agent_id == agent.agent_id]
    lines = [_write_agent_heading(session, agent, context)]
    for wait in waits:
        lines += _write_wait(wait, present.get_agent_name(agent), context)
    lines.append([])
    task = find_current_task(session.tasks, agent.name) if agent.kind == "teammate" else None
    lines += context.write_text("task", clean(task.subject if task else agent.description), 3)
    lines += context.write_text("reply", clean(agent.last_reply), 4, "muted")
    lines += [[]] if agent.description or agent.last_reply else []
    kind = _join_texts(agent.kind, agent.type if agent.type != agent.name else None, agent.color)
    lines.append(context.write_pair("kind", kind))
    lines.append(
        context.write_pair("session", _join_texts(session.name, present.find_agent_name(session, agent.parent)))
    )
    lines.append(context.write_pair("model", present.shorten_model(agent.model)))
    if agent.started_at:
        lines.append(context.write_pair("started", f"{format_age(context.now - agent.started_at)} ago"))
        if agent.ended_at:
            lines.append(context.write_pair("took", format_age(agent.ended_at - agent.started_at, 3600.0)))
    return lines


def _write_group(group: Group, context: RenderContext) -> list[Line]:
    lines: list[Line] = []
    live = [session for session in group.sessions if session.liveness is Liveness.LIVE]
    if live:
        lines.append(present.fit_parts(describe_most_urgent(live, context.glyphs), context.width))
        lines.append([])
    if group.root:
        lines.append(
            context.write_pair("folder", _cut_start(present.shorten_path(group.root, context.home), context.width - 8))
        )
    if group.machine is not None:
        lines += _write_machine(group.machine, context)
    lines.append(context.write_pair("live", format_count(len(live), "session")))
    if gone := len(group.sessions) - len(live):
        lines.append(context.write_pair("closed", format_count(gone, "session")))
    lines += _write_waited(sum_waits_today(group.sessions, group.before, context.now), context)
    return lines


def _write_machine(machine: Machine, context: RenderContext) -> list[Line]:
    link = describe_link(machine, context.now)
    lines: list[Line] = []
    if link:
        lines += [*([(text, "notice")] for text in wrap_text("".join(text for text, _ in link), context.width, 6)), []]
    if machine.counts is not None:
        lines += [present.fit_parts(describe_counts(machine.counts), context.width), []]
    lines += [context.write_pair("atm-tui", clean(machine.version))] if machine.version else []
    clock = describe_clock(machine.ahead)
    lines += context.write_text("clock", f"{clock}; ages are corrected", 2) if clock else []
    answers = describe_answers(machine)
    lines += context.write_text("answers", answers, 3) if answers else []
    for notice in machine.notices:
        lines += context.write_text("notice", clean(notice), 4)
    return lines


def _write_unreadable(broken: Unreadable, context: RenderContext) -> list[Line]:
    lines: list[Line] = [[(f"{context.glyphs.warning} unreadable", "needs")], []]
    lines += context.write_text("file", present.shorten_path(broken.path, context.home), 4)
    lines += context.write_text("why", clean(broken.problem), 6)
    if broken.since:
        lines.append(context.write_pair("since", f"{format_age(context.now - broken.since)} ago"))
    advice = "The next event of its session writes it again. If the session has ended, you can delete the file."
    return [*lines, [], *([(text, "muted")] for text in wrap_text(advice, context.width, 4))]


def _write_name(name: str, words: Iterable[Part], context: RenderContext) -> Line:
    return present.fit_parts([(fit_width(name, 16), "plain"), (" ", "plain"), *words], context.width)


def _join_texts(*texts: str | None) -> str:
    return " · ".join(clean(text) for text in texts if text)


def _cut_start(text: str, width: int) -> str:
    """Cuts a path at its start to `width` cells."""
    if cell_len(text) <= width:
        return text
    while text and cell_len(text) > width - 1:
        text = text[1:]
    return "…" + text


def format_terminal(at: Terminal) -> str:
    """Returns the terminal of a session: tmux main:2.%14."""
    if at.kind == "unknown":
        return clean(at.tty or "")
    place = ":".join(part for part in (at.session, at.window) if part)
    return clean(" ".join(part for part in (at.kind, place, at.pane) if part))
