"""The user's flags on a session: pinned, snoozed, dismissed. Pure."""

import msgspec

from atm_tui.model.session import Liveness, Session

SPELLS: tuple[float | None, ...] = (None, 15 * 60.0, 60 * 60.0)
"""Seconds of a snooze for each press of the key in turn; None: until the session changes."""


class Snooze(msgspec.Struct, frozen=True, kw_only=True):
    """A snooze: the session is not shown as waiting."""

    at: float
    """When it was set, epoch seconds."""
    seconds: float | None = None
    """Its length in seconds; None: until the session's state changes or it asks for something else."""
    since: float = 0.0
    """When the snoozed state, or the newest wait in it, began."""

    @property
    def until(self) -> float | None:
        """When it ends, epoch seconds; None: when the session changes."""
        return None if self.seconds is None else self.at + self.seconds


class SessionFlags(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All flags of one session."""

    pinned: bool = False
    snooze: Snooze | None = None
    dismissed: float | None = None
    """The end of the session (epoch seconds) that was dismissed; a later end shows it again."""
    at: float = 0.0
    """When it last changed, epoch seconds."""


NO_FLAGS = SessionFlags()


def find_end(session: Session) -> float:
    """Returns when an ended session ended; epoch seconds."""
    return session.ended_at if session.ended_at is not None else session.since


def _find_last_change(session: Session) -> float:
    return max([session.since, *(wait.since for wait in session.waits)])


def is_snoozed(session: Session, flags: SessionFlags, now: float) -> bool:
    """Whether a session is snoozed at `now` (epoch seconds)."""
    if flags.snooze is None or session.liveness is not Liveness.LIVE:
        return False
    until = flags.snooze.until
    return _find_last_change(session) == flags.snooze.since if until is None else now < until


def is_dismissed(session: Session, flags: SessionFlags) -> bool:
    """Whether a session is hidden, which it no longer is once it is live again."""
    return (
        flags.dismissed is not None and session.liveness is not Liveness.LIVE and flags.dismissed == find_end(session)
    )


def choose_next_snooze(session: Session, flags: SessionFlags, now: float) -> Snooze | None:
    """Returns the snooze after another press of the key: until it changes, a quarter of an hour, an hour, none."""
    spells = list(SPELLS)
    if flags.snooze is not None and is_snoozed(session, flags, now):
        spells = spells[spells.index(flags.snooze.seconds) + 1 :] if flags.snooze.seconds in spells else []
    return start_snooze(session, spells[0], now) if spells else None


def start_snooze(session: Session, seconds: float | None, now: float) -> Snooze:
    """Returns a snooze of a session from now on; `seconds`: its length, None: until the session changes."""
    return Snooze(at=now, seconds=seconds, since=_find_last_change(session))
