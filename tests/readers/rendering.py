"""Everything that is made of what was read, without a screen: what a reader lets through must also be fit to be shown."""

import msgspec
from rich.cells import cell_len

from atm_tui.cost.budgets import find_reached_budgets
from atm_tui.model.board import arrange_board
from atm_tui.model.conversation import Entry
from atm_tui.model.filter import parse_filter
from atm_tui.model.fleet import Fleet
from atm_tui.model.request import Request, list_questions
from atm_tui.monitor.live import LiveMonitor
from atm_tui.monitor.past import list_past_sessions
from atm_tui.sources.conversation import Conversation
from atm_tui.text import clean
from atm_tui.timeline.builder import TimelineBuilder
from atm_tui.timeline.calls import list_last_calls
from atm_tui.timeline.event import Event
from atm_tui.view import (
    context_pane,
    cost_pane,
    files_pane,
    peek,
    plain,
    present,
    request_lines,
    status_pane,
    tasks_pane,
)
from atm_tui.view.card import write_card
from atm_tui.view.conversation import write_entry as write_conversation_entry
from atm_tui.view.explain import explain
from atm_tui.view.history_row import write_entry
from atm_tui.view.pane import RenderContext
from atm_tui.view.report import build_report
from atm_tui.view.request import find_wait
from atm_tui.view.request_choices import Choices
from atm_tui.view.status_columns import COLUMNS
from atm_tui.view.status_json import build_status_json
from atm_tui.view.status_table import format_table
from atm_tui.view.styled_lines import wrap
from atm_tui.view.subject import find_subject
from atm_tui.view.timeline_pane import TimelinePane
from atm_tui.view.timeline_row import write_event
from atm_tui.view.tree_rows import TreeBuilder
from atm_tui.view.usage_json import build_waited_json

PANES = (status_pane, context_pane, cost_pane, files_pane, tasks_pane)
THRESHOLDS = (60, 80, 90)
GLYPHS = present.UNICODE


def render_conversation(conversation: Conversation, entries: list[Entry], width: int) -> None:
    """All lines of a conversation, folded and unfolded."""
    for entry in entries:
        said = conversation.fetch_text(entry, 1 << 20)
        for unfolded in (False, True):
            for paragraph in write_conversation_entry(entry, said, width, GLYPHS, unfolded=unfolded):
                for line in wrap(paragraph, width, None):
                    text = "".join(part for part, _ in line.parts)
                    assert cell_len(text) <= max(width, 12), text
                    assert clean(text, lines=True) == text, ascii(text)


def render_live(monitor: LiveMonitor, width: int) -> None:
    """The fleet, and for each session its journal, explanation, report and peek."""
    fleet, now = monitor.fleet, monitor.now()
    render_fleet(fleet, now, width)
    for session in fleet.sessions.values():
        events = monitor.contents.read_events(session.session_id)
        facts = monitor.reader.facts[session.session_id]
        explain(facts, session, events, now)
        msgspec.json.encode(build_report(facts, session, events, b"key"))
        content = peek.PeekContent(session, list_last_calls(events, 20))
        peek.write(content, _context(width, now))
        render_events(session.session_id, events, now, width)
    for request in fleet.requests.values():
        render_request(request, now, width, fleet)


def render_fleet(fleet: Fleet, now: float, width: int) -> None:
    """All lists and panes of a fleet, and what commands print of it."""
    format_table(fleet.sessions.values(), now, list(COLUMNS), width=width)
    msgspec.json.encode(build_status_json(fleet, now))
    msgspec.json.encode(build_waited_json(fleet, now))
    before = plain.take_snapshot(Fleet())
    plain.write_first_lines(fleet, now)
    plain.write_changes(before, fleet)
    find_reached_budgets(fleet, now, 1.0, 1.0)
    context = _context(width, now)
    rows = TreeBuilder(GLYPHS, 10.0, "/home/user").build(fleet, now, (), None).rows
    for row in rows:
        subject = find_subject(fleet, row.id)
        for pane in PANES:
            pane.write(subject, context)
    sessions = fleet.sessions.values()
    arrange_board(sessions)
    for session in sessions:
        write_card(session, max(12, width // 3), now, GLYPHS, THRESHOLDS, selected=False)
        parse_filter("api state:needs >$1 <50%").matches(session)
    for past in list_past_sessions(sessions, (), 0.0):
        write_entry(past, width, now, GLYPHS, (), cursor=False)


def render_events(session_id: str, events: list[Event], now: float, width: int) -> None:
    """The timeline of a session."""
    entries = TimelineBuilder(session_id).build(events)
    for entry in entries:
        write_event(entry, "name", width, GLYPHS, cursor=False, chosen=False)
    pane = TimelinePane()
    pane.set_events(session_id, entries)


def render_request(request: Request, now: float, width: int, fleet: Fleet | None = None) -> None:
    """A request as its dialog shows it."""
    fleet = fleet or Fleet()
    dangers, risks = fleet.dangers.get(request.nonce, ()), fleet.risks.get(request.nonce, ())
    sections = find_wait(request, now=now, dangers=dangers, risks=risks)
    request_lines.write(sections, width, GLYPHS, Choices(tuple(list_questions(request))), offers=True, spaced=True)


def _context(width: int, now: float) -> RenderContext:
    return RenderContext(
        width=width, now=now, glyphs=GLYPHS, thresholds=THRESHOLDS, home="/home/user", whole=width > 80
    )
