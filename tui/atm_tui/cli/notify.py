"""`atm-tui notify`: gives the notifications that are due, then ends. Hooks start it while no app runs."""

import argparse
import math
import os
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from threading import Thread

from atm_hooks.journal import write_log
from atm_tui import paths
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.parser import parse_seconds
from atm_tui.model.notification import Condition, Notification
from atm_tui.model.session import Liveness, Session
from atm_tui.monitor.live import LiveMonitor
from atm_tui.notify.conditions import find_conditions
from atm_tui.notify.due import Memory
from atm_tui.notify.notifier import Notifier
from atm_tui.notify.programs import Call, make_calls, run_call
from atm_tui.notify.sequences import find_terminal_kind
from atm_tui.notify.surroundings import Surroundings, find_focused
from atm_tui.notify.terminals import write_to_terminals
from atm_tui.sources.mute import read_mute
from atm_tui.sources.notify_locks import is_app_running, read_mark, take_notifier_lock

MARGIN = 10.0
"""Seconds before the event of the hook from which what begins counts: another hook may have left it to this notifier."""
LINGER = 3.0
"""Seconds after an event for which to look again: other sources may tell a little later what it means."""
_POLL = 0.25
"""Seconds between two looks at the mark of the hooks."""
_NICENESS = 5


def add_notify_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `notify`."""
    parser.add_argument(
        "--since",
        type=parse_seconds,
        metavar="TIME",
        help="epoch seconds of the event, as hooks give it: runs in the background (default: notify of the last 10 s)",
    )


def run_notify(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Gives what is due, and what becomes due; returns the exit code. Does nothing while an app or another notifier runs."""
    if not monitor.config.notify_by:
        return ExitCode.DONE
    if args.since is not None:
        os.nice(_NICENESS)
        with suppress(OSError):  # so that the folder of the session is not in use
            os.chdir(paths.find_home())
    run = _Run(monitor, monitor.now() if args.since is None else args.since, lingers=args.since is not None)
    while (lock := take_notifier_lock(monitor.state_dir)) is not None:
        try:
            mark = run.follow()
        finally:
            os.close(lock)
        if read_mark(monitor.state_dir) == mark:  # else a hook relied on this notifier while it was about to end
            break
    run.wait_for_programs()
    return ExitCode.DONE


class _Run:
    """One run of the notifier."""

    def __init__(self, monitor: LiveMonitor, since: float, *, lingers: bool) -> None:
        """`since`: time of the event, epoch seconds."""
        self._monitor = monitor
        self._config = monitor.config
        self._lingers = lingers
        self._notifier = Notifier(monitor.config, monitor.state_dir, Memory(started_at=since - MARGIN, is_first=False))
        self._programs: list[Thread] = []

    def follow(self) -> bytes:
        """Looks until nothing is kept back any more, or an app runs; returns the mark of the hooks at the last look."""
        folder, mark, until = self._monitor.state_dir, b"", 0.0
        while True:
            newest = read_mark(folder)
            if is_app_running(folder):
                return newest
            if newest != mark:
                mark, until = newest, self._monitor.now() + (LINGER if self._lingers else 0.0)
            next_at = self._look()
            now = self._monitor.now()
            if next_at is None and now >= until:
                return mark
            self._wait(mark, min(now + 1.0 if now < until else math.inf, math.inf if next_at is None else next_at))

    def _wait(self, mark: bytes, until: float) -> None:
        """Waits until a time (epoch seconds), or until a hook wants a notifier."""
        while (left := until - self._monitor.now()) > 0 and read_mark(self._monitor.state_dir) == mark:
            time.sleep(min(_POLL, left))

    def _look(self) -> float | None:
        """Gives what is due; returns when to look again for what is kept back, epoch seconds."""
        monitor, config = self._monitor, self._config
        monitor.refresh()
        if config.budget_day:
            for usd in monitor.spending.count_today():
                monitor.fleet.today = usd
        now = monitor.now()
        holding = find_conditions(monitor.fleet, config, now)
        due = self._notifier.look(holding, now)
        if not due.conditions:
            self._notifier.memory = due.memory
            return due.next_at
        due = self._notifier.look(holding, now, self._read_surroundings(due.conditions))
        if notification := self._notifier.take(due, now):
            self._give(notification)
        return due.next_at

    def _read_surroundings(self, begun: Sequence[Condition]) -> Surroundings:
        known = self._monitor.fleet.sessions
        sessions = [known[each.session_id] for each in begun if each.session_id in known]
        return Surroundings(focused=find_focused(sessions), muted_until=read_mute(self._monitor.state_dir))

    def _give(self, notification: Notification) -> None:
        known = self._monitor.fleet.sessions
        sessions = [known[each] for each in notification.session_ids if each in known]
        terminals = sessions or _list_newest(known.values())
        write_to_terminals(notification, terminals, self._config, find_terminal_kind())
        for call in make_calls(notification, sessions, self._config):
            program = Thread(target=self._run_program, args=(call,))
            program.start()
            self._programs.append(program)

    def _run_program(self, call: Call) -> None:
        if failure := run_call(call).failure:
            with suppress(OSError):
                write_log(str(self._monitor.state_dir), self._monitor.now(), f"a notification was not given: {failure}")

    def wait_for_programs(self) -> None:
        """Waits until all programs have ended; a desktop notification may be acted on for some minutes."""
        for each in self._programs:
            each.join()


def _list_newest(sessions: Iterable[Session]) -> list[Session]:
    """Returns the session that did something last, for what is about no session."""
    live = [each for each in sessions if each.liveness is Liveness.LIVE and each.terminal.tty]
    return sorted(live, key=lambda each: each.updated_at)[-1:]
