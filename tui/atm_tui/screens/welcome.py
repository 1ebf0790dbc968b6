"""The screen of the first start: what you will see, the hooks, the main keys, in three short steps."""

from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from atm_tui.keys.table import CommandKeys
from atm_tui.model.fleet import Delta, Fleet
from atm_tui.screens.command_screen import FleetObserver
from atm_tui.screens.dialog_screen import DialogScreen
from atm_tui.view.present import Glyphs, make_content
from atm_tui.view.welcome import HOOKS, KEYS, STEPS, write

WIDTH = 68
"""Largest width of the box in cells; the same as in the style sheet."""
FRAME = 6
"""Cells of border and padding."""
LOW = 18
"""Height in lines below which the frame has no empty lines."""


class WelcomeScreen(DialogScreen[None], FleetObserver):
    """Enter only shows the next step, so that holding it does no harm; Esc closes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space,right,l", "go(1)"),
        Binding("left,backspace,h", "go(-1)"),
        Binding("i", "install"),
        Binding("escape,q", "leave"),
    ]

    def __init__(self, fleet: Fleet, glyphs: Glyphs, install: Callable[[], Awaitable[None]], keys: CommandKeys) -> None:
        """`install` opens the wizard, and returns when it is closed."""
        super().__init__()
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (LOW, "-high")]
        self._fleet = fleet
        self._glyphs = glyphs
        self._install = install
        self._keys = keys
        self._at = 0
        self._text = Static(id="welcome")
        self._text.auto_links = False

    def compose(self) -> ComposeResult:
        """Yields the text."""
        yield self._text

    def on_mount(self) -> None:
        """Sets the border of ASCII mode."""
        self.set_class(self._glyphs.ascii, "-ascii")

    def on_resize(self, _: Resize) -> None:
        """Wraps the lines for the new width."""
        self._paint()

    def handle_fleet_change(self, delta: Delta) -> None:
        """Writes the text again if the state of the hooks changed."""
        if delta.health:
            self._paint()

    def _paint(self) -> None:
        width = max(20, min(self.size.width, WIDTH) - FRAME)
        self._text.border_title = f"{STEPS[self._at]} {self._glyphs.dot} {self._at + 1} of {len(STEPS)}"
        self._text.border_subtitle = "Esc closes" if self._at == len(STEPS) - 1 else "Esc skips"
        named = [self._keys.find(each) for each in KEYS]
        lines = write(self._at, self._fleet.health.hooks, named, width, self._glyphs)
        self._text.update(Content("\n").join(make_content(*line) for line in lines))

    def action_go(self, step: int) -> None:
        """Shows the next or the previous step; closes after the last one."""
        self._at = max(0, self._at + step)
        if self._at < len(STEPS):
            self._paint()
        else:
            self.dismiss()

    def action_install(self) -> None:
        """Opens the wizard from the step about hooks; shows the next step afterwards."""
        if self._at == HOOKS:
            self.run_worker(self._run_wizard(), exclusive=True)

    async def _run_wizard(self) -> None:
        await self._install()
        self.action_go(+1)

    def action_leave(self) -> None:
        """Closes the screen."""
        self.dismiss()
