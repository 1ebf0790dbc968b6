"""Finds files and folders. The only module that reads os.environ, so that tests, hooks and app agree on every folder."""

import errno
import os
import sys
from collections.abc import Mapping
from pathlib import Path

APP = "atm-tui"


def read_variable(name: str) -> str | None:
    """Returns an environment variable; None when it is unset or empty."""
    return os.environ.get(name) or None


def is_set(name: str) -> bool:
    """Whether an environment variable is set, even to an empty text."""
    return name in os.environ


def extend_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment with these variables added, for a program that is started."""
    return {**os.environ, **variables}


def _read_xdg_folder(name: str) -> Path | None:
    """Returns the folder in an XDG variable; None when unset or relative: the XDG specification says to ignore these."""
    given = read_variable(name)
    return Path(given) if given and Path(given).is_absolute() else None


def make_absolute(given: str | Path) -> Path:
    """Makes a path given by the user absolute and expands a leading `~`; a `~name` without such a user stays as it is."""
    return Path(os.path.expanduser(given)).absolute()  # noqa: PTH111  Path.expanduser raises for a user who does not exist


def find_home() -> Path:
    """Returns the home folder of the user. Raises FileNotFoundError when there is none."""
    found = os.path.expanduser("~")  # noqa: PTH111
    if not Path(found).is_absolute():
        raise FileNotFoundError(
            errno.ENOENT, "HOME is not set to an absolute path, and this user has no home folder", found
        )
    return Path(found)


def find_state_dir() -> Path:
    """Returns where hooks write sessions, journals and hook.log: ATM_STATE_DIR, else $XDG_STATE_HOME/atm-tui."""
    if given := read_variable("ATM_STATE_DIR"):
        return make_absolute(given)
    base = _read_xdg_folder("XDG_STATE_HOME")
    return (base or find_home() / ".local" / "state") / APP


def find_data_dir() -> Path:
    """Returns where `install` copies the hook's files: ATM_DATA_DIR, else $XDG_DATA_HOME/atm-tui."""
    if given := read_variable("ATM_DATA_DIR"):
        return make_absolute(given)
    base = _read_xdg_folder("XDG_DATA_HOME")
    return (base or find_home() / ".local" / "share") / APP


def find_config_file() -> Path:
    """Returns the user's configuration: ATM_CONFIG, else config.toml in the platform's config folder."""
    if given := read_variable("ATM_CONFIG"):
        return make_absolute(given)
    base = _read_xdg_folder("XDG_CONFIG_HOME")
    return (base / APP if base else _find_platform_folder("config")) / "config.toml"


def find_claude_config_dir() -> Path:
    """Returns the config folder of Claude Code in this shell: CLAUDE_CONFIG_DIR, else ~/.claude."""
    given = read_variable("CLAUDE_CONFIG_DIR")
    return make_absolute(given) if given else find_home() / ".claude"


def find_cache_dir() -> Path:
    """Returns the app's cache folder: $XDG_CACHE_HOME/atm-tui, else in the platform's cache folder."""
    base = _read_xdg_folder("XDG_CACHE_HOME")
    return base / APP if base else _find_platform_folder("cache")


def _find_platform_folder(kind: str) -> Path:
    """Returns the app's folder of a kind ("config" or "cache") when no variable names it."""
    if sys.platform == "linux":
        return find_home() / f".{kind}" / APP
    import platformdirs  # noqa: PLC0415  takes long to load

    name = platformdirs.user_config_dir if kind == "config" else platformdirs.user_cache_dir
    return Path(name(APP, appauthor=False))


def is_dumb_terminal() -> bool:
    """Whether the terminal understands no escape sequences (TERM=dumb)."""
    return os.environ.get("TERM") == "dumb"


def is_utf8() -> bool:
    """Whether the terminal's locale can show glyphs outside ASCII."""
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
