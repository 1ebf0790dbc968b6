"""The timeline: what happened in all sessions, newest last."""

import asyncio

from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Static

from atm_tui import present
from atm_tui.chronicle import Chronicle
from atm_tui.config import Config
from atm_tui.monitor import Monitor
from atm_tui.present import Glyphs
from atm_tui.screens.view import ViewScreen
from atm_tui.widgets.timeline_lines import TimelineLines


class TimelineScreen(ViewScreen):
    """Reads what is new in a thread whenever the fleet changes; looks that pile up become one."""

    def __init__(self, monitor: Monitor, config: Config, glyphs: Glyphs, chosen: str | None) -> None:
        super().__init__(monitor, config, glyphs, chosen)
        self.lines = TimelineLines(self._name_of, glyphs, chosen)
        self._head = Static(id="timeline-head")
        self._chronicle = Chronicle(monitor)
        self._wanted = asyncio.Event()
        self._read = False

    def compose(self) -> ComposeResult:
        """Header, what the lines do, lines, footer."""
        yield self._header
        yield self._head
        yield self.lines
        yield self._footer

    def on_mount(self) -> None:
        """Starts reading."""
        super().on_mount()
        self.run_worker(self._follow(), name="timeline", group="timeline", exclusive=True)

    def body(self) -> Widget:
        """The lines."""
        return self.lines

    def show_fleet(self) -> None:
        """Something changed: there may be news."""
        self._wanted.set()
        self._write_head()

    def tick(self) -> None:
        """Journals grow without a change of the fleet, too."""
        self._wanted.set()

    async def _follow(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            news = await asyncio.to_thread(self._chronicle.look, list(self._fleet.sessions))
            self._read = True
            self.lines.add(news.moments, again=news.again)
            self._write_head()

    def _name_of(self, session_id: str) -> str:
        session = self._fleet.sessions.get(session_id)
        return present.clean(session.name) if session else session_id[:8]

    def _write_head(self) -> None:
        parts: list[present.Part] = [(" ", "plain"), ("Timeline", "strong")]
        if not self.lines.moments:
            parts.append(("   nothing yet" if self._read else "   reading", "faint"))
        elif self.lines.follows:
            parts.append(("   follows", "muted"))
        else:
            new = f"{self.lines.behind} new   " if self.lines.behind else ""
            parts += [("   stays here   ", "muted"), (new, "plain"), ("G", "key"), (" follows again", "muted")]
        self._head.update(present.content(*parts), layout=False)

    def go_to(self, session_id: str) -> None:
        """Selects a session; the lines stay as they are."""
        self.lines.select(session_id)
        self.choose(session_id, by_user=True)

    def on_timeline_lines_moved(self, message: TimelineLines.Moved) -> None:
        """The cursor is on a moment of a session, or the lines follow again."""
        if message.session_id is not None:
            self.choose(message.session_id, by_user=True)
        self._write_head()
