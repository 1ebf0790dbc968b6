"""The timeline: events of all sessions, newest last, below a line that shows whether it is live."""

import asyncio
from collections.abc import Iterable
from functools import partial

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Static

from atm_tui.model.filter import Term, Tried
from atm_tui.model.fleet import Fleet
from atm_tui.model.request import Request
from atm_tui.model.session import Session
from atm_tui.monitor.protocol import Monitor
from atm_tui.text import clean
from atm_tui.timeline.builder import TimelineEvent
from atm_tui.timeline.feed import TimelineFeed
from atm_tui.view import present
from atm_tui.view.command import Selection, get_work_folder
from atm_tui.view.present import Glyphs
from atm_tui.view.row import RowId
from atm_tui.view.timeline_row import format_text
from atm_tui.view.visible_sessions import VisibleSessions
from atm_tui.widgets.fleet_view import FleetView, find_session_of_key
from atm_tui.widgets.timeline_lines import TimelineLines


class TimelineView(FleetView):
    """Reads new events in a thread whenever the fleet changes, while it is shown; pending reads are merged into one."""

    VIEW = "timeline"

    def __init__(self, monitor: Monitor, visible: VisibleSessions, glyphs: Glyphs) -> None:
        super().__init__(id="timeline-view")
        self._fleet = monitor.fleet
        self._visible = visible
        self.lines = TimelineLines(self._find_name, glyphs, None)
        self.heading = Static(id="timeline-head")
        self._feed = TimelineFeed(
            monitor.capabilities.state_dir, monitor.contents.read_events, monitor.contents.follow_elsewhere
        )
        self._wanted = asyncio.Event()
        self.is_read = False
        """Whether the journals have been read once."""
        self._paused: tuple[TimelineEvent | None, int] = (None, 0)
        """The event at which it is to pause, and the row of the screen where it stands."""
        self._unmatched: dict[str, tuple[str, ...] | None] = {}
        """By session, the words of the filter that the session does not match; None: it is not listed."""

    def take_over(self, other: FleetView) -> None:
        """Pauses at the event at which another timeline is paused, once it is read."""
        if isinstance(other, TimelineView):
            self._paused = other.lines.selected, other.lines.cursor_row

    def compose(self) -> ComposeResult:
        """Yields heading and lines."""
        yield self.heading
        yield self.lines

    def on_mount(self) -> None:
        """Starts to read events."""
        self.run_worker(self._follow(), name="timeline", group="timeline", exclusive=True)

    def show(self, fleet: Fleet, *, hold: bool = True) -> None:
        """Requests new events; filters the known ones if other sessions match."""
        self._wanted.set()
        before = self._unmatched
        self._unmatched = {key: self._list_unmatched_words(each) for key, each in fleet.sessions.items()}
        selected = self.lines.chosen
        if hold and selected in before and selected in self._unmatched:
            self._unmatched[selected] = before[selected]
        if not hold or self._unmatched != before:
            self.lines.show(self._keeps, self._visible.filter.marks)
        self._write_heading()

    def _list_unmatched_words(self, session: Session) -> tuple[str, ...] | None:
        return None if self._visible.is_dismissed(session) else self._visible.filter.list_missing_words(session)

    def _keeps(self, event: TimelineEvent) -> bool:
        """Returns whether an event is shown: its session and its text together match the words of the filter."""
        words = self._unmatched.get(event.session_id)
        if not words:
            return words is not None
        text = _describe_event(event)
        return all(word in text for word in words)

    def list_tried(self, sessions: Iterable[Session]) -> list[Tried]:
        """As in FleetView, of the events of these sessions."""
        known = {each.session_id: each for each in sessions}
        events = [each for each in self.lines.known if each.session_id in known]
        return [partial(_passes, known[each.session_id], _describe_event(each)) for each in events]

    def tick(self, _: float) -> None:
        """Requests new events, since journals also grow without a change of the fleet."""
        self._wanted.set()

    async def _follow(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            sessions = list(self._fleet.sessions)
            news = await asyncio.to_thread(self._feed.read, sessions)
            self.lines.add(news.events, sessions, again=news.again)
            first, self.is_read = not self.is_read, True
            if first and self._visible.filter:
                self.show(self._fleet, hold=False)
            if first and self._paused[0] is not None:
                self.call_after_refresh(self.lines.pause_at, *self._paused)
            self._write_heading()

    def _find_name(self, session_id: str) -> str:
        session = self._fleet.sessions.get(session_id)
        return clean(session.name) if session else session_id[:8]

    def _write_heading(self) -> None:
        shown, known = len(self.lines.events), len(self.lines.known)
        self.post_message(self.Counted(shown, known))
        parts: list[present.Part] = [(" ", "plain"), ("Timeline", "strong")]
        if not known:
            parts.append(("   nothing yet" if self.is_read else "   reading", "faint"))
        elif not shown:
            parts.append(("   nothing matches", "faint"))
        elif self.lines.is_live:
            parts.append(("   live", "muted"))
        else:
            new = f"{self.lines.behind} new   " if self.lines.behind else ""
            parts += [("   paused   ", "muted"), (new, "plain"), ("G", "key"), (" live again", "muted")]
        self.heading.update(present.make_content(*parts), layout=False)

    # What is selected

    def on_timeline_lines_moved(self, message: TimelineLines.Moved) -> None:
        """Reports the selection."""
        message.stop()
        if message.session_id is not None:
            self.post_message(self.Selected(by_user=message.by_user))
        self._write_heading()

    @property
    def key(self) -> RowId | None:
        """The session of the event under the cursor as the id of a row."""
        nothing_matches = self.lines.known and not self.lines.events
        return ("session", self.lines.chosen) if self.lines.chosen and not nothing_matches else None

    @property
    def list_widget(self) -> Widget:
        """The lines."""
        return self.lines

    @property
    def selection(self) -> Selection:
        """The selected session."""
        session = self._fleet.sessions.get(find_session_of_key(self.key) or "")
        at = Selection(empty=not self._fleet.sessions, view=self.VIEW)
        return replace(at, kind="session", session=session, folder=get_work_folder(session)) if session else at

    def select(self, key: RowId, *, by_user: bool = False) -> None:
        """Selects a session; does not scroll while live."""
        session_id = find_session_of_key(key)
        if session_id is None:
            return
        if by_user or not self.is_read or any(each.session_id == session_id for each in self.lines.events):
            self.lines.select(session_id, by_user=by_user)

    def list_numbered(self) -> list[RowId]:
        """Returns the sessions in view, from the top."""
        return [("session", session_id) for session_id in self.lines.numbered_ids]

    def shows_whole(self, request: Request) -> bool:  # noqa: ARG002 (the base's name)
        """Returns False: a past event may have the same words as a request that is open now."""
        return False


def _describe_event(event: TimelineEvent) -> str:
    """Returns the words of an event that the filter searches, in casefold."""
    return f"{event.agent} {format_text(event)}".casefold()


def _passes(session: Session, text: str, term: Term) -> bool:
    return (term.test_without_row or term.test)(session) or (term.word != "" and term.word in text)
