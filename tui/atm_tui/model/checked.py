"""Fields that come from outside: their types with the range of possible values, which decoding enforces, and texts among others."""

from typing import Annotated

import msgspec

LATEST = 2e10
"""Epoch seconds above which a time counts as damaged."""

Time = Annotated[float, msgspec.Meta(ge=0, lt=LATEST)]
"""Epoch seconds."""
Pid = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
_LONGEST_PID = 10
"""Digits."""


def is_pid_key(key: str) -> bool:
    """Whether a key is a process id, or "" for an unknown one. A pattern would make each command load `re`."""
    return not key or (len(key) <= _LONGEST_PID and key.isascii() and key.isdecimal())


def read_text(value: object, limit: int | None = None) -> str:
    """Returns a value that should be text, cut to `limit` characters; "" for any other value."""
    return value[:limit] if isinstance(value, str) else ""
