"""Whose pids a pid is of: ours, those of a container, or those of another machine. Pure.

A domain is what the client writes into its registry, and our hook into the state: `linux:MACHINE:pid:[NAMESPACE]`. Where it
is not ours, a pid says nothing here: another program may have the same one.
"""

import re
from enum import StrEnum

_DOMAIN = re.compile(r"linux:([^:]*):(pid:\[\d+\])")


class Place(StrEnum):
    """Where a process runs, as seen from here."""

    HERE = "here"
    CONTAINER = "container"
    """On this machine, in another pid namespace."""
    MACHINE = "machine"
    """On another machine that shares the config folder."""


PLACES = {Place.HERE: "", Place.CONTAINER: "in a container", Place.MACHINE: "on another machine"}
"""A place in words, behind "runs"; empty for here."""


def find_place(domain: str | None, own: str) -> Place:
    """Where the pids of `domain` hold; `own` is our own domain. Of a domain that is not known, a pid counts as ours.

    A machine without an id can't be told from another one; then the namespace alone decides.
    """
    if not domain or not own or domain == own:
        return Place.HERE
    theirs, ours = _DOMAIN.fullmatch(domain), _DOMAIN.fullmatch(own)
    if theirs is None or ours is None:
        return Place.MACHINE
    if theirs[1] and not theirs[1].strip("0"):
        return Place.HERE  # a recording, whose machine was struck out
    if theirs[1] and ours[1] and theirs[1] != ours[1]:
        return Place.MACHINE
    return Place.HERE if theirs[2] == ours[2] else Place.CONTAINER
