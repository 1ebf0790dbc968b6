"""`atm-tui publish`: puts the sessions of this machine into a NATS server, for `atm-tui --nats` elsewhere."""

import argparse
import asyncio
import platform
import shutil
import signal
import sys
import threading
from collections.abc import Iterable

import msgspec

from atm_hooks.journal import UnsafeError
from atm_tui import __version__, paths
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.nats_argument import choose_server
from atm_tui.cli.output import flush, format_json, write_error, write_remark, write_text
from atm_tui.cli.stream import say_elsewhere
from atm_tui.model.changes import list_changes
from atm_tui.model.fleet_server import FILES, FleetServer, Level, make_machine_name
from atm_tui.model.machine import StreamTotals
from atm_tui.model.published import BEAT, MachineRecord, reduce_session
from atm_tui.model.session import Session
from atm_tui.model.stream import PROTOCOL, FleetLine, Hello
from atm_tui.monitor.live import LiveMonitor
from atm_tui.timeline.journals import JournalReader
from atm_tui.timeline.reduced import encode_event
from atm_tui.view.stream_lines import build_fleet_line, build_heartbeat_line, build_listed_line

HELP = {
    "creds": "file with the credentials of a user",
    "nkey": "file with the seed of an NKEY",
    "tls_ca": "file with the certificates of the authorities to trust",
    "tls_cert": "file with our own certificate",
    "tls_key": "file with its key",
}
VARIABLES = {
    "ATM_STATE_DIR": paths.find_state_dir,
    "ATM_CONFIG": paths.find_config_file,
    "CLAUDE_CONFIG_DIR": paths.find_claude_config_dir,
}
"""Variables that decide what is read, and what they come to: a unit sets those that are set here."""


def add_publish_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `publish`."""
    parser.add_argument(
        "--nats",
        metavar="URL",
        default=argparse.SUPPRESS,  # it may stand before the command as well
        help="address of the server, as nats://name:4222 (default: `nats` of `fleet`)",
    )
    parser.add_argument(
        "--level",
        choices=[each.value for each in Level],
        help="what leaves this machine: numbers, states without any text of yours, or everything (default: states)",
    )
    parser.add_argument("--machine", metavar="NAME", help="the name of this machine (default: its host name)")
    for field in FILES:
        parser.add_argument(f"--{field.replace('_', '-')}", dest=field, metavar="FILE", help=HELP[field])
    parser.add_argument("--print-unit", action="store_true", help="print a systemd user unit that runs this, and end")


def run_publish(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Publishes until it is ended; returns the exit code. Raises CommandError."""
    given = {name: getattr(args, name) for name in ("nats", "machine", *FILES)}
    level = Level(args.level) if args.level else monitor.config.fleet.level
    server = msgspec.structs.replace(choose_server(monitor.config, given), level=level)
    if not server.nats:
        raise CommandError("give a server, as with --nats nats://name:4222", ExitCode.USAGE)
    if args.print_unit:
        return _print_unit(args, server)
    machine = server.machine or make_machine_name(platform.node())
    from atm_tui.monitor.nats_server import ServerError, make_origin

    source = _Source(monitor, machine, level, make_origin(monitor.state_dir))
    monitor.refresh()
    source.look()
    try:
        asyncio.run(_publish(monitor, server, machine, source))
    except ServerError as error:
        raise CommandError(f"{server.describe()}: {error}.", ExitCode.FAILED) from error
    return ExitCode.DONE


def _print_unit(args: argparse.Namespace, server: FleetServer) -> int:
    from atm_tui.view.systemd_unit import write_unit

    program = shutil.which("atm-tui")
    words = [program] if program else [sys.executable, "-P", "-m", "atm_tui"]
    words += [word for folder in args.watch or () for word in ("--watch", str(paths.make_absolute(folder)))]
    words.append("publish")
    for field in ("nats", "level", "machine", *FILES):
        if value := getattr(args, field):
            words += [f"--{field.replace('_', '-')}", str(paths.make_absolute(value)) if field in FILES else value]
    try:
        unit = write_unit(words, {name: str(find()) for name, find in VARIABLES.items() if paths.is_set(name)})
    except ValueError as error:
        raise CommandError(f"no unit can have {str(error)!r}", ExitCode.USAGE) from error
    write_text(unit.rstrip("\n"))
    if any("@" in url for url in server.list_urls()) and args.nats:
        write_remark(
            "The unit contains what stands before the @ of the address: a file with --creds or --nkey keeps it apart."
        )
    return ExitCode.DONE


