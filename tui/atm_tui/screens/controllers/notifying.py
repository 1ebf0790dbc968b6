"""Gives notifications about new conditions in the fleet, and mutes them."""

import asyncio
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from threading import Thread
from typing import TYPE_CHECKING

from textual.app import App
from textual.events import AppBlur, AppFocus, Event
from textual.timer import Timer

from atm_tui.config import Config
from atm_tui.model.notification import Condition, Notification
from atm_tui.model.session import Session
from atm_tui.monitor.protocol import Monitor
from atm_tui.notify.conditions import find_conditions
from atm_tui.notify.due import Memory
from atm_tui.notify.notifier import Notifier
from atm_tui.notify.surroundings import Surroundings, find_focused
from atm_tui.sources.mute import read_mute, write_mute
from atm_tui.sources.notify_locks import hold_app_lock

if TYPE_CHECKING:
    from atm_tui.notify.programs import Call

MUTE_SECONDS = 3600.0
"""Seconds for which the key mutes."""


class NotifyingController:
    """Checks for new conditions whenever the fleet changes. Does nothing in a recording."""

    def __init__(
        self,
        app: App[None],
        monitor: Monitor,
        config: Config,
        write: Callable[[str], object],
        warn: Callable[[str], object],
    ) -> None:
        """`write` writes to the terminal; `warn` shows a message."""
        self._app = app
        self._monitor = monitor
        self._config = config
        self._write = write
        self._warn = warn
        self._notifier = Notifier(config, monitor.capabilities.state_dir, Memory(started_at=monitor.now()))
        self._app_lock: int | None = None
        """The locked file which tells hooks that this app gives notifications; None until `begin`."""
        self._failures: set[str] = set()
        """The failures that were shown."""
        self._next_check: Timer | None = None
        """The timer of the next check for what is kept back."""
        self._is_busy = False
        self._reports_focus = False
        self._mute_until = 0.0
        """Until when notifications are muted, if there is no folder to store that."""

    @property
    def _is_off(self) -> bool:
        return self._monitor.capabilities.recording is not None or not self._config.notify_by

    def begin(self) -> None:
        """Keeps hooks from starting a notifier, except while the app is suspended. Call it when the app starts."""
        self._take_lock()
        self._app.app_suspend_signal.subscribe(self._app, lambda _: self.end(), immediate=True)
        self._app.app_resume_signal.subscribe(self._app, lambda _: self._take_lock())

    def _take_lock(self) -> None:
        folder = self._monitor.capabilities.state_dir
        if not self._is_off and folder is not None and self._app_lock is None:
            self._app_lock = hold_app_lock(folder)

    def end(self) -> None:
        """Lets hooks start a notifier again. Call it when the app ends."""
        if self._app_lock is not None:
            os.close(self._app_lock)
            self._app_lock = None

    def note_event(self, event: Event) -> None:
        """Records that the terminal reports its focus. Call it for every event of the app."""
        self._reports_focus = self._reports_focus or isinstance(event, AppBlur | AppFocus)

    def check(self) -> None:
        """Gives notifications about conditions that began since the last call. Call it when the fleet has changed."""
        if self._is_off or self._is_busy:
            return
        now = self._monitor.now()
        holding = find_conditions(self._monitor.fleet, self._config, now)
        due = self._notifier.look(holding, now)
        if self._next_check is not None:
            self._next_check.stop()
        if due.next_at is not None:
            self._next_check = self._app.set_timer(max(0.1, due.next_at - now), self.check)
        if not due.conditions:
            self._notifier.memory = due.memory
            return
        self._is_busy = True
        self._app.run_worker(self._notify(holding, due.conditions, now), group="notify")

    async def _notify(self, holding: tuple[Condition, ...], begun: tuple[Condition, ...], now: float) -> None:
        """Decides again with facts that take time to find out, then gives one notification."""
        sessions = self._list_sessions(each.session_id for each in begun)
        surroundings = await asyncio.to_thread(self._read_surroundings, sessions)
        self._is_busy = False
        due = self._notifier.look(holding, now, surroundings)
        if notification := self._notifier.take(due, now):
            self._give(notification)

    def _give(self, notification: Notification) -> None:
        # loaded with the first notification: the start doesn't need them
        from atm_tui.notify.programs import make_calls  # noqa: PLC0415
        from atm_tui.notify.sequences import find_terminal_kind, format_sequences  # noqa: PLC0415

        text = format_sequences(notification, self._config.notify_by, find_terminal_kind())
        if text and not self._app.is_headless:
            self._write(text)
        for call in make_calls(notification, self._list_sessions(notification.session_ids), self._config):
            # in a thread of its own: an action is waited for for minutes, and asyncio has few threads
            Thread(target=self._run, args=(call, asyncio.get_running_loop()), daemon=True).start()

    def _run(self, call: "Call", loop: asyncio.AbstractEventLoop) -> None:
        """Runs a program, in a thread; shows why it failed."""
        from atm_tui.notify.programs import PATIENCE, UNTIL_CHOSEN, run_call  # noqa: PLC0415

        if failure := run_call(call, UNTIL_CHOSEN if call.session_id else PATIENCE):
            with suppress(RuntimeError):  # the app has ended
                loop.call_soon_threadsafe(self._show_failure, failure)

    def _show_failure(self, failure: str) -> None:
        """Shows why a way failed, once for each reason."""
        if failure not in self._failures:
            self._failures.add(failure)
            self._warn(f"a notification was not given: {failure}")

    def _list_sessions(self, ids: Iterable[str]) -> tuple[Session, ...]:
        known = self._monitor.fleet.sessions
        return tuple(known[each] for each in dict.fromkeys(ids) if each in known)

    def _read_surroundings(self, sessions: tuple[Session, ...]) -> Surroundings:
        """Blocks briefly."""
        return Surroundings(
            focused=find_focused(sessions),
            muted_until=self._read_mute(),
            is_in_front=self._reports_focus and self._app.app_focus,
        )

    # Mute

    def toggle_mute(self) -> str:
        """Mutes for an hour, or ends that; returns what was done."""
        now = self._monitor.now()
        until = 0.0 if now < self._read_mute() else now + MUTE_SECONDS
        self._mute_until = until
        if self._monitor.capabilities.state_dir is not None:
            write_mute(self._monitor.capabilities.state_dir, until)
        if not until:
            return "notifications are on again"
        return f"notifications are muted until {datetime.fromtimestamp(until).astimezone():%H:%M}; m ends that"

    def _read_mute(self) -> float:
        folder = self._monitor.capabilities.state_dir
        return self._mute_until if folder is None else read_mute(folder)
