"""Replaces a file without losing what another program wrote in between.

A check followed by a rename would lose an update between the two. Here the two names are exchanged, so that the replaced
content can be checked, and restored if it is not the expected one.
"""

import ctypes
import errno
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from atm_tui.settings.read import read_bytes
from atm_tui.sources.exists import exists

LATE_WRITE = 0.02
"""Seconds for which a program with the old file open may still write to it."""
ROUNDS = 20
"""How often the files are swapped back while others keep writing."""

_EXCHANGE = 2
"""RENAME_EXCHANGE of Linux and RENAME_SWAP of macOS."""
_AT_FDCWD = -100
Exchange = Callable[[Path, Path], bool]
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}


def put_in_place(temporary: Path, real: Path, before: bytes | None) -> bool:
    """Replaces `real` by `temporary`; returns False, with all as it was, if `real` did not contain `before`.

    `before`: the expected bytes, None: no file. After True, `temporary` no longer exists.
    Raises OSError.
    """
    if before is None:
        return _put_where_nothing_is(temporary, real)
    exchange = _find_exchange()
    try:
        # Check once more, so that only an update at this very moment can be hidden for a while.
        if read_bytes(real) != before:
            return False
        if exchange is None or not exchange(temporary, real):
            temporary.replace(real)
            return True
    except FileNotFoundError:
        return False
    try:
        is_as_expected = _stays_equal(temporary, before)
    except OSError:
        exchange(temporary, real)
        raise
    if is_as_expected:
        temporary.unlink()
    else:
        _swap_back(exchange, temporary, real)
    return is_as_expected


def remove_file(real: Path, before: bytes) -> bool:
    """Removes `real`; returns False, with all as it was, if it did not contain `before`. Raises OSError."""
    aside = real.with_name(f".{real.name}.{os.getpid()}.atm.tmp")
    try:
        real.rename(aside)
    except FileNotFoundError:
        return False
    try:
        is_as_expected = _stays_equal(aside, before)
    except OSError:
        aside.rename(real)
        raise
    if is_as_expected:
        aside.unlink()
        return True
    with suppress(FileExistsError):  # another program created it again: keep that one
        os.link(aside, real)
    aside.unlink()
    return False


def _put_where_nothing_is(temporary: Path, real: Path) -> bool:
    try:
        os.link(temporary, real)
    except FileExistsError:
        return False
    except OSError as error:  # a file system without hard links
        if error.errno not in _UNSUPPORTED:
            raise
        if exists(real):
            return False
        temporary.replace(real)
        return True
    temporary.unlink()
    return True


def _stays_equal(path: Path, before: bytes) -> bool:
    """Returns whether a file has these bytes, and keeps them while a program with it open could still write."""
    if read_bytes(path) != before:
        return False
    time.sleep(LATE_WRITE)
    return read_bytes(path) == before


def _swap_back(exchange: Exchange, temporary: Path, real: Path) -> None:
    """Restores what was replaced by mistake. What others write meanwhile is newer, and stays."""
    ours = read_bytes(real)
    for _ in range(ROUNDS):
        exchange(temporary, real)
        if read_bytes(temporary) == ours:
            return
        # What came back is not our file but what another program wrote over it: that is the newest.
        ours = read_bytes(real)


def _find_exchange() -> Exchange | None:
    """Returns the function that exchanges two names atomically (False if the file system can't), or None if the system can't."""
    library = ctypes.CDLL(None, use_errno=True)
    is_macos = sys.platform == "darwin"
    function = getattr(library, "renamex_np" if is_macos else "renameat2", None)
    if function is None:
        return None

    def exchange(one: Path, other: Path) -> bool:
        first, second = os.fsencode(one), os.fsencode(other)
        arguments = (first, second) if is_macos else (_AT_FDCWD, first, _AT_FDCWD, second)
        if not function(*arguments, _EXCHANGE):
            return True
        number = ctypes.get_errno()
        if number in _UNSUPPORTED:
            return False
        raise OSError(number, os.strerror(number), str(other))

    return exchange