async def _publish(monitor: LiveMonitor, server: FleetServer, machine: str, source: "_Source") -> None:
    """Publishes until a signal ends it. Raises ServerError."""
    from atm_tui.monitor.nats_publisher import Publisher

    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, stopped.set)
    publisher = Publisher(server, machine, source, _say, now=monitor.now)

    async def follow() -> None:
        async for _ in monitor.watch(threading.Event()):
            if await asyncio.to_thread(monitor.refresh):
                publisher.mark(source.look())

    tasks = [asyncio.create_task(each) for each in (publisher.run(), follow(), stopped.wait())]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for each in done:
            each.result()
        await publisher.leave()
    finally:
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _say(text: str) -> None:
    write_error(text) if text.startswith("No link") else write_remark(text)
    flush()


class _Source:
    """What is published of this machine, read from the fleet when it is sent."""

    def __init__(self, monitor: LiveMonitor, machine: str, level: Level, origin: str) -> None:
        self._monitor = monitor
        self._machine = machine
        self._level = level
        self.origin = origin
        self._sessions: dict[str, Session] = {}
        """What was in the fleet at the last look."""
        self._record = self._build_record()
        self._journals: dict[str, JournalReader] = {}

    def look(self) -> list[str]:
        """Returns the ids of sessions that changed, came or went since the last look; "" when the machine did."""
        before, self._sessions = self._sessions, dict(self._monitor.fleet.sessions)
        found = [each.session.session_id for each in list_changes(before, self._sessions, details=True, figures=True)]
        if self._level is Level.COUNTS:
            found = []
        record = self._build_record()
        if _drop_times(record) != _drop_times(self._record):
            self._record = record
            found.append("")
        return found

    def list_keys(self) -> Iterable[str]:
        """As Source.list_keys."""
        return () if self._level is Level.COUNTS else tuple(self._sessions)

    def encode(self, session_id: str) -> bytes | None:
        """As Source.encode."""
        if not session_id:
            return format_json(self._build_record()).encode()
        session = self._sessions.get(session_id)
        reduced = reduce_session(session, self._level) if session else None
        return format_json(build_listed_line(reduced, self._monitor.now())).encode() if reduced else None

    def encode_end(self) -> bytes:
        """As Source.encode_end."""
        return format_json(msgspec.structs.replace(self._build_record(), has_left=True)).encode()

    def read_events(self, session_id: str) -> list[tuple[float, bytes]]:
        """As Source.read_events."""
        try:
            reader = self._journals.setdefault(session_id, JournalReader(self._monitor.state_dir, session_id))
            events = reader.read_events()
        except (OSError, UnsafeError):
            return []
        if session_id not in self._sessions:
            del self._journals[session_id]
        pairs = ((event.at, encode_event(event, self._level)) for event in events)
        return [(at, data) for at, data in pairs if data is not None]

    def read_events_again(self) -> None:
        """As Source.read_events_again."""
        self._journals.clear()

    def _build_record(self) -> MachineRecord:
        now, fleet = self._monitor.now(), FleetLine()
        if self._level is Level.FULL:
            fleet = build_fleet_line(self._monitor.fleet, now)
            fleet = msgspec.structs.replace(fleet, notices=tuple(map(say_elsewhere, fleet.notices)))
        return MachineRecord(
            hello=Hello(protocol=PROTOCOL, at=now, version=__version__, machine=self._machine, heartbeat=BEAT),
            level=self._level,
            origin=self.origin,
            totals=build_heartbeat_line(self._monitor.fleet, now).totals,
            fleet=fleet,
        )


def _drop_times(record: MachineRecord) -> MachineRecord:
    """Returns a record without what differs at any moment."""
    return msgspec.structs.replace(
        record,
        hello=msgspec.structs.replace(record.hello, at=0.0),
        totals=msgspec.structs.replace(record.totals, waited_today=0.0)
        if record.level is Level.COUNTS
        else StreamTotals(),
        fleet=msgspec.structs.replace(record.fleet, at=0.0),
    )
