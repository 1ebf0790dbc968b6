"""The command line: one table of commands; each module is loaded only when its command is asked for."""

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from atm_tui import __version__, paths
from atm_tui.config import ConfigError, read_config

if TYPE_CHECKING:
    from atm_tui.monitor.live import LiveMonitor

PORTION = 8 << 20
"""Bytes of transcripts that the monitor reads between two looks at everything else: some 30 ms."""


class Command(NamedTuple):
    """A command: what it does in one line, and where its options and its code are."""

    help: str
    module: str
    arguments: str
    run: str
    fleet: bool = False
    """Whether it needs a LiveMonitor besides its arguments."""


COMMANDS = {
    "status": Command("one line a session, or --json", "status", "add_status_arguments", "run_status", fleet=True),
    "jump": Command("go to the pane of a session", "jump", "add_jump_arguments", "run_jump", fleet=True),
    "next": Command("go to the session that has waited longest", "jump", "add_next_arguments", "run_next", fleet=True),
    "answer": Command(
        "show what a session asks, and answer it", "answer", "add_answer_arguments", "run_answer", fleet=True
    ),
    "answers": Command(
        "what was answered from here, and what became of it", "answers", "add_answers_arguments", "run_answers"
    ),
    "resume": Command(
        "resume a session in its own directory", "resume", "add_resume_arguments", "run_resume", fleet=True
    ),
    "explain": Command(
        "why a session is shown as it is", "explain", "add_explain_arguments", "run_explain", fleet=True
    ),
    "replay": Command(
        "the monitor on a recorded journal, with a time slider",
        "replay",
        "add_replay_arguments",
        "run_replay",
        fleet=True,
    ),
    "report": Command(
        "a redacted bundle for a bug report", "explain", "add_report_arguments", "run_report", fleet=True
    ),
    "demo": Command("watch recorded sessions; touches nothing of yours", "demo", "add_demo_arguments", "run_demo"),
    "install": Command(
        "register the hooks in Claude Code's settings",
        "install",
        "add_install_arguments",
        "run_install",
    ),
    "uninstall": Command(
        "remove what install added, and nothing else",
        "uninstall",
        "add_uninstall_arguments",
        "run_uninstall",
    ),
    "doctor": Command(
        "check settings, hooks and folders, and say what to do",
        "doctor",
        "add_doctor_arguments",
        "run_doctor",
    ),
    "usage": Command("what it cost, by day, project and model", "usage", "add_usage_arguments", "run_usage"),
}


def parser(chosen: str | None = None) -> argparse.ArgumentParser:
    """The parser of the command line, with the options of the chosen command (all have their line in the help)."""
    top = argparse.ArgumentParser(
        prog="atm-tui",
        description="A terminal monitor for many Claude Code sessions. Without a command it opens the monitor.",
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
        help="lines in place of a screen: a first list, then each change in words; for screen readers and logs",
    )
    top.add_argument(
        "--read-only", action="store_true", help="never arm and never answer, whatever the configuration says"
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, command in COMMANDS.items():
        sub = commands.add_parser(name, help=command.help, description=command.help)
        if name == chosen:
            getattr(importlib.import_module(f"atm_tui.cli.{command.module}"), command.arguments)(sub)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; its exit code. 2 for words that make no sense, 1 for a configuration that can't be read."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    top = parser(next((word for word in given if word in COMMANDS), None))
    args = top.parse_args(given)
    if args.plain and args.command:
        top.error("--plain goes without a command")
    try:
        if args.command is None:
            return _say(args) if args.plain else _open(args)
        command = COMMANDS[args.command]
        run = getattr(importlib.import_module(f"atm_tui.cli.{command.module}"), command.run)
        code: int = run(args, _live_monitor(args)) if command.fleet else run(args)
        sys.stdout.flush()
        return code
    except ConfigError as error:
        print(f"atm-tui: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output has gone, as with `| head`
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130


def _live_monitor(args: argparse.Namespace, portion: int | None = None) -> "LiveMonitor":
    from atm_tui.monitor.live import LiveMonitor

    path = paths.config_file()
    config = read_config(path)
    if args.read_only:
        config = msgspec.structs.replace(config, read_only=True)
    return LiveMonitor(
        paths.state_dir(),
        args.watch or [paths.claude_config_dir()],
        config,
        table=config.prices(str(path)),
        portion=portion,
        cache_dir=paths.cache_dir(),
    )


def _say(args: argparse.Namespace) -> int:
    """The monitor in words."""
    from atm_tui.cli.plain import run_plain

    return run_plain(_live_monitor(args))


def _open(args: argparse.Namespace) -> int:
    """Opens the monitor."""
    monitor = _live_monitor(args, PORTION)
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):  # the app is painted on stderr
        print(
            "atm-tui: no terminal here, or its output goes elsewhere. `atm-tui status` prints the sessions.",
            file=sys.stderr,
        )
        return 2
    from atm_tui.monitor import gc_tuning as memory

    memory.begin()
    from atm_tui.app import AtmApp
    from atm_tui.sources.theme import ThemeFile

    app = AtmApp(monitor, monitor.config, greets=True, themes=ThemeFile(monitor.state_dir))
    app.run()
    return app.return_code or 0
