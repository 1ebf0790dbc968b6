"""Writes the peek: what a session waits for in full, its last prompt and reply, its last tools, its agents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from rich.cells import cell_len

from atm_tui.model.board import is_active
from atm_tui.model.request import Request
from atm_tui.model.session import OVER, Liveness, Session
from atm_tui.model.wait import Wait
from atm_tui.text import FINE_UNTIL, UNKNOWN, clean, fit_width, format_age, format_count, wrap_text
from atm_tui.text import clean as clean_text
from atm_tui.timeline.calls import Call
from atm_tui.view import present
from atm_tui.view.machine_text import describe_silence
from atm_tui.view.pane import LABEL, Line, RenderContext
from atm_tui.view.present import Part
from atm_tui.view.request import write_whole_line
from atm_tui.view.request_limit import count_lines

MOST = 400
"""Most lines that are shown of one input."""
LONGEST = 10_000
"""Most characters that are shown of one line of an input."""
NAME = 24
"""Largest width in cells of the names of tools, and of agents with their sign."""
TOOK = 7
"""Width in cells of a duration."""


@dataclass(frozen=True)
class PeekContent:
    """A session, its last tool calls, and the full inputs of its waits."""

    session: Session
    calls: tuple[Call, ...] = ()
    inputs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Full inputs by the key of the wait; unknown ones are missing."""


def write(peeked: PeekContent, context: RenderContext) -> list[Line]:
    """Writes all lines, each at most `context.width` cells."""
    session, names = peeked.session, _fit_names(peeked, context)
    sections = [
        _write_silence(session, context),
        [] if session.waits else _write_heading(session, context),
        *(_write_wait(session, wait, peeked.inputs.get(wait.key), context) for wait in session.waits),
        context.write_text("prompt", clean(session.last_prompt), 20),
        context.write_text("reply", clean(session.last_reply), 20),
        _write_calls(session, peeked.calls, context, names),
        _write_agents(session, context, names),
        _write_errors(session, peeked.calls, context),
    ]
    return [line for section in sections if section for line in ([], *section)][1:]


def find_request_line(peeked: PeekContent, context: RenderContext, request: Request) -> int | None:
    """Returns the index of the line of `write` that shows all of a request; None when no single line does."""
    whole, above = write_whole_line(request), len(_write_silence(peeked.session, context))
    at = above + 1 if above else 0
    for wait in peeked.session.waits:
        given = peeked.inputs.get(wait.key)
        if wait.key != request.key:
            at += len(_write_wait(peeked.session, wait, given, context)) + 1
            continue
        if whole is None or given != request.input:
            return None
        at += 1
        for depth, label, text in _list_value_lines(request.input, 1):
            lines = len(list(_break_line(depth, label, text, context)))
            if request.input.get(label) == text == whole:
                return at if lines == 1 else None
            at += lines
    return None


