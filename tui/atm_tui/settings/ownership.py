"""Gives files that root writes into another user's home to that user, whose own runs would fail otherwise."""

import os
import pwd
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from atm_tui import paths
from atm_tui.sources.exists import list_tree


def find_owner_of_home() -> tuple[int, int] | None:
    """Returns (user id, group id) of the home's owner if this process is root and the home is another user's."""
    if os.geteuid() != 0:
        return None
    try:
        info = paths.find_home().stat()
    except OSError:
        return None
    return (info.st_uid, info.st_gid) if info.st_uid != 0 else None


def give_to_owner(made: Iterable[Path]) -> str | None:
    """Gives what root created in another user's home to that user: files, folders with their content, and new parents.

    Returns a sentence for the user, or None if there is nothing to give. Failures are ignored.
    """
    owner = find_owner_of_home()
    if owner is None:
        return None
    home = Path(os.path.realpath(paths.find_home()))
    for place in made:
        real = Path(os.path.realpath(place))
        if home not in real.parents:
            continue
        above = [each for each in real.parents if home in each.parents]
        for each in (*above, real, *list_tree(real)):
            with suppress(OSError):
                if each.lstat().st_uid == 0:
                    os.chown(each, *owner, follow_symlinks=False)
    return f"run as root in the home of {_name(owner[0])}: all that was written was given to that user"


def _name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"
