"""The history: sessions of the last days that are over, to search in and to resume."""

import asyncio
from collections.abc import Iterator
from itertools import islice
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Static

from atm_tui import present
from atm_tui.commands import Selection
from atm_tui.config import Config
from atm_tui.model.past import Past, past_sessions, search
from atm_tui.model.report import History, Progress
from atm_tui.monitor import Monitor
from atm_tui.present import Glyphs
from atm_tui.screens.acting import ActingScreen
from atm_tui.screens.view import ViewScreen
from atm_tui.sources.transcript_paths import transcript_paths
from atm_tui.widgets.filter_line import FilterLine
from atm_tui.widgets.history_list import HistoryList

DAYS = 14
"""How far it goes back."""


class HistoryScreen(ViewScreen):
    """Shows what hooks told at once, and what transcripts tell once they are read. Enter offers to resume."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("slash", "search", show=False)]

    def __init__(self, monitor: Monitor, config: Config, glyphs: Glyphs, chosen: str | None) -> None:
        super().__init__(monitor, config, glyphs, chosen)
        self.list = HistoryList(monitor.now, glyphs)
        self._search = FilterLine()
        self._head = Static(id="history-head")
        self._spending = monitor.spending()
        self._read: History | None = None
        self._paths: dict[str, str] = {}
        self._entries: tuple[Past, ...] = ()
        self._words: tuple[str, ...] = ()
        self._progress = "" if self._spending is None else "reading transcripts"

    def compose(self) -> ComposeResult:
        """Header, what is listed, search, list, footer."""
        yield self._header
        yield self._head
        yield self._search
        yield self.list
        yield self._footer

    def on_mount(self) -> None:
        """Starts reading the transcripts."""
        super().on_mount()
        self.add_class("-filtering")
        if self._spending is not None:
            self.run_worker(self._read_transcripts(), group="history", exclusive=True)

    def body(self) -> Widget:
        """The list."""
        return self.list

    @property
    def _since(self) -> float:
        return self._monitor.now() - DAYS * 24 * 3600

    async def _read_transcripts(self) -> None:
        spending = self._spending
        if spending is None:
            return
        since = self._since
        try:
            self._paths = await asyncio.to_thread(transcript_paths, spending.folders, since)
            steps = await asyncio.to_thread(spending.read, since)
            while (progress := await asyncio.to_thread(_some, steps)) is not None:
                self._progress = f"reading transcripts, {progress.done_files:,} of {progress.total_files:,}"
                self._write_head()
        except OSError as error:
            self._progress = f"transcripts can't be read: {error.strerror or error}"
        else:
            self._read, self._progress = spending.result, ""
        self.show_fleet()

    def show_fleet(self) -> None:
        """Lists what is over now."""
        table = self._spending.table if self._spending is not None else None
        self._entries = past_sessions(self._fleet.sessions.values(), self._read, table, self._paths, self._since)
        self._show_found()

    def _show_found(self) -> None:
        found = search(self._entries, " ".join(self._words))
        self.list.show(found, self._words)
        self._search.count(len(found), len(self._entries))
        self._write_head()

    def _write_head(self) -> None:
        parts: list[present.Part] = [(" ", "plain"), ("History", "strong"), (f"   the last {DAYS} days", "muted")]
        if self._progress:
            parts.append((f"   {present.clean(self._progress)}", "faint"))
        elif not self._entries:
            parts.append(("   no session has ended", "faint"))
        self._head.update(present.content(*parts), layout=False)

    # Searching

    def action_search(self) -> None:
        """Puts the cursor where words are typed."""
        self._search.open()

    def on_filter_line_changed(self, message: FilterLine.Changed) -> None:
        """Another letter."""
        self._words = tuple(message.text.casefold().split())
        self._show_found()

    def on_filter_line_kept(self, _: FilterLine.Kept) -> None:
        """Back to the list."""
        self.list.focus()

    def on_filter_line_cleared(self, _: FilterLine.Cleared) -> None:
        """All sessions again."""
        self._search.put("")
        self._words = ()
        self._show_found()
        self.list.focus()

    # What is selected

    @property
    def selection(self) -> Selection:
        """The session under the cursor, known to hooks or not."""
        entry = self.list.selected
        session = entry.session if entry else None
        folder = (session.project.root or session.cwd) if session else ""
        waiting = len(self._fleet.attention())
        return Selection("session" if session else "", session, folder, waiting, not self._fleet.sessions)

    def on_history_list_selected(self, _: HistoryList.Selected) -> None:
        """Other commands may be possible."""
        self._footer.show(self.selection)

    def go_to(self, session_id: str) -> None:
        """What needs you is not in the history: back to the tree, to that session."""
        main = self.app.screen_stack[0]
        self.dismiss()
        if isinstance(main, ActingScreen):
            main.go_to(session_id)

    def action_peek(self) -> None:
        """Looks closer at what hooks told of."""
        entry = self.list.selected
        if entry is not None and not entry.told:
            self.say("peek: only its transcript is left; open that with o", trouble=True)
        else:
            super().action_peek()


def _some(steps: Iterator[Progress]) -> Progress | None:
    """A few steps of reading in one go, so that the screen is not told of every file; None at the end."""
    last = None
    for progress in islice(steps, 50):
        last = progress
    return last
