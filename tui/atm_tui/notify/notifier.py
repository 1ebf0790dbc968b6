"""Decides which notifications to give now, and remembers them. They are shared with other apps and `atm-tui notify`."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from atm_tui.config import Config
from atm_tui.model.notification import Condition, Notification
from atm_tui.notify.due import Circumstances, Due, Memory, find_due, make_notification, name_subject
from atm_tui.notify.surroundings import Surroundings, is_quiet_hour
from atm_tui.sources.times_file import TimesFile

_FILE = "notified.json"


class Notifier:
    """Used by the app and by `atm-tui notify`. Only one of several processes gives each notification."""

    def __init__(self, config: Config, state_dir: Path | None, memory: Memory) -> None:
        """`state_dir`: where given notifications are stored; None: nowhere."""
        self.config = config
        self._given = TimesFile(state_dir, _FILE) if state_dir is not None else None
        self.memory = memory

    def look(self, holding: Sequence[Condition], now: float, surroundings: Surroundings | None = None) -> Due:
        """Returns what is due at `now` (epoch seconds). Without `surroundings`, nothing is suppressed."""
        circumstances = Circumstances(
            cooldown=self.config.notify_cooldown,
            is_silent=surroundings is not None
            and (surroundings.is_in_front or now < surroundings.muted_until or is_quiet_hour(self.config, now)),
            focused=surroundings.focused if surroundings is not None else frozenset(),
        )
        return find_due(self._add_given(holding, now), holding, circumstances, now)

    def take(self, due: Due, now: float) -> Notification | None:
        """Remembers what is due; returns the notification about conditions that no other process has taken, or None."""
        self.memory = due.memory
        if self._given is None:
            return make_notification(due.conditions)
        # conditions that begin while suppressed are taken as well: another process may not know that they are
        taken = self._given.claim([each.key for each in (*due.conditions, *due.quiet)], now)
        new = [each for each in due.conditions if each.key in taken]
        for subject in dict.fromkeys(name_subject(each) for each in new):
            self._given.record(_name_last(subject), now)
        return make_notification(new)

    def _add_given(self, holding: Sequence[Condition], now: float) -> Memory:
        """Returns the memory with what other processes have taken."""
        if self._given is None:
            return self.memory
        self._given.refresh()
        known = {each.key: now for each in holding if self._given.find(each.key)}
        subjects = dict.fromkeys(name_subject(each) for each in holding)
        notified = {each: at for each in subjects if (at := self._given.find(_name_last(each)))}
        return msgspec.structs.replace(
            self.memory, known={**self.memory.known, **known}, notified={**self.memory.notified, **notified}
        )


def _name_last(subject: str) -> str:
    return f"last {subject}"
