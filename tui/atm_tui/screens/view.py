"""What the views beside the tree share: header, filter, footer, a selected session, and a look that counts once it lasts."""

from collections.abc import Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget
from textual.widgets import Static

from atm_tui import commands
from atm_tui.commands import Selection
from atm_tui.config import Config
from atm_tui.messages import SessionSeen
from atm_tui.model.flags import SessionFlags
from atm_tui.model.fleet import Delta
from atm_tui.model.session import Session
from atm_tui.monitor.protocol import Monitor
from atm_tui.monitor.replay import Replay
from atm_tui.screens.arrangement import Arrangement
from atm_tui.screens.finding import FILTERING, FindingScreen
from atm_tui.view.present import Glyphs
from atm_tui.widgets.footer import Footer
from atm_tui.widgets.header import Header

LOW = 18
"""Lines below which there is no rule under the header."""
TALL = 30
"""Lines from which on there is an empty line under a view's title."""
LOOKED = 1.0
"""Seconds that the user has to rest on a session before it counts as seen."""


class ViewScreen(FindingScreen):
    """A view of the fleet on which a session is selected. A subclass gives its body, and what it shows."""

    BINDINGS: ClassVar[list[BindingType]] = [*commands.view_bindings()]
    VIEW: ClassVar[str]
    """The id of the command that opens it."""

    def __init__(
        self, monitor: Monitor, config: Config, glyphs: Glyphs, arrangement: Arrangement, chosen: str | None
    ) -> None:
        """`chosen` is the id of the session that is selected when it opens."""
        super().__init__(monitor, config, glyphs, arrangement)
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (LOW, "-high"), (TALL, "-tall")]
        self._chosen = chosen
        self._by_user = self._before_filter = chosen
        self._looked_at: tuple[str, float] | None = None
        self._body: tuple[Widget, ...] = ()
        self._header = Header(glyphs, monitor.home, config.budget_day)
        self._footer = Footer(glyphs, view=True)

    def body(self) -> Iterable[Widget]:
        """The widgets between rule and footer; the last one gets the focus."""
        raise NotImplementedError

    def show_fleet(self, *, hold: bool = True) -> None:
        """Shows the fleet as it is now. `hold`: the selected session stays, though the filter lets it through no more."""
        raise NotImplementedError

    def pick(self, session_id: str, *, by_user: bool = True) -> None:
        """Selects a session where it is shown; one that isn't changes nothing."""
        raise NotImplementedError

    @property
    def numbered(self) -> list[str]:
        """Ids of the first nine sessions that are in view, by the number that they show."""
        raise NotImplementedError

    def tick(self) -> None:
        """A second went by."""

    def compose(self) -> ComposeResult:
        """The widgets, top to bottom."""
        self._body = tuple(self.body())
        yield self._header
        yield Static(id="rule")
        yield from self._body
        yield self._footer

    def on_mount(self) -> None:
        """Starts the clock."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self.main_widget().focus()
        self.set_interval(1.0, self._tick)
        self.fleet_changed(Delta())

    def fleet_changed(self, delta: Delta) -> None:  # noqa: ARG002 (the base's name)
        """Shows what there is now."""
        self._header.show(self._fleet, self._monitor.now())
        self.show_fleet()
        self._footer.show(self.selection)
        self.face()

    def _tick(self) -> None:
        self.tick()
        now = self._monitor.now()
        self._header.tick(now)
        if self._looked_at is not None and now - self._looked_at[1] >= LOOKED:
            session_id, self._looked_at = self._looked_at[0], None
            session = self._fleet.sessions.get(session_id)
            if session is not None and session.unseen:
                self.post_message(SessionSeen(session_id))

    # What is selected

    @property
    def chosen(self) -> str | None:
        """What the user selected here or, as long as they did not, what was selected as it opened."""
        return self._by_user

    def choose(self, session_id: str | None, *, by_user: bool) -> None:
        """A session is selected now; one that the user rests on counts as seen."""
        self._chosen = session_id
        if by_user:
            self._by_user = session_id
            self._looked_at = (session_id, self._monitor.now()) if session_id else None
        self._footer.show(self.selection)
        self.face()

    @property
    def selection(self) -> Selection:
        """The selected session, for the commands."""
        session = self._fleet.sessions.get(self._chosen) if self._chosen else None
        folder = ""
        if session:
            folder = session.cwd if session.project.worktree else session.project.root or session.cwd
        waiting = len(self._fleet.attention())
        empty = not self._fleet.sessions
        return self.answerable(Selection("session" if session else "", session, folder, waiting, empty, view=self.VIEW))

    def go_to(self, session_id: str) -> None:
        """Selects a session; says why, when it can't be."""
        session = self._fleet.sessions.get(session_id)
        if session is not None and not self.arrangement.shows(session, self._chosen):
            self.say("the filter hides it; Esc clears the filter", trouble=True)
        else:
            self.pick(session_id)

    def action_nth(self, key: str) -> None:
        """Selects the session that has this number on the screen."""
        shown = self.numbered
        if int(key) <= len(shown):
            self.pick(shown[int(key) - 1])
        else:
            self.say(f"select: there are {len(shown)} sessions on the screen", trouble=True)

    def action_sort(self) -> None:
        """The order of a view is its own: the command is disabled, and says so."""

    # The filter

    def main_widget(self) -> Widget:
        """What the keys move in."""
        return self._body[-1]

    def below_filter(self) -> Widget:
        """The line takes the place of the rule under the header."""
        return self._body[0]

    def filter_begins(self) -> None:
        """Remembers what is selected."""
        self._before_filter = self._chosen

    def filter_changed(self) -> None:
        """What was selected stays so as long as it is shown."""
        self.show_fleet(hold=False)
        if self._before_filter is not None:
            self.pick(self._before_filter, by_user=False)
        self._footer.show(self.selection)

    def filter_kept(self) -> None:
        """What is selected now is what the user wants."""
        self._by_user = self._chosen

    def filter_ends(self, *, back: bool) -> None:
        """Shows all again."""
        selected = self._before_filter if back or self._chosen is None else self._chosen
        self.show_fleet(hold=False)
        if selected is not None:
            self.pick(selected, by_user=False)
        self._footer.show(self.selection)

    async def action_clear_filter(self) -> None:
        """Shows all again; where all is shown, the tree."""
        if self.has_class(FILTERING):
            await super().action_clear_filter()
        else:
            await self.run_action("app.tree")

    # In a recording

    def say(self, text: str, *, trouble: bool = False) -> None:
        """In the footer's place."""
        self._footer.say(text, trouble=trouble)

    def action_jump(self) -> None:
        """Goes to the session; from a recording there is nowhere to go to."""
        if isinstance(self._monitor, Replay):
            self.say("jump: this is a recording, not the session", trouble=True)
        else:
            super().action_jump()

    def _lay(self, act: str, session: Session, flags: SessionFlags, said: str) -> None:
        if isinstance(self._monitor, Replay):
            self.say(f"{act}: this is a recording, not the session", trouble=True)
        else:
            super()._lay(act, session, flags, said)
