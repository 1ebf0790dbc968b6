"""Hints to the live monitor: folders have changed, or a process has ended."""

from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path

from atm_tui.monitor.protocol import Stop
from atm_tui.monitor.reading import FactReader
from atm_tui.sources.exists import is_folder
from atm_tui.sources.exit_watcher import ExitWatcher
from atm_tui.sources.watch import Watcher


async def follow_changes(watcher: Watcher, find_reader: Callable[[], FactReader], stop: Stop) -> AsyncIterator[None]:
    """Yields when something may have changed, until `stop` is set. `find_reader`: returns the reader that is in use."""

    def read_processes_again() -> None:
        find_reader().sweep_soon()
        watcher.nudge()

    exits = ExitWatcher(read_processes_again)
    try:
        async for hint in watcher.watch():
            if stop.is_set():
                return
            yield hint
            processes = find_reader().processes
            exits.follow(processes.running)
            processes.followed = exits.pids
    finally:
        find_reader().processes.followed = ()
        exits.close()


def list_watched_folders(folders: Iterable[Path], others: Iterable[Path]) -> list[Path]:
    """Returns the folders to watch: of each of `folders` its `sessions`, or itself as long as that is missing, and `others`."""
    found = [inside if is_folder(inside := folder / "sessions") else folder for folder in folders]
    return found + [folder for folder in dict.fromkeys(others) if is_folder(folder)]
