"""Counts the usage of all sessions of several config folders, by repository."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from atm_tui.cost.pricing import PriceTable
from atm_tui.cost.report import Progress, UsageHistory
from atm_tui.sources.folder_usage import FolderUsageReader
from atm_tui.sources.project import ProjectCache


class UsageReader:
    """Reads one config folder after another. All worktrees of a repository count as one project."""

    def __init__(self, config_dirs: Iterable[Path], cache_dir: Path | None, table: PriceTable) -> None:
        """`cache_dir`: as in FolderUsageReader."""
        folders = list(dict.fromkeys(config_dirs))
        self.folders = tuple(str(folder / "projects") for folder in folders)
        self.table = table
        self._readers = [FolderUsageReader(folder, cache_dir, table) for folder in folders]
        self._projects = ProjectCache()
        self.result = UsageHistory()

    def read(self, since: float | None = None) -> Iterator[Progress]:
        """Counts everything, or what was used after `since` (epoch seconds); each step yields the progress."""
        done = Progress()
        for reader in self._readers:
            last = Progress()
            for last in reader.read(since):
                yield done + last
            done += last
        self.result = self._join()

    def _join(self) -> UsageHistory:
        roots: dict[str, str] = {}
        buckets = []
        for reader in self._readers:
            for bucket in reader.result.buckets:
                root = roots.get(bucket.project)
                if root is None:
                    root = roots[bucket.project] = self._projects.find(bucket.project).root or bucket.project
                buckets.append(bucket if root == bucket.project else msgspec.structs.replace(bucket, project=root))
        last_at: dict[str, float] = {}
        for reader in self._readers:
            for key, at in reader.result.last_at.items():
                last_at[key] = max(last_at.get(key, 0.0), at)
        return UsageHistory(
            buckets=tuple(buckets),
            last_at=last_at,
            titles={key: title for reader in self._readers for key, title in reader.result.titles.items()},
            skipped_lines=sum(reader.result.skipped_lines for reader in self._readers),
        )
