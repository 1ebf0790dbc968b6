"""Updates what depends on the time, as often as it changes."""

import asyncio
import time
from collections.abc import Callable
from contextvars import Context, copy_context
from typing import Any

from textual.screen import Screen

from atm_tui.sources.wakeups import measure_pause
from atm_tui.view.aged_lines import COARSE_STEP

TICK = 1.0
"""Seconds between two ticks while something in view counts seconds; otherwise there are COARSE_STEP between them."""
Tick = Callable[[], None]


class TickingController:
    """Ticks at whole seconds of the clock, which timers of Textual's don't, until the screen is gone."""

    def __init__(self, screen: Screen[Any], tick: Callable[[], bool]) -> None:
        """`tick`: updates the times on the screen; returns whether something there counts seconds."""
        self._screen = screen
        self._tick = tick
        self._context: Context | None = None
        """That of the screen; None until it begins."""
        self._timer: asyncio.TimerHandle | None = None
        self._is_calm = False

    def begin(self) -> None:
        """Starts to tick."""
        self._context = copy_context()
        self._wait(TICK)

    def hasten(self) -> None:
        """Ticks at the next whole second: something else is in view, which may count seconds."""
        if self._is_calm and self._timer is not None:
            self._timer.cancel()
            self._wait(TICK)

    def _wait(self, step: float) -> None:
        self._is_calm = step > TICK
        pause = measure_pause(time.time(), step)
        self._timer = asyncio.get_running_loop().call_later(pause, self._run, context=self._context)

    def _run(self) -> None:
        screen, app, counts_seconds = self._screen, self._screen.app, True
        if app._exit or not screen.is_running:  # noqa: SLF001  as Textual's timers do
            return
        try:
            counts_seconds = self._tick()
        except Exception as error:  # noqa: BLE001  as Textual's timers do
            app._handle_exception(error)  # noqa: SLF001
        self._wait(TICK if counts_seconds else COARSE_STEP)
