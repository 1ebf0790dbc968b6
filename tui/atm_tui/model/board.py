"""The board's three columns, and the order of the cards in them. Pure."""

from collections.abc import Collection, Iterable

import msgspec

from atm_tui.model.session import Liveness, Session, State
from atm_tui.model.wait import Reason

NEEDS, RUNNING, DONE = range(3)
"""The columns, left to right."""

Columns = tuple[tuple[Session, ...], tuple[Session, ...], tuple[Session, ...]]


class HeldCard(msgspec.Struct, frozen=True):
    """The selected card, and the place where it is kept."""

    session_id: str
    column: int
    place: int


def choose_column(session: Session) -> int:
    """Returns the column of a session: DONE when it has ended, or when the user has seen that it finished; NEEDS when it
    waits or its turn was interrupted.
    """
    if session.liveness is not Liveness.LIVE:
        return DONE
    if session.state is State.WORKING:
        return RUNNING
    asks = session.state is State.NEEDS_YOU or session.reason is Reason.INTERRUPTED or session.unseen
    return NEEDS if asks else DONE


def is_active(session: Session) -> bool:
    """Returns whether a session works, or waits for the user."""
    return session.liveness is Liveness.LIVE and session.state is not State.IDLE


def is_waiting(session: Session) -> bool:
    """Whether a session can't go on without the user."""
    return session.liveness is Liveness.LIVE and session.state is State.NEEDS_YOU


def arrange_board(sessions: Iterable[Session], snoozed: Collection[str] = (), pinned: Collection[str] = ()) -> Columns:
    """Returns the sessions of each column in their order.

    Needs you: first those that wait, in the order of the queue, oldest wait first, whether pinned or not; then those to
    review, newest first. Running: by the newest prompt. Done: the newest first. Of those that do not wait, the ones with an
    id in `pinned` come first; those in `snoozed` come last in their column.
    """
    columns: tuple[list[Session], ...] = ([], [], [])
    for session in sessions:
        columns[choose_column(session)].append(session)
    needs = sorted(columns[NEEDS], key=lambda each: (-each.since, each.session_id))
    running = sorted(columns[RUNNING], key=lambda each: (-(each.last_prompt_at or each.started_at), each.session_id))
    done = sorted(columns[DONE], key=lambda each: (-find_state_time(each), each.session_id))
    needs, running, done = (
        sorted(column, key=lambda each: (each.session_id in snoozed, each.session_id not in pinned))
        for column in (needs, running, done)
    )
    waiting = order_waits(each for each in needs if each.session_id not in snoozed)
    first = {each.session_id for each in waiting}
    rest = [each for each in needs if each.session_id not in first]
    return (*waiting, *rest), tuple(running), tuple(done)


def order_waits(sessions: Iterable[Session]) -> tuple[Session, ...]:
    """Returns the sessions that can't go on without the user, oldest wait first: the order of queue, board and `n`."""
    return tuple(sorted(filter(is_waiting, sessions), key=lambda each: (each.since, each.session_id)))


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
