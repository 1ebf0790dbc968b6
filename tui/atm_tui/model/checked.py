"""Types of fields that come from outside, with the range of possible values; decoding refuses any other value."""

from typing import Annotated

import msgspec

LATEST = 2e10
"""Epoch seconds above which a time counts as damaged."""

Time = Annotated[float, msgspec.Meta(ge=0, lt=LATEST)]
"""Epoch seconds."""
Pid = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
PidKey = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{0,10}\Z")]
"""A process id as a key; "" when it is unknown."""
