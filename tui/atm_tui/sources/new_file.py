"""Writes new files in the app's cache folder, and removes old ones. Loads nothing large, for commands that must be quick."""

import contextlib
import os
import time
from pathlib import Path

_ABANDONED = 60.0
"""Seconds after which the temporary file of a killed writer is removed."""
_DIGITS = 8
"""Number of the hexadecimal digits in names."""


def write_new_file(path: str, data: bytes) -> None:
    """Creates a private file, completely or not at all. Raises OSError, including FileExistsError."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(file, left) :]
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(path)  # noqa: PTH108
        raise
    finally:
        os.close(file)


def replace_file(path: str, data: bytes) -> None:
    """Replaces a file as a whole. Raises OSError, also when another process is about to do the same."""
    temporary = f"{path}.tmp"
    folder = Path(path).parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        if abs(time.time() - os.stat(temporary).st_mtime) > _ABANDONED:  # noqa: PTH116
            os.unlink(temporary)  # noqa: PTH108
    write_new_file(temporary, data)
    try:
        os.replace(temporary, path)  # noqa: PTH105
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108
        raise


def remove_old_files(folder: str, start: str, most: int, oldest: float) -> None:
    """Removes the files that were written before `oldest` (epoch seconds), and the oldest beyond the `most` newest.

    Only those whose names are `start` and eight hexadecimal digits, or such a file that is being written.
    """
    found: list[tuple[float, str]] = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            number = entry.name.removeprefix(start).removesuffix(".tmp")
            if entry.name.startswith(start) and len(number) == _DIGITS and set(number) <= set("0123456789abcdef"):
                with contextlib.suppress(OSError):
                    found.append((entry.stat(follow_symlinks=False).st_mtime, entry.path))
    for place, (changed, path) in enumerate(sorted(found, reverse=True)):
        if place >= most or changed < oldest:
            with contextlib.suppress(OSError):
                os.unlink(path)  # noqa: PTH108
