"""Decides which conditions give a notification now. Pure: conditions, memory and time are passed in."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import msgspec

from atm_tui.model.notification import Condition, Notification, NotifyReason

SETTLE = 1.0
"""Seconds that a session must need you: a request that a rule allows at once gives no notification."""
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
    A condition that begins while notifications are suppressed, or its pane has the focus, never gives one; one that begins in
    the cooldown gives one afterwards, if it still holds.
    """
    known = {key: at for key, at in memory.known.items() if now - at < KEEP}
    notified = {key: at for key, at in memory.notified.items() if 0 <= now - at < circumstances.cooldown}
    due: list[Condition] = []
    quiet: list[Condition] = []
    later: list[float] = []
    for each in holding:
        is_old = memory.is_first or 0 < each.since < memory.started_at
        if each.key not in known and not is_old:
            is_quiet = circumstances.is_silent or each.session_id in circumstances.focused
            again_at = _find_earliest(each, notified, circumstances)
            if not is_quiet and again_at > now:
                later.append(again_at)
                continue
            (quiet if is_quiet else due).append(each)
        known[each.key] = now
    notified |= {name_subject(each): now for each in due}
    after = Memory(started_at=memory.started_at, is_first=False, known=known, notified=notified)
    return Due(conditions=tuple(due), quiet=tuple(quiet), memory=after, next_at=min(later) if later else None)


def _find_earliest(condition: Condition, notified: Mapping[str, float], circumstances: Circumstances) -> float:
    """Returns when the condition may give a notification, epoch seconds."""
    settled_at = condition.since + SETTLE if condition.reason is NotifyReason.NEEDS_YOU else 0.0
    last = notified.get(name_subject(condition))
    return max(settled_at, last + circumstances.cooldown) if last is not None else settled_at


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
