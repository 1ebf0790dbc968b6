"""Hints that something on disk may have changed. The only user of watchfiles.

A hint says nothing but "look again". A watcher that fails or goes silent (no inotify watches left, a folder deleted and made anew)
degrades to the heartbeat, never to silence.
"""

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path

from watchfiles import Change, awatch

HEARTBEAT = 2.0
"""Seconds after which folders are looked at without a hint."""
_FAST, _SLOW = 20, 100
"""Milliseconds between two looks of the watching thread: while things happen, and after CALM without a change."""
_CALM = 5000
"""Milliseconds without a change after which it looks less often: waking 50 times a second costs a third of a percent of a core."""
_DEBOUNCE = 50
_LONGEST_REST = 0.3
"""Seconds for which hints are held back at most."""


def _is_relevant(_change: Change, path: str) -> bool:
    return path.endswith((".json", "sessions"))


def _identify(folders: Iterable[Path]) -> tuple[tuple[str, int], ...]:
    """The folders that are there, by inode: one that was deleted and made anew is another."""
    found = []
    for folder in folders:
        try:
            found.append((str(folder), folder.stat().st_ino))
        except OSError:
            continue
    return tuple(found)


class Watcher:
    """Yields when files in the folders may have changed, and at least every HEARTBEAT seconds."""

    def __init__(self, folders: Callable[[], Iterable[Path]]) -> None:
        """`folders` is asked again at every heartbeat: config folders come and go."""
        self._folders = folders
        self.problem: str | None = None
        """Why the folders are polled, not watched; None while they are watched."""
        self._nudge = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._next: float | None = None
        self._rest = 0.0
        self._following: asyncio.Task[None] | None = None

    def nudge(self) -> None:
        """Makes the next hint come at once. May be called from any thread."""
        if self._loop is None:
            self._nudge.set()
        else:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits for hints any more
                self._loop.call_soon_threadsafe(self._nudge.set)

    def within(self, seconds: float | None) -> None:
        """Bounds the time to the next hint, for what changes by the mere passing of time."""
        self._next = seconds

    def rest(self, seconds: float) -> None:
        """Holds the next hint back for as long: what changes meanwhile is seen at one look."""
        self._rest = min(seconds, _LONGEST_REST)

    async def hints(self) -> AsyncIterator[None]:
        """One hint at once, then one per change or heartbeat, until the task is cancelled."""
        self._loop = asyncio.get_running_loop()
        yield
        while True:
            watched = _identify(self._folders())
            stop = asyncio.Event()
            following = self._following = asyncio.create_task(self._follow([folder for folder, _ in watched], stop))
            try:
                while True:
                    await self._pause()
                    yield
                    if _identify(self._folders()) != watched or (following.done() and not self.problem):
                        break
            finally:
                stop.set()
                following.cancel()

    async def _pause(self) -> None:
        rested_at = time.monotonic() + self._rest
        timeout = HEARTBEAT if self._next is None else min(HEARTBEAT, max(0.01, self._next))
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._nudge.wait(), timeout)
        # only now: waking up for nothing costs an idle app
        if (left := rested_at - time.monotonic()) > 0:
            await asyncio.sleep(left)
        self._nudge.clear()

    async def _follow(self, folders: list[str], stop: asyncio.Event) -> None:
        self.problem = None
        if not folders:
            self.problem = "nothing to watch yet"
            return
        step = _FAST
        try:
            while True:
                async for changes in awatch(
                    *folders,
                    watch_filter=_is_relevant,
                    step=step,
                    debounce=_DEBOUNCE,
                    stop_event=stop,
                    recursive=False,
                    rust_timeout=_CALM,
                    yield_on_timeout=True,
                ):
                    if changes:
                        self._nudge.set()
                    if any(change is Change.deleted and path in folders for change, path in changes):
                        return  # the watch is silent from now on, also when the folder comes back with the same inode
                    if step != (_FAST if changes else _SLOW):
                        break
                else:
                    return
                step = _SLOW if step == _FAST else _FAST
                self._nudge.set()  # what changed between two watches
        except (OSError, RuntimeError) as error:
            # "no space left" means that the system has no inotify watches left, not that the disk is full
            code = getattr(error, "errno", None)
            what = os.strerror(code) if code else str(error)
            self.problem = f"can't watch for changes ({what}); looking every {HEARTBEAT:.0f} s instead"
