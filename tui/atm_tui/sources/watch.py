"""Hints that something on disk may have changed. The only module that uses watchfiles, where the system's own notices don't do.

A hint means only "read again". When watching fails (no inotify watches left, a folder deleted and created again), hints
still come at every heartbeat.
"""

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from pathlib import Path

from atm_tui.sources import notices
from atm_tui.sources.wakeups import measure_pause

HEARTBEAT = 2.0
"""Seconds after which a hint comes even without a change."""
_FAST, _SLOW = 20, 200
"""Milliseconds between two wake-ups of the thread of watchfiles: while files change, and after _CALM ms without a change."""
_CALM = 5000
"""Milliseconds without a change after which the thread wakes up less often: 50 times a second cost 0.3 % of a core."""
_LONG = 3_600_000
"""Milliseconds that the thread watches without a change once it wakes up less often."""
_LOOK_AT_ALL = 0.75 * HEARTBEAT
"""Seconds after which all files are looked at again, not only those of which the system tells."""
_DEBOUNCE = 50
_MAX_REST = 0.3
"""Longest delay of a hint in seconds."""


def _identify(folders: Iterable[Path]) -> tuple[tuple[str, int], ...]:
    """Returns the existing folders with their inodes: a folder that was deleted and created again differs."""
    found = []
    for folder in folders:
        try:
            found.append((str(folder), folder.stat().st_ino))
        except (OSError, ValueError):
            continue
    return tuple(found)


