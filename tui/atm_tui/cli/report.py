"""`atm-tui report`: a bundle for a bug report, with prompts, paths and tool input redacted."""

import argparse
import sys
from pathlib import Path

import msgspec

from atm_tui.cli import messages
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.session_argument import add_session_argument, find_session
from atm_tui.cli.terminal import complain
from atm_tui.monitor.live import LiveMonitor
from atm_tui.timeline.journals import read_history
from atm_tui.view.report import build_report


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `report`."""
    add_session_argument(parser)
    parser.add_argument(
        "--output", metavar="FILE", type=Path, help="where to write it (default: atm-report-ID.json, here)"
    )
    parser.add_argument("--yes", action="store_true", help="write it without asking")


def run_report(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Prints the bundle, and writes it to a file when its user agrees; the exit code."""
    monitor.refresh()
    session = find_session(args.session, monitor)
    events = read_history(monitor.state_dir, session.session_id)
    bundle = build_report(monitor.reader.facts[session.session_id], session, events)
    text = msgspec.json.format(msgspec.json.encode(bundle), indent=1).decode()
    sys.stdout.write(text + "\n")
    path = args.output or Path(f"atm-report-{session.session_id[:8]}.json")
    if not args.yes and not sys.stdin.isatty():
        complain(messages.nobody_to_ask(f"--yes writes this to {path}."))
        return ExitCode.DONE
    if not args.yes and not _agrees(path):
        sys.stderr.write("Nothing written.\n")
        return ExitCode.DECLINED
    try:
        path.write_text(text + "\n", "utf-8")
    except OSError as error:
        raise CommandError(
            messages.cannot_write(str(path), error, "choose another place with --output."), ExitCode.FAILED
        ) from error
    sys.stderr.write(f"Written to {path}.\n")
    return ExitCode.DONE


def _agrees(path: Path) -> bool:
    """Asks on stderr, for the bundle on stdout may go elsewhere."""
    sys.stderr.write(f"Write this to {path}? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
