"""`atm-tui resume`: resumes a session in its own directory, or jumps to it if it is running."""

import argparse
from pathlib import Path

from atm_tui.cli import messages
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.follow_plan import follow_plan
from atm_tui.cli.output import write_error, write_text
from atm_tui.cli.picker import SEARCHED, pick
from atm_tui.cli.resumable import Resumable, find_resumable, list_newest, list_resumable, make_choice
from atm_tui.cli.session_argument import HELP, read_named
from atm_tui.cli.terminal import can_ask, confirm, replace_process
from atm_tui.jump.plan import plan_jump
from atm_tui.jump.resume import SessionDirectory, find_session_directory, make_resume_command
from atm_tui.jump.shell_text import format_commands
from atm_tui.jump.values import JumpError, JumpPlan, Outcome, OwnTerminal
from atm_tui.monitor.live import LiveMonitor
from atm_tui.text import clean


def add_resume_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `resume`."""
    parser.add_argument("session", metavar="ID", nargs="?", help=f"{HELP}; without it, choose from a list")
    change = parser.add_mutually_exclusive_group()
    change.add_argument("-y", "--yes", action="store_true", help="change to the session's directory without asking")
    change.add_argument("-n", "--no", action="store_true", help="resume in the current directory")
    parser.add_argument("--print", action="store_true", help="print the command that would be run, and run nothing")


def run_resume(args: argparse.Namespace, monitor: LiveMonitor, own: OwnTerminal | None = None) -> int:
    """Resumes the session in place of this process; returns the exit code if the list is cancelled."""
    monitor.refresh()
    if args.session is not None:
        read_named(args.session, monitor)
    known = list_resumable(monitor)
    found = find_resumable(args.session, known) if args.session is not None else _pick(known, monitor)
    if found is None:
        return ExitCode.DECLINED
    if found.session and found.is_live:
        return follow_plan(plan_jump(found.session, own), found.session, monitor, only_print=args.print)
    state = monitor.reader.states.states.get(found.session_id)
    cwd = (state.cwd if state else "") or (found.session.cwd if found.session else "")
    place = find_session_directory(found.transcript, state.project_dir if state else "", cwd)
    directory = _choose_directory(place, found.session_id, args)
    command = make_resume_command(found.session_id, found.config_dir)
    if args.print:
        plan = JumpPlan(outcome=Outcome.RESUME, text="", takeover=command, directory=directory)
        write_text(format_commands(plan))
        return ExitCode.DONE
    try:
        replace_process(command, directory)
    except JumpError as error:
        raise CommandError(clean(str(error)), ExitCode.PROGRAM_FAILED) from error


def _pick(known: dict[str, Resumable], monitor: LiveMonitor) -> Resumable | None:
    """Returns the session that a person chooses from a list, newest first; None if cancelled."""
    if not can_ask():
        raise CommandError(messages.describe_missing_prompt("give the ID of a session."), ExitCode.USAGE)
    newest = {each.session_id: each for each in list_newest(known, monitor, SEARCHED)}
    if not newest:
        raise CommandError("no session has a transcript yet.", ExitCode.NOT_FOUND)
    chosen = pick(list(newest), lambda key: make_choice(newest[key]))
    return newest[chosen] if chosen else None


def _choose_directory(place: SessionDirectory | None, session_id: str, args: argparse.Namespace) -> str:
    """Returns the directory to change to; empty: the current one. Raises CommandError."""
    current = str(Path.cwd())
    if args.no:
        return ""
    here = f"With -n it is resumed here, in {clean(current)}."
    if place is None:
        raise CommandError(f"the directory of {session_id[:8]} isn't known. {here}", ExitCode.NOT_POSSIBLE)
    path = clean(place.path)
    if place.transcript_directory:
        kept = clean(place.transcript_directory)
        write_error(f"its hooks say {path}, but its transcript is kept under the name of {kept}.")
    if not place.exists:
        raise CommandError(f"its directory {path} is gone. {here}", ExitCode.NOT_POSSIBLE)
    if place.path == current:
        return ""
    if args.yes or (args.print and not can_ask()):
        return place.path
    if not can_ask():
        instead = f"it belongs to {path}; -y changes there, -n resumes it in {clean(current)}."
        raise CommandError(messages.describe_missing_prompt(instead), ExitCode.USAGE)
    return place.path if confirm(f"It belongs to {path}. Change there?", default=True) else ""
