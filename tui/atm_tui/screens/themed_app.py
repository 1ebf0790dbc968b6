"""The base of our apps: it knows our themes, shows all in colours that can be read on this terminal, and closes in peace."""

from inspect import iscoroutine
from typing import Any, TypeVar

from rich.console import COLOR_SYSTEMS
from textual.app import App, ScreenStackError
from textual.css.query import NoMatches
from textual.dom import NoScreen
from textual.widget import MountError
from textual.worker import Worker, WorkerFailed
from textual.worker_manager import WorkerManager

from atm_tui.view.themes import THEMES, list_other_variables

ResultT = TypeVar("ResultT")
GONE = (MountError, NoMatches, NoScreen, ScreenStackError)
"""What Textual raises where a widget or a screen is missing."""


class QuietWorkers(WorkerManager):
    """Workers of which some are cancelled before they begin, as when a screen closes at once: Python would print a warning."""

    def _remove_worker(self, worker: Worker[Any]) -> None:
        """Removes a worker that has ended."""
        super()._remove_worker(worker)
        if iscoroutine(work := worker._work):  # noqa: SLF001  it has no public name
            work.close()


class ThemedApp(App[ResultT]):
    """Registers our themes. A subclass then sets one."""

    def __init__(self) -> None:
        super().__init__()
        self._workers = QuietWorkers(self)
        for theme in THEMES:
            self.register_theme(theme)
        self._corrects = True

    def _handle_exception(self, error: Exception) -> None:
        """Ends the app for a fault, as Textual does; but what misses a widget while the app is closing is none."""
        cause = error.error if isinstance(error, WorkerFailed) else error
        if not (self._exit and isinstance(cause, GONE)):
            super()._handle_exception(error)

    def start_with_theme(self, name: str) -> None:
        """Sets the first theme, without parsing the style sheet a second time, which a change of theme would do."""
        self.set_reactive(App.theme, name)
        is_dark = self.current_theme.dark
        for class_name, is_set in ((f"-theme-{name}", True), ("-dark-mode", is_dark), ("-light-mode", not is_dark)):
            self.set_class(is_set, class_name, update=False)
        self._refresh_truecolor_filter(self.ansi_theme)
        self.stylesheet.set_variables(self.get_css_variables())

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Returns the colours that Textual's own themes lack."""
        return list_other_variables(dark=self.current_theme.dark)

    def get_css_variables(self) -> dict[str, str]:
        """Returns the colours of the theme, corrected where text would be hard to read."""
        variables = super().get_css_variables()
        # Textual asks once before our themes are known; ours need no correction where all colours can be shown.
        has_all = self.console.color_system in {None, "truecolor"}
        if getattr(self, "_corrects", False) and not (has_all and self.current_theme in THEMES):
            from rich.color import ColorSystem  # noqa: PLC0415  rarely needed

            from atm_tui.view.legible import correct_variables  # noqa: PLC0415

            system = ColorSystem.TRUECOLOR if has_all else COLOR_SYSTEMS[self.console.color_system or "truecolor"]
            variables = self.theme_variables = correct_variables(variables, self.current_theme, system)
        return variables
