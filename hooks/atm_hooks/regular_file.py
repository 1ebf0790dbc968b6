"""Opens files for reading, in hooks and app: no FIFO or device blocks it, and no endless file fills the memory.

Only regular files are opened, links to them included. Unless a size is asked for, a file has to be shorter than a bound.
"""

import errno
import posix
from _stat import S_ISBLK, S_ISCHR, S_ISDIR, S_ISFIFO, S_ISREG

LIMIT = 64 << 20
"""Bytes that a file may have, where the caller names no other bound."""
_FLAGS = posix.O_RDONLY | posix.O_NONBLOCK | posix.O_NOCTTY | posix.O_CLOEXEC
_CHUNK = 1 << 20


class NotRegularError(OSError):
    """The path is a FIFO, a socket or a device; `strerror` says which."""


class TooLargeError(OSError):
    """The file is longer than the caller's bound; `strerror` names the bound."""


def open_regular(path: str, limit: int | None = None) -> int:
    """Opens a regular file and returns its descriptor; the caller closes it.

    Raises OSError: FileNotFoundError, IsADirectoryError, NotRegularError, TooLargeError when the file has more than `limit`
    bytes, and EINVAL for a path that no file can have.
    """
    try:
        file = posix.open(path, _FLAGS)
    except ValueError:  # it holds a NUL or a lone surrogate
        raise OSError(errno.EINVAL, "No file can have this path", path) from None
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise NotRegularError(errno.EINVAL, "Not a regular file but a socket or a device", path) from None
        raise
    try:
        _check(file, path, limit)
    except BaseException:
        posix.close(file)
        raise
    return file


def _check(file: int, path: str, limit: int | None) -> None:
    found = posix.fstat(file)
    if S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "Is a directory", path)
    if not S_ISREG(found.st_mode):
        raise NotRegularError(errno.EINVAL, f"Not a regular file but {_name_kind(found.st_mode)}", path)
    if limit is not None and found.st_size > limit:
        raise _too_large(path, limit)


def _name_kind(mode: int) -> str:
    if S_ISFIFO(mode):
        return "a FIFO"
    return "a device" if S_ISCHR(mode) or S_ISBLK(mode) else "something else"


def _too_large(path: str, limit: int) -> TooLargeError:
    return TooLargeError(errno.EFBIG, f"Larger than the {limit} bytes that are read of such a file", path)


def read_regular(path: str, limit: int = LIMIT) -> bytes:
    """Returns all bytes of a regular file. Raises OSError as `open_regular` does, also when it grows beyond `limit` meanwhile."""
    file = open_regular(path, limit)
    try:
        data = read_range(file, 0, limit + 1)
    finally:
        posix.close(file)
    if len(data) > limit:
        raise _too_large(path, limit)
    return data


def read_start(path: str, size: int) -> bytes:
    """Returns the first `size` bytes of a regular file of any length. Raises OSError as `open_regular` does."""
    file = open_regular(path)
    try:
        return read_range(file, 0, size)
    finally:
        posix.close(file)


def read_end(path: str, size: int) -> bytes:
    """Returns the last `size` bytes of a regular file of any length. Raises OSError as `open_regular` does."""
    file = open_regular(path)
    try:
        return read_range(file, max(0, posix.fstat(file).st_size - size), size)
    finally:
        posix.close(file)


def read_range(file: int, offset: int, size: int) -> bytes:
    """Returns up to `size` bytes of an open regular file from `offset` on; fewer at its end. Raises OSError."""
    parts = []
    while size > 0 and (part := posix.pread(file, min(size, _CHUNK), offset)):
        parts.append(part)
        offset += len(part)
        size -= len(part)
    return b"".join(parts)
