"""Other monitors of Claude Code on the same fleet and the same transcripts: their commands once, and their screens at rest."""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.bench.bench_commands import SESSIONS, write_transcripts
from tests.bench.bench_history import USAGE
from tests.bench.bench_rest import SETTLE, SIZE, describe_rest, measure_often, open_fleet
from tests.bench.busy_fleet import BusyFleet
from tests.bench.options import Options
from tests.bench.peers import AGENTS_TREE, BUSY_MONITOR, CCTOP, CCUSAGE, MissingPeerError, Peer
from tests.bench.processes import OURS, make_environ, measure_command
from tests.bench.pty_screen import Screen
from tests.bench.row import Row
from tests.bench.transcripts import write_history

SWITCH = "ATM_BENCH_PEERS"
"""The variable of the environment that switches this part on."""
PROGRAMS = Mapping[Peer, Path | str]
"""Paths of installed programs, or why one is missing."""


def measure(options: Options) -> Iterator[Row]:
    """Measures each program that can be installed, beside our command for the same."""
    if not os.environ.get(SWITCH):
        yield Row("other programs", None, note=f"not measured; {SWITCH}=1 installs them")
        return
    with tempfile.TemporaryDirectory() as folder:
        programs = {peer: install(peer, Path(folder)) for peer in (AGENTS_TREE, BUSY_MONITOR, CCTOP, CCUSAGE)}
        yield from measure_commands(programs, options)
        yield from measure_usage(programs, options)
        yield from measure_screens(programs, options)


def install(peer: Peer, folder: Path) -> Path | str:
    """Returns the path of an installed program, or why it is missing."""
    try:
        return peer.install(folder)
    except MissingPeerError as error:
        return str(error)


def try_command(
    programs: PROGRAMS, peer: Peer, arguments: list[str], environ: dict[str, str], name: str, runs: int
) -> Row:
    """Measures a command of a peer; a row without a figure says why it is missing, or that it failed."""
    program, title = programs[peer], f"{peer.package} {' '.join(arguments)}".strip()
    if isinstance(program, str):
        return Row(f"{title}{name}", None, note=program)
    try:
        return measure_command(f"{title}{name}", [str(program), *arguments], environ, runs)
    except (RuntimeError, subprocess.SubprocessError):
        return Row(f"{title}{name}", None, note="fails")


def measure_commands(programs: PROGRAMS, options: Options) -> Iterator[Row]:
    """Measures what lists the sessions once."""
    with tempfile.TemporaryDirectory() as folder:
        fleet = BusyFleet(Path(folder), SESSIONS)
        try:
            fleet.fill()
            fleet.settle(waiting=SESSIONS // 3, working=SESSIONS // 3)
            write_transcripts(fleet, options.command_mb)
            environ, name = make_environ(folder), f", {SESSIONS} sessions"
            yield measure_command(f"atm-tui status --json{name}", [*OURS, "status", "--json"], environ, options.runs)
            given = ["--provider", "claude", "--json"]
            yield try_command(programs, AGENTS_TREE, given, environ, name, options.runs)
            yield try_command(programs, BUSY_MONITOR, [], environ, name, options.runs)
        finally:
            fleet.close()


def measure_usage(programs: PROGRAMS, options: Options) -> Iterator[Row]:
    """Measures what counts the usage of all transcripts, when nothing has changed since the last call."""
    with tempfile.TemporaryDirectory() as folder:
        environ = make_environ(folder)
        write_history(Path(environ["CLAUDE_CONFIG_DIR"]), options.history_mb)
        name, runs = f", {options.history_mb:,} MB", max(3, options.runs // 5)
        yield measure_command(f"atm-tui usage --all{name}", USAGE, environ, runs)
        yield try_command(programs, CCUSAGE, ["daily", "--offline", "--json"], environ, name, runs)


def measure_screens(programs: PROGRAMS, options: Options) -> Iterator[Row]:
    """Measures screens that stay open, of a fleet of which a third works and a third waits."""
    with open_fleet(busy=True) as environ:
        for peer, arguments in ((AGENTS_TREE, ["--provider", "claude", "--watch"]), (CCTOP, [])):
            program, title = programs[peer], f"{peer.package} at rest, {SESSIONS} sessions"
            if isinstance(program, str):
                yield Row(title, None, note=program)
                continue
            screen = Screen([str(program), *arguments], environ, SIZE)
            try:
                time.sleep(2 * SETTLE)
                (at_rest,) = measure_often([screen], options.rest_seconds, 1)
                yield from describe_rest(title, at_rest)
            finally:
                screen.close()