class Watcher:
    """Yields a hint when files in some folders may have changed, and at each heartbeat."""

    def __init__(self, folders: Callable[[], Iterable[Path]]) -> None:
        """`folders`: returns the folders to watch; called at every hint, since config folders come and go."""
        self._folders = folders
        self.problem: str | None = None
        """Why hints come only at the heartbeat, not at changes; None when they do come at changes."""
        self.interval = 0.0
        """Seconds after which something is to be looked at; where changes give hints, hints without one may be as rare."""
        self._nudge = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._next: float | None = None
        self._rest = 0.0
        self._watching: asyncio.Task[None] | None = None
        self._lock = threading.Lock()
        self._changed: set[str] | None = None
        """Files that changed since the last `take_changed`; None: any may have."""
        self._all_at = 0.0
        """When `take_changed` said so last, by the monotonic clock."""
        self._told: set[str] | None = None
        """Files that the last `take_changed` knew to have changed; None: it could not know."""
        self._untold: set[str] = set()
        """Files that have changed, though the system has not told so until now."""
        self.is_silent = False
        """Whether the system did not tell of a change, as where others write through another mount: it may do so again."""
        self.transcripts: frozenset[str] = frozenset()
        """Further files in the watched folders that give hints."""
        self._written: set[str] = set()
        """Those of them that changed since the last `take_transcripts`."""

    def take_changed(self) -> frozenset[str] | None:
        """Returns the paths of the files that changed since the last call; None when any may have, as at each heartbeat: the
        system may have left something out. May be called from any thread.
        """
        now = time.monotonic()
        with self._lock:
            changed, self._changed = self._changed, set()
            self._told = changed
            if changed is None or self.problem:
                self._untold.clear()
            elif now - self._all_at >= _LOOK_AT_ALL:  # long enough for the system to tell
                self.is_silent |= bool(self._untold)
            if changed is None or self.problem or now - self._all_at >= _LOOK_AT_ALL:
                self._all_at = now
                return None
            return frozenset(changed)

    def note_found(self, paths: Iterable[str]) -> None:
        """Notes files that a look at all, for the last `take_changed`, found to have changed. May be called from any thread."""
        with self._lock:
            if self._told is not None and self._changed is not None:
                self._untold |= set(paths) - self._told - self._changed

    def take_transcripts(self) -> frozenset[str]:
        """Returns those of `transcripts` that changed since the last call. May be called from any thread."""
        with self._lock:
            written, self._written = self._written, set()
        return frozenset(written)

    def _is_relevant(self, path: str) -> bool:
        return path.endswith((".json", "sessions")) or path in self.transcripts

    def _note_changes(self, paths: Iterable[str], folders: Collection[str]) -> None:
        """Notes the paths of files that changed; any other path in a watched folder may stand for many of them."""
        with self._lock:
            for path in paths:
                self._untold.discard(path)
                if path in self.transcripts:
                    self._written.add(path)
                elif self._changed is not None and path.endswith(".json") and path.rpartition("/")[0] in folders:
                    self._changed.add(path)
                else:
                    self._changed = None

    def nudge(self) -> None:
        """Makes the next hint come at once. May be called from any thread."""
        if self._nudge.is_set():  # it is cleared before the next refresh, which then covers this too
            return
        if self._loop is None:
            self._nudge.set()
        else:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits for hints
                self._loop.call_soon_threadsafe(self._nudge.set)

    def limit_wait(self, seconds: float | None) -> None:
        """Limits the time to the next hint, in seconds, for changes that time alone brings. None: only the heartbeat."""
        self._next = seconds

    def hold_back(self, seconds: float) -> None:
        """Delays the next hint by some seconds, so that one hint covers all changes in that time."""
        self._rest = min(seconds, _MAX_REST)

    async def watch(self) -> AsyncIterator[None]:
        """Yields at once, then at each change or heartbeat, until the task is cancelled."""
        self._loop = asyncio.get_running_loop()
        yield
        while True:
            watched = _identify(self._folders())
            with self._lock:
                self._changed = None
            stop = asyncio.Event()
            watching = self._watching = asyncio.create_task(self._watch([folder for folder, _ in watched], stop))
            try:
                while True:
                    await self._wait_for_hint()
                    yield
                    if _identify(self._folders()) != watched or (watching.done() and not self.problem):
                        break
            finally:
                stop.set()
                watching.cancel()

    async def _wait_for_hint(self) -> None:
        rested_at = time.monotonic() + self._rest
        may_be_rare = self.interval > HEARTBEAT and not self.problem and not self.is_silent
        heartbeat = measure_pause(time.time(), self.interval if may_be_rare else HEARTBEAT)
        timeout = heartbeat if self._next is None else min(heartbeat, max(0.01, self._next))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._nudge.wait()
        # delay after the wait, not before it: an idle app would wake up twice
        if (left := rested_at - time.monotonic()) > 0:
            await asyncio.sleep(left)
        self._nudge.clear()

    async def _watch(self, folders: list[str], stop: asyncio.Event) -> None:
        self.problem = None
        if not folders:
            self.problem = "nothing to watch yet"
            return
        try:
            await (self._follow_notices(folders) if notices.are_there() else self._follow_thread(folders, stop))
        except (OSError, RuntimeError) as error:
            # "no space left" means here that the system has no inotify watches left
            code = getattr(error, "errno", None)
            reason = os.strerror(code) if code else str(error)
            self.problem = f"can't watch for changes ({reason}); looking every {HEARTBEAT:.0f} s instead"

    async def _follow_notices(self, folders: list[str]) -> None:
        """Takes what the system tells, until a folder is gone."""
        async with contextlib.aclosing(notices.follow_folders(folders)) as found:
            async for paths in found:
                if paths is None:
                    self._note_any()
                elif relevant := list(filter(self._is_relevant, paths)):
                    self._note_changes(relevant, folders)
                    self._nudge.set()

    async def _follow_thread(self, folders: list[str], stop: asyncio.Event) -> None:
        """Takes what the thread of watchfiles finds, until a folder is gone."""
        from watchfiles import Change, awatch  # noqa: PLC0415  not needed where the system tells

        step = _FAST
        while True:
            async for changes in awatch(
                *folders,
                watch_filter=lambda _, path: self._is_relevant(path),
                step=step,
                debounce=_DEBOUNCE,
                stop_event=stop,
                recursive=False,
                rust_timeout=_CALM if step == _FAST else _LONG,
                yield_on_timeout=True,
            ):
                if changes:
                    self._note_changes((path for _, path in changes), folders)
                    self._nudge.set()
                if any(change is Change.deleted and path in folders for change, path in changes):
                    return  # watchfiles is silent from now on, even if the folder comes back with the same inode
                if step != (_FAST if changes else _SLOW):
                    break
            else:
                return
            step = _SLOW if step == _FAST else _FAST
            self._note_any()  # for changes between two watches

    def _note_any(self) -> None:
        """Notes that any file may have changed."""
        with self._lock:
            self._changed = None
        self._nudge.set()
