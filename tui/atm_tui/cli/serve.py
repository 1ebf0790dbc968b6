"""`atm-tui serve`: shows the monitor in browsers, through a web server on this machine."""

import argparse
import asyncio
import ipaddress
import secrets
import sys

from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.nats_argument import choose_server
from atm_tui.cli.output import flush, write_line
from atm_tui.cli.user_config import read_user_config

HOST = "127.0.0.1"
PORT = 8642


def add_serve_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `serve`."""
    parser.add_argument(
        "--port", type=parse_port, default=PORT, metavar="N", help=f"port; 0: any free one (default: {PORT})"
    )
    parser.add_argument("--listen", default=HOST, metavar="ADDRESS", help=f"address to listen at (default: {HOST})")
    parser.add_argument(
        "--behind-proxy",
        action="store_true",
        help="allow other addresses than those of this machine: a proxy in front encrypts and checks who may see it",
    )
    parser.add_argument("--answers", action="store_true", help="let viewers arm the app and answer requests")


def parse_port(given: str) -> int:
    """Returns a port number. Raises ArgumentTypeError."""
    if not (given.isascii() and given.isdigit()) or int(given) > 65535:
        raise argparse.ArgumentTypeError(f'"{given}" is no port, a number up to 65535')
    return int(given)


def run_serve(args: argparse.Namespace) -> int:
    """Serves until it is interrupted; returns the exit code. Raises CommandError."""
    if not args.behind_proxy and not is_loopback(args.listen):
        raise CommandError(
            f"--listen {args.listen}: other machines could reach this address, and read along: nothing is encrypted.\n"
            "  Next: leave it out and use `ssh -L`, or put a proxy with TLS in front and add --behind-proxy.",
            ExitCode.NOT_POSSIBLE,
        )
    try:
        from atm_tui.web.server import ViewerServer
    except ImportError as error:
        raise CommandError(
            f"{error.name} is not installed.\n  Next: install the extra `web`, as with pip install '.[web]' in the clone.",
            ExitCode.NOT_POSSIBLE,
        ) from error
    config, _ = read_user_config()  # what is wrong with it is said here, and not to each viewer
    choose_server(config, {})
    options = [word for folder in args.watch or () for word in ("--watch", str(folder))]
    if args.read_only or not args.answers:
        options.append("--read-only")
    # -P: no modules are imported from the working directory
    command = [sys.executable, "-P", "-m", "atm_tui.cli.serve_viewer", *options]
    token = secrets.token_urlsafe(24)
    server = ViewerServer(command, args.listen, args.port, token, behind_proxy=args.behind_proxy)
    try:
        asyncio.run(server.follow(announce))
    except OSError as error:
        raise CommandError(
            f"{args.listen}, port {args.port}: {error.strerror or error}. --port 0 takes a free one.", ExitCode.FAILED
        ) from error
    return ExitCode.DONE


def announce(address: str) -> None:
    """Prints the address at which the monitor is shown."""
    write_line(address)
    flush()


def is_loopback(host: str) -> bool:
    """Returns whether only this machine can reach an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
