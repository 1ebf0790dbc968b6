"""What all sessions spent. Transcripts are opened only when it is asked for: commands that read once do without it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from atm_tui.cost.pricing import PriceTable

if TYPE_CHECKING:
    from atm_tui.cost.report import UsageSource
    from atm_tui.monitor.machines import Machines
    from atm_tui.monitor.past import PastSession
    from atm_tui.monitor.usage import UsageReaders
    from atm_tui.sources.usage import UsageReader


class LiveSpending:
    """The Spending of live sessions."""

    def __init__(
        self,
        table: PriceTable,
        cache_dir: Path | None,
        list_config_dirs: Callable[[], list[Path]],
        find_machines: "Callable[[], Machines | None]",
        now: Callable[[], float],
    ) -> None:
        """`cache_dir`: where what was read is kept; None: only in memory. `find_machines`: returns the other machines, if any."""
        self._table = table
        self._cache_dir = cache_dir
        self._list_config_dirs = list_config_dirs
        self._find_machines = find_machines
        self._now = now
        self._readers: UsageReaders | None = None
        """None until it is asked for."""

    def use_prices(self, table: PriceTable) -> None:
        """Counts with other prices from now on, and reads everything again."""
        self._table, self._readers = table, None

    def open(self) -> "UsageSource":
        """As in Spending; that of all machines."""
        own, machines = self.open_own(), self._find_machines()
        return own if machines is None else machines.join_usage(own)

    def open_own(self) -> "UsageReader":
        """Returns a reader of the usage of this machine."""
        return self._find_readers().open(self._list_config_dirs())

    def count_today(self) -> Iterator[float | None]:
        """As in Spending."""
        return self._find_readers().count_today(self._list_config_dirs(), self._now())

    def list_newest_sessions(self) -> "tuple[PastSession, ...]":
        """As in Spending."""
        return self._readers.newest if self._readers else ()

    @property
    def problem(self) -> str | None:
        """As in UsageReaders."""
        return self._readers.problem if self._readers else None

    def _find_readers(self) -> "UsageReaders":
        if self._readers is None:
            from atm_tui.monitor.usage import UsageReaders  # noqa: PLC0415  as above

            self._readers = UsageReaders(self._table, self._cache_dir)
        return self._readers
