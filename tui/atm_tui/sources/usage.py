"""Counts the usage of all sessions of several config folders, by repository."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from atm_tui.cost.pricing import PriceTable
from atm_tui.cost.report import Progress, UsageHistory
from atm_tui.cost.usage import UsageLedger, merge_buckets, sort_buckets
from atm_tui.model.session import Project, Unreadable
from atm_tui.model.tokens import Bucket
from atm_tui.sources.checkpoints import CheckpointStore
from atm_tui.sources.folder_usage import FolderUsageReader
from atm_tui.sources.kept_usage import KeptUsage, SessionUsage, find_sharing
from atm_tui.sources.project import ProjectCache
from atm_tui.sources.transcript_paths import FoundTranscript


class UsageReader:
    """Reads one config folder after another, and counts each request once over all of them.

    A folder that has several names is read once. A request that is in several transcripts, as after a fork, counts for the
    oldest file. All worktrees of a repository count as one project.
    """

    def __init__(
        self,
        config_dirs: Iterable[Path],
        cache_dir: Path | None,
        table: PriceTable,
        *,
        processes: int = 1,
        keeps_sums: bool = False,
    ) -> None:
        """`cache_dir`: where results are stored; None: only in memory. `processes`: as in FolderUsageReader.

        `keeps_sums`: whether the sums of all sessions of a folder are stored together, for a command that is called again.
        """
        folders = {os.path.realpath(folder / "projects"): folder for folder in reversed(list(config_dirs))}
        self.folders = tuple(str(folder / "projects") for folder in reversed(folders.values()))
        self.table = table
        checkpoints = CheckpointStore(cache_dir, table) if cache_dir else None
        self._readers = [
            FolderUsageReader(folder, checkpoints, table, processes) for folder in reversed(folders.values())
        ]
        if keeps_sums and cache_dir is not None and checkpoints is not None:
            for reader in self._readers:
                reader.kept = KeptUsage(cache_dir, str(reader.projects), checkpoints.prices)
        self._projects = ProjectCache()
        self.result = UsageHistory()

    def read(self, since: float | None = None) -> Iterator[Progress]:
        """Counts everything, or what was used after `since` (epoch seconds). Yields the progress step by step."""
        done = Progress()
        for reader in self._readers:
            last = Progress()
            for last in reader.read(since):
                yield done + last
            done += last
        self.result = self._count([(reader, each) for reader in self._readers for each in reader.sessions])

    def count_some(self, transcripts: Iterable[FoundTranscript]) -> UsageHistory:
        """Counts only these sessions, without those that are mostly unread; only their costs, not by time and thread.

        The sums by time are held of one session at once: of all of them they would take megabytes, each time.
        """
        readers = {str(reader.projects): reader for reader in self._readers}
        counted: list[tuple[FolderUsageReader, SessionUsage]] = []
        for each in transcripts:
            reader = readers.get(each.projects)
            if reader and (found := reader.describe(each.path, each.changed_at)):
                merged = merge_buckets(found.buckets, self.table)
                counted.append((reader, msgspec.structs.replace(found, buckets=merged)))
        return self._count(counted)

    def drop(self) -> None:
        """Drops what was counted, which the next `read` counts again: it takes memory."""
        self.result = UsageHistory()
        for reader in self._readers:
            reader.sessions = []

    def _count(self, sessions: list[tuple[FolderUsageReader, SessionUsage]]) -> UsageHistory:
        sessions.sort(key=lambda found: (found[1].changed, found[1].path))
        projects = self._find_projects([each for _, each in sessions])
        titles: dict[str, str] = {}
        last_at: dict[str, float] = {}
        buckets: list[Bucket] = []
        ledger = UsageLedger(self.table)
        is_apart = len(self._readers) == 1 and self._readers[0].is_apart
        sharing = set() if is_apart else find_sharing([each for _, each in sessions])
        for reader, each in sessions:
            if each.title:
                titles[each.session_id] = each.title
            if each.last_at:
                last_at[each.session_id] = max(last_at.get(each.session_id, 0.0), each.last_at)
            project, session_id = projects[each.cwd].root, each.session_id
            if each.path not in sharing:
                buckets += [msgspec.structs.replace(b, project=project, session_id=session_id) for b in each.buckets]
                continue
            transcript = reader.open(each.path)
            transcript.read()
            for request in transcript.list_requests():
                ledger.add(msgspec.structs.replace(request, project=project, session_id=session_id))
        problems = {path: problem for reader in self._readers for path, problem in reader.unreadable.items()}
        return UsageHistory(
            buckets=tuple(sorted([*buckets, *ledger.list_buckets()], key=sort_buckets)),
            titles=titles,
            last_at=last_at,
            project_names={project.root: project.name for project in projects.values()},
            skipped_lines=sum(each.skipped for _, each in sessions),
            unreadable=tuple(Unreadable(path=path, problem=problem) for path, problem in sorted(problems.items())),
        )

    def _find_projects(self, sessions: list[SessionUsage]) -> dict[str, Project]:
        """The projects of the folders in which sessions were started."""
        folders = dict.fromkeys(each.cwd for each in sessions)
        for folder in folders:  # that of a deleted worktree may be found by the repository of another
            self._projects.find(folder)
        return {folder: self._projects.find(folder) for folder in folders}
