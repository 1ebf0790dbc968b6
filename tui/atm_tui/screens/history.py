"""The history: sessions of the last days that are over, to search in and to resume."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from textual.widget import Widget
from textual.widgets import Static

from atm_tui.commands import Selection
from atm_tui.config import Config
from atm_tui.cost.report import Progress, UsageHistory
from atm_tui.monitor.past import Past, past_sessions
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.acting import ActingScreen
from atm_tui.screens.arrangement import Arrangement
from atm_tui.screens.view import ViewScreen
from atm_tui.sources.transcript_paths import find_transcript_paths
from atm_tui.view import present
from atm_tui.view.present import Glyphs
from atm_tui.widgets.history_list import HistoryList

DAYS = 14
"""How far it goes back."""


class HistoryScreen(ViewScreen):
    """Shows what hooks told at once, and what transcripts tell once they are read. Enter offers to resume."""

    VIEW = "history"

    def __init__(
        self, monitor: Monitor, config: Config, glyphs: Glyphs, arrangement: Arrangement, chosen: str | None
    ) -> None:
        super().__init__(monitor, config, glyphs, arrangement, chosen)
        self.list = HistoryList(monitor.now, glyphs, chosen)
        self._head = Static(id="history-head")
        self._spending = monitor.spending()
        self._read: UsageHistory | None = None
        self._paths: dict[str, str] = {}
        self._entries: tuple[Past, ...] = ()
        self._progress = "" if self._spending is None else "reading transcripts"

    def on_mount(self) -> None:
        """Starts reading the transcripts."""
        if self._spending is not None:
            self.run_worker(self._read_transcripts(), group="history", exclusive=True)

    def body(self) -> Iterable[Widget]:
        """What is listed, list."""
        return self._head, self.list

    @property
    def _since(self) -> float:
        return self._monitor.now() - DAYS * 24 * 3600

    async def _read_transcripts(self) -> None:
        spending = self._spending
        if spending is None:
            return
        since = self._since
        try:
            self._paths = await asyncio.to_thread(find_transcript_paths, spending.folders, since)
            steps = await asyncio.to_thread(spending.read, since)
            while (progress := await asyncio.to_thread(_some, steps)) is not None:
                self._progress = f"reading transcripts, {progress.done_files:,} of {progress.total_files:,}"
                self._write_head()
        except OSError as error:
            self._progress = f"transcripts can't be read: {error.strerror or error}"
        else:
            self._read, self._progress = spending.result, ""
        self.show_fleet()

    def show_fleet(self, *, hold: bool = True) -> None:
        """Lists what is over now, dismissed or not; of those that match, and the selected one."""
        table = self._spending.table if self._spending is not None else None
        listed = past_sessions(self._fleet.sessions.values(), self._read, table, self._paths, self._since)
        # What is hidden has left a transcript, too.
        self._entries = tuple(each for each in listed if each.session.session_id not in self._fleet.hidden)
        wanted = self.arrangement.filter
        found = [each for each in self._entries if wanted.matches(each.session)]
        self.count_found(len(found), len(self._entries))
        held = self._chosen if hold else None
        shown = [each for each in self._entries if each in found or each.session.session_id == held] if held else found
        laid = {each.session.session_id: self._laid(each) for each in shown}
        self.list.show(tuple(shown), wanted.marks, laid)
        self._write_head()

    def _laid(self, entry: Past) -> str:
        """What the user laid on it, in a word."""
        flags = self._fleet.flags.get(entry.session.session_id)
        if self.arrangement.dismissed(entry.session):
            return "dismissed"
        return "pinned" if flags is not None and flags.pinned else ""

    def _write_head(self) -> None:
        parts: list[present.Part] = [(" ", "plain"), ("History", "strong"), (f"   the last {DAYS} days", "muted")]
        out = sum(self.arrangement.dismissed(each.session) for each in self._entries)
        if out:
            parts.append((f"   {out} dismissed, but here", "muted"))
        if self._progress:
            parts.append((f"   {present.clean(self._progress)}", "faint"))
        elif not self._entries:
            parts.append(("   no session has ended", "faint"))
        elif self.list.selected is None:
            parts.append(("   nothing matches", "faint"))
        self._head.update(present.content(*parts), layout=False)

    # What is selected

    @property
    def selection(self) -> Selection:
        """The session under the cursor, known to hooks or not."""
        entry = self.list.selected
        at = replace(super().selection, empty=not self._entries)
        if entry is None:
            return replace(at, kind="", session=None, folder="")
        session = entry.session
        kind = "session" if entry.told else "transcript"
        return replace(at, kind=kind, session=session, folder=session.project.root or session.cwd)

    def pick(self, session_id: str, *, by_user: bool = True) -> None:
        """Puts the cursor on a session."""
        self.list.select(session_id, by_user=by_user)

    @property
    def numbered(self) -> list[str]:
        """The first nine lines in view."""
        return self.list.numbered

    def on_history_list_selected(self, message: HistoryList.Selected) -> None:
        """Other commands may be possible."""
        self.choose(message.session_id, by_user=message.by_user)

    def go_to(self, session_id: str) -> None:
        """A session that lives is not in the history: back to the tree, to that session."""
        if any(each.session.session_id == session_id for each in self._entries):
            super().go_to(session_id)
            return
        main = self.app.screen_stack[0]
        self.dismiss()
        if isinstance(main, ActingScreen):
            main.go_to(session_id)


def _some(steps: Iterator[Progress]) -> Progress | None:
    """A few steps of reading in one go, so that the screen is not told of every file; None at the end."""
    last = None
    for progress in islice(steps, 50):
        last = progress
    return last
