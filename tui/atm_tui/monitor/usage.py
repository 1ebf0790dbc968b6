"""Reads the usage of all sessions in the watched config folders, and today's cost."""

from collections.abc import Iterator, Sequence
from heapq import nlargest
from pathlib import Path

from atm_tui.cost.pricing import PriceTable
from atm_tui.cost.usage import sum_usage
from atm_tui.model.session import Unreadable
from atm_tui.model.spans import find_midnight
from atm_tui.monitor.past import PastSession, list_transcript_sessions
from atm_tui.sources.transcript_paths import find_transcripts
from atm_tui.sources.usage import UsageReader

NEWEST = 200
"""Number of sessions that the history shows before it has read all transcripts: more than fit on a screen."""


class UsageReaders:
    """Opens readers of the usage in config folders."""

    def __init__(self, table: PriceTable, cache_dir: Path | None) -> None:
        """`cache_dir`: where what was read is kept; None: only in memory."""
        self._table = table
        self._cache_dir = cache_dir
        self.unreadable: tuple[Unreadable, ...] = ()
        """What could not be read when today's usage was last counted."""
        self.newest: tuple[PastSession, ...] = ()
        """The sessions whose transcripts had changed last when today's usage was last counted."""
        self._today: tuple[float, Sequence[Path], UsageReader] | None = None

    def open(self, config_dirs: Sequence[Path]) -> UsageReader:
        """Returns a reader of the usage of all sessions in these folders."""
        return UsageReader(config_dirs, self._cache_dir, self._table)

    @property
    def problem(self) -> str | None:
        """Says which transcripts could not be read, and what that means; None when all could."""
        if not self.unreadable:
            return None
        first, more = self.unreadable[0], len(self.unreadable) - 1
        others = f", nor can {more} more" if more else ""
        return f"{first.path} can't be read{others}: costs lack what they hold. {first.problem}; see atm-tui doctor."

    def count_today(self, config_dirs: Sequence[Path], now: float) -> Iterator[float | None]:
        """Yields None while it reads, then the USD since midnight. Later calls on the same day read only what is new.

        Finds `newest` on the way.
        """
        since = find_midnight(now)
        if self._today is None or self._today[:2] != (since, config_dirs):
            self._today = (since, config_dirs, UsageReader(config_dirs, self._cache_dir, self._table))
        source = self._today[2]
        for _ in source.read(since):
            yield None
        self.unreadable = source.result.unreadable
        usd = sum_usage((b for b in source.result.buckets if b.slot is not None and b.slot >= since), self._table).usd
        source.drop()
        self.newest = _read_newest(source)
        yield usd


def _read_newest(source: UsageReader) -> tuple[PastSession, ...]:
    found = find_transcripts(source.folders)
    newest = dict(nlargest(NEWEST, found.items(), key=lambda item: item[1].changed_at))
    history = source.count_some(newest.values())
    return list_transcript_sessions(history, source.table, {key: each.path for key, each in newest.items()})
