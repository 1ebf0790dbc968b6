"""The theme that the user took in the app: its own small file, which the hooks never read."""

from pathlib import Path

import msgspec

from atm_tui.sources.app_file import AppFile


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """A theme, and what the configuration said when it was taken."""

    theme: str
    instead_of: str


class ThemeFile:
    """Kept over restarts. Of the configuration and the app, the one that was changed last decides."""

    def __init__(self, state_dir: Path) -> None:
        self._file = AppFile(state_dir, "theme.json", Taken)

    def chosen(self, configured: str) -> str:
        """The theme to show, given the one of the configuration: what was taken holds until that one changes."""
        taken = self._file.read()
        return taken.theme if taken and taken.instead_of == configured else configured

    def keep(self, theme: str, configured: str) -> None:
        """The user took a theme."""
        self._file.write(Taken(theme=theme, instead_of=configured))
