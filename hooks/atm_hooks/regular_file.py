"""Opens files for reading, in hooks and app: no FIFO or device blocks it, and no endless file fills the memory.

Only regular files are opened, links to them included. Unless a size is asked for, a file has to be shorter than a bound.
"""

import posix

LIMIT = 64 << 20
"""Default limit of a file's size in bytes."""
_FLAGS = posix.O_RDONLY | posix.O_NONBLOCK | posix.O_NOCTTY | posix.O_CLOEXEC
_FIRST_CHUNK, _LARGEST_CHUNK = 1 << 16, 1 << 20
"""Sizes of reads in bytes: small at first, since memory for large ones is requested from and returned to the system each time."""
_KIND, _REGULAR = 0o170000, 0o100000
"""S_IFMT and S_IFREG. Importing `stat` or `errno` takes longer than reading a file, so only errors do."""


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
    except ValueError:  # it contains a NUL or a lone surrogate
        import errno

        raise OSError(errno.EINVAL, "No file can have this path", path) from None
    except FileNotFoundError:
        raise
    except OSError as error:
        import errno

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
    if found.st_mode & _KIND != _REGULAR:
        raise _describe_kind(found.st_mode, path)
    if limit is not None and found.st_size > limit:
        raise _make_too_large_error(path, limit)


def _describe_kind(mode: int, path: str) -> OSError:
    import errno
    from _stat import S_ISBLK, S_ISCHR, S_ISDIR, S_ISFIFO

    if S_ISDIR(mode):
        return IsADirectoryError(errno.EISDIR, "Is a directory", path)
    is_device = S_ISCHR(mode) or S_ISBLK(mode)
    kind = "a FIFO" if S_ISFIFO(mode) else "a device" if is_device else "something else"
    return NotRegularError(errno.EINVAL, f"Not a regular file but {kind}", path)


def _make_too_large_error(path: str, limit: int) -> TooLargeError:
    import errno

    return TooLargeError(errno.EFBIG, f"Larger than the {limit} bytes that are read of such a file", path)


def read_regular(path: str, limit: int = LIMIT) -> bytes:
    """Returns all bytes of a regular file. Raises OSError as `open_regular` does, also when it grows beyond `limit` meanwhile."""
    file = open_regular(path, limit)
    try:
        data = read_range(file, 0, limit + 1)
    finally:
        posix.close(file)
    if len(data) > limit:
        raise _make_too_large_error(path, limit)
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
    parts, chunk = [], _FIRST_CHUNK
    while size > 0 and (part := posix.pread(file, min(size, chunk), offset)):
        parts.append(part)
        offset += len(part)
        size -= len(part)
        chunk = min(4 * chunk, _LARGEST_CHUNK)
    return b"".join(parts)
