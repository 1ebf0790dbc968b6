"""`atm-tui answer`: shows a request in full and answers it, from a shell, a tmux popup or a notification."""

import argparse
import shutil

from atm_tui import paths
from atm_tui.cli import messages
from atm_tui.cli.answer_arguments import AnswerError, parse_decision
from atm_tui.cli.answer_questions import ask_decision, confirm_decision
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import is_colour_terminal, write_error, write_line
from atm_tui.cli.pager import show_pages
from atm_tui.cli.request_argument import add_request_argument, find_request, list_closed_machines
from atm_tui.cli.session_argument import read_named
from atm_tui.cli.terminal import can_ask
from atm_tui.model.request import PLAN, AnswerOutcome, Arming, Request
from atm_tui.monitor.live import LiveMonitor
from atm_tui.sources.plan import find_plan
from atm_tui.view.answer_text import describe_given_answer, describe_refused_answer
from atm_tui.view.request import Section, find_wait, is_shown_whole

_CODES = {
    AnswerOutcome.ELSEWHERE: ExitCode.ANSWERED_ELSEWHERE,
    AnswerOutcome.REFUSED: ExitCode.NO_PERSON,
    AnswerOutcome.REFUSED_THERE: ExitCode.NO_PERSON,
    AnswerOutcome.UNKNOWN: ExitCode.FAILED,
}


def add_answer_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `answer`."""
    add_request_argument(parser)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--allow", action="store_true", help="yes, this once")
    kind.add_argument("--deny", metavar="REASON", nargs="?", const="", help="no; the model gets the reason")
    kind.add_argument(
        "--always",
        metavar="N",
        nargs="+",
        type=int,
        help="yes, and accept the suggestions with these numbers from now on",
    )
    kind.add_argument("--choose", metavar="ANSWER", nargs="+", help="one answer per question")
    kind.add_argument("--approve", action="store_true", help="yes to a plan")
    parser.add_argument(
        "--yes",
        action="count",
        default=0,
        help="don't ask for confirmation; given twice: not even for what looks dangerous",
    )
    parser.add_argument("--print", action="store_true", help="show the request, and answer nothing")


def run_answer(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Shows the request, asks, and sends the answer; returns the exit code. Raises CommandError."""
    monitor.refresh()
    fleet = monitor.fleet
    if fleet.arming is Arming.READ_ONLY and not args.print:
        text = "read-only: answering is switched off by --read-only or by read_only in the configuration."
        raise CommandError(text, ExitCode.NOT_POSSIBLE)
    if not args.print:
        _check_caller(monitor)
    monitor.join_machines()
    request = _find_request(args, monitor)
    if args.request is None:  # "the only request" is that of the others
        for name, why in list_closed_machines(monitor).items():
            write_error(f"{name}: {why.removesuffix('.')}.")
    try:
        given = parse_decision(request, args)
    except AnswerError as error:
        raise CommandError(str(error), ExitCode.USAGE) from error
    asks = can_ask()
    sections = _describe(request, monitor)
    was_seen = show_pages(sections, _measure_columns(), _measure_rows() if asks else None, colour=is_colour_terminal())
    if args.print:
        return ExitCode.DONE
    dangers = fleet.list_dangers(request, given) if given else ()
    if dangers:
        _check_caller(monitor, asks_twice=True)
    if not asks and (given is None or args.yes < (2 if dangers else 1)):
        twice = " twice, since it looks dangerous" if dangers else ""
        raise CommandError(messages.describe_missing_prompt(f"give both the answer and --yes{twice}."), ExitCode.USAGE)
    if not was_seen:
        raise CommandError("not answered: not all of it was seen.", ExitCode.DECLINED)
    decision = given or ask_decision(request)
    if decision is None:
        raise CommandError("not answered.", ExitCode.DECLINED)
    if decision.kind != "deny" and not is_shown_whole(sections):
        raise CommandError("not answered: it is too long to be shown whole; answer in its pane.", ExitCode.NOT_POSSIBLE)
    dangers = fleet.list_dangers(request, decision)
    if dangers and not given:
        _check_caller(monitor, asks_twice=True)
    if asks and not confirm_decision(decision, dangers, args.yes, explicit=given is not None):
        raise CommandError("not answered.", ExitCode.DECLINED)
    try:
        outcome = monitor.answer(request, decision, "shell")
    except OSError as error:
        raise CommandError(messages.describe_write_error("the answer", error), ExitCode.FAILED) from error
    if outcome is not AnswerOutcome.GIVEN:
        raise CommandError(describe_refused_answer(outcome), _CODES.get(outcome, ExitCode.NOT_POSSIBLE))
    write_line(describe_given_answer(decision))
    return ExitCode.DONE


def _find_request(args: argparse.Namespace, monitor: LiveMonitor) -> Request:
    """Returns the request that the arguments name. Raises CommandError, which also knows sessions that are over."""
    width = max(42, _measure_columns())
    try:
        return find_request(args.request, monitor, width)
    except CommandError as error:
        if error.code is ExitCode.SEVERAL or args.request is None or not monitor.reader.states.is_partial:
            raise
    read_named(args.request, monitor)
    return find_request(args.request, monitor, width)


def _check_caller(monitor: LiveMonitor, *, asks_twice: bool = False) -> None:
    """Raises CommandError if no person started this command."""
    if refusal := monitor.refuse_caller("answer", asks_twice=asks_twice):
        raise CommandError(refusal, ExitCode.NO_PERSON)


def _describe(request: Request, monitor: LiveMonitor) -> tuple[Section, ...]:
    """Returns the whole request, with all known facts about who asks."""
    fleet = monitor.fleet
    session = fleet.sessions.get(request.session_id)
    agent = next((each for each in session.agents if each.agent_id == request.agent_id), None) if session else None
    return find_wait(
        request,
        now=monitor.now(),
        session=session.name if session else "",
        agent=(agent.name or agent.description) if agent else "",
        home=str(paths.find_home()),
        dangers=fleet.dangers.get(request.nonce, ()),
        risks=fleet.risks.get(request.nonce, ()),
        plan=find_plan(request) if request.tool == PLAN else None,
        last_reply=session.last_reply if session else "",
    )


def _measure_columns() -> int:
    return max(20, shutil.get_terminal_size((100, 24)).columns)


def _measure_rows() -> int:
    return max(5, shutil.get_terminal_size((100, 24)).lines - 1)
