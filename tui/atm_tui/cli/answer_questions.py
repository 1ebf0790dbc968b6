"""Asks a person for the answer to a request, line by line. Enter alone chooses nothing."""

from atm_tui.cli.answer_arguments import AnswerError, is_valid_decision, parse_choice
from atm_tui.cli.output import write_error, write_lines
from atm_tui.cli.terminal import ask, drop_typed_ahead
from atm_tui.model.request import ALIKE, PLAN, QUESTION, Decision, Request, list_questions
from atm_tui.text import clean
from atm_tui.view.answer_text import ask_if_meant

_REASON = "Reason, which the model gets (Enter: none): "


def ask_decision(request: Request) -> Decision | None:
    """Returns the person's decision; None: to cancel."""
    if request.tool == QUESTION:
        return _ask_answers(request) if "answer" in request.kinds else _ask_refusal()
    yes = "p approve" if request.tool == PLAN else "a allow"
    more = " · w allow from now on" if "always" in request.kinds else ""
    word = _read_line(f"{yes} · d deny{more} · Enter cancels: ").lower()
    if word == "d":
        return _ask_reason()
    if word == "w" and more:
        return _ask_suggestions(request)
    if word == yes[0]:
        return Decision(kind="approve" if request.tool == PLAN else "allow")
    return None


def confirm_decision(decision: Decision, dangers: tuple[str, ...], yes: int, *, explicit: bool) -> bool:
    """Asks for confirmation: once for a decision on the command line, once more if it looks dangerous.

    `yes`: how often --yes was given; each one confirms one question.
    """
    if explicit and not yes and _read_line(ask_if_meant(decision)).lower() != "y":
        return False
    if dangers and yes < 2:
        write_lines(f"It {clean(each)}." for each in dangers)
        return _read_line('It looks dangerous. Write "yes" if you are sure: ').lower() == "yes"
    return True


def _ask_reason() -> Decision:
    return Decision(kind="deny", message=_read_line(_REASON))


def _ask_suggestions(request: Request) -> Decision | None:
    numbers = _read_line(f"Which of 1 to {len(request.suggestions)} (Enter cancels): ").split(",")
    if not all(each.strip().isdecimal() for each in numbers):
        return None
    decision = Decision(kind="always", suggestions=tuple(int(each) - 1 for each in numbers))
    return decision if is_valid_decision(request, decision) else None


def _ask_refusal() -> Decision | None:
    """Asks whether to deny questions with equal texts, which can't be answered separately."""
    if _read_line(f"{ALIKE}: answer in its pane.\nd deny · Enter cancels: ").lower() != "d":
        return None
    return _ask_reason()


def _ask_answers(request: Request) -> Decision | None:
    answers = {}
    for question in list_questions(request):
        several = ", several with commas" if question.multi else ""
        hint = f"1 to {len(question.options)}{several}, or =your own words" if question.options else "=your own words"
        word = _read_line(f"{clean(question.text)}\n({hint}; d denies, Enter cancels): ")
        if word == "d":
            return _ask_reason()
        try:
            answers[question.text] = parse_choice(question, word)
        except AnswerError as error:
            write_error(str(error))
            return None
    return Decision(kind="answer", answers=answers) if answers else None


def _read_line(question: str) -> str:
    """Reads a line; "" at the end of the input. Drops what was typed before the question was shown."""
    drop_typed_ahead()
    return ask(f"\n{question}")
