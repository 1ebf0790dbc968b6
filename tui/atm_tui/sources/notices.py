"""What the system tells of changes in folders (inotify), asked for through the C library: no thread has to look for them.

The library that there is for it starts other programs to find the C library.
"""

import asyncio
import ctypes
import os
import struct
import sys
from collections.abc import AsyncGenerator, Iterable

GATHER = 0.02
"""Seconds in which further changes are gathered after the first one."""
_MODIFY, _MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x2, 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _OVERFLOW, _IGNORED, _ONLY_FOLDERS = 0x400, 0x800, 0x4000, 0x8000, 0x1000000
_WANTED = _MODIFY | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF | _ONLY_FOLDERS
_GONE = _DELETE_SELF | _MOVE_SELF | _IGNORED
_HEAD = struct.Struct("iIII")
_SIZE = 1 << 16
"""Bytes that are read at a time."""


def are_there() -> bool:
    """Whether the system tells of changes. Not under WSL: there it does not tell of those that Windows makes."""
    return sys.platform == "linux" and "microsoft" not in os.uname().release.lower()


async def follow_folders(folders: Iterable[str]) -> AsyncGenerator[set[str] | None]:
    """Yields the paths that changed in some folders, None when any may have; ends when one of the folders is gone.

    Raises OSError when one can't be watched.
    """
    file = _call("inotify_init1", os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        names: dict[int, list[str]] = {}
        for folder in folders:  # two names of the same folder have one number
            names.setdefault(_call("inotify_add_watch", file, os.fsencode(folder), _WANTED), []).append(folder)
        while True:
            await _wait_until_readable(file)
            await asyncio.sleep(GATHER)
            changed: set[str] | None = set()
            is_gone = False
            for number, kind, name in _parse(os.read(file, _SIZE)):
                is_gone |= bool(kind & _GONE)
                if kind & _OVERFLOW:
                    changed = None
                if changed is not None and name:
                    changed.update(f"{folder}/{name}" for folder in names.get(number, ()))
            yield None if is_gone else changed
            if is_gone:
                return
    finally:
        os.close(file)


async def _wait_until_readable(file: int) -> None:
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(file, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(file)


def _parse(data: bytes) -> Iterable[tuple[int, int, str]]:
    """Yields of each notice the number of its folder, its kinds and the name in the folder, "" for the folder itself."""
    place = 0
    while place < len(data):
        number, kind, _, size = _HEAD.unpack_from(data, place)
        place += _HEAD.size
        yield number, kind, os.fsdecode(data[place : place + size].rstrip(b"\0"))
        place += size


def _call(name: str, *given: int | bytes) -> int:
    found = int(getattr(ctypes.CDLL(None, use_errno=True), name)(*given))
    if found < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return found
