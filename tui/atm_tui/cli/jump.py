"""`atm-tui jump` and `atm-tui next`: to the pane of a session, from any shell or from a key of tmux."""

import argparse
import sys
from collections.abc import Sequence

from atm_tui.cli.exit_codes import EPILOG, Exit
from atm_tui.cli.terminal import agrees, clipboard, is_interactive, make_way
from atm_tui.jump.find import matches, named
from atm_tui.jump.own_terminal import find_own_terminal
from atm_tui.jump.plan import plan_jump
from atm_tui.jump.run import run_plan
from atm_tui.jump.shell_text import format_commands
from atm_tui.jump.values import JumpError, JumpPlan, Outcome, OwnTerminal
from atm_tui.model.session import Session
from atm_tui.monitor.live import LiveMonitor
from atm_tui.text import clean


def add_jump_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `jump`."""
    parser.add_argument("session", metavar="ID", help="start of a session's id, or of its name")
    _add_print(parser)


def add_next_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `next`."""
    _add_print(parser)


def _add_print(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--print", action="store_true", help="print the commands that would be run, and run none")
    parser.epilog, parser.formatter_class = EPILOG, argparse.RawDescriptionHelpFormatter


def run_jump(args: argparse.Namespace, monitor: LiveMonitor, own: OwnTerminal | None = None) -> int:
    """Goes to the session that is meant; the exit code."""
    monitor.refresh()
    sessions = monitor.fleet.sessions
    found = matches(args.session, map(named, sessions.values()))
    if not found:
        complain(f"no session's id or name starts with “{clean(args.session)}”. `atm-tui status` lists them.")
        return Exit.NO_SESSION
    if len(found) > 1:
        return ambiguous(args.session, [sessions[each.session_id] for each in found])
    return go(sessions[found[0].session_id], monitor, only_print=args.print, own=own)


def run_next(args: argparse.Namespace, monitor: LiveMonitor, own: OwnTerminal | None = None) -> int:
    """Goes to the session that has waited longest; from a session that waits, to the one after it. The exit code.

    Quiet unless something is wrong, for a key of tmux shows in the pane what is printed.
    """
    monitor.refresh()
    waiting = monitor.fleet.attention()
    if not waiting:
        complain("no session needs you.")
        return Exit.NO_SESSION
    own = own or find_own_terminal()
    jumps = [(session, plan_jump(session, own)) for session in waiting]
    at = next((place for place, (_, jump) in enumerate(jumps) if jump.outcome is Outcome.THERE), -1)
    order = jumps[at + 1 :] + jumps[: at + 1]
    # one that can't be reached must not stand in the way of the others
    chosen = next((each for each in order if each[1].outcome in (Outcome.GO, Outcome.THERE)), order[0])
    return follow(chosen[1], chosen[0], monitor, only_print=args.print, quiet=True)


def go(session: Session, monitor: LiveMonitor, *, only_print: bool, own: OwnTerminal | None = None) -> int:
    """Plans the jump to one session and follows the plan; the exit code."""
    return follow(plan_jump(session, own), session, monitor, only_print=only_print)


def follow(jump: JumpPlan, session: Session, monitor: LiveMonitor, *, only_print: bool, quiet: bool = False) -> int:
    """Does what a plan says, asking before this terminal is taken over; the exit code."""
    if jump.outcome is Outcome.REFUSED:
        complain(jump.text)
        if jump.copy and is_interactive() and not only_print:
            sys.stdout.write(clipboard(jump.copy))
            sys.stderr.write(f"atm-tui: copied, for when it has ended: {jump.copy}\n")
        return Exit.CANT
    if only_print:
        if jump.outcome is Outcome.THERE:
            complain(jump.text)
        sys.stdout.write(f"{format_commands(jump)}\n" if jump.commands or jump.takeover else "")
        return Exit.DONE
    try:
        if jump.takeover:
            return _offer(jump)
        run_plan(jump)
    except JumpError as error:
        complain(str(error))
        return Exit.FAILED
    monitor.mark_seen(session.session_id)
    if not quiet:
        sys.stdout.write(f"{clean(jump.text)}\n")
    return Exit.DONE


def _offer(jump: JumpPlan) -> int:
    what = "Resume it" if jump.outcome is Outcome.RESUME else "Show it"
    if not is_interactive():
        complain(f"{jump.text} This does it, in a terminal:")
        sys.stderr.write(f"{format_commands(jump)}\n")
        return Exit.CANT
    if not agrees(f"{clean(jump.text)} {what} here?"):
        return Exit.DECLINED
    return make_way(jump.takeover, jump.directory)


def ambiguous(text: str, sessions: Sequence[Session]) -> int:
    """Lists the sessions that can be meant; the exit code."""
    complain(f"“{clean(text)}” can mean {len(sessions)} sessions:")
    for session in sessions:
        sys.stderr.write(f"  {session.session_id}  {clean(session.name)}  {clean(session.cwd)}\n")
    return Exit.AMBIGUOUS


def complain(text: str) -> None:
    """A line for a person, beside the output."""
    sys.stderr.write(f"atm-tui: {clean(text)}\n")
