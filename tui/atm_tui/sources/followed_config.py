"""The configuration while an app runs: the file, and what takes precedence over it."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from atm_tui.config import Config
from atm_tui.sources.config_file import ConfigReading, examine_config
from atm_tui.sources.exists import is_folder

Stamp = tuple[int, int, int] | str
"""What identifies the content of a file, or why it can't be found."""


def find_stamp(path: Path) -> Stamp:
    """Returns the stamp of a file. Links are followed: many people keep the file elsewhere."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError) as error:
        return str(error)
    return found.st_ino, found.st_mtime_ns, found.st_size


class FollowedConfig:
    """Reads the file again when it changed. A key that is wrong then keeps its last good value."""

    is_kept: ClassVar[bool] = True
    """Whether what is written to the file outlives the app."""

    def __init__(self, path: Path, overrides: Mapping[str, tuple[Any, str]] | None = None) -> None:
        """`overrides`: by key: the value that takes precedence over the file, and where it comes from, for a person."""
        self.path = path
        self.overrides = dict(overrides or {})
        self.reading = ConfigReading()
        self.config = Config()
        """What holds: the file's values and the overrides."""
        self._stamp: Stamp | None = None
        self._last: Config | None = None

    def read(self) -> bool:
        """Reads the file if it changed since the last call; returns whether its text, or what is wrong with it, differs."""
        stamp = find_stamp(self.path)
        if stamp == self._stamp:
            return False
        self._stamp = stamp
        before, self.reading = self.reading, examine_config(self.path, self._last)
        self._last = self.reading.config
        values = {key: value for key, (value, _) in self.overrides.items()}
        self.config = msgspec.structs.replace(self.reading.config, **values)
        return self.reading != before

    def list_names(self) -> tuple[set[str], set[str]]:
        """Returns the existing folders in which a change may be one of the file, and the paths there that may stand for it.

        These are its own folder, and that of the file to which it links; while one is missing, the nearest folder above it.
        """
        folders, paths = set(), set()
        for path in {str(self.path), os.path.realpath(self.path)}:
            while path not in paths:
                paths.add(path)
                path = os.path.dirname(path)  # noqa: PLW2901, PTH120  up to the root, which is its own folder
                if is_folder(path):
                    folders.add(path)
                    break
        return folders, paths

    def has_changed(self) -> bool:
        """Returns whether the file may differ from what was read: a single look, without reading."""
        return find_stamp(self.path) != self._stamp
