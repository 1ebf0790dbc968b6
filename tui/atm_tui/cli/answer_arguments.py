"""Parses the options of `atm-tui answer` into a decision about a request."""

import argparse

from atm_tui.model.request import ALIKE, PLAN, QUESTION, Decision, Question, Request, list_questions
from atm_tui.text import clean, format_count

LONGEST = 2000
"""Most characters of a reason, or of an answer in one's own words, that the hook accepts."""


class AnswerError(Exception):
    """The options, or the typed text, don't answer the request; the message says what would."""


def parse_decision(request: Request, args: argparse.Namespace) -> Decision | None:
    """Returns the decision on the command line; None without one. Raises AnswerError if it does not fit the request."""
    if args.allow or args.approve:
        decision = Decision(kind="allow" if args.allow else "approve")
    elif args.deny is not None:
        decision = Decision(kind="deny", message=args.deny)
    elif args.always is not None:
        decision = Decision(kind="always", suggestions=tuple(dict.fromkeys(number - 1 for number in args.always)))
    elif args.choose is not None:
        return _parse_choices(request, args.choose)
    else:
        return None
    if not is_valid_decision(request, decision):
        raise AnswerError(_suggest_answer(request, decision))
    return decision


def is_valid_decision(request: Request, decision: Decision) -> bool:
    """Returns whether the hook would accept this decision for this request."""
    offered = all(0 <= each < len(request.suggestions) for each in decision.suggestions)
    return decision.kind in request.kinds and offered and len(decision.message) <= LONGEST


def _suggest_answer(request: Request, decision: Decision) -> str:
    if len(decision.message) > LONGEST:
        return f"a reason can have {LONGEST:,} characters."
    if request.tool == QUESTION and "answer" not in request.kinds:
        return f"{ALIKE}: answer in its pane, or --deny."
    if request.tool == QUESTION:
        return "answer a question with --choose or --deny."
    if request.tool == PLAN:
        return "answer a plan with --approve or --deny."
    if decision.kind == "always":
        offered = len(request.suggestions)
        return (
            f"--always takes numbers from 1 to {offered}."
            if offered
            else "nothing can be allowed from now on here; --allow is for this once."
        )
    return (
        "answer this with --allow, --always or --deny."
        if request.suggestions
        else "answer this with --allow or --deny."
    )


def _parse_choices(request: Request, words: list[str]) -> Decision:
    wanted = list_questions(request)
    if not wanted or "answer" not in request.kinds:
        raise AnswerError(_suggest_answer(request, Decision(kind="answer")))
    if len(words) != len(wanted):
        raise AnswerError(
            f"it asks {format_count(len(wanted), 'question')}: --choose takes as many answers, in their order."
        )
    return Decision(
        kind="answer", answers={each.text: parse_choice(each, word) for each, word in zip(wanted, words, strict=True)}
    )


def parse_choice(question: Question, word: str) -> str | tuple[str, ...]:
    """Returns the answer for a word: an option's number or label, =TEXT, or several with commas if several can be chosen.

    Raises AnswerError.
    """
    if not question.multi:
        return _parse_option(question, word)
    # a label may contain a comma
    whole = [option.label for option in question.options if option.label == word and "," in word]
    if whole and all(part.strip().isdecimal() for part in word.split(",")):
        raise AnswerError(f"“{clean(word)}” may be numbers or a label: give ={clean(word)} for the label.")
    parts = [word] if whole or word.startswith("=") else word.split(",")
    return tuple(dict.fromkeys(_parse_option(question, part.strip()) for part in parts))


def _parse_option(question: Question, word: str) -> str:
    if word.startswith("=") and word[1:].strip():
        if len(word) > LONGEST:
            raise AnswerError(f"an answer can have {LONGEST:,} characters.")
        return word[1:].strip()
    labels = [option.label for option in question.options]
    number = int(word) if word.isdecimal() else 0
    if word in labels and 1 <= number <= len(labels) and labels[number - 1] != word:
        raise AnswerError(
            f"“{clean(word)}” is one option's number and another's label: give ={clean(word)} for the label."
        )
    if word in labels:
        return word
    if 1 <= number <= len(labels):
        return labels[number - 1]
    several = ", several with commas" if question.multi else ""
    numbers = f"1 to {len(labels)}{several}, a label, or " if labels else ""
    raise AnswerError(
        f"“{clean(word)}” is no answer to “{clean(question.text)}”: give {numbers}=TEXT for your own words."
    )
