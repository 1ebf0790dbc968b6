"""Errors of the system, injected into the calls by which files below one folder are looked at, read and written."""

import builtins
import errno
import io
import os
import posix
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

NUMBERS = (
    *("EACCES", "EIO", "ENOTCONN", "ENAMETOOLONG", "ELOOP", "ESTALE", "ENOSPC", "EPERM", "EROFS", "EMFILE"),
    *("ENOENT", "ENOTDIR", "EINTR", "EDQUOT", "ETIMEDOUT"),
)
"""Names of the errors."""

CALLS = {
    "open": ("open",),
    "stat": ("stat", "lstat", "fstat"),
    "list": ("scandir", "listdir"),
    "read": ("read", "pread", "readlink"),
    "write": ("write", "fsync", "utime"),
    "rename": ("rename", "replace", "link", "symlink"),
    "remove": ("unlink", "remove", "rmdir"),
    "make": ("mkdir", "mkfifo", "chmod", "fchmod"),
}
"""By kind: functions of os and posix."""
_SECOND = frozenset({"symlink"})
"""Functions whose second argument is the file."""

Decide = Callable[[str, str], bool]
"""From the kind of a call and the path of its file: whether it fails."""


@contextmanager
def inject(folder: str, number: int, fails: Decide) -> Iterator[list[tuple[str, str]]]:
    """Makes calls fail with an error number, for files below `folder`; yields (kind, path) of all such calls, as they come."""
    made: list[tuple[str, str]] = []
    real_readlink, real_open = os.readlink, io.open

    def locate(path: Any, dir_fd: int | None) -> str:
        """The path of a file, also of an open one, and of one in an open folder."""
        if isinstance(path, int):
            return real_readlink(f"/proc/self/fd/{path}")
        text = os.fsdecode(path)
        return text if dir_fd is None or text.startswith("/") else f"{real_readlink(f'/proc/self/fd/{dir_fd}')}/{text}"

    def refuse(kind: str, path: Any, dir_fd: int | None = None) -> None:
        try:
            where = locate(path, dir_fd)
        except (OSError, TypeError, ValueError):
            return
        if where.startswith(folder):
            made.append((kind, where))
            if fails(kind, where):
                raise OSError(number, os.strerror(number), None if isinstance(path, int) else where)

    def guard(kind: str, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            if given:
                path = given[1] if name in _SECOND and len(given) > 1 else given[0]
                refuse(kind, path, named.get("dir_fd", named.get("src_dir_fd")))
            return real(*given, **named)

        return call

    def open_file(path: Any, *given: Any, **named: Any) -> Any:
        mode = given[0] if given else named.get("mode", "r")
        if not isinstance(path, int):
            refuse("open", path)
        file = real_open(path, *given, **named)
        if any(each in mode for each in "wax+"):
            real_write = file.write

            def write(data: Any) -> Any:
                refuse("write", file.fileno())
                return real_write(data)

            file.write = write  # type: ignore[method-assign]
        return file

    with ExitStack() as stack:
        for kind, names in CALLS.items():
            for name in names:
                for module in (os, posix):
                    real = getattr(module, name, None)
                    if real is not None:
                        stack.enter_context(patch.object(module, name, guard(kind, name, real)))
        for module in (builtins, io):
            stack.enter_context(patch.object(module, "open", open_file))
        yield made


def get_number(name: str) -> int:
    """The number of an error by its name."""
    found: int = getattr(errno, name)
    return found
