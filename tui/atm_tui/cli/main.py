"""The command line: its parser, and what runs the command that was asked for."""

import argparse
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from atm_hooks.journal import UnsafeError
from atm_tui import __version__, paths
from atm_tui.cli.clean_stream import OutputError, clean_streams
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode, format_exit_codes
from atm_tui.cli.output import complain, flush
from atm_tui.cli.parser import Parser
from atm_tui.cli.table import COMMANDS
from atm_tui.config import ConfigError, read_config
from atm_tui.text import clean

if TYPE_CHECKING:
    from atm_tui.monitor.live import LiveMonitor

PORTION = 8 << 20
"""Bytes of transcripts that the monitor reads at once before it looks at everything else again: some 30 ms."""


def make_parser(chosen: str | None = None) -> Parser:
    """The parser of the command line, with the options of the chosen command (all have their line in the help)."""
    top = Parser(
        prog="atm-tui",
        description="A terminal monitor for many Claude Code sessions. Without a command it opens the monitor.",
        epilog=format_exit_codes(),
    )
    top.add_argument("--version", action="version", version=f"atm-tui {__version__}")
    top.add_argument(
        "--watch",
        metavar="DIR",
        action="append",
        type=Path,
        help="config folder of Claude Code to look at (default: $CLAUDE_CONFIG_DIR or ~/.claude); may be given again",
    )
    top.add_argument(
        "--plain",
        action="store_true",
        help="print lines instead of a screen: a list first, then each change; for screen readers and logs",
    )
    top.add_argument("--read-only", action="store_true", help="never answer requests, whatever the configuration says")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, command in COMMANDS.items():
        epilog = format_exit_codes(command.exit_codes)
        sub = commands.add_parser(
            name,
            help=command.help,
            description=command.help,
            epilog=f"{command.notes}\n\n{epilog}" if command.notes else epilog,
        )
        if name == chosen:
            command.load().add_arguments(sub)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; its exit code. Argparse exits by itself where the words make no sense."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # so that Ctrl+C ended the loading of this module in silence
        signal.signal(signal.SIGINT, signal.default_int_handler)
    with clean_streams():
        return _run_guarded(list(sys.argv[1:] if arguments is None else arguments))


def _run_guarded(given: list[str]) -> int:
    """Runs a command, and turns whatever ends it into a message and an exit code."""
    try:
        top = make_parser(next((word for word in given if word in COMMANDS), None))
        args = top.parse_args(given)
        if args.plain and args.command:
            top.error("--plain can't be combined with a command")
        code = _run(args)
        flush()
        return code
    except CommandError as error:
        return _fail(str(error), error.code)
    except ConfigError as error:
        return _fail(str(error), ExitCode.FAILED)
    except OutputError as error:
        return ExitCode.DONE if error.is_closed else _fail(str(error), ExitCode.FAILED)
    except OSError as error:  # whatever no reader has expected
        where = f"{clean(str(error.filename))}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}. See `atm-tui doctor`.", ExitCode.FAILED)
    except UnsafeError as error:
        return _fail(f"{error}. See `atm-tui doctor`.", ExitCode.FAILED)
    except KeyboardInterrupt:
        return _fail("interrupted.", ExitCode.INTERRUPTED)
    except Exception:  # noqa: BLE001 - a fault of ours: its traceback holds text from outside, and is cleaned as well
        import traceback

        return _fail(
            f"this is a fault in atm-tui. Please report it with these lines:\n{traceback.format_exc()}", ExitCode.FAILED
        )


def _run(args: argparse.Namespace) -> int:
    if args.command is not None:
        command = COMMANDS[args.command]
        run = command.load().run
        return run(args, _make_monitor(args)) if command.needs_monitor else run(args)
    if args.plain:
        from atm_tui.cli.plain import run_plain

        return run_plain(_make_monitor(args))
    from atm_tui.cli.monitor import run_monitor

    return run_monitor(_make_monitor(args, PORTION))


def _fail(text: str, code: ExitCode) -> int:
    with suppress(OutputError):  # what was printed before comes first
        flush()
    complain(text)
    return code


def _make_monitor(args: argparse.Namespace, portion: int | None = None) -> "LiveMonitor":
    from atm_tui.monitor.live import LiveMonitor

    path = paths.find_config_file()
    config = read_config(path)
    if args.read_only:
        config = msgspec.structs.replace(config, read_only=True)
    return LiveMonitor(
        paths.find_state_dir(),
        args.watch or [paths.find_claude_config_dir()],
        config,
        table=config.prices(str(path)),
        portion=portion,
        cache_dir=paths.find_cache_dir(),
    )
