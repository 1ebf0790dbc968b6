"""`atm-tui stream`: prints all sessions of this machine, and then each change, as JSON lines for another atm-tui."""

import argparse
import platform
from collections.abc import Collection

import msgspec

from atm_tui import __version__
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import flush, format_json, write_error, write_json
from atm_tui.cli.parser import parse_seconds
from atm_tui.model.changes import list_changes
from atm_tui.model.session import Session
from atm_tui.model.stream import HEARTBEAT, PROTOCOL, CompleteLine, Hello, ReplyLine, StreamLine
from atm_tui.monitor.live import LiveMonitor
from atm_tui.settings.hook_report import INSTALL, RENEW
from atm_tui.view.stream_lines import (
    build_change_line,
    build_fleet_line,
    build_heartbeat_line,
    build_listed_line,
    build_plain_line,
)

ADVICE = {INSTALL: "Run `atm-tui install` there.", RENEW: "Run `atm-tui install --renew` there."}
"""What our own screen advises by a key, in the words for another machine's."""
SHORTEST = 0.1
"""The shortest time between two heartbeats in seconds."""


def add_stream_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `stream`."""
    parser.add_argument(
        "--heartbeat",
        type=parse_seconds,
        default=HEARTBEAT,
        metavar="S",
        help=f"print a line at least every S seconds (default: {HEARTBEAT:g})",
    )
    parser.add_argument("--timeout", type=parse_seconds, metavar="S", help="end after S seconds")
    parser.add_argument(
        "--commands",
        metavar="NAMES",
        default="",
        help="take these commands on stdin, separated by commas, and end with it (default: none)",
    )


def run_stream(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Prints until the time limit, or until the output is closed; returns the exit code."""
    heartbeat = max(args.heartbeat, SHORTEST)
    commands = _choose_commands(args.commands)
    printer = _Printer(monitor)
    printer.print_hello(heartbeat, commands)
    monitor.refresh()
    printer.print_all()
    from atm_tui.cli.follow_fleet import follow_fleet

    reader = None
    if commands:
        from atm_tui.cli.stream_commands import CommandReader

        reader = CommandReader(monitor, commands, printer.print_reply)
    try:
        code = follow_fleet(
            monitor,
            printer.print_changes,
            timeout=args.timeout,
            beat=printer.print_heartbeat,
            interval=heartbeat,
            beside=reader.run if reader else None,
        )
    finally:
        if reader is not None:
            reader.close()
    return ExitCode.DONE if code is ExitCode.TIMED_OUT else code


def _choose_commands(given: str) -> tuple[str, ...]:
    """Returns the commands to take. One that is unknown is left out, and named on stderr: a newer reader may ask for it."""
    names = tuple(dict.fromkeys(filter(None, (name.strip() for name in given.split(",")))))
    if not names:
        return ()
    from atm_tui.cli.stream_commands import COMMANDS

    for name in names:
        if name not in COMMANDS:
            write_error(f'--commands: there is no command "{name}"; there are {", ".join(COMMANDS)}')
    return tuple(name for name in names if name in COMMANDS)


class _Printer:
    """Prints the lines of a stream, and keeps what it has printed."""

    def __init__(self, monitor: LiveMonitor) -> None:
        self._monitor = monitor
        self._printed: dict[str, Session] = {}
        self._fleet = build_fleet_line(monitor.fleet, 0.0)

    def print_hello(self, heartbeat: float, commands: Collection[str]) -> None:
        """Prints the first line, before anything is read."""
        hello = Hello(
            protocol=PROTOCOL,
            at=self._monitor.now(),
            version=__version__,
            machine=platform.node(),
            heartbeat=heartbeat,
            commands=tuple(commands),
        )
        _print(hello)
        flush()

    def print_all(self) -> None:
        """Prints everything there is."""
        self._printed = dict(self._monitor.fleet.sessions)
        self._print_fleet(always=True)
        for each in self._printed.values():
            _print(build_listed_line(each, self._monitor.now()))
        self._print_others()
        _print(CompleteLine(at=self._monitor.now(), sessions=len(self._printed)))
        self.print_heartbeat()

    def print_changes(self) -> None:
        """Prints a line for each session that differs from what was printed."""
        before, self._printed = self._printed, dict(self._monitor.fleet.sessions)
        now = self._monitor.now()
        for each in list_changes(before, self._printed, details=True, figures=True):
            _print(build_change_line(each, now))
        self._print_fleet()
        self._print_others()
        flush()

    def _print_others(self) -> None:
        """Passes on what other machines sent that we don't know."""
        there = self._monitor.elsewhere
        while there is not None and there.others:
            write_json(format_json(there.others.popleft()))

    def print_heartbeat(self) -> None:
        """Prints a line which shows that the stream still runs."""
        _print(build_heartbeat_line(self._monitor.fleet, self._monitor.now()))
        flush()

    def print_reply(self, reply: ReplyLine) -> None:
        """Prints the reply to a command."""
        _print(reply)
        flush()

    def _print_fleet(self, *, always: bool = False) -> None:
        now = self._monitor.now()
        line = build_fleet_line(self._monitor.fleet, now)
        line = msgspec.structs.replace(line, notices=tuple(map(say_elsewhere, line.notices)))
        if always or msgspec.structs.replace(line, at=self._fleet.at) != self._fleet:
            self._fleet = line
            _print(line)


def say_elsewhere(notice: str) -> str:
    """Returns a notice as it is said on another machine."""
    for here, there in ADVICE.items():
        notice = notice.replace(here, there)
    return notice


def _print(line: StreamLine) -> None:
    write_json(format_json(build_plain_line(line)))
