"""Tells whether the copied hook files are older or newer than this app."""

import re
from pathlib import Path

from atm_tui import __version__
from atm_tui.settings.hookfiles import is_same
from atm_tui.settings.read import read_bytes
from atm_tui.sources.exists import exists

_VERSION = re.compile(rb'^__version__ = "([0-9.]{1,40})"$', re.MULTILINE)


def read_hook_version(link: Path) -> str:
    """Returns the version of the copied files; empty if they have none (before 0.2) or can't be read."""
    try:
        found = _VERSION.search(read_bytes(link / "__init__.py"))
    except OSError:
        return ""
    return found[1].decode() if found else ""


def is_newer(link: Path) -> bool:
    """Whether the copied files are those of a newer version than this app."""
    return _split(read_hook_version(link)) > _split(__version__)


def needs_renewal(link: Path) -> bool:
    """Whether the copied files are there, and are those of an older version, or changed ones."""
    return exists(link / "hook.py") and not is_same(link) and not is_newer(link)


def describe_copy(link: Path) -> str:
    """Describes copied files that are not those of this version."""
    version = read_hook_version(link)
    if version == __version__:
        return f"the installed hook is not as this version ({__version__}) brings it: {link}"
    age = "newer" if is_newer(link) else "older"
    of_version = f" is of atm-tui {version}, {age}" if version else f" is {age}"
    return f"the installed hook{of_version} than this one ({__version__}): {link}"


def describe_age(link: Path) -> str:
    """Describes the same in few words, for a line of the header."""
    version = read_hook_version(link)
    age = "newer than" if is_newer(link) else "not that of" if version == __version__ else "older than"
    return f"The hook{f' ({version})' if version else ''} is {age} this app ({__version__})"


def describe_renewal(link: Path) -> str:
    """Describes what a renewal does to the copied files."""
    version = read_hook_version(link)
    return f"the copied hook files are renewed{f', {version}' if version else ''} → {__version__}"


def _split(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part)
