"""Reads and writes files that only this user can have made, changed or read. Hook and app share files only in this way.

The files are in STATE/answers or a folder in it. Each folder on the way, and then the file, is opened without following
links, and checked when it is open: nobody can exchange it between the check and its use.
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
        _check_owner(folder, 0o022, root)
        for name in (FOLDER, part) if part else (FOLDER,):
            inner = _open_checked(name, _DIRECTORY | posix.O_NOFOLLOW, folder)
            posix.close(folder)
            folder = inner
            _check_owner(folder, 0o077, f"{root}/{FOLDER}" if name == FOLDER else f"{root}/{FOLDER}/{name}")
    except BaseException:
        posix.close(folder)
        raise
    return folder


def _check_owner(folder: int, forbidden: int, path: str) -> None:
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
    """Opens a file of an open folder for reading. Raises FileNotFoundError; UnsafeError unless it is the user's alone; OSError."""
    file = _open_checked(name, _READ, folder)
    return _check_file(file, name, fifo=False)


def open_fifo(folder: int, name: str, flags: int) -> int:
    """Does the same for a FIFO, without blocking. Raises OSError ENXIO when it is opened for writing and nobody reads it."""
    file = _open_checked(name, flags | posix.O_NONBLOCK | posix.O_NOFOLLOW | posix.O_CLOEXEC, folder)
    return _check_file(file, name, fifo=True)


def _open_checked(name: str, flags: int, folder: int) -> int:
    try:
        return posix.open(name, flags, dir_fd=folder)
    except OSError as error:
        # a link, a folder or a socket instead of a file, a file instead of a folder, or no permission at all
        if isinstance(error, (NotADirectoryError, IsADirectoryError, PermissionError)) or _is_link(name, folder):
            raise UnsafeError(f"{name} is no file of yours alone") from None
        raise


def _is_link(name: str, folder: int) -> bool:
    try:
        return not (S_ISREG(mode := posix.lstat(name, dir_fd=folder).st_mode) or S_ISFIFO(mode) or S_ISDIR(mode))
    except OSError:
        return False


def _check_file(file: int, name: str, *, fifo: bool) -> int:
    found = posix.fstat(file)
    kind = S_ISFIFO(found.st_mode) if fifo else S_ISREG(found.st_mode)
    if not kind or found.st_uid != posix.geteuid() or found.st_mode & 0o077 or found.st_nlink != 1:
        posix.close(file)
        raise UnsafeError(f"{name} is no file of yours alone")
    return file


def read_open(file: int, limit: int) -> bytes:
    """Reads an open file. Raises UnsafeError when it has more than `limit` bytes; OSError."""
    data = b""
    while len(data) <= limit and (chunk := posix.read(file, min(limit + 1 - len(data), 1 << 20))):
        data += chunk
    if len(data) > limit:
        raise UnsafeError(f"a file of more than {limit} bytes")
    return data


def read_private(path: str, limit: int = 1 << 20) -> bytes:
    """Reads a file in STATE/answers.

    Raises FileNotFoundError; UnsafeError when the file or a folder on the way is not the user's alone (owner, mode,
    links, kind), or the file has more than `limit` bytes; OSError.
    """
    folder, name = _split_path(path)
    try:
        file = open_file(folder, name)
        try:
            return read_open(file, limit)
        finally:
            posix.close(file)
    finally:
        posix.close(folder)


def write_new(path: str, data: bytes) -> None:
    """Writes a new file in STATE/answers; leaves none when it fails. Raises FileExistsError; UnsafeError; OSError."""
    folder, name = _split_path(path)
    try:
        write_new_in(folder, name, data)
    finally:
        posix.close(folder)


def write_new_in(folder: int, name: str, data: bytes) -> None:
    """Does the same in an open folder."""
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
    """Removes a file in STATE/answers; returns whether there was one. Raises UnsafeError; OSError when it can't be removed."""
    folder = open_folder(root, part)
    try:
        posix.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return False
    except (IsADirectoryError, PermissionError):  # it is a folder: Linux and macOS give different errors
        posix.rmdir(name, dir_fd=folder)
    finally:
        posix.close(folder)
    return True


def _split_path(path: str) -> tuple[int, str]:
    root, found, rest = path.rpartition(f"/{FOLDER}/")
    part, _, name = rest.rpartition("/")
    if not found or not name or "/" in part:
        raise UnsafeError(f"{path} is not in the folder of answers")
    return open_folder(root, part), name
