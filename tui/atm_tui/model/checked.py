"""Fields that come from outside: their types with the range of possible values, which decoding enforces, and texts among others."""

from typing import Annotated

import msgspec

LATEST = 2e10
"""Epoch seconds above which a time counts as damaged."""

Time = Annotated[float, msgspec.Meta(ge=0, lt=LATEST)]
"""Epoch seconds."""
Pid = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
PidKey = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{0,10}\Z")]
"""A process id as a key; "" when it is unknown."""


def read_text(value: object, limit: int | None = None) -> str:
    """Returns a value that should be text, cut to `limit` characters; "" for any other value."""
    return value[:limit] if isinstance(value, str) else ""
