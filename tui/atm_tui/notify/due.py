"""Decides which conditions give a notification now. Pure: conditions, memory and time are passed in."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import msgspec

from atm_tui.model.notification import Condition, Notification, NotifyReason

SETTLE = 1.0
"""Seconds that a condition must hold: a request that a rule allows at once gives no notification, and what begins within this
time is combined with it.
"""
LONGEST_GATHERING = 1.0
"""Seconds for which a condition that has held long enough is kept back at most, while others are about to."""
KEEP = 3600.0
"""Seconds for which a condition is remembered after it ended, so that a short gap does not count as a new one."""
MAX_NAMED = 3
"""Largest number of conditions named in a notification."""


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """The conditions found so far. Times are epoch seconds."""

    started_at: float = 0.0
    """The time of the first check: conditions that began earlier give no notification."""
    is_first: bool = True
    """Whether nothing was checked yet: conditions of the first check give no notification either."""
    known: Mapping[str, float] = MappingProxyType({})
    """When each condition last held, by its key."""
    notified: Mapping[str, float] = MappingProxyType({})
    """When the last notification was given, by reason and session."""
    begun: Mapping[str, float] = MappingProxyType({})
    """When each condition that is not known yet began, by its key; at the latest, when it was found first."""


class Circumstances(msgspec.Struct, frozen=True, kw_only=True):
    """The circumstances that suppress notifications."""

    cooldown: float = 0.0
    """Seconds between two notifications for the same reason about the same session."""
    is_silent: bool = False
    """Whether the user is in front of the app, it is muted, or these are quiet hours."""
    focused: frozenset[str] = frozenset()
    """Ids of the sessions whose panes have the focus."""


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """The notifications to give now, and the memory for the next check."""

    conditions: tuple[Condition, ...] = ()
    quiet: tuple[Condition, ...] = ()
    """Conditions that began while notifications were suppressed, and never give one."""
    memory: Memory = Memory()
    next_at: float | None = None
    """When to check again for delayed notifications, epoch seconds; None: when something changes."""


def find_due(memory: Memory, holding: Sequence[Condition], circumstances: Circumstances, now: float) -> Due:
    """Returns the conditions that began and give a notification at `now` (epoch seconds).

    `memory`: from the last call; at the start, a Memory with the time of the start.
    Conditions that begin shortly after one another become due together. One that is due while notifications are suppressed, or
    its pane has the focus, never gives one; one that is due in the cooldown gives one afterwards, if it still holds.
    """
    known = {key: at for key, at in memory.known.items() if now - at < KEEP}
    notified = {key: at for key, at in memory.notified.items() if 0 <= now - at < circumstances.cooldown}
    waiting = _Waiting(now)
    quiet: list[Condition] = []
    for each in holding:
        is_old = memory.is_first or 0 < each.since < memory.started_at
        if each.key in known or is_old:
            known[each.key] = now
        elif circumstances.is_silent or each.session_id in circumstances.focused:
            quiet.append(each)
        else:
            # a clock that was set back would delay it for as long
            begun = memory.begun.get(each.key) or min(each.since or now, now)
            last = notified.get(name_subject(each))
            waiting.add(each, begun, 0.0 if last is None else last + circumstances.cooldown)
    due = waiting.list_due()
    known |= {each.key: now for each in (*due, *quiet)}
    notified |= {name_subject(each): now for each in due}
    begun_at = {key: at for key, at in waiting.begun.items() if key not in known}
    after = Memory(started_at=memory.started_at, is_first=False, known=known, notified=notified, begun=begun_at)
    return Due(conditions=tuple(due), quiet=tuple(quiet), memory=after, next_at=waiting.find_next())


class _Waiting:
    """The conditions that are to give a notification."""

    def __init__(self, now: float) -> None:
        """`now`: epoch seconds."""
        self.begun: dict[str, float] = {}
        """When each of them began, by its key."""
        self._now = now
        self._ready: list[Condition] = []
        """Those that could give a notification now."""
        self._ready_since = now
        """When the first of these could have given one."""
        self._settling_until: list[float] = []
        self._cooling_until: list[float] = []

    def add(self, condition: Condition, begun: float, cooled_at: float) -> None:
        """Adds a condition. `cooled_at`: when its cooldown ends."""
        self.begun[condition.key] = begun
        settled_at = begun + SETTLE
        if cooled_at > self._now:
            self._cooling_until.append(max(settled_at, cooled_at))
        elif settled_at > self._now:
            self._settling_until.append(settled_at)
        else:
            self._ready.append(condition)
            self._ready_since = min(self._ready_since, max(settled_at, cooled_at))

    def list_due(self) -> list[Condition]:
        """Returns the conditions that give a notification now."""
        return [] if self._is_gathering else self._ready

    def find_next(self) -> float | None:
        """Returns when others may give a notification, epoch seconds; None without others."""
        bound = [self._ready_since + LONGEST_GATHERING] if self._is_gathering else []
        return min([*self._settling_until, *self._cooling_until, *bound], default=None)

    @property
    def _is_gathering(self) -> bool:
        """Whether those that are ready are kept back, for others that soon are."""
        until = self._ready_since + LONGEST_GATHERING
        return bool(self._ready) and self._now < until and bool(self._settling_until)


def name_subject(condition: Condition) -> str:
    """Returns the subject of the cooldown: the reason and the session, or the condition itself."""
    return f"{condition.reason} {condition.session_id}" if condition.session_id else condition.key


def make_notification(conditions: Sequence[Condition]) -> Notification | None:
    """Makes one notification about all of the conditions; None for none."""
    if not conditions:
        return None
    texts = [each.text for each in conditions]
    more = len(texts) - MAX_NAMED
    sessions = {each.session_id: None for each in conditions if each.session_id}
    return Notification(
        title=texts[0] if len(texts) == 1 else _count(conditions),
        body="" if len(texts) == 1 else "\n".join([*texts[:MAX_NAMED], *([f"{more} more"] if more > 0 else [])]),
        reasons=tuple(dict.fromkeys(each.reason for each in conditions)),
        session_ids=tuple(sessions),
    )


def _count(conditions: Sequence[Condition]) -> str:
    """Counts the sessions that need you, or else all conditions: "3 sessions need you", "2 notifications"."""
    waiting = {each.session_id for each in conditions if each.reason is NotifyReason.NEEDS_YOU}
    if len(waiting) > 1:
        return f"{len(waiting)} sessions need you"
    return f"{len(conditions)} notifications"
