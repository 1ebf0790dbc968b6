"""Drops root's privileges on files, so that permissions apply in tests run by root as they do for a user."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

OTHER_USER = 65534
"""A user id other than the one that runs the tests."""

_VERSION = 0x20080522
"""Version of the structures of capget and capset: two words of bits for each of three sets."""
_OVERRIDING = 0b1111
"""Bits of CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH and CAP_FOWNER."""
_GET_SECUREBITS, _SET_SECUREBITS = 27, 28
_AS_ANY_USER = 0b101
"""Bits of SECBIT_NOROOT and SECBIT_NO_SETUID_FIXUP: root gets nothing back by starting a program, nor in access(2)."""


@contextmanager
def without_privileges() -> Iterator[None]:
    """Within it, this thread, its new threads and programs access files as a user who owns root's files would.

    Does nothing where the tests are not run by root. Raises OSError where the system refuses.
    """
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_VERSION, 0)
    before = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; then the upper halves
    _check(libc.capget(header, before))
    bits = _check(libc.prctl(_GET_SECUREBITS, 0, 0, 0, 0))
    _check(libc.prctl(_SET_SECUREBITS, bits | _AS_ANY_USER, 0, 0, 0))
    reduced = (ctypes.c_uint32 * 6)(*before)
    reduced[0] &= ~_OVERRIDING
    _check(libc.capset(header, reduced))
    try:
        yield
    finally:
        _check(libc.capset(header, before))
        _check(libc.prctl(_SET_SECUREBITS, bits, 0, 0, 0))


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
