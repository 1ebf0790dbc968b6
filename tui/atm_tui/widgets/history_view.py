"""The history: sessions of the last days that have ended, to search and to resume."""

import asyncio
from collections.abc import Iterable, Iterator
from itertools import islice

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Static

from atm_tui.cost.report import Progress
from atm_tui.model.filter import Tried, try_sessions
from atm_tui.model.fleet import Fleet
from atm_tui.model.request import Request
from atm_tui.model.session import Liveness, Session
from atm_tui.monitor.past import PastSession, list_past_sessions, list_transcript_sessions
from atm_tui.monitor.protocol import Monitor
from atm_tui.sources.transcript_paths import find_transcripts
from atm_tui.text import clean
from atm_tui.view import present
from atm_tui.view.command import Selection
from atm_tui.view.present import Glyphs
from atm_tui.view.row import RowId
from atm_tui.view.visible_sessions import VisibleSessions
from atm_tui.widgets.fleet_view import FleetView, find_session_of_key
from atm_tui.widgets.history_list import HistoryList

DAYS = 14
"""Number of days that it covers."""


class HistoryView(FleetView):
    """Lists at once the sessions that hooks reported and the newest of those known from transcripts.

    Adds all others once their transcripts are read, each time it is shown.
    """

    VIEW = "history"

    def __init__(self, monitor: Monitor, visible: VisibleSessions, glyphs: Glyphs) -> None:
        super().__init__(id="history-view")
        self._monitor = monitor
        self._fleet = monitor.fleet
        self._visible = visible
        self.list = HistoryList(monitor.now, glyphs, None)
        self.heading = Static(id="history-head")
        spending = monitor.spending
        self._spending = spending.open() if spending else None
        self._from_transcripts = spending.list_newest_sessions() if spending else ()
        self._entries: tuple[PastSession, ...] = ()
        self._entries_of: tuple[object, ...] = ()
        """The input from which the entries were made."""
        self._project = 0
        """Cells of the widest project's name, also of entries that the filter hides: the columns stay while one types."""
        self._dismissed = 0
        self.progress = "" if self._spending is None else "reading transcripts"
        """Progress of reading transcripts; empty once they are read."""

    def take_over(self, other: FleetView) -> None:
        """Lists what another history has read, until it is read again."""
        if isinstance(other, HistoryView):
            self._from_transcripts, self.progress = other._from_transcripts, other.progress  # noqa: SLF001  of the same class

    def compose(self) -> ComposeResult:
        """Yields heading and list."""
        yield self.heading
        yield self.list

    def on_show(self) -> None:
        """Starts to read the transcripts."""
        if self._spending is not None:
            self.run_worker(self._read_transcripts(), group="history", exclusive=True)

    @property
    def _since(self) -> float:
        return self._monitor.now() - DAYS * 24 * 3600

    async def _read_transcripts(self) -> None:
        spending = self._spending
        if spending is None:
            return
        await self._wait_for_frame()
        since = self._since
        try:
            found = await asyncio.to_thread(find_transcripts, spending.folders, since)
            paths = {key: each.path for key, each in found.items()}
            steps = await asyncio.to_thread(spending.read, since)
            while (progress := await asyncio.to_thread(_read_some, steps)) is not None:
                self.progress = f"reading transcripts, {progress.done_files:,} of {progress.total_files:,}"
                self._write_heading()
            left = await asyncio.to_thread(list_transcript_sessions, spending.result, spending.table, paths)
        except OSError as error:
            self.progress = f"transcripts can't be read: {error.strerror or error}"
        else:
            self._from_transcripts, self.progress = left, ""
        self.show(self._fleet)

    async def _wait_for_frame(self) -> None:
        """Waits until the known sessions are on the screen: reading would delay them."""
        painted = asyncio.Event()
        self.call_after_refresh(painted.set)
        await painted.wait()

    def show(self, fleet: Fleet, *, hold: bool = True) -> None:
        """Lists the ended sessions, dismissed or not, that match the filter, and the selected one."""
        self._update_entries(fleet)
        wanted = self._visible.filter
        held = find_session_of_key(self.key) if hold else None
        shown, found = self._entries, len(self._entries)
        if wanted:
            passed = {each.session.session_id for each in shown if wanted.matches(each.session)}
            found = len(passed)
            shown = tuple(
                each for each in shown if each.session.session_id in passed or each.session.session_id == held
            )
        flagged = [each for each in self._entries if each.session.session_id in fleet.flags]
        self._dismissed = sum(self._visible.is_dismissed(each.session) for each in flagged)
        notes = {each.session.session_id: self._name_flag(each) for each in flagged}
        notes |= {each: f"marked {notes.get(each, '')}".strip() for each in self._visible.marked}
        self.list.show(shown, wanted.marks, notes, self._project)
        self.post_message(self.Counted(found, len(self._entries)))
        self._write_heading()

    def _update_entries(self, fleet: Fleet) -> None:
        """Lists all ended sessions again if one ended, or transcripts were read: with thousands, this takes a while."""
        sessions = fleet.sessions.values()
        live = tuple((each.session_id, each.project) for each in sessions if each.liveness is Liveness.LIVE)
        ended = tuple(each for each in sessions if each.liveness is not Liveness.LIVE)
        made_of = (ended, live, self._from_transcripts, frozenset(fleet.hidden), self._since // 3600)
        if made_of != self._entries_of:
            listed = list_past_sessions(sessions, self._from_transcripts, self._since)
            # Hidden sessions also have transcripts.
            self._entries = tuple(each for each in listed if each.session.session_id not in fleet.hidden)
            self._entries_of = made_of
            names = {each.session.project.name for each in self._entries}
            self._project = max((cell_len(clean(each)) for each in names), default=0)

    def _name_flag(self, entry: PastSession) -> str:
        """Returns the user's flag on a session in a word."""
        flags = self._fleet.flags.get(entry.session.session_id)
        if self._visible.is_dismissed(entry.session):
            return "dismissed"
        return "pinned" if flags is not None and flags.pinned else ""

    def _write_heading(self) -> None:
        parts: list[present.Part] = [(" ", "plain"), ("History", "strong"), (f"   the last {DAYS} days", "muted")]
        if self._dismissed:
            parts.append((f"   {self._dismissed} dismissed, but here", "muted"))
        if self.progress:
            parts.append((f"   {clean(self.progress)}", "faint"))
        elif not self._entries:
            parts.append(("   no session has ended", "faint"))
        elif self.list.selected is None:
            parts.append(("   nothing matches", "faint"))
        self.heading.update(present.make_content(*parts), layout=False)

    # What is selected

    def on_history_list_selected(self, message: HistoryList.Selected) -> None:
        """Reports the selection."""
        message.stop()
        self.post_message(self.Selected(by_user=message.by_user))

    @property
    def key(self) -> RowId | None:
        """The selected session as the id of a row."""
        entry = self.list.selected
        return ("session", entry.session.session_id) if entry else None

    @property
    def list_widget(self) -> Widget:
        """The list."""
        return self.list

    @property
    def selection(self) -> Selection:
        """The session under the cursor, whether hooks reported it or not."""
        entry, empty = self.list.selected, not self._entries
        if entry is None:
            return Selection(empty=empty, view=self.VIEW)
        session, kind = entry.session, "session" if entry.from_hooks else "transcript"
        return Selection(kind, session, session.root, empty=empty, view=self.VIEW)

    def select(self, key: RowId, *, by_user: bool = False) -> None:
        """Moves the cursor to a session."""
        if session_id := find_session_of_key(key):
            self.list.select(session_id, by_user=by_user)

    def list_tried(self, sessions: Iterable[Session]) -> list[Tried]:  # noqa: ARG002 (the base's name)
        """As in FleetView, of the sessions that have ended."""
        return try_sessions(each.session for each in self._entries)

    def can_list(self, session_id: str) -> bool:
        """Returns whether this session has ended."""
        return any(each.session.session_id == session_id for each in self._entries)

    def list_numbered(self) -> list[RowId]:
        """Returns the sessions in view, from the top."""
        return [("session", session_id) for session_id in self.list.numbered_ids]

    def shows_whole(self, request: Request) -> bool:  # noqa: ARG002 (the base's name)
        """Returns False: an ended session has no requests."""
        return False


def _read_some(steps: Iterator[Progress]) -> Progress | None:
    """Reads several files, so that the heading is not written for each; None at the end."""
    last = None
    for progress in islice(steps, 50):
        last = progress
    return last