def _fit_names(peeked: PeekContent, context: RenderContext) -> int:
    """Returns the width in cells of the names of tools, and of agents with their sign, so that all begin and end alike."""
    tools = [cell_len(clean(call.tool)) for call in peeked.calls]
    agents = [cell_len(present.get_agent_name(each)) + 2 for each in peeked.session.agents]
    return min(NAME, context.width // 3, max([*tools, *agents], default=0))


def _write_silence(session: Session, context: RenderContext) -> list[Line]:
    """Writes that there is no word of the session's machine, so that all of this may be out of date."""
    silence = describe_silence(session, context.now)
    words: Line = [(f"{silence} from {clean(session.machine)}", "notice")]
    return [present.fit_parts(words, context.width)] if silence else []


def _write_heading(session: Session, context: RenderContext) -> list[Line]:
    live = session.liveness is Liveness.LIVE
    fine = is_active(session)
    since = session.since if live else session.ended_at
    words = [*present.write_session_status(session, context.glyphs), *present.write_session_marks(session)]
    age = format_age(context.now - since, FINE_UNTIL if fine else 60.0) if since else ""
    return [
        present.spread(
            [present.choose_session_glyph(session, context.glyphs), (" ", "plain"), *words],
            [(" ", "plain"), (age, "muted")],
            context.width,
        )
    ]


def _write_wait(session: Session, wait: Wait, given: Mapping[str, Any] | None, context: RenderContext) -> list[Line]:
    who = present.find_agent_name(session, wait.agent_id)
    head: list[Part] = [(f"{context.glyphs.needs} ", "needs")]
    head = present.fade(session, head + present.write_wait(wait)[: 2 if wait.reason == "permission" else 1])
    head += [(f" · {who}", "muted")] if who else []
    age = format_age(context.now - wait.since, FINE_UNTIL)
    lines = [present.spread(head, [(" ", "plain"), (age, "muted")], context.width)]
    if given is None:
        return lines + [
            [("  ", "plain"), (text, "strong")] for text in wrap_text(clean(wait.summary), context.width - 2, 9)
        ]
    # Only as many lines are made as are shown: an input may have millions.
    made = (line for each in _list_value_lines(given, 1) for line in _break_line(*each, context))
    shown = list(islice(made, MOST + 1))
    if len(shown) > MOST:
        count, characters = count_lines(given)
        shown[MOST] = [(f"  … goes on: {format_count(count, 'line')}, {characters:,} characters in all", "muted")]
    return lines + shown


def _list_value_lines(value: object, depth: int, label: str = "") -> Iterator[tuple[int, str, str]]:
    """Yields depth, label and text of each line of a value; the items of a list or object are one deeper."""
    if isinstance(value, Mapping):
        if label:
            yield depth, label, ""
        for key, each in value.items():
            yield from _list_value_lines(each, depth + bool(label), clean(str(key)))
    elif isinstance(value, list):
        if label:
            yield depth, label, ""
        for each in value:
            yield from _list_value_lines(each, depth + bool(label), "-")
    else:
        text = value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
        raw = text.split("\n", MOST + 1)[: MOST + 1]
        raw = [line if len(line) <= LONGEST else f"{line[:LONGEST]}…" for line in raw]
        lines = [clean_text(line, lines=True).expandtabs(4) for line in raw]
        yield depth, label, lines[0] if len(lines) == 1 else ""
        for line in lines if len(lines) > 1 else ():
            yield depth + 1, "", line


def _break_line(depth: int, label: str, text: str, context: RenderContext) -> Iterator[Line]:
    """Wraps a line; all pieces keep its indent."""
    indent = 2 * depth + len(text) - len(text.lstrip(" ")) if not label else 2 * depth
    indent = min(indent, context.width // 2)
    start = f"{label} " if label else ""
    room = context.width - indent - cell_len(start)
    if room < 8:
        room, start = context.width - indent, ""
    for at, part in enumerate(wrap_text(text, room, MOST) or [""]):
        head = start if not at else " " * cell_len(start)
        yield [(" " * indent, "plain"), (head, "muted"), (part, "strong")]


def _write_calls(session: Session, calls: Sequence[Call], context: RenderContext, names: int) -> list[Line]:
    """Writes the tool calls, newest first: input, duration, error. `names`: width in cells of a tool's name."""
    lines: list[Line] = []
    for call in reversed(calls):
        runs = call.ended_at is None and session.liveness is Liveness.LIVE
        took = _format_duration(call, context.now) if runs or call.ended_at is not None else UNKNOWN
        who = present.find_agent_name(session, call.agent_id)
        text: Line = [(fit_width(clean(call.tool), names), "plain"), ("  ", "plain"), (clean(call.summary), "muted")]
        text += [(f" · {who}", "faint")] if who else []
        tail: Line = [(" ", "plain"), (fit_width(took, TOOK, right=True), "working" if runs else "muted")]
        lines.append(
            [(fit_width("" if lines else "tools", LABEL), "faint"), *present.spread(text, tail, context.width - LABEL)]
        )
        errors = wrap_text(clean(call.error), context.width - LABEL - 2, 3)
        lines += [[(" " * (LABEL + 2), "plain"), (part, "error")] for part in errors]
    return lines


def _format_duration(call: Call, now: float) -> str:
    if not call.timed:
        return UNKNOWN
    seconds = (call.ended_at if call.ended_at is not None else now) - call.at
    return f"{max(0.0, seconds):.1f}s" if seconds < 10 and call.ended_at else format_age(seconds, 3600.0)


def _write_agents(session: Session, context: RenderContext, names: int) -> list[Line]:
    """Writes the working agents first, then the newest of the others. `names`: width in cells of name and sign."""
    busy = [each for each in session.agents if each.state not in OVER]
    over = [each for each in reversed(session.agents) if each.state in OVER][:8]
    lines: list[Line] = []
    for each in (*busy, *over):
        since = each.ended_at or each.since
        words: list[Part] = [present.choose_agent_glyph(each, context.glyphs), (" ", "plain")]
        words += [(fit_width(present.get_agent_name(each), max(1, names - 2)), "plain"), ("  ", "plain")]
        words += [*present.write_agent_status(each, session.waits)]
        words += [(f" · {clean(each.description)}", "faint")] if each.description else []
        age = fit_width(format_age(context.now - since, FINE_UNTIL) if since else "", TOOK, right=True)
        line = present.spread(words, [(" ", "plain"), (age, "muted")], context.width - LABEL)
        lines.append([(fit_width("" if lines else "agents", LABEL), "faint"), *line])
    if more := len(session.agents) - len(lines):
        lines.append([(" " * LABEL, "plain"), (f"+{more} done", "muted")])
    return lines


def _write_errors(session: Session, calls: Sequence[Call], context: RenderContext) -> list[Line]:
    """Writes the failures that no listed call shows: failed turns, or older calls."""
    told = {(call.tool, clean(call.error)) for call in calls if call.error}
    lines: list[Line] = []
    for each in reversed(session.errors):
        if (each.kind, clean(each.message)) not in told and len(lines) < 6:
            text = " · ".join(clean(part) for part in (each.kind, each.message) if part)
            lines += context.write_text("" if lines else "errors", text, 2, "error")
    return lines
