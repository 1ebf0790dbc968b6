"""The wizard as an app of its own: `atm-tui install` opens it on a terminal."""

import asyncio
import contextlib
import signal
from collections.abc import Sequence

from textual.driver import Driver
from textual.events import Event, Key, Resize
from textual.filter import LineFilter

from atm_tui import paths
from atm_tui.monitor.read_once import read_sessions
from atm_tui.screens.suspend import resume_only_when_suspended
from atm_tui.screens.terminal_driver import choose_driver
from atm_tui.screens.themed_app import ThemedApp
from atm_tui.screens.too_small import cover_small_terminal
from atm_tui.screens.wizard import WizardScreen
from atm_tui.settings.apply import Applied
from atm_tui.settings.locations import Scope
from atm_tui.settings.options import Options
from atm_tui.settings.setup import Setup
from atm_tui.sources.config_file import examine_config
from atm_tui.sources.theme import ThemeFile
from atm_tui.view import present
from atm_tui.view.line_filters import add_line_filters, make_error_console
from atm_tui.view.themes import THEMES


class WizardApp(ThemedApp[tuple[Applied, ...]]):
    """Runs the wizard, in the configured theme."""

    CSS_PATH = "../app.tcss"
    TITLE = "atm-tui"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, setup: Setup, *, theme: str = "", ascii_only: bool = False) -> None:
        super().__init__()
        self._setup = setup
        self.glyphs = present.ASCII if ascii_only else present.UNICODE
        self.error_console = make_error_console()
        self.theme = theme if theme in self.available_themes else THEMES[0].name

    def get_driver_class(self) -> type[Driver]:
        """Returns Textual's choice, which here outlives input that is no UTF-8."""
        return choose_driver(super().get_driver_class())

    def on_mount(self) -> None:
        """Shows the wizard, and exits when it closes."""
        self.app_resume_signal.subscribe(self, lambda _: self._repaint())
        resume_only_when_suspended(self, self._driver, self._repaint)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            # Only the main thread can set signal handlers; tests run in others.
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, self.exit, (), 128 + number)
        self.push_screen(WizardScreen(self._setup, self.glyphs), lambda done: self.exit(done or ()))

    def _repaint(self) -> None:
        """Paints all screens again: the terminal was the shell's meanwhile, and is empty."""
        for screen in self.screen_stack:
            screen.refresh(layout=True)

    async def on_event(self, event: Event) -> None:
        """Suspends with Ctrl+Z, on dialogs too."""
        if isinstance(event, Key) and event.key == "ctrl+z":
            if not event.is_forwarded:
                self.action_suspend_process()
        else:
            await super().on_event(event)

    def on_resize(self, _: Resize) -> None:
        """Covers the wizard while the terminal is too small for it."""
        self.call_later(cover_small_terminal, self)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Returns Textual's filters and ours: one cleans, in ASCII mode another replaces our signs."""
        return add_line_filters(super().get_line_filters(), ascii_only=self.glyphs.ascii)


def run_wizard(config_dirs: Sequence[str], scope: Scope, options: Options) -> tuple[tuple[Applied, ...], int]:
    """Opens the wizard; returns what was written, and the exit code for a signal, or 0. Raises SettingsError."""
    config = examine_config(paths.find_config_file()).config
    ascii_only = config.ascii or not paths.is_utf8()
    theme = ThemeFile(paths.find_state_dir()).find_theme(config.theme)
    app = WizardApp(Setup.create(read_sessions, config_dirs, scope, options), theme=theme, ascii_only=ascii_only)
    done = app.run() or ()
    return done, app.return_code or 0
