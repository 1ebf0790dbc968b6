"""Reports at once when processes end, where the system can tell."""

import asyncio
import os
import resource
import sys
from collections.abc import Callable, Container, Iterable
from functools import partial


class ExitWatcher:
    """Reports at once when a process ends, where the system can (pidfd, on Linux): nothing else hints at a kill.

    Uses at most half of the file descriptors. Of more processes, it watches those with the highest pids; the end of the
    others is noticed at the next sweep.
    """

    def __init__(self, on_exit: Callable[[], None]) -> None:
        """`on_exit` is called in the event loop."""
        self._on_exit = on_exit
        self._open: dict[int, int] = {}
        self._max_watched = _find_max_watched()

    @property
    def pids(self) -> Container[int]:
        """The processes that are watched now: it always says the latest, also to another thread."""
        return self._open.keys()

    def follow(self, pids: Iterable[int]) -> None:
        """Watches these processes and no others. Call it in the event loop."""
        wanted = set(pids)
        for pid in set(self._open) - wanted:
            self._close(pid)
        room = self._max_watched - len(self._open)
        for pid in sorted(wanted - set(self._open))[-room:] if room > 0 else ():
            try:
                self._open[pid] = os.pidfd_open(pid)
            except ProcessLookupError:
                self._on_exit()
                continue
            except (AttributeError, OSError):  # an old kernel, or no descriptors left
                continue
            asyncio.get_running_loop().add_reader(self._open[pid], partial(self._report, pid))

    def _report(self, pid: int) -> None:
        self._close(pid)
        self._on_exit()

    def _close(self, pid: int) -> None:
        descriptor = self._open.pop(pid)
        asyncio.get_running_loop().remove_reader(descriptor)
        os.close(descriptor)

    def close(self) -> None:
        """Stops watching."""
        self.follow(())


def _find_max_watched() -> int:
    """Returns how many processes may be watched: half of the descriptors stay free for files."""
    if sys.platform != "linux":
        return 0
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return allowed // 2 if allowed >= 0 else 1 << 16
