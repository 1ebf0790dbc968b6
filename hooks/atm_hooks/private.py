"""Reads and writes files that only this user can have made, changed or read. Hook and app share files through this code only.

A file lies in STATE/answers or a folder in it. Each folder on the way is opened without following links and looked at once
it is open, and so is the file: nothing can be put in its place between the look and the use.
"""

import posix
from _stat import S_ISDIR, S_ISFIFO, S_ISREG

from atm_hooks.journal import UnsafeError

FOLDER = "answers"
_READ = posix.O_RDONLY | posix.O_NONBLOCK | posix.O_NOFOLLOW | posix.O_CLOEXEC
_DIRECTORY = posix.O_RDONLY | posix.O_DIRECTORY | posix.O_CLOEXEC


def open_folder(root: str, part: str = "") -> int:
    """Opens STATE/answers or a part of it. Raises FileNotFoundError; UnsafeError when it is not the user's alone; OSError."""
    folder = posix.open(root, _DIRECTORY)
    try:
        _owned(folder, 0o022, root)
        for name in (FOLDER, part) if part else (FOLDER,):
            inner = _open(name, _DIRECTORY | posix.O_NOFOLLOW, folder)
            posix.close(folder)
            folder = inner
            _owned(folder, 0o077, f"{root}/{FOLDER}" if name == FOLDER else f"{root}/{FOLDER}/{name}")
    except BaseException:
        posix.close(folder)
        raise
    return folder


def _owned(folder: int, forbidden: int, path: str) -> None:
    found = posix.fstat(folder)
    if not S_ISDIR(found.st_mode) or found.st_uid != posix.geteuid() or found.st_mode & forbidden:
        raise UnsafeError(f"{path} is not yours alone (chmod 700)")


def make_folder(root: str, part: str = "") -> None:
    """Makes STATE/answers or a part of it where it is missing. Raises UnsafeError or OSError."""
    path = f"{root}/{FOLDER}/{part}".rstrip("/")
    try:
        posix.mkdir(path, 0o700)
        posix.chmod(path, 0o700)
    except FileExistsError:
        pass
    posix.close(open_folder(root, part))


def open_file(folder: int, name: str) -> int:
    """Opens a file in an open folder to read it. Raises FileNotFoundError; UnsafeError unless it is the user's alone; OSError."""
    file = _open(name, _READ, folder)
    return _checked(file, name, fifo=False)


def open_fifo(folder: int, name: str, flags: int) -> int:
    """The same for a FIFO; nothing blocks. Raises OSError ENXIO when it is opened to be written and nobody reads it."""
    file = _open(name, flags | posix.O_NONBLOCK | posix.O_NOFOLLOW | posix.O_CLOEXEC, folder)
    return _checked(file, name, fifo=True)


def _open(name: str, flags: int, folder: int) -> int:
    try:
        return posix.open(name, flags, dir_fd=folder)
    except OSError as error:
        # a link; a folder or socket where a file should be; a file where a folder should be; one without any mode
        if isinstance(error, (NotADirectoryError, IsADirectoryError, PermissionError)) or _is_link(name, folder):
            raise UnsafeError(f"{name} is no file of yours alone") from None
        raise


def _is_link(name: str, folder: int) -> bool:
    try:
        return not (S_ISREG(mode := posix.lstat(name, dir_fd=folder).st_mode) or S_ISFIFO(mode) or S_ISDIR(mode))
    except OSError:
        return False


def _checked(file: int, name: str, *, fifo: bool) -> int:
    found = posix.fstat(file)
    kind = S_ISFIFO(found.st_mode) if fifo else S_ISREG(found.st_mode)
    if not kind or found.st_uid != posix.geteuid() or found.st_mode & 0o077 or found.st_nlink != 1:
        posix.close(file)
        raise UnsafeError(f"{name} is no file of yours alone")
    return file


def read_open(file: int, limit: int) -> bytes:
    """All bytes of an open file. Raises UnsafeError when there are more than `limit`; OSError."""
    data = b""
    while len(data) <= limit and (chunk := posix.read(file, min(limit + 1 - len(data), 1 << 20))):
        data += chunk
    if len(data) > limit:
        raise UnsafeError(f"a file of more than {limit} bytes")
    return data


def read_private(path: str, limit: int = 1 << 20) -> bytes:
    """All bytes of a file in STATE/answers.

    Raises FileNotFoundError; UnsafeError when it, or a folder on the way, is not the user's alone (owner, mode, links,
    kind) or it is longer than `limit` bytes; OSError.
    """
    folder, name = _place(path)
    try:
        file = open_file(folder, name)
        try:
            return read_open(file, limit)
        finally:
            posix.close(file)
    finally:
        posix.close(folder)


def write_new(path: str, data: bytes) -> None:
    """Writes a file in STATE/answers that is not there yet. Raises FileExistsError; UnsafeError; OSError, and nothing is left."""
    folder, name = _place(path)
    try:
        write_in(folder, name, data)
    finally:
        posix.close(folder)


def write_in(folder: int, name: str, data: bytes) -> None:
    """The same in an open folder."""
    flags = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_NOFOLLOW | posix.O_CLOEXEC
    file = posix.open(name, flags, 0o600, dir_fd=folder)
    try:
        posix.fchmod(file, 0o600)
        while data:
            data = data[posix.write(file, data) :]
    except OSError:
        posix.unlink(name, dir_fd=folder)
        raise
    finally:
        posix.close(file)


def remove(root: str, part: str, name: str) -> bool:
    """Removes a file; returns whether it was there. Raises UnsafeError; OSError when it can't be removed."""
    folder = open_folder(root, part)
    try:
        posix.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return False
    except (IsADirectoryError, PermissionError):  # a folder, in the words of two systems
        posix.rmdir(name, dir_fd=folder)
    finally:
        posix.close(folder)
    return True


def _place(path: str) -> tuple[int, str]:
    root, found, rest = path.rpartition(f"/{FOLDER}/")
    part, _, name = rest.rpartition("/")
    if not found or not name or "/" in part:
        raise UnsafeError(f"{path} is not in the folder of answers")
    return open_folder(root, part), name
