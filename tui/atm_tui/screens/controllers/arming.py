"""Arms the app, sends answers, and ignores keys that are held down."""

import asyncio

from textual.app import App
from textual.events import Event, Key, MouseDown, MouseUp

from atm_tui.keys.table import CommandKeys
from atm_tui.messages import Answer, Arm
from atm_tui.model.request import AnswerOutcome
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.answer_keys import CLICK, TICK, AnswerKeys
from atm_tui.screens.command_screen import list_observers

ALIVE = 1.0
"""Seconds between two heartbeats."""


class ArmingController:
    """Arms the app, and sends the answers of its screens. Each answer follows a key of the user."""

    def __init__(self, app: App[None], monitor: Monitor, reading: asyncio.Lock, commands: CommandKeys) -> None:
        """`reading` is held while the monitor reads or writes."""
        self.keys = AnswerKeys(commands=commands)
        self._app = app
        self._monitor = monitor
        self._reading = reading
        self._armed_before = False
        self._is_click_dropped = False
        """Whether the mouse button that is down is ignored."""

    def begin(self) -> None:
        """Starts the heartbeats to the monitor, and the clock for blocked keys."""
        app = self._app
        self._signs = app.set_interval(ALIVE, self._monitor.note_alive, pause=True)
        self._ticks = app.set_interval(TICK, self._tick, pause=True)
        self.keys.wake = self._ticks.resume
        app.app_suspend_signal.subscribe(app, lambda _: self._suspend(), immediate=True)
        app.app_resume_signal.subscribe(app, lambda _: self._resume())

    def end(self) -> None:
        """Releases the lease at once, so that no hook waits for an app that has ended."""
        self._monitor.arm(False)

    async def arm(self, on: bool) -> str | None:
        """Arms or disarms; returns why it can't, or None."""
        async with self._reading:
            reason = await asyncio.to_thread(self._monitor.arm, on)
            (self._signs.resume if on and reason is None else self._signs.pause)()
            await asyncio.to_thread(self._monitor.refresh)
        return reason

    async def try_arming(self, on: bool) -> tuple[str, bool]:
        """Arms or disarms; returns a message, and whether it says why that failed."""
        if reason := await self.arm(on):
            return reason, True
        return "armed: what sessions ask from now on can be answered here" if on else "not armed", False

    async def answer(self, message: Answer) -> None:
        """Sends an answer, and reports its outcome to every screen. Runs in a worker."""
        app = self._app
        try:
            outcome = await asyncio.to_thread(self._monitor.answer, message.request, message.decision)
        except OSError as error:
            app.notify(f"the answer can't be written: {error}", severity="warning", timeout=10, markup=False)
            outcome = AnswerOutcome.VOID
        for screen in list_observers(app.screen_stack):
            screen.handle_answer(message.request, message.decision, outcome)

    def should_drop(self, event: Event, *, is_typing: bool) -> bool:
        """Returns whether a key or click has to be ignored, since the same key answered a request a moment ago.

        `is_typing`: keys go into an input, where they can't answer.
        """
        if event.is_forwarded:
            return False
        if isinstance(event, Key):
            return not is_typing and self.keys.drop(event.key)
        if isinstance(event, MouseDown):
            self._is_click_dropped = self.keys.drop(CLICK)
            return self._is_click_dropped
        if isinstance(event, MouseUp):
            dropped, self._is_click_dropped = self._is_click_dropped, False
            return dropped
        return False

    def _tick(self) -> None:
        if not self.keys.update():
            self._ticks.pause()

    def _suspend(self) -> None:
        """Releases the lease while another program has the terminal, since nobody sees the app."""
        self._armed_before = self._monitor.fleet.is_armed
        self.end()

    def _resume(self) -> None:
        if self._armed_before:
            self._app.post_message(Arm(True))
