"""Decides what to notify of now, and remembers it. What was given is shared with other apps, and with `atm-tui notify`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from atm_tui.config import Config
from atm_tui.model.notification import Condition, Notification
from atm_tui.notify.due import Circumstances, Due, Memory, find_due, make_notification, name_subject
from atm_tui.notify.surroundings import Surroundings, is_quiet_hour
from atm_tui.sources.times_file import TimesFile

_FILE = "notified.json"


class Notifier:
    """Used by the app, and by `atm-tui notify`. Of several processes, one gives each notification."""

    def __init__(self, config: Config, state_dir: Path | None, memory: Memory) -> None:
        """`state_dir`: where what was given is stored; None: nowhere."""
        self._config = config
        self._given = TimesFile(state_dir, _FILE) if state_dir is not None else None
        self.memory = memory

    def look(self, holding: Sequence[Condition], now: float, surroundings: Surroundings | None = None) -> Due:
        """Returns what is due at `now` (epoch seconds). Without `surroundings`, as if nothing kept it back."""
        circumstances = Circumstances(
            cooldown=self._config.notify_cooldown,
            is_silent=surroundings is not None
            and (surroundings.is_in_front or now < surroundings.muted_until or is_quiet_hour(self._config, now)),
            focused=surroundings.focused if surroundings is not None else frozenset(),
        )
        memory = msgspec.structs.replace(self.memory, notified={**self.memory.notified, **self._read_given(holding)})
        return find_due(memory, holding, circumstances, now)

    def take(self, due: Due, now: float) -> Notification | None:
        """Remembers what is due; returns the notification about what no other process has taken, None for nothing."""
        self.memory = due.memory
        if self._given is None:
            return make_notification(due.conditions)
        # what begins in silence is taken as well: another process may not know of the silence
        taken = self._given.claim([each.key for each in (*due.conditions, *due.quiet)], now)
        new = [each for each in due.conditions if each.key in taken]
        for subject in dict.fromkeys(name_subject(each) for each in new):
            self._given.record(_name_last(subject), now)
        return make_notification(new)

    def _read_given(self, holding: Sequence[Condition]) -> Mapping[str, float]:
        """Returns when another process gave the last notification about each subject, epoch seconds."""
        if self._given is None:
            return {}
        self._given.refresh()
        subjects = dict.fromkeys(name_subject(each) for each in holding)
        return {each: at for each in subjects if (at := self._given.find(_name_last(each)))}


def _name_last(subject: str) -> str:
    return f"last {subject}"
