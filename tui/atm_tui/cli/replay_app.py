"""The app on a recording."""

from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.monitor.replay import Replay
from atm_tui.screens.replay import ReplayScreen
from atm_tui.sources.theme import ThemeFile


class ReplayApp(AtmApp):
    """The app as it is, with a screen that has a time slider."""

    CSS_PATH = "../app.tcss"

    def __init__(self, replay: Replay, config: Config, themes: ThemeFile | None = None) -> None:
        super().__init__(replay, config, themes=themes)
        self._replay = replay

    def get_default_screen(self) -> ReplayScreen:
        """The bottom of the stack."""
        return ReplayScreen(self._replay, self._config, self.glyphs)
