"""Where files are. The only module that reads os.environ, so that tests, hooks and app agree on every folder."""

import errno
import os
import sys
from pathlib import Path

import platformdirs

APP = "atm-tui"


def read_variable(name: str) -> str | None:
    """The value of an environment variable; None when it is unset or empty."""
    return os.environ.get(name) or None


def is_set(name: str) -> bool:
    """Whether an environment variable is set, be it to nothing."""
    return name in os.environ


def _xdg_folder(name: str) -> Path | None:
    """The folder in an XDG variable; None when unset or relative, which the XDG specification says to ignore."""
    given = read_variable(name)
    return Path(given) if given and Path(given).is_absolute() else None


def make_absolute(given: str | Path) -> Path:
    """The absolute path of what a person gave, with `~` for the home folder; a `~name` of nobody stays as it is."""
    return Path(os.path.expanduser(given)).absolute()  # noqa: PTH111  Path.expanduser raises for a user who does not exist


def find_home() -> Path:
    """The home folder of the user. Raises FileNotFoundError when there is none."""
    found = os.path.expanduser("~")  # noqa: PTH111
    if not Path(found).is_absolute():
        raise FileNotFoundError(
            errno.ENOENT, "HOME is not set to an absolute path, and this user has no home folder", found
        )
    return Path(found)


def find_state_dir() -> Path:
    """Where hooks write sessions, journals and hook.log. ATM_STATE_DIR, else $XDG_STATE_HOME/atm-tui."""
    if given := read_variable("ATM_STATE_DIR"):
        return make_absolute(given)
    base = _xdg_folder("XDG_STATE_HOME")
    return (base or find_home() / ".local" / "state") / APP


def find_data_dir() -> Path:
    """Where `install` copies the hook's files. ATM_DATA_DIR, else $XDG_DATA_HOME/atm-tui."""
    if given := read_variable("ATM_DATA_DIR"):
        return make_absolute(given)
    base = _xdg_folder("XDG_DATA_HOME")
    return (base or find_home() / ".local" / "share") / APP


def find_config_file() -> Path:
    """The user's configuration: ATM_CONFIG, else config.toml in the platform's config folder."""
    if given := read_variable("ATM_CONFIG"):
        return make_absolute(given)
    base = _xdg_folder("XDG_CONFIG_HOME")
    folder = base / APP if base else Path(platformdirs.user_config_dir(APP, appauthor=False))
    return folder / "config.toml"


def find_claude_config_dir() -> Path:
    """The config folder of Claude Code that this user's shell names: CLAUDE_CONFIG_DIR, else ~/.claude."""
    given = read_variable("CLAUDE_CONFIG_DIR")
    return make_absolute(given) if given else find_home() / ".claude"


def find_cache_dir() -> Path:
    """Where what can be computed again is kept: $XDG_CACHE_HOME/atm-tui, else the platform's cache folder."""
    base = _xdg_folder("XDG_CACHE_HOME")
    return base / APP if base else Path(platformdirs.user_cache_dir(APP, appauthor=False))


def is_utf8() -> bool:
    """Whether the terminal's locale can show glyphs outside ASCII."""
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
