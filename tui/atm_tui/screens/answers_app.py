"""The part of the app that takes answers: arming and its heartbeat, giving an answer, and keys that are held down."""

import asyncio

from textual.app import App
from textual.events import Event, Key
from textual.widgets import Input

from atm_tui.messages import Answer, Arm, FleetChanged
from atm_tui.model.request import Answered, Arming
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.acting import ActingScreen
from atm_tui.screens.base import FleetScreen
from atm_tui.screens.request_keys import TICK, AnswerKeys

BEAT = 1.0
"""Seconds between two heartbeats."""


class AnswersApp(App[None]):
    """An app that can be armed. It answers nothing by itself: each answer is a message of a screen, after a key."""

    def __init__(self, monitor: Monitor) -> None:
        super().__init__()
        self._monitor = monitor
        # A refresh and a mark never run at the same time: the monitor need not be thread-safe.
        self._reading = asyncio.Lock()
        self.answer_keys = AnswerKeys()
        self._armed_before = False

    def begin_answers(self) -> None:
        """Starts the heartbeat. It comes from the event loop: an app that hangs or is stopped is not armed."""
        self._beats = self.set_interval(BEAT, self._monitor.beat, pause=True)
        self._ticks = self.set_interval(TICK, self._tick, pause=True)
        self.answer_keys.wake = self._ticks.resume
        self.app_suspend_signal.subscribe(self, lambda _: self._suspended(), immediate=True)
        self.app_resume_signal.subscribe(self, lambda _: self._resumed())

    def end_answers(self) -> None:
        """Gives the lease back at once: no hook waits for an app that is gone."""
        self._monitor.arm(False)

    async def on_event(self, event: Event) -> None:
        """Drops a key that is held down since it answered a request; what is written into a line is no answer."""
        if isinstance(event, Key) and not event.is_forwarded and self._is_held(event.key):
            return
        await super().on_event(event)

    def _is_held(self, key: str) -> bool:
        return not isinstance(self.focused, Input) and self.answer_keys.swallows(key)

    async def on_arm(self, message: Arm) -> None:
        """Takes answers from now on, or no longer; says which, or why it can't."""
        async with self._reading:
            why = await asyncio.to_thread(self._monitor.arm, message.on)
            (self._beats.resume if message.on and why is None else self._beats.pause)()
            await asyncio.to_thread(self._monitor.refresh)
        if isinstance(self.screen, ActingScreen):
            on = "armed: what sessions ask from now on can be answered here"
            self.screen.say(why or (on if message.on else "not armed"), trouble=why is not None)
        self.post_message(FleetChanged())

    async def on_answer(self, message: Answer) -> None:
        """Gives the answer, and tells every screen what became of it."""
        self.run_worker(self._answer(message), group="answer")

    async def _answer(self, message: Answer) -> None:
        try:
            outcome = await asyncio.to_thread(self._monitor.answer, message.request, message.decision)
        except OSError as error:
            self.notify(f"the answer can't be written: {error}", severity="warning", timeout=10, markup=False)
            outcome = Answered.VOID
        for screen in list(self.screen_stack):
            if isinstance(screen, FleetScreen):
                screen.answered(message.request, message.decision, outcome)

    def _tick(self) -> None:
        if not self.answer_keys.look():
            self._ticks.pause()

    def _suspended(self) -> None:
        """Nobody looks while another program has the terminal: nothing waits for an answer here meanwhile."""
        self._armed_before = self._monitor.fleet.arming is Arming.ON
        self.end_answers()

    def _resumed(self) -> None:
        if self._armed_before:
            self.post_message(Arm(True))
