"""Writes new files in the app's cache folder. Loads nothing large, for commands that must be quick."""

import contextlib
import os


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
