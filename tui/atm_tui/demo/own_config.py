"""The configuration of the demo: the person's own, as a copy in the demo's folder, so that what is changed ends with it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from atm_hooks.regular_file import read_regular
from atm_tui.sources.config_file import MAX_SIZE
from atm_tui.sources.followed_config import FollowedConfig, Stamp, find_stamp


class CopiedConfig(FollowedConfig):
    """Follows the person's file and its copy; whichever changed last holds. Only the copy is written."""

    is_kept = False

    def __init__(self, source: Path, path: Path, overrides: Mapping[str, tuple[Any, str]]) -> None:
        """`source`: the person's file. `path`: the copy. `overrides` as in FollowedConfig."""
        super().__init__(path, overrides)
        self._source = source
        self._copied: Stamp | None = None

    def read(self) -> bool:
        """As in FollowedConfig; copies the person's file first if it changed."""
        stamp = find_stamp(self._source)
        if stamp != self._copied:
            self._copied = stamp
            try:
                self.path.write_bytes(read_regular(str(self._source), MAX_SIZE))
            except OSError:  # there is none, or it can't be read
                self.path.unlink(missing_ok=True)
        return super().read()

    def has_changed(self) -> bool:
        """As in FollowedConfig, for both files."""
        return find_stamp(self._source) != self._copied or super().has_changed()
