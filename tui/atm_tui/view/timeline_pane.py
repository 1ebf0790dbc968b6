"""The timeline pane: what happened in the selected session or agent, newest last."""

from collections.abc import Sequence

from rich.cells import cell_len

from atm_tui.model.session import Session
from atm_tui.text import cut_width, fit_width, wrap_text
from atm_tui.timeline.builder import TimelineEvent, TimelineKind
from atm_tui.view.pane import Line, RenderContext
from atm_tui.view.present import Part, fit_parts, spread
from atm_tui.view.subject import AgentIn, Subject
from atm_tui.view.timeline_row import describe_event, format_clock, format_day, format_length, needs_word, write_day

KEEP = 300
"""Most events that are shown; the timeline of all sessions has older ones."""
LEAST = 4
"""Least number of lines with which the pane is shown."""
LONG = frozenset(
    {TimelineKind.PROMPT, TimelineKind.FINISHED, TimelineKind.ASKS, TimelineKind.TOOL_FAILED, TimelineKind.FAILED}
)
"""Kinds of events whose text may take several lines."""
LINES = 3
"""Most lines of such a text."""


class TimelinePane:
    """Holds the events of one session, and caches their lines."""

    def __init__(self) -> None:
        self._session_id: str | None = None
        self._events: tuple[TimelineEvent, ...] = ()
        self._lines: dict[TimelineEvent, list[Line]] = {}
        self._written: tuple[tuple[object, ...], list[Line]] = ((), [])

    def set_events(self, session_id: str, events: Sequence[TimelineEvent]) -> None:
        """Takes all events of a session, oldest first."""
        self._session_id = session_id
        self._events = tuple(events)[-KEEP:]

    def count(self, subject: Subject) -> str | None:
        """Returns "none" when there are no events; None unless the subject is one session."""
        session_id, agent_id = _find_owner(subject)
        if session_id is None:
            return None
        known = session_id == self._session_id
        return "none" if known and not any(not agent_id or each.agent_id == agent_id for each in self._events) else ""

    def write(self, subject: Subject, context: RenderContext) -> list[Line]:
        """Writes the lines of the pane; returns the same list object while nothing changed."""
        session_id, agent_id = _find_owner(subject)
        if session_id is None:
            return []
        if session_id != self._session_id:
            # As many lines as the pane needs at least, so that the first events move no other pane.
            return [[("reading", "faint")], *([] for _ in range(LEAST - 1))]
        look = (self._events, agent_id, context.width, context.whole, format_day(context.now))
        if look != self._written[0]:
            if look[1:4] != self._written[0][1:4]:
                self._lines.clear()
            self._written = (look, self._write_all(agent_id, context))
        return self._written[1]

    def _write_all(self, agent_id: str, context: RenderContext) -> list[Line]:
        shown = [each for each in self._events if not agent_id or each.agent_id == agent_id]
        before, kept = self._lines, {}
        lines: list[Line] = []
        last = format_day(context.now)
        for event in shown:
            if (today := format_day(event.at)) != last:
                lines.append(write_day(event.at, context.width, context.glyphs))
                last = today
            kept[event] = before.get(event) or write_event_lines(event, context, by_agent=not agent_id)
            lines += kept[event]
        self._lines = kept
        return lines


def _find_owner(subject: Subject) -> tuple[str | None, str]:
    """Returns session and agent; the session is None unless the subject is one session."""
    match subject:
        case Session():
            return subject.session_id, ""
        case AgentIn(session, agent):
            return session.session_id, agent.agent_id
        case _:
            return None, ""


def write_event_lines(event: TimelineEvent, context: RenderContext, *, by_agent: bool) -> list[Line]:
    """Writes an event: time, sign, text and, at the right end, duration; longer text is wrapped."""
    sign, (word, role), (text, text_role) = describe_event(event, context.glyphs, by_agent=by_agent)
    head: list[Part] = [(format_clock(event.at, short=True), "faint"), (" ", "plain"), sign, (" ", "plain")]
    indent = sum(cell_len(each) for each, _ in head)
    took = format_length(event.seconds)
    tail: list[Part] = [(f" {took}", "muted")] if took else []
    start = f"{word} " if needs_word(event, word, text) else ""
    room = max(1, context.width - indent - (cell_len(took) + 1 if took else 0))
    most = context.limit_lines(LINES if event.kind in LONG else 1)
    texts = wrap_text(start + text, room, most) or [cut_width(start, room)]
    first, *more = texts
    said = min(len(start), len(first))
    lines = [spread([*head, (first[:said], role), (first[said:], text_role)], tail, context.width)]
    return lines + [fit_parts([(fit_width("", indent), "plain"), (each, text_role)], context.width) for each in more]
