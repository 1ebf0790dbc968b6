"""The timeline: what happened in all sessions, newest last."""

import asyncio
from collections.abc import Iterable

from textual.widget import Widget
from textual.widgets import Static

from atm_tui.config import Config
from atm_tui.model.session import Session
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.arrangement import Arrangement
from atm_tui.screens.view import ViewScreen
from atm_tui.timeline.builder import TimelineEvent
from atm_tui.timeline.feed import TimelineFeed
from atm_tui.view import present
from atm_tui.view.present import Glyphs
from atm_tui.widgets.timeline_lines import TimelineLines


class TimelineScreen(ViewScreen):
    """Reads what is new in a thread whenever the fleet changes; looks that pile up become one."""

    VIEW = "timeline"

    def __init__(
        self, monitor: Monitor, config: Config, glyphs: Glyphs, arrangement: Arrangement, chosen: str | None
    ) -> None:
        super().__init__(monitor, config, glyphs, arrangement, chosen)
        self.lines = TimelineLines(self._name_of, glyphs, chosen)
        self._head = Static(id="timeline-head")
        self._chronicle = TimelineFeed(monitor)
        self._wanted = asyncio.Event()
        self._read = False
        self._lacks: dict[str, tuple[str, ...] | None] = {}

    def on_mount(self) -> None:
        """Starts reading."""
        self.run_worker(self._follow(), name="timeline", group="timeline", exclusive=True)

    def body(self) -> Iterable[Widget]:
        """What the lines do, lines."""
        return self._head, self.lines

    def show_fleet(self, *, hold: bool = True) -> None:
        """Something changed: there may be news, and other sessions may match."""
        self._wanted.set()
        before, self._lacks = self._lacks, {key: self._lack(each) for key, each in self._fleet.sessions.items()}
        if hold and self._chosen in before and self._chosen in self._lacks:
            self._lacks[self._chosen] = before[self._chosen]
        if not hold or self._lacks != before:
            self.lines.show(self._keeps, self.arrangement.filter.marks)
            if self.lines.known and not self.lines.moments:
                self._chosen = None
        self._write_head()

    def _lack(self, session: Session) -> tuple[str, ...] | None:
        out = self.arrangement.dismissed(session)
        return None if out else self.arrangement.filter.left(session)

    def _keeps(self, moment: TimelineEvent) -> bool:
        """Whether a moment is shown: what its session lacks of the filter's words, its text may hold."""
        words = self._lacks.get(moment.session_id)
        if not words:
            return words is not None
        text = f"{moment.agent} {moment.text}".casefold()
        return all(word in text for word in words)

    def tick(self) -> None:
        """Journals grow without a change of the fleet, too."""
        self._wanted.set()

    async def _follow(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            sessions = list(self._fleet.sessions)
            news = await asyncio.to_thread(self._chronicle.look, sessions)
            self.lines.add(news.moments, sessions, again=news.again)
            if not self._read and self.arrangement.filter:
                self.filter_changed()
            self._read = True
            self._write_head()

    def _name_of(self, session_id: str) -> str:
        session = self._fleet.sessions.get(session_id)
        return present.clean(session.name) if session else session_id[:8]

    def _write_head(self) -> None:
        shown, known = len(self.lines.moments), self.lines.known
        self.count_found(shown, known)
        parts: list[present.Part] = [(" ", "plain"), ("Timeline", "strong")]
        if not known:
            parts.append(("   nothing yet" if self._read else "   reading", "faint"))
        elif not shown:
            parts.append(("   nothing matches", "faint"))
        elif self.lines.follows:
            parts.append(("   follows", "muted"))
        else:
            new = f"{self.lines.behind} new   " if self.lines.behind else ""
            parts += [("   stays here   ", "muted"), (new, "plain"), ("G", "key"), (" follows again", "muted")]
        self._head.update(present.content(*parts), layout=False)

    def pick(self, session_id: str, *, by_user: bool = True) -> None:
        """Selects a session; while the lines follow they stay as they are."""
        if by_user or any(each.session_id == session_id for each in self.lines.moments):
            self.lines.select(session_id, by_user=by_user)

    @property
    def numbered(self) -> list[str]:
        """The first nine sessions in view, top to bottom."""
        return self.lines.numbered

    def on_timeline_lines_moved(self, message: TimelineLines.Moved) -> None:
        """The cursor is on a moment of a session, or the lines follow again."""
        if message.session_id is not None:
            self.choose(message.session_id, by_user=message.by_user)
        self._write_head()
