"""What the fleet screen shares with its app, which outlives it."""

from collections.abc import Callable
from typing import NamedTuple

from atm_tui.screens.answer_keys import AnswerKeys
from atm_tui.view.written_screen import WrittenScreen


class AppParts(NamedTuple):
    """Parts of the app that the fleet screen uses."""

    keys: AnswerKeys
    """The guard against repeated answers."""
    tick: Callable[[], None]
    """What the app does with each tick of all widgets."""
    written: WrittenScreen
    """What the terminal shows."""
