"""Decides which conditions give a notification now. Pure: what holds, what is remembered and the time come in as values."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import msgspec

from atm_tui.model.notification import Condition, Notification, NotifyReason

SETTLE = 1.0
"""Seconds that a session must need you: what a rule allows at once gives no notification."""
KEEP = 3600.0
"""Seconds for which a condition is remembered after it ended, so that a short gap does not begin it again."""
MAX_NAMED = 3
"""Number of conditions that a notification names."""


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """What was found before. Times are epoch seconds."""

    started_at: float = 0.0
    """When the first look was taken: what began before gives no notification."""
    is_first: bool = True
    """Whether no look was taken yet: what holds then gives no notification either."""
    known: Mapping[str, float] = MappingProxyType({})
    """When each condition last held, by its key."""
    notified: Mapping[str, float] = MappingProxyType({})
    """When the last notification was given, by reason and session."""


class Circumstances(msgspec.Struct, frozen=True, kw_only=True):
    """What keeps notifications back."""

    cooldown: float = 0.0
    """Seconds between two notifications for the same reason about the same session."""
    is_silent: bool = False
    """Whether the user is in front of the app, it is muted, or these are quiet hours."""
    focused: frozenset[str] = frozenset()
    """Ids of the sessions whose panes have the focus."""


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """What to notify of now, and what to remember."""

    conditions: tuple[Condition, ...] = ()
    quiet: tuple[Condition, ...] = ()
    """What began in silence, and never gives a notification."""
    memory: Memory = Memory()
    next_at: float | None = None
    """When to look again for what is kept back now, epoch seconds; None: when something changes."""


def find_due(memory: Memory, holding: Sequence[Condition], circumstances: Circumstances, now: float) -> Due:
    """Returns the conditions that began and give a notification at `now` (epoch seconds).

    `memory`: what the last call returned; at the start, one with the time of the start.
    What begins in silence, or while its pane has the focus, never gives one; what begins in the cooldown gives one after it,
    if it still holds.
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
    """When the condition may give a notification, epoch seconds."""
    settled_at = condition.since + SETTLE if condition.reason is NotifyReason.NEEDS_YOU else 0.0
    last = notified.get(name_subject(condition))
    return max(settled_at, last + circumstances.cooldown) if last is not None else settled_at


def name_subject(condition: Condition) -> str:
    """Returns what the cooldown is about: the reason and the session, or the condition itself."""
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
    """Counts the sessions that need you, else everything: "3 sessions need you", "2 notifications"."""
    waiting = {each.session_id for each in conditions if each.reason is NotifyReason.NEEDS_YOU}
    if len(waiting) > 1:
        return f"{len(waiting)} sessions need you"
    return f"{len(conditions)} notifications"
