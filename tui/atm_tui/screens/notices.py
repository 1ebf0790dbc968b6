"""The notices screen: all notices of the header and all findings of the doctor, in full."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Resize

from atm_tui import commands
from atm_tui.keys.table import CommandKeys
from atm_tui.model.fleet import Delta
from atm_tui.monitor.protocol import Monitor
from atm_tui.monitor.read_once import read_sessions
from atm_tui.screens.command_screen import FleetObserver
from atm_tui.screens.dialog_screen import DialogScreen
from atm_tui.screens.motion_keys import make_scroll_bindings
from atm_tui.settings.all_checks import find_config_dirs, run_all_checks
from atm_tui.settings.check import Check
from atm_tui.settings.errors import SettingsError
from atm_tui.view.notices import write_findings, write_notices
from atm_tui.view.present import Glyphs, make_content
from atm_tui.widgets.text_box import TextBox

WIDTH = 100
"""Largest width of the box in cells, as in the style sheet."""
FRAME = 7
"""Cells of border, padding and scrollbar of the box."""

RunChecks = Callable[[], Iterator[Check]]
"""Runs the doctor's checks; yields each as soon as it is made. Blocks, and may raise SettingsError."""


class NoticesScreen(FleetObserver, DialogScreen[None]):
    """Closes with its own keys, and with those that opened it."""

    BINDINGS: ClassVar[list[BindingType]] = [*commands.make_bindings("text"), *make_scroll_bindings()]

    def __init__(self, monitor: Monitor, glyphs: Glyphs, keys: CommandKeys) -> None:
        super().__init__()
        self.openers = keys.list_keys("notices")
        self._fleet = monitor.fleet
        self._run_checks = _find_checks(monitor)
        self._home = monitor.home
        self._glyphs = glyphs
        self._checks: list[Check] = []
        self._is_checking = self._run_checks is not None
        self._problem = ""
        self.scrolled = self._box = TextBox("Notices", f"{keys.label('text_close')} closes", name="notices")

    def compose(self) -> ComposeResult:
        """Yields the box."""
        yield self._box

    def on_mount(self) -> None:
        """Focuses the text, so that arrow keys scroll it, and starts the checks."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self._box.focus()
        if self._run_checks is not None:
            self.run_worker(self._check(self._run_checks), group="check", exclusive=True)

    async def _check(self, run_checks: RunChecks) -> None:
        checks = run_checks()
        try:
            while (check := await asyncio.to_thread(next, checks, None)) is not None:
                self._checks.append(check)
                self._paint()
        except SettingsError as error:
            self._problem = str(error)
        self._is_checking = False
        self._paint()

    def handle_fleet_change(self, delta: Delta) -> None:  # noqa: ARG002 - all notices are rendered again
        """Shows the current notices."""
        self._paint()

    def on_resize(self, _: Resize) -> None:
        """Wraps the lines for the new width."""
        self._paint()

    def _paint(self) -> None:
        width = max(1, min(self.size.width, WIDTH) - FRAME)
        problem = [self._problem] if self._problem else []
        lines = write_notices([*self._fleet.notices, *problem], width, self._glyphs)
        if self._run_checks is not None:
            lines += [[], *write_findings(self._checks, self._is_checking, width, self._glyphs, self._home)]
        self._box.show_lines(make_content(*line) for line in lines)


def _find_checks(monitor: Monitor) -> RunChecks | None:
    """Returns the function that runs the doctor's checks; None in a recording or a demo."""
    state_dir = monitor.capabilities.state_dir
    if state_dir is None or not monitor.capabilities.answers:
        return None

    def run_checks() -> Iterator[Check]:
        yield from run_all_checks(find_config_dirs([]), state_dir, Path.cwd(), read_sessions)

    return run_checks
