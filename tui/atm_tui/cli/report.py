"""`atm-tui report`: makes a bundle for a bug report, with prompts, paths and tool input redacted."""

import argparse
import os
import re
import secrets
from pathlib import Path

from atm_hooks.private import write_new_in
from atm_tui.cli import messages
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import format_json, write_error, write_json, write_remark
from atm_tui.cli.session_argument import add_session_argument, find_session
from atm_tui.cli.terminal import can_type, confirm
from atm_tui.monitor.live import LiveMonitor
from atm_tui.text import clean
from atm_tui.timeline.journals import read_history
from atm_tui.view.report import build_report

_NOT_PLAIN = re.compile(r"[^A-Za-z0-9-]")
"""Characters of an id that are not used in a file name."""


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `report`."""
    add_session_argument(parser)
    parser.add_argument(
        "--output", metavar="FILE", type=Path, help="where to write it (default: atm-report-ID.json, here)"
    )
    parser.add_argument("--yes", action="store_true", help="write it without asking")


def run_report(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Prints the bundle, and writes it to a file if the user agrees; returns the exit code."""
    monitor.refresh()
    session = find_session(args.session, monitor)
    events = read_history(monitor.state_dir, session.session_id)
    bundle = build_report(monitor.reader.facts[session.session_id], session, events, secrets.token_bytes())
    text = format_json(bundle, indent=1)
    write_json(text)
    path = args.output or Path(f"atm-report-{_NOT_PLAIN.sub('_', session.session_id[:8])}.json")
    shown = clean(str(path))
    if not args.yes and not can_type():
        write_error(messages.describe_missing_prompt(f"--yes writes this to {shown}."))
        return ExitCode.DONE
    if not args.yes and not confirm(f"Write this to {shown}?", default=False, beside=True):
        write_remark("Nothing written.")
        return ExitCode.DECLINED
    try:
        _write_new(path, f"{text}\n".encode())
    except FileExistsError as error:
        text = f"{shown} exists already, and is left as it is: choose another place with --output, or remove it first."
        raise CommandError(text, ExitCode.FAILED) from error
    except OSError as error:
        raise CommandError(
            messages.describe_write_error(shown, error, "choose another place with --output."), ExitCode.FAILED
        ) from error
    write_remark(f"Written to {shown}.")
    return ExitCode.DONE


def _write_new(path: Path, data: bytes) -> None:
    """Writes a new file that only this user can read, whatever the umask. Raises FileExistsError, also for a link; OSError."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        write_new_in(folder, path.name, data)
    finally:
        os.close(folder)
