"""Stores the theme that the user chose in the app, in a small file of the app."""

from pathlib import Path

import msgspec

from atm_tui.sources.app_file import AppFile


class ChosenTheme(msgspec.Struct, frozen=True, kw_only=True):
    """A theme that was chosen in the app."""

    theme: str
    instead_of: str
    """The theme that the configuration named at that time."""


class ThemeFile:
    """The stored theme. The last change decides, in the configuration or in the app."""

    def __init__(self, state_dir: Path) -> None:
        self._file = AppFile(state_dir, "theme.json", ChosenTheme)

    def find_theme(self, configured: str) -> str:
        """Returns the theme to show: the chosen one, until the theme in the configuration (`configured`) changes."""
        chosen = self._file.read()
        return chosen.theme if chosen and chosen.instead_of == configured else configured

    def save(self, theme: str, configured: str) -> None:
        """Stores the theme that the user chose while the configuration named `configured`."""
        self._file.write(ChosenTheme(theme=theme, instead_of=configured))
