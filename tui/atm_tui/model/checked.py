"""Types of fields that come from outside, with the range that is possible: decoding refuses anything else."""

from typing import Annotated

import msgspec

LATEST = 2e10
"""Epoch seconds beyond which a time is nonsense."""

Time = Annotated[float, msgspec.Meta(ge=0, lt=LATEST)]
"""Epoch seconds."""
Pid = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
PidKey = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{0,9}\Z")]
"""A pid as a key; "" for none."""
