"""Carries out the plan of a jump, and asks before it takes over this terminal; for jump, next and resume."""

from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import copy_to_clipboard, write_error, write_line, write_text
from atm_tui.cli.terminal import can_ask, confirm, replace_process
from atm_tui.jump.run import run_plan
from atm_tui.jump.shell_text import format_commands
from atm_tui.jump.values import JumpError, JumpPlan, Outcome
from atm_tui.model.session import Session
from atm_tui.monitor.live import LiveMonitor
from atm_tui.text import clean


def can_offer_copy(*, only_print: bool) -> bool:
    """Whether a refused jump copies the command that resumes the session: a person may paste it later."""
    return can_ask() and not only_print


def follow_plan(
    plan: JumpPlan, session: Session, monitor: LiveMonitor, *, only_print: bool, quiet: bool = False
) -> ExitCode:
    """Jumps, or prints the commands; returns the exit code. `quiet`: print nothing on success. Raises CommandError."""
    if plan.outcome is Outcome.REFUSED:
        if plan.copy and can_offer_copy(only_print=only_print):
            copy_to_clipboard(plan.copy)
            where = "to run it there" if plan.runs_there else "for when it has ended"
            write_error(f"copied, {where}: {plan.copy}")
        raise CommandError(clean(plan.text), ExitCode.NOT_POSSIBLE)
    if only_print:
        if plan.outcome is Outcome.THERE:
            write_error(clean(plan.text))
        if plan.commands or plan.takeover:
            write_text(format_commands(plan))
        return ExitCode.DONE
    try:
        if plan.takeover:
            return _offer_takeover(plan)
        run_plan(plan)
    except JumpError as error:
        raise CommandError(clean(str(error)), ExitCode.PROGRAM_FAILED) from error
    monitor.mark_seen(session.session_id)
    if not quiet:
        write_line(clean(plan.text))
    return ExitCode.DONE


def _offer_takeover(plan: JumpPlan) -> ExitCode:
    """Asks whether to show or resume the session in this terminal. Does not return after yes."""
    if not can_ask():
        text = f"{clean(plan.text)} This does it, in a terminal:\n{format_commands(plan)}"
        raise CommandError(text, ExitCode.NOT_POSSIBLE)
    if confirm(
        f"{clean(plan.text)} {'Resume it' if plan.outcome is Outcome.RESUME else 'Show it'} here?", default=True
    ):
        replace_process(plan.takeover, plan.directory)
    return ExitCode.DECLINED
