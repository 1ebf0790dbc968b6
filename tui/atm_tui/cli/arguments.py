"""Parses the command line. The most common ones are parsed without argparse, which takes long to import."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from atm_tui import __version__
from atm_tui.cli.exit_codes import format_exit_codes
from atm_tui.cli.quick_imports import load_msgspec
from atm_tui.cli.table import COMMANDS

if TYPE_CHECKING:
    from argparse import Namespace

    from atm_tui.cli.parser import Parser

_STATUS: Mapping[str, Any] = MappingProxyType(
    {
        "command": "status",
        "all": False,
        "sessions": [],
        "state": [],
        "project": [],
        "format": None,
        "columns": None,
        "sort": "started",
        "headings": True,
    }
)

FREQUENT: Mapping[tuple[str, ...], Mapping[str, Any]] = MappingProxyType(
    {
        (): {"command": None},
        ("status",): {**_STATUS, "json": False, "tmux": False},
        ("status", "--json"): {**_STATUS, "json": True, "tmux": False},
        ("status", "--tmux"): {**_STATUS, "json": False, "tmux": True},
        **{
            ("usage", *span, *form): {
                "command": "usage",
                "days": 30,
                "all": bool(span),
                "config_dir": None,
                "json": bool(form),
            }
            for span in ((), ("--all",))
            for form in ((), ("--json",))
        },
        ("next",): {"command": "next", "print": False},
        ("next", "--print"): {"command": "next", "print": True},
    }
)
"""Common command lines, and their parsed arguments besides the options before a command."""

WITH_HOSTS = (None, "status", "list", "watch", "stream", "wait", "jump", "next", "answer", "explain", "usage")
"""The commands, and the monitor, that take sessions of other machines."""
INSTEAD = {
    "hosts": "name the machine behind it, `atm-tui hosts NAME`",
    "serve": "it shows all that are in `hosts` of the configuration",
}
"""What to do instead of --host before a command that does not take it."""
WITH_NATS = (*(each for each in WITH_HOSTS if each not in ("answer", "usage")), "publish")
"""The same for a NATS server, which has no transcripts, and takes no answers."""
VALUED = ("--watch", "--host", "--nats")
"""The options before a command that take a value, which may be named like a command."""


def parse_arguments(given: Sequence[str]) -> "Namespace":
    """Returns the parsed arguments. Argparse exits by itself on wrong arguments, and after a help text."""
    if (known := FREQUENT.get(tuple(given))) is not None:
        return cast("Namespace", SimpleNamespace(watch=None, plain=False, read_only=False, host=[], nats=None, **known))
    load_msgspec()  # what adds the options of a command needs it
    top = make_parser(find_command(given))
    args = top.parse_args(given)
    if args.plain and args.command:
        top.error("--plain can't be combined with a command")
    if args.host and args.command not in WITH_HOSTS:
        top.error(
            f"--host can't be combined with {args.command}: {INSTEAD.get(args.command, 'run it on that machine')}"
        )
    if args.nats and args.command not in WITH_NATS:
        instead = ": answers never go through it, use --host" if args.command == "answer" else ""
        top.error(f"--nats can't be combined with {args.command}{instead}")
    return args


def find_command(given: Sequence[str]) -> str | None:
    """Returns the command of a command line; None without one."""
    before = ""
    for word in given:
        is_value = before.startswith("--") and any(option.startswith(before) for option in VALUED)
        if word in COMMANDS and not is_value:
            return word
        before = "" if is_value else word
    return None


def make_parser(chosen: str | None = None) -> "Parser":
    """Returns the parser, with the options of the chosen command; the help lists all commands."""
    from atm_tui.cli.parser import Parser

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
    top.add_argument(
        "--host",
        metavar="NAME",
        action="append",
        default=[],
        help="also show another machine: one of `hosts` in the configuration, or a destination of ssh; may be given again",
    )
    top.add_argument(
        "--nats",
        metavar="URL",
        help="also show the machines that publish through this NATS server, as nats://name:4222",
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, command in COMMANDS.items():
        epilog = format_exit_codes(command.exit_codes)
        sub = commands.add_parser(
            name,
            help=command.help,
            description=command.help,
            epilog=f"{command.notes}\n\n{epilog}" if command.notes else epilog,
        )
        sub.outer = top
        if name == chosen:
            command.load().add_arguments(sub)
    return top
