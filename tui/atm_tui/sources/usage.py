"""Counts the usage of all sessions of several config folders, by repository."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from atm_tui.cost.pricing import PriceTable
from atm_tui.cost.report import Progress, UsageHistory
from atm_tui.cost.usage import UsageLedger
from atm_tui.model.session import Project, Unreadable
from atm_tui.sources.folder_usage import FolderUsageReader, SessionUsage
from atm_tui.sources.project import ProjectCache


class UsageReader:
    """Reads one config folder after another, and counts each request once over all of them.

    Folders that are one folder under several names are read once. A request that several transcripts hold, as those of a
    fork do, counts for the oldest file. All worktrees of a repository count as one project.
    """

    def __init__(self, config_dirs: Iterable[Path], cache_dir: Path | None, table: PriceTable) -> None:
        """`cache_dir`: as in FolderUsageReader."""
        folders = {os.path.realpath(folder / "projects"): folder for folder in reversed(list(config_dirs))}
        self.folders = tuple(str(folder / "projects") for folder in reversed(folders.values()))
        self.table = table
        self._readers = [FolderUsageReader(folder, cache_dir) for folder in reversed(folders.values())]
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
        self.result = self._count()

    def _count(self) -> UsageHistory:
        files = [file for reader in self._readers for file in reader.files]
        files.sort(key=lambda each: (each.file.changed, each.file.path))
        projects = self._find_projects(files)
        ledger = UsageLedger(self.table)
        titles: dict[str, str] = {}
        last_at: dict[str, float] = {}
        skipped = 0
        for file, record, cwd in ((each.file, each.record, each.cwd) for each in files):
            if not file.agent_id and (title := record.title or record.prompt):
                titles[file.session_id] = title
            skipped += record.skipped + record.tail.overlong
            for request in record.requests:
                if request.at:
                    last_at[file.session_id] = max(last_at.get(file.session_id, 0.0), request.at)
                ledger.add(msgspec.structs.replace(request, project=projects[cwd].root))
        problems = {path: problem for reader in self._readers for path, problem in reader.unreadable.items()}
        return UsageHistory(
            buckets=ledger.list_buckets(),
            titles=titles,
            last_at=last_at,
            project_names={project.root: project.name for project in projects.values()},
            skipped_lines=skipped,
            unreadable=tuple(Unreadable(path=path, problem=problem) for path, problem in sorted(problems.items())),
        )

    def _find_projects(self, files: list[SessionUsage]) -> dict[str, Project]:
        """The projects of the folders in which sessions were started."""
        folders = dict.fromkeys(each.cwd for each in files)
        for folder in folders:  # that of a deleted worktree may be found by the repository of another
            self._projects.find(folder)
        return {folder: self._projects.find(folder) for folder in folders}
