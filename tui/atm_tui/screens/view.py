"""What the views beside the tree share: header, footer, a selected session, and a look that counts once it lasts."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widget import Widget

from atm_tui import commands, paths
from atm_tui.commands import Selection
from atm_tui.config import Config
from atm_tui.messages import Looked
from atm_tui.model.fleet import Delta
from atm_tui.monitor import Monitor
from atm_tui.present import Glyphs
from atm_tui.replay import Replay
from atm_tui.screens.acting import ActingScreen
from atm_tui.widgets.footer import Footer
from atm_tui.widgets.header import Header

TALL = 30
"""Lines from which on there is an empty line under the header."""
LOOKED = 1.0
"""Seconds that the user has to rest on a session before it counts as seen."""


class ViewScreen(ActingScreen):
    """A view of the fleet on which a session is selected. A subclass gives its body, and what it shows."""

    BINDINGS: ClassVar[list[BindingType]] = [*commands.view_bindings(), Binding("escape", "app.tree", show=False)]

    def __init__(self, monitor: Monitor, config: Config, glyphs: Glyphs, chosen: str | None) -> None:
        """`chosen` is the id of the session that is selected when it opens."""
        super().__init__(monitor, config, glyphs)
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (TALL, "-tall")]
        self._chosen = chosen
        self._looked_at: tuple[str, float] | None = None
        self._header = Header(glyphs, str(paths.home()), config.budget_day)
        self._footer = Footer(glyphs, view=True)

    def body(self) -> Widget:
        """The widget between header and footer; it gets the focus."""
        raise NotImplementedError

    def show_fleet(self) -> None:
        """Shows the fleet as it is now."""
        raise NotImplementedError

    def tick(self) -> None:
        """A second went by."""

    def compose(self) -> ComposeResult:
        """The widgets, top to bottom."""
        yield self._header
        yield self.body()
        yield self._footer

    def on_mount(self) -> None:
        """Starts the clock."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self.body().focus()
        self.set_interval(1.0, self._tick)
        self.fleet_changed(Delta())

    def fleet_changed(self, delta: Delta) -> None:  # noqa: ARG002 (the base's name)
        """Shows what there is now."""
        self._header.show(self._fleet, self._monitor.now())
        self.show_fleet()
        self._footer.show(self.selection)

    def _tick(self) -> None:
        self.tick()
        now = self._monitor.now()
        self._header.tick(now)
        if self._looked_at is not None and now - self._looked_at[1] >= LOOKED:
            session_id, self._looked_at = self._looked_at[0], None
            session = self._fleet.sessions.get(session_id)
            if session is not None and session.unseen:
                self.post_message(Looked(session_id))

    def choose(self, session_id: str | None, *, by_user: bool) -> None:
        """A session is selected now; one that the user rests on counts as seen."""
        self._chosen = session_id
        if by_user:
            self._looked_at = (session_id, self._monitor.now()) if session_id else None
        self._footer.show(self.selection)

    @property
    def selection(self) -> Selection:
        """The selected session, for the commands."""
        session = self._fleet.sessions.get(self._chosen) if self._chosen else None
        folder = ""
        if session:
            folder = session.cwd if session.project.worktree else session.project.root or session.cwd
        waiting = len(self._fleet.attention())
        return Selection("session" if session else "", session, folder, waiting, not self._fleet.sessions)

    def say(self, text: str, *, trouble: bool = False) -> None:
        """In the footer's place."""
        self._footer.say(text, trouble=trouble)

    def action_jump(self) -> None:
        """Goes to the session; from a recording there is nowhere to go to."""
        if isinstance(self._monitor, Replay):
            self.say("jump: this is a recording, not the session", trouble=True)
        else:
            super().action_jump()
