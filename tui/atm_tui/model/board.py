"""The board's three columns, and the order of the cards in them. Pure."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from atm_tui.model.session import Liveness, Session, State
from atm_tui.model.wait import Reason

NEEDS, RUNNING, DONE = range(3)
"""The columns, left to right."""

Columns = tuple[tuple[Session, ...], tuple[Session, ...], tuple[Session, ...]]

_URGENCY = {
    Reason.PERMISSION: 0,
    Reason.QUESTION: 1,
    Reason.MCP: 1,
    Reason.INTERRUPTED: 2,
    Reason.FAILED: 3,
    Reason.PLAN: 4,
}
_FINISHED = 5
_WARM, _UNKNOWN, _COLD = range(3)


@dataclass(frozen=True)
class HeldCard:
    """The selected card, and the place where it is kept."""

    session_id: str
    column: int
    place: int


def choose_column(session: Session) -> int:
    """Returns the column of a session: DONE when it has ended, or when the user has seen that it finished; NEEDS when it
    waits or its turn broke off.
    """
    if session.liveness is not Liveness.LIVE:
        return DONE
    if session.state is State.WORKING:
        return RUNNING
    asks = session.state is State.NEEDS_YOU or session.reason is Reason.INTERRUPTED or session.unseen
    return NEEDS if asks else DONE


def is_waiting(session: Session) -> bool:
    """Whether a session can't go on without the user."""
    return session.liveness is Liveness.LIVE and session.state is State.NEEDS_YOU


def arrange_board(
    sessions: Iterable[Session], now: float, snoozed: Collection[str] = (), pinned: Collection[str] = ()
) -> Columns:
    """Returns the sessions of each column in their order at `now` (epoch seconds).

    Needs you: those whose prompt cache is warm first, and cold last, since an answer is cheaper while it is warm; then by
    what is asked (permission, question, interrupted, failed, plan, finished); then the newest. Running: by the newest
    prompt. Done: the newest first. Those with an id in `pinned` come first in their column, those in `snoozed` last.
    """
    columns: tuple[list[Session], ...] = ([], [], [])
    for session in sessions:
        columns[choose_column(session)].append(session)
    needs = sorted(
        columns[NEEDS], key=lambda each: (_rank_cache(each, now), _rank_urgency(each), -each.since, each.session_id)
    )
    running = sorted(columns[RUNNING], key=lambda each: (-(each.last_prompt_at or each.started_at), each.session_id))
    done = sorted(columns[DONE], key=lambda each: (-find_state_time(each), each.session_id))
    needs, running, done = (
        sorted(column, key=lambda each: (each.session_id in snoozed, each.session_id not in pinned))
        for column in (needs, running, done)
    )
    return tuple(needs), tuple(running), tuple(done)


def find_state_time(session: Session) -> float:
    """Returns when a session ended or, while it is live, when its state began; epoch seconds."""
    over = session.liveness is not Liveness.LIVE and session.ended_at is not None
    return session.ended_at if over and session.ended_at is not None else session.since


def hold_card(columns: Columns, held: HeldCard | None) -> Columns:
    """Returns the columns with the selected card in its old place, so that it doesn't move under the cursor.

    The card keeps its column and its index there; in a column with fewer cards it is the last one. Without such a card the
    columns stay as they are.
    """
    if held is None:
        return columns
    card = next((each for column in columns for each in column if each.session_id == held.session_id), None)
    if card is None:
        return columns
    rest = [[each for each in column if each is not card] for column in columns]
    rest[held.column].insert(held.place, card)
    needs, running, done = map(tuple, rest)
    return needs, running, done


def _rank_urgency(session: Session) -> int:
    if session.state is State.IDLE and session.reason is not Reason.INTERRUPTED:
        return _FINISHED
    # A dialog that no hook describes stops the client as a question does.
    return _URGENCY[session.reason or Reason.QUESTION]


def _rank_cache(session: Session, now: float) -> int:
    until = session.cache_until
    if until is None:
        return _UNKNOWN
    return _WARM if until > now else _COLD
