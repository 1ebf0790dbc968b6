"""Decides where a pid is valid: here, in a container, or on another machine. Pure.

A domain is what the client writes into its registry, and our hook into the state: `linux:MACHINE:pid:[NAMESPACE]`. Where it
is not ours, a pid says nothing here: another program may have the same one.
"""

import re
from enum import StrEnum

_DOMAIN = r"linux:([^:]*):(pid:\[\d+\])"


class Place(StrEnum):
    """Where a process runs, as seen from here."""

    HERE = "here"
    CONTAINER = "container"
    """On this machine, in another pid namespace."""
    MACHINE = "machine"
    """On another machine that shares the config folder."""


PLACES = {Place.HERE: "", Place.CONTAINER: "in a container", Place.MACHINE: "on another machine"}
"""A place in words, after "runs"; empty for here."""


def find_place(domain: str | None, own: str) -> Place:
    """Returns where the pids of `domain` are valid; `own` is our domain. A pid of an unknown domain counts as ours.

    A machine without an id can't be distinguished from others; then the namespace alone decides.
    """
    if not domain or not own or domain == own:
        return Place.HERE
    theirs, ours = re.fullmatch(_DOMAIN, domain), re.fullmatch(_DOMAIN, own)
    if theirs is None or ours is None:
        return Place.MACHINE
    if theirs[1] and not theirs[1].strip("0"):
        return Place.HERE  # a recording, from which the machine was removed
    if theirs[1] and ours[1] and theirs[1] != ours[1]:
        return Place.MACHINE
    return Place.HERE if theirs[2] == ours[2] else Place.CONTAINER
