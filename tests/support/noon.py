"""A time zone in which it is about noon now: no test that counts by days meets a midnight, at whatever hour it runs."""

import os
import time

PREFIX = "TST"
"""Begins the names of these zones."""


def noon_zone(minutes: int = 0) -> str:
    """The zone as a value of TZ; `minutes`: its offset from UTC beyond whole hours."""
    passed = time.gmtime().tm_hour * 60 + time.gmtime().tm_min
    offset = round((12 * 60 - passed) / 60) * 60 + minutes
    # POSIX counts what is to be added to local time
    return f"{PREFIX}{'-' if offset >= 0 else '+'}{abs(offset) // 60}:{abs(offset) % 60:02}"


def install() -> None:
    """Runs this process, and those that it starts, in such a zone; in the one of its parent if that has one."""
    if not os.environ.get("TZ", "").startswith(PREFIX):
        os.environ["TZ"] = noon_zone()
    time.tzset()
