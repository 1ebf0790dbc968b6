"""What changed between two states of the fleet, for lines that scripts read. Pure."""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from atm_tui.model.session import Liveness, Session, State


class ChangeKind(StrEnum):
    """The kinds of changes."""

    NEW = "new"
    STATE = "state"
    """Its state, its reason, what it waits for, or whether it can be read; or a further turn has finished."""
    DETAIL = "detail"
    """What it does, within the same state: the next tool."""
    NAME = "name"
    FIGURES = "figures"
    """Whatever else differs: cost, context, agents, files, texts."""
    BACK = "back"
    """A process serves it again."""
    LOST = "lost"
    ENDED = "ended"
    REMOVED = "removed"
    """It is no longer listed."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One change of one session."""

    kind: ChangeKind
    session: Session
    """The current session; for a removed one, its last value."""
    before: Session | None = None
    """The session before the change; None if it is new."""


def list_changes(
    before: Mapping[str, Session], after: Mapping[str, Session], *, details: bool = False, figures: bool = False
) -> list[Change]:
    """Returns at most one change for each session, those that need you first.

    `details`, `figures`: whether DETAIL and FIGURES are included.
    """
    left_out = {kind for kind, wanted in ((ChangeKind.DETAIL, details), (ChangeKind.FIGURES, figures)) if not wanted}
    found = [
        Change(kind=kind, session=session, before=before.get(key))
        for key, session in after.items()
        if (kind := _find_kind(before.get(key), session)) is not None and kind not in left_out
    ]
    found.sort(key=lambda each: each.session.state is not State.NEEDS_YOU)
    removed = (session for key, session in before.items() if key not in after)
    return found + [Change(kind=ChangeKind.REMOVED, session=each, before=each) for each in removed]


def _find_kind(old: Session | None, new: Session) -> ChangeKind | None:
    if old is None:
        return ChangeKind.NEW
    if new.liveness is not old.liveness:
        return _BY_LIVENESS[new.liveness]
    if _describe_state(new) != _describe_state(old):
        return ChangeKind.STATE
    if new.name != old.name:
        return ChangeKind.NAME
    if new.activity != old.activity:
        return ChangeKind.DETAIL
    return ChangeKind.FIGURES if new != old else None


_BY_LIVENESS = {
    Liveness.LIVE: ChangeKind.BACK,
    Liveness.LOST: ChangeKind.LOST,
    Liveness.ENDED: ChangeKind.ENDED,
}


def _describe_state(session: Session) -> tuple[object, ...]:
    """Returns the parts of a state to compare. For an idle session also when it became idle: a turn may begin and end unnoticed."""
    idle = (session.activity, session.since) if session.state is State.IDLE else None
    waits = frozenset(wait.key for wait in session.waits)
    return session.state, session.reason, waits, idle, session.problem
