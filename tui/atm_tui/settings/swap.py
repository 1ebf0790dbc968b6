"""Puts a new file in the place of another one without ever undoing what a third program wrote in between.

A check and then a rename would lose an update that comes between the two. Here the two names are exchanged, so that what
was really replaced can be looked at, and put back when it is not what was expected.
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
"""Seconds for which a program that had the old file open may still write to it."""
ROUNDS = 20
"""How often the files are exchanged back while others keep writing."""

_EXCHANGE = 2
"""RENAME_EXCHANGE of Linux and RENAME_SWAP of macOS."""
_AT_FDCWD = -100
Exchange = Callable[[Path, Path], bool]
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}


def put_in_place(temporary: Path, real: Path, before: bytes | None) -> bool:
    """Give `real` the file `temporary`; False, with all as it was, when `real` did not hold `before`.

    before: the bytes that are expected there, None: no file. Nothing is left under the name of `temporary` after True.
    Raises OSError.
    """
    if before is None:
        return _put_where_nothing_is(temporary, real)
    exchange = _find_exchange()
    try:
        # Looked at once more, so that a stale text stands there only if an update comes in this very moment.
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
    """Remove `real`; False, with all as it was, when it did not hold `before`. Raises OSError."""
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
    with suppress(FileExistsError):  # another program made it anew: that one counts
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
    """Whether a file holds these bytes, and still does when a program that had it open could have written to it."""
    if read_bytes(path) != before:
        return False
    time.sleep(LATE_WRITE)
    return read_bytes(path) == before


def _swap_back(exchange: Exchange, temporary: Path, real: Path) -> None:
    """Put back what was taken away by mistake. What others write meanwhile is newer still, and stays."""
    ours = read_bytes(real)
    for _ in range(ROUNDS):
        exchange(temporary, real)
        if read_bytes(temporary) == ours:
            return
        # Not ours came back, but what another program wrote over it: that is the newest of all.
        ours = read_bytes(real)


def _find_exchange() -> Exchange | None:
    """What exchanges two names in one step, False where the file system can't; None where the system can't."""
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
