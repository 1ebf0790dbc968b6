"""`atm-tui answer`: one request whole, and one person's answer to it, from a shell, a tmux popup or a notification."""

import argparse
import shutil
import sys

from atm_hooks.payload import summary
from atm_tui import paths
from atm_tui.cli.answer_arguments import AnswerError, decision_of, fits, parse_choice
from atm_tui.cli.terminal import is_interactive
from atm_tui.jump.find import matches, named
from atm_tui.model.fleet import Fleet
from atm_tui.model.request import ALIKE, PLAN, QUESTION, Answered, Arming, Decision, Request, questions
from atm_tui.monitor.live import LiveMonitor
from atm_tui.sources.plan import find_plan
from atm_tui.text import clean, cut
from atm_tui.view.request import Section, asked
from atm_tui.view.request_pages import drop_typed_ahead, page

GIVEN, NOT_GIVEN, USAGE, ELSEWHERE, AMBIGUOUS = range(5)
EPILOG = """An answer is for the one request that was shown. Without a terminal it takes both the answer and --yes; what looks
dangerous takes --yes twice.

--choose takes one word a question, in their order: an option's number or label, several numbers with commas
where several can be chosen, or =TEXT for words of your own.

exit codes:
  0  the answer was given
  1  it was not: nothing waits, you left it, the hook has ended, or the configuration can't be read
  2  words that make no sense, or a question and nobody to ask
  3  answered elsewhere
  4  several requests can be meant; they are listed"""

_DONE = {
    "allow": "Allowed.",
    "deny": "Denied.",
    "always": "Allowed from now on.",
    "answer": "Answered.",
    "approve": "Approved.",
}
_NOT = {
    Answered.ELSEWHERE: "answered elsewhere: yours came second.",
    Answered.GONE: "not given: its hook waits no more. Its dialog may still be open in its pane.",
    Answered.VOID: "not given: it changed since it was shown, or the answer does not fit. Its dialog stays open in its pane.",
}


def add_answer_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `answer`."""
    parser.add_argument(
        "request",
        metavar="ID",
        nargs="?",
        help="start of a session's id or name, or of a request's own id; without it the only one",
    )
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--allow", action="store_true", help="yes, this once")
    kind.add_argument("--deny", metavar="REASON", nargs="?", const="", help="no; the model gets the reason")
    kind.add_argument(
        "--always",
        metavar="N",
        nargs="+",
        type=int,
        help="yes, and the client's suggestions of these numbers from now on",
    )
    kind.add_argument("--choose", metavar="ANSWER", nargs="+", help="an answer to each question")
    kind.add_argument("--approve", action="store_true", help="yes to a plan")
    parser.add_argument(
        "--yes",
        action="count",
        default=0,
        help="don't ask whether it is meant; twice: not for what looks dangerous either",
    )
    parser.add_argument("--print", action="store_true", help="show the request, and answer nothing")
    parser.epilog, parser.formatter_class = EPILOG, argparse.RawDescriptionHelpFormatter


def run_answer(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Shows the request that is meant, asks, and gives the answer; the exit code."""
    monitor.refresh()
    fleet = monitor.fleet
    if fleet.arming is Arming.READ_ONLY and not args.print:
        return _complain(
            "read-only: answering is switched off by --read-only or by read_only in the configuration.", NOT_GIVEN
        )
    found = _meant(args.request, fleet)
    if len(found) != 1:
        return _which(args.request, found, fleet)
    request = found[0]
    try:
        given = decision_of(request, args)
    except AnswerError as error:
        return _complain(str(error), USAGE)
    asks = is_interactive()
    sections = _sections(request, monitor)
    seen = page(sections, _columns(), _rows() if asks else None, colour=_colours())
    if args.print:
        return GIVEN
    dangers = fleet.dangers_of(request, given) if given else ()
    if not asks and (given is None or args.yes < (2 if dangers else 1)):
        twice = " twice, since it looks dangerous" if dangers else ""
        return _complain(f"nobody to ask here: give both the answer and --yes{twice}.", USAGE)
    if not seen:
        return _complain("left as it is: not all of it was seen.", NOT_GIVEN)
    decision = given or _ask(request)
    if decision is None:
        return _complain("left as it is.", NOT_GIVEN)
    dangers = fleet.dangers_of(request, decision)
    if asks and not _is_sure(decision, dangers, args.yes, explicit=given is not None):
        return _complain("left as it is.", NOT_GIVEN)
    try:
        outcome = monitor.answer(request, decision, "shell")
    except OSError as error:
        return _complain(f"not given: it can't be written: {error}", NOT_GIVEN)
    return _told(outcome, decision)


def _told(outcome: Answered, decision: Decision) -> int:
    if outcome is Answered.GIVEN:
        sys.stdout.write(f"{_DONE[decision.kind]}\n")
        return GIVEN
    return _complain(_NOT[outcome], ELSEWHERE if outcome is Answered.ELSEWHERE else NOT_GIVEN)


# --- which


def _meant(wanted: str | None, fleet: Fleet) -> list[Request]:
    """The requests that `wanted` can mean: a session's id or name, or the start of a request's own id."""
    everyone = list(fleet.requests.values())
    if wanted is None:
        return everyone
    by_nonce = [each for each in everyone if len(wanted) >= 4 and each.nonce.startswith(wanted.casefold())]
    asking = {each.session_id for each in everyone}
    sessions = {
        each.session_id for each in matches(wanted, [named(s) for key, s in fleet.sessions.items() if key in asking])
    }
    sessions |= {key for key in asking if key not in fleet.sessions and key.startswith(wanted)}
    return by_nonce or [each for each in everyone if each.session_id in sessions]


