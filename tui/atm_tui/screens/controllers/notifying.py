"""Notifies the user of what begins in the fleet, and mutes that."""

import asyncio
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial

from textual.app import App

from atm_tui import paths
from atm_tui.config import Config
from atm_tui.jump.tmux_focus import list_focused_panes
from atm_tui.model.notification import Condition, Notification, parse_quiet_hours
from atm_tui.model.session import Session
from atm_tui.monitor.protocol import Monitor
from atm_tui.notify.conditions import find_conditions
from atm_tui.notify.due import Circumstances, Memory, find_due, make_notification
from atm_tui.notify.programs import make_calls, run_call
from atm_tui.notify.sequences import TerminalKind, format_sequences
from atm_tui.sources.mute import read_mute, write_mute

MUTE_SECONDS = 3600.0
"""Seconds for which the key mutes."""


class NotifyingController:
    """Looks for what began whenever the fleet changes. In a recording it does nothing."""

    def __init__(self, app: App[None], monitor: Monitor, config: Config, write: Callable[[str], object]) -> None:
        """`write` writes to the terminal."""
        self._app = app
        self._monitor = monitor
        self._config = config
        self._write = write
        self._hours = parse_quiet_hours(config.quiet_hours)
        self._memory = Memory(started_at=monitor.now())
        self._is_busy = False
        self._reports_focus = False
        self._mute_until = 0.0
        """Until when it is muted, where there is no folder to store that."""

    def check(self) -> None:
        """Notifies of what began since the last call. Call it when the fleet has changed."""
        if self._monitor.capabilities.recording is not None or not self._config.notify_by or self._is_busy:
            return
        # a terminal that reports its focus has told so at the latest when it lost it
        self._reports_focus = self._reports_focus or not self._app.app_focus
        now = self._monitor.now()
        holding = find_conditions(self._monitor.fleet, self._config, now)
        circumstances = Circumstances(cooldown=self._config.notify_cooldown)
        due = find_due(self._memory, holding, circumstances, now)
        if due.next_at is not None:
            self._app.set_timer(max(0.1, due.next_at - now), self.check)
        if not due.conditions:
            self._memory = due.memory
            return
        self._is_busy = True
        self._app.run_worker(self._notify(holding, due.conditions, now), group="notify")

    async def _notify(self, holding: tuple[Condition, ...], begun: tuple[Condition, ...], now: float) -> None:
        """Decides again, with what takes time to find out; then gives one notification."""
        sessions = self._list_sessions(each.session_id for each in begun)
        focused, muted_until = await asyncio.to_thread(self._read_surroundings, sessions)
        circumstances = Circumstances(
            cooldown=self._config.notify_cooldown,
            is_silent=self._is_in_front() or now < muted_until or self._is_quiet_hour(now),
            focused=focused,
        )
        due = find_due(self._memory, holding, circumstances, now)
        self._memory, self._is_busy = due.memory, False
        new = [each for each in due.conditions if self._monitor.is_first_time(f"notified {each.key}")]
        if notification := make_notification(new):
            self._give(notification)

    def _give(self, notification: Notification) -> None:
        if not self._app.is_headless and (text := format_sequences(notification, self._config.notify_by, _find_kind())):
            self._write(text)
        for call in make_calls(notification, self._list_sessions(notification.session_ids), self._config):
            self._app.run_worker(partial(run_call, call), thread=True, group="notify")

    def _list_sessions(self, ids: Iterable[str]) -> tuple[Session, ...]:
        known = self._monitor.fleet.sessions
        return tuple(known[each] for each in dict.fromkeys(ids) if each in known)

    def _read_surroundings(self, sessions: tuple[Session, ...]) -> tuple[frozenset[str], float]:
        """Returns the sessions whose panes have the focus, and until when notifications are muted. Blocks briefly."""
        panes = {
            socket: list_focused_panes(socket)
            for socket in {each.terminal.socket for each in sessions if each.terminal.kind == "tmux"}
            if socket
        }
        focused = (
            each.session_id for each in sessions if each.terminal.pane in panes.get(each.terminal.socket or "", ())
        )
        return frozenset(focused), self._read_mute()

    def _is_in_front(self) -> bool:
        return self._reports_focus and self._app.app_focus

    def _is_quiet_hour(self, now: float) -> bool:
        local = datetime.fromtimestamp(now).astimezone()
        return self._hours is not None and self._hours.include(local.hour * 60 + local.minute)

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


def _find_kind() -> TerminalKind:
    read = paths.read_variable
    in_tmux = read("TMUX") is not None
    program = read("LC_TERMINAL") if in_tmux else read("TERM_PROGRAM")
    return TerminalKind(
        term=read("TERM") or "",
        program=program or "",
        is_kitty=read("KITTY_WINDOW_ID") is not None,
        is_vte=read("VTE_VERSION") is not None,
        in_tmux=in_tmux,
    )
