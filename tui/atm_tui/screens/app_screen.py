"""The base of all screens but the one of a small terminal."""

from typing import TYPE_CHECKING, Any, Generic

from textual.await_complete import AwaitComplete
from textual.screen import Screen, ScreenResultType

from atm_tui.screens.compositor import PartialCompositor
from atm_tui.widgets.ends_workers_first import EndsWorkersFirst

if TYPE_CHECKING:

    class _Base(EndsWorkersFirst, Screen[ScreenResultType]):
        pass

else:

    class _Base(EndsWorkersFirst, Generic[ScreenResultType]):
        """No screen itself, as EndsWorkersFirst is no widget."""


class AppScreen(_Base[ScreenResultType]):
    """Stands before the class of Textual among the bases of a screen."""

    _compositor: PartialCompositor

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._compositor = PartialCompositor()

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Closes it; nothing if it is not in front, as after a first of two fast keys: Textual would close what is in front."""
        return super().dismiss(result) if self.is_active else AwaitComplete()
