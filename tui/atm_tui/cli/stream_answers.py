"""The commands of a stream that answer requests: arm, join, requests, answer, disarm."""

from atm_tui.cli.stream_served import Served
from atm_tui.model.stream_answers import (
    AnswerCommand,
    AnswersResult,
    ArmCommand,
    DisarmCommand,
    JoinCommand,
    OutcomeResult,
    RequestsCommand,
)
from atm_tui.monitor.answer_desk import AnswerDesk


def arm(command: ArmCommand, served: Served) -> AnswersResult:
    """Takes the lease."""
    return _find_desk(served).arm(takes_over=command.takes_over)


def join(command: JoinCommand, served: Served) -> AnswersResult:  # noqa: ARG001  as all of them
    """Begins to answer under the lease of another atm-tui."""
    return _find_desk(served).join()


def list_requests(command: RequestsCommand, served: Served) -> AnswersResult:
    """Lists what is open, and renews the lease."""
    return _find_desk(served).list_requests(command.lease, command.known)


def disarm(command: DisarmCommand, served: Served) -> AnswersResult:
    """Gives the lease back."""
    return _find_desk(served).disarm(command.lease)


def answer(command: AnswerCommand, served: Served) -> OutcomeResult:
    """Gives an answer; returns its outcome."""
    desk = _find_desk(served)
    outcome = desk.answer(command.lease, command.nonce, command.seal, command.shown, command.decision)
    return OutcomeResult(outcome=outcome)


def _find_desk(served: Served) -> AnswerDesk:
    desk = served.kept.get("answers")
    if desk is None:
        desk = served.kept["answers"] = AnswerDesk(served.monitor)
        served.closers.append(desk.close)
    assert isinstance(desk, AnswerDesk)  # noqa: S101
    return desk