def _which(wanted: str | None, found: list[Request], fleet: Fleet) -> int:
    """Says why no single request is meant; the exit code."""
    if found:
        _complain(f"{len(found)} requests can be meant: name one by its own id, at the start of its line.", AMBIGUOUS)
        for each in found:
            sys.stderr.write(f"  {_line(each, fleet)}\n")
        return AMBIGUOUS
    if fleet.requests:
        _complain(f"“{clean(wanted or '')}” asks nothing. These wait for an answer:", NOT_GIVEN)
        for each in fleet.requests.values():
            sys.stderr.write(f"  {_line(each, fleet)}\n")
        return NOT_GIVEN
    why = {
        Arming.NOT_INSTALLED: "the hooks don't wait for answers. `atm-tui install --answers` switches that on.",
        Arming.OFF: "no app is armed. Press A in atm-tui: requests that come from then on can be answered.",
        Arming.READ_ONLY: "nothing waits for an answer here.",
    }
    return _complain(
        why.get(fleet.arming, "nothing waits for an answer here. `atm-tui status` lists the sessions."), NOT_GIVEN
    )


def _line(request: Request, fleet: Fleet) -> str:
    session = fleet.sessions.get(request.session_id)
    name = clean(session.name) if session else request.session_id[:8]
    what = clean(summary(request.tool, request.input))
    return cut(f"{request.nonce[:8]}  {name}  {clean(request.tool)} {what}".rstrip(), max(40, _columns() - 2))


def _sections(request: Request, monitor: LiveMonitor) -> tuple[Section, ...]:
    fleet = monitor.fleet
    session = fleet.sessions.get(request.session_id)
    agent = next((each for each in session.agents if each.agent_id == request.agent_id), None) if session else None
    return asked(
        request,
        now=monitor.now(),
        session=session.name if session else "",
        agent=(agent.name or agent.description) if agent else "",
        home=str(paths.home()),
        dangers=fleet.dangers.get(request.nonce, ()),
        risks=fleet.risks.get(request.nonce, ()),
        plan=find_plan(request) if request.tool == PLAN else None,
        last_reply=session.last_reply if session else "",
    )


# --- asking


def _ask(request: Request) -> Decision | None:
    """What the person wants; None: nothing. Nothing is chosen by Enter alone."""
    if request.tool == QUESTION:
        return _ask_questions(request)
    yes = "p approve" if request.tool == PLAN else "a allow"
    more = " · w allow from now on" if "always" in request.kinds else ""
    word = _read(f"{yes} · d deny{more} · Enter leaves it: ").lower()
    if word == "d":
        return Decision(kind="deny", message=_read("Reason, which the model gets (Enter: none): "))
    if word == "w" and more:
        numbers = _read(f"Which of 1 to {len(request.suggestions)} (Enter leaves it): ")
        if not all(each.strip().isdecimal() for each in numbers.split(",")):
            return None
        decision = Decision(kind="always", suggestions=tuple(int(each) - 1 for each in numbers.split(",")))
        return decision if fits(request, decision) else None
    if word == yes[0]:
        return Decision(kind="approve" if request.tool == PLAN else "allow")
    return None


def _ask_refusal() -> Decision | None:
    """Where no answer could say what it is for."""
    if _read(f"{ALIKE}: answer in its pane.\nd deny · Enter leaves it: ").lower() != "d":
        return None
    return Decision(kind="deny", message=_read("Reason, which the model gets (Enter: none): "))


def _ask_questions(request: Request) -> Decision | None:
    answers = {}
    if "answer" not in request.kinds:
        return _ask_refusal()
    for question in questions(request):
        several = ", several with commas" if question.multi else ""
        hint = f"1 to {len(question.options)}{several}, or =your own words" if question.options else "=your own words"
        word = _read(f"{clean(question.text)}\n({hint}; d denies, Enter leaves it): ")
        if word == "d":
            return Decision(kind="deny", message=_read("Reason, which the model gets (Enter: none): "))
        try:
            answers[question.text] = parse_choice(question, word)
        except AnswerError as error:
            sys.stderr.write(f"atm-tui: {error}\n")
            return None
    return Decision(kind="answer", answers=answers) if answers else None


def _is_sure(decision: Decision, dangers: tuple[str, ...], yes: int, *, explicit: bool) -> bool:
    """Asks whether it is meant: once for words of the command line, once more for what looks dangerous."""
    if (
        explicit
        and not yes
        and _read(f"{_DONE[decision.kind].rstrip('.')}, is that meant? y, or Enter leaves it: ").lower() != "y"
    ):
        return False
    if dangers and yes < 2:
        sys.stdout.write("".join(f"It {clean(each)}.\n" for each in dangers))
        return _read('It looks dangerous. Write "yes" if you are sure: ').lower() == "yes"
    return True


def _read(question: str) -> str:
    """A line from the person; "" also at the end of the input. What was typed before the question stood there is dropped."""
    drop_typed_ahead()
    sys.stdout.write(f"\n{question}")
    sys.stdout.flush()
    return sys.stdin.readline().strip()


def _columns() -> int:
    return max(20, shutil.get_terminal_size((100, 24)).columns)


def _rows() -> int:
    return max(5, shutil.get_terminal_size((100, 24)).lines - 1)


def _colours() -> bool:
    return sys.stdout.isatty() and paths.environment("NO_COLOR") is None


def _complain(text: str, code: int) -> int:
    sys.stderr.write(f"atm-tui: {text}\n")
    return code
