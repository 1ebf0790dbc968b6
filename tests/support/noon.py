"""A time zone in which it is about noon now, so that no test that counts days crosses midnight."""

import os
import time

PREFIX = "TST"
"""Prefix of the names of these zones."""


def format_noon_zone(minutes: int = 0) -> str:
    """Returns the zone as a value of TZ; `minutes`: its offset from UTC beyond whole hours."""
    passed = time.gmtime().tm_hour * 60 + time.gmtime().tm_min
    offset = round((12 * 60 - passed) / 60) * 60 + minutes
    # POSIX gives the offset to add to local time
    return f"{PREFIX}{'-' if offset >= 0 else '+'}{abs(offset) // 60}:{abs(offset) % 60:02}"


def install() -> None:
    """Sets such a zone for this process and its children, unless it has inherited one."""
    if not os.environ.get("TZ", "").startswith(PREFIX):
        os.environ["TZ"] = format_noon_zone()
    time.tzset()
