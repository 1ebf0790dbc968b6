"""Chooses the theme of the app: the one that was chosen last, in the app or in the configuration."""

from typing import Any

from textual.app import App

from atm_tui.keys.table import CommandKeys
from atm_tui.sources.theme import ThemeFile
from atm_tui.view.present import Glyphs
from atm_tui.view.themes import THEMES


class ThemeController:
    """Knows the theme of the configuration, and stores the one that the user chose instead."""

    def __init__(self, app: App[Any], themes: ThemeFile | None, configured: str) -> None:
        """`themes`: where the chosen theme is kept; None: nowhere."""
        self._app = app
        self.themes = themes
        self._configured = configured

    def find_theme(self) -> str:
        """Returns the theme to show."""
        known = self._app.available_themes
        chosen = self.themes.find_theme(self._configured) if self.themes else self._configured
        return next(each for each in (chosen, self._configured, THEMES[0].name) if each in known)

    def choose(self, glyphs: Glyphs, keys: CommandKeys) -> None:
        """Lists the themes; the chosen one is stored."""
        from atm_tui.screens.themes import ThemeScreen  # noqa: PLC0415

        def take_theme(name: str | None) -> None:
            if name is not None:
                self.set_theme(name)

        names = list(self._app.available_themes)
        self._app.push_screen(ThemeScreen(names, self._app.theme, glyphs, keys), take_theme)

    def set_theme(self, name: str) -> None:
        """Shows a theme and stores it for the next start."""
        self._app.theme = name
        if self.themes is not None:
            self.themes.save(name, self._configured)

    def configure(self, name: str) -> None:
        """Shows the theme that the configuration names now."""
        if name != self._configured:
            self._configured = name
            self._app.theme = self.find_theme()
