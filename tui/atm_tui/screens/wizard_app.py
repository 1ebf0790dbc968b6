"""The wizard as an app of its own: `atm-tui install` opens it on a terminal."""

import asyncio
import contextlib
import signal
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from textual.driver import Driver
from textual.events import Event, Resize
from textual.filter import LineFilter

from atm_tui import paths
from atm_tui.keys.table import CommandKeys
from atm_tui.monitor.read_once import read_sessions
from atm_tui.screens.controllers.key_input import KeyInput
from atm_tui.screens.suspend import handle_stop_and_continue
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

NO_KEYS: Mapping[str, Any] = MappingProxyType({})


class WizardApp(ThemedApp[tuple[Applied, ...]]):
    """Runs the wizard, in the configured theme."""

    CSS_PATH = "../app.tcss"
    TITLE = "atm-tui"
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self, setup: Setup, *, theme: str = "", ascii_only: bool = False, keys: Mapping[str, Any] = NO_KEYS
    ) -> None:
        """`keys`: those of the configuration."""
        super().__init__()
        self._setup = setup
        self._keys, self._key_problems = CommandKeys.begin(keys)
        self._key_input = KeyInput(self, self._keys, lambda: ascii_only)
        self.glyphs = present.ASCII if ascii_only else present.UNICODE
        self.error_console = make_error_console()
        self.theme = theme if theme in self.available_themes else THEMES[0].name

    def get_driver_class(self) -> type[Driver]:
        """Returns Textual's choice, which here outlives input that is no UTF-8."""
        return choose_driver(super().get_driver_class())

    def on_mount(self) -> None:
        """Shows the wizard, and exits when it closes."""
        self.app_resume_signal.subscribe(self, lambda _: self._repaint())
        handle_stop_and_continue(self, self._driver, self._repaint)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            # Only the main thread can set signal handlers; tests run in others.
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, self.exit, (), 128 + number)
        self.set_keymap(self._keys.keymap)
        self.push_screen(WizardScreen(self._setup, self.glyphs, self._keys), lambda done: self.exit(done or ()))
        if self._key_problems:
            self.notify(f"{self._key_problems}. Until then, the default keys work.", severity="warning", markup=False)

    def _repaint(self) -> None:
        """Paints all screens again: the terminal was the shell's meanwhile, and is empty."""
        for screen in self.screen_stack:
            screen.refresh(layout=True)

    async def on_event(self, event: Event) -> None:
        """Completes chords, and suspends and quits with their keys on dialogs too."""
        if (read := await self._key_input.read(event)) is not None:
            await super().on_event(read)

    async def action_quit(self) -> None:
        """Leaves the wizard, unless it is writing."""
        if isinstance(self.screen, WizardScreen):
            self.screen.action_leave()
        else:
            self.exit(())

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
    app = WizardApp(
        Setup.create(read_sessions, config_dirs, scope, options), theme=theme, ascii_only=ascii_only, keys=config.keys
    )
    done = app.run() or ()
    return done, app.return_code or 0
