"""Gives notifications about new conditions in the fleet, and mutes them."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable
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
from atm_tui.sources.notify_locks import hold_app_lock, hold_front_lock, is_app_in_front

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
        go_to: Callable[..., Awaitable[None]],
    ) -> None:
        """`write` writes to the terminal; `warn` shows a message; `go_to` selects a session, as that of the app."""
        self._app = app
        self._monitor = monitor
        self._config = config
        self._write = write
        self._warn = warn
        self._go_to = go_to
        self._notifier = Notifier(config, monitor.capabilities.state_dir, Memory(started_at=monitor.now()))
        self._app_lock: int | None = None
        """The locked file which tells hooks that this app gives notifications; None until `begin`."""
        self._front_lock: int | None = None
        """The locked file which tells other apps that the user is in front of this one; None while that is not so."""
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

    def apply_config(self, config: Config) -> None:
        """Goes on with another configuration."""
        self._config = self._notifier.config = config
        if self._is_off:
            self.end()
        else:
            self._resume()

    def begin(self) -> None:
        """Keeps hooks from starting a notifier, except while the app is suspended. Call it when the app starts."""
        self._take_lock()
        self._app.app_suspend_signal.subscribe(self._app, lambda _: self.end(), immediate=True)
        self._app.app_resume_signal.subscribe(self._app, lambda _: self._resume())

    def _resume(self) -> None:
        self._take_lock()
        self._update_front(is_in_front=self._is_in_front)

    def _take_lock(self) -> None:
        folder = self._monitor.capabilities.state_dir
        if not self._is_off and folder is not None and self._app_lock is None:
            self._app_lock = hold_app_lock(folder)

    def end(self) -> None:
        """Lets hooks start a notifier again. Call it when the app ends."""
        if self._app_lock is not None:
            os.close(self._app_lock)
            self._app_lock = None
        self._update_front(is_in_front=False)

    def note_event(self, event: Event) -> None:
        """Records whether the terminal has the focus, if it reports that. Call it for every event of the app."""
        if isinstance(event, AppBlur | AppFocus):
            self._reports_focus = True
            self._update_front(is_in_front=isinstance(event, AppFocus))

    @property
    def _is_in_front(self) -> bool:
        """Whether the user is in front of this app, as far as the terminal reports."""
        return self._reports_focus and self._app.app_focus

    def _update_front(self, *, is_in_front: bool) -> None:
        """Tells other apps whether the user is in front of this one: then they give no notifications either."""
        folder = self._monitor.capabilities.state_dir
        if is_in_front and not self._is_off and folder is not None and self._front_lock is None:
            self._front_lock = hold_front_lock(folder)
        elif not is_in_front and self._front_lock is not None:
            os.close(self._front_lock)
            self._front_lock = None

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
        self.check()  # what began meanwhile

    def _give(self, notification: Notification) -> None:
        # loaded with the first notification: the start doesn't need them
        from atm_tui.notify.programs import make_calls  # noqa: PLC0415
        from atm_tui.notify.sequences import find_terminal_kind, format_sequences  # noqa: PLC0415

        text = format_sequences(notification, self._config.notify_by, find_terminal_kind())
        if text and not self._app.is_headless:
            self._write(text)
        sessions = self._list_sessions(notification.session_ids)
        for call in make_calls(notification, sessions, self._config, by_app=True):
            # in a thread of its own: an action is waited for for minutes, and asyncio has few threads
            Thread(target=self._run, args=(call, asyncio.get_running_loop()), daemon=True).start()

    def _run(self, call: "Call", loop: asyncio.AbstractEventLoop) -> None:
        """Runs a program, in a thread; shows why it failed, or the session if the user chose that."""
        from atm_tui.notify.programs import PATIENCE, UNTIL_CHOSEN, run_call  # noqa: PLC0415

        done = run_call(call, UNTIL_CHOSEN if call.session_id else PATIENCE)
        with suppress(RuntimeError):  # the loop has ended
            if done.failure:
                loop.call_soon_threadsafe(self._show_failure, done.failure)
            elif done.is_to_show:
                loop.call_soon_threadsafe(self._begin_to_show, call.session_id)

    def _begin_to_show(self, session_id: str) -> None:
        if self._app.is_running:
            self._app.run_worker(self._show_here(session_id), group="show", exclusive=True)

    async def _show_here(self, session_id: str) -> None:
        """Shows a session, and in tmux the pane of the app."""
        from atm_tui.jump.own_terminal import find_own_terminal  # noqa: PLC0415
        from atm_tui.jump.run import run_command  # noqa: PLC0415
        from atm_tui.jump.tmux import make_own_pane_commands  # noqa: PLC0415
        from atm_tui.jump.values import JumpError  # noqa: PLC0415

        def go_to_own_pane() -> None:
            for command in make_own_pane_commands(find_own_terminal()):
                run_command(command)

        await self._go_to(session_id, opens=True)
        with suppress(JumpError):  # the session is selected all the same
            await asyncio.to_thread(go_to_own_pane)

    def _show_failure(self, failure: str) -> None:
        """Shows why a way failed, once for each reason."""
        if failure not in self._failures and self._app.is_running:
            self._failures.add(failure)
            self._warn(f"a notification was not given: {failure}")

    def _list_sessions(self, ids: Iterable[str]) -> tuple[Session, ...]:
        known = self._monitor.fleet.sessions
        return tuple(known[each] for each in dict.fromkeys(ids) if each in known)

    def _read_surroundings(self, sessions: tuple[Session, ...]) -> Surroundings:
        """Blocks briefly."""
        folder = self._monitor.capabilities.state_dir
        return Surroundings(
            focused=find_focused(sessions),
            muted_until=self._read_mute(),
            is_in_front=self._is_in_front or (folder is not None and is_app_in_front(folder)),
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
