"""The status pane: what the selected session or agent does, waits for, was told, answered, and where it runs."""

from collections.abc import Iterable

from rich.cells import cell_len

from atm_tui.model.permission_mode import name_mode
from atm_tui.model.request import Request
from atm_tui.model.session import Agent, Liveness, Session, State, Terminal, Unreadable
from atm_tui.model.wait import Reason, Wait
from atm_tui.model.waited import measure_wait_today, sum_waits_today
from atm_tui.view import present
from atm_tui.view.pane import Line, RenderContext
from atm_tui.view.present import Part, clean, cut, wrap
from atm_tui.view.status_text import describe_activity, describe_wait
from atm_tui.view.subject import AgentIn, DoneAgents, Group, Subject
from atm_tui.view.tree_rows import urgent
from atm_tui.view.whole_request import names_whole

CACHE_FINE = 600.0
"""Seconds before the prompt cache goes cold in which every second counts."""


def write(subject: Subject, on: RenderContext) -> list[Line]:
    """The lines of the pane."""
    match subject:
        case Session():
            return _session(subject, on)
        case AgentIn(session, agent):
            return _agent(session, agent, on)
        case DoneAgents(session, agents):
            return [
                _name_line(present.agent_name(each), present.agent_words(each, session.waits), on) for each in agents
            ]
        case Group():
            return _group(subject, on)
        case Unreadable():
            return _unreadable(subject, on)
        case None:
            return []


def _age(since: float | None, on: RenderContext, *, fine: bool) -> str:
    if not since:
        return ""
    return present.age(on.now - since, 600.0 if fine else 60.0)


def _head(glyph: Part, words: list[Part], since: float | None, on: RenderContext, *, fine: bool) -> Line:
    age = _age(since, on, fine=fine)
    return present.spread([glyph, (" ", "plain"), *words], [(f" {age}", "plain" if fine else "muted")], on.width)


def _session(session: Session, on: RenderContext) -> list[Line]:
    glyph = present.session_glyph(session, on.glyphs)
    live = session.liveness is Liveness.LIVE
    lines = [_head(glyph, _state(session), _since(session), on, fine=live and session.state is not State.IDLE)]
    for wait in session.waits if live else ():
        lines += _wait(wait, present.agent_name_of(session, wait.agent_id), on)
    if session.problem:
        problem = wrap(f"{on.glyphs.warning} {clean(session.problem)}", on.width, on.most(4))
        lines += [[(text, "needs")] for text in problem]
    if not session.heard:
        lines += [
            [(text, "muted")] for text in wrap("its hooks have reported nothing: restart it to see more", on.width, 2)
        ]
    lines.append([])
    lines += on.text("prompt", clean(session.last_prompt), 3)
    lines += on.text("reply", clean(session.last_reply), 3, "muted")
    lines += [[]] if session.last_prompt or session.last_reply else []
    lines.append(on.pair("model", _joined(present.model(session.model), session.effort)))
    mode = session.permission_mode
    lines.append(on.pair("mode", clean(name_mode(mode)) if mode else present.UNKNOWN))
    lines.append(on.pair("folder", _tail(present.path(session.cwd, on.home), on.width - 8) or present.UNKNOWN))
    branch = _joined(session.project.branch, session.project.worktree and f"worktree {session.project.worktree}")
    lines.append(on.pair("branch", branch or present.UNKNOWN))
    lines.append(on.pair("runs in", terminal(session.terminal) or present.UNKNOWN))
    lines.append(on.pair("pid", str(session.pid) if session.pid else present.UNKNOWN))
    lines += _cache(session, on)
    lines += _waited(measure_wait_today(session, on.now), on)
    return [*lines, *_more(session, on)]


def _cache(session: Session, on: RenderContext) -> list[Line]:
    """Whether the next prompt finds its cache, and for how long yet; nothing where that is not known."""
    warm = session.cache_warm(on.now)
    if warm:
        return [on.pair("cache", f"warm {present.age((session.cache_until or 0.0) - on.now, CACHE_FINE)}")]
    return [] if warm is None else [on.pair("cache", "cold", "muted")]


def _waited(seconds: float, on: RenderContext) -> list[Line]:
    """How long its user was waited for today; nothing below a second."""
    return [on.pair("waited", f"{present.age(seconds)} on you today")] if seconds >= 1.0 else []


def _more(session: Session, on: RenderContext) -> list[Line]:
    """What is worth a line only when there is any of it."""
    lines: list[Line] = []
    background = session.background
    counts = [(background.agents, "agent"), (background.shells, "shell"), (background.workflows, "workflow"),
              (background.crons, "cron job")]  # fmt: skip
    if any(number for number, _ in counts):
        text = " · ".join(present.count(number, noun) for number, noun in counts if number)
        lines.append(on.pair("jobs", text))
    if session.errors:
        last = session.errors[-1]
        lines += on.text("error", _joined(last.kind, last.message), 2)
    return lines


def _state(session: Session) -> list[Part]:
    """The state in words; the waits follow on lines of their own."""
    if session.liveness is not Liveness.LIVE:
        return [
            (
                _joined(session.liveness.value, session.ended_reason if session.ended_reason != "other" else None),
                "muted",
            )
        ]
    if session.state is State.NEEDS_YOU and len(session.waits) > 1:
        return [(f"{len(session.waits)} things wait for you", "needs")]
    if session.state is State.NEEDS_YOU and session.waits:
        return present.wait_parts(session.waits[0])[:1]
    role = {State.NEEDS_YOU: "needs", State.WORKING: "working", State.IDLE: "plain"}[session.state]
    if session.reason is Reason.FAILED:
        role = "error"
    return [(describe_activity(session.activity) or session.state.value.replace("_", " "), role)]


def _since(session: Session) -> float | None:
    return session.since if session.liveness is Liveness.LIVE else session.ended_at


def _sentence(wait: Wait, agent: str | None) -> str:
    """Who asks for what."""
    return f"{agent or 'It'} {describe_wait(wait).sentence}"


def _wait(wait: Wait, agent: str | None, on: RenderContext) -> list[Line]:
    """The sentence, then the input, which may be long."""
    lines: list[Line] = [[(cut(_sentence(wait, agent), on.width), "plain")]]
    summary = describe_wait(wait).summary
    lines += [[("  ", "plain"), (text, "strong")] for text in wrap(summary, on.width - 2, on.most(4))]
    return lines


def request_lines(subject: Subject, on: RenderContext, request: Request) -> range | None:
    """The lines of the pane that show all of a request: a sentence, and the input on one line below; None: there are none."""
    waits: tuple[Wait, ...] = ()
    if isinstance(subject, Session):
        waits = subject.waits if subject.liveness is Liveness.LIVE else ()
    elif isinstance(subject, AgentIn):
        waits = tuple(wait for wait in subject.session.waits if wait.agent_id == subject.agent.agent_id)
    session = subject.session if isinstance(subject, AgentIn) else subject
    at = 1
    for wait in waits:
        assert isinstance(session, Session)  # noqa: S101 (nothing else has waits)
        name = present.agent_name_of(session, wait.agent_id)
        lines = _wait(wait, name, on)
        if names_whole(wait, request):
            whole = cell_len(_sentence(wait, name)) <= on.width and cell_len(clean(wait.summary)) <= on.width - 2
            return range(at, at + 2) if whole and len(lines) == 2 else None
        at += len(lines)
    return None


def _agent(session: Session, agent: Agent, on: RenderContext) -> list[Line]:
    busy = agent.state in {"needs_you", "working"}
    words = present.agent_words(agent, session.waits)
    since = agent.since if agent.ended_at is None else agent.ended_at
    waits = [wait for wait in session.waits if wait.agent_id == agent.agent_id]
    lines = [_head(present.agent_glyph(agent, on.glyphs), words[:1] if waits else words, since, on, fine=busy)]
    for wait in waits:
        lines += _wait(wait, present.agent_name(agent), on)
    lines.append([])
    lines += on.text("task", clean(agent.description), 3)
    lines += on.text("reply", clean(agent.last_reply), 4, "muted")
    lines += [[]] if agent.description or agent.last_reply else []
    lines.append(on.pair("kind", _joined(agent.kind, agent.type if agent.type != agent.name else None)))
    lines.append(on.pair("session", _joined(session.name, present.agent_name_of(session, agent.parent))))
    lines.append(on.pair("model", present.model(agent.model)))
    if agent.started_at:
        lines.append(on.pair("started", f"{present.age(on.now - agent.started_at)} ago"))
        if agent.ended_at:
            lines.append(on.pair("took", present.age(agent.ended_at - agent.started_at, 3600.0)))
    return lines


def _group(group: Group, on: RenderContext) -> list[Line]:
    lines: list[Line] = []
    live = [session for session in group.sessions if session.liveness is Liveness.LIVE]
    if live:
        lines.append(present.fit_parts(urgent(live, on.glyphs), on.width))
        lines.append([])
    if group.root:
        lines.append(on.pair("folder", _tail(present.path(group.root, on.home), on.width - 8)))
    lines.append(on.pair("live", present.count(len(live), "session")))
    if gone := len(group.sessions) - len(live):
        lines.append(on.pair("closed", present.count(gone, "session")))
    lines += _waited(sum_waits_today(group.sessions, group.before, on.now), on)
    return lines


def _unreadable(broken: Unreadable, on: RenderContext) -> list[Line]:
    lines: list[Line] = [[(f"{on.glyphs.warning} unreadable", "needs")], []]
    lines += on.text("file", present.path(broken.path, on.home), 4)
    lines += on.text("why", clean(broken.problem), 6)
    if broken.since:
        lines.append(on.pair("since", f"{present.age(on.now - broken.since)} ago"))
    advice = "The next event of its session writes it again. If the session has ended, you can delete the file."
    return [*lines, [], *([(text, "muted")] for text in wrap(advice, on.width, 4))]


def _name_line(name: str, words: Iterable[Part], on: RenderContext) -> Line:
    return present.fit_parts([(present.fit(name, 16), "plain"), (" ", "plain"), *words], on.width)


def _joined(*texts: str | None) -> str:
    return " · ".join(clean(text) for text in texts if text)


def _tail(text: str, width: int) -> str:
    """The end of a path, which tells more than its start."""
    if cell_len(text) <= width:
        return text
    while text and cell_len(text) > width - 1:
        text = text[1:]
    return "…" + text


def terminal(at: Terminal) -> str:
    """Where a session's screen is: tmux main:2.%14."""
    if at.kind == "unknown":
        return clean(at.tty or "")
    place = ":".join(part for part in (at.session, at.window) if part)
    return clean(" ".join(part for part in (at.kind, place, at.pane) if part))
