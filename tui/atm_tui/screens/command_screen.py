"""What screens share that show the fleet: they are told of its changes, and run commands on what is selected."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable
from typing import Any

from textual.screen import Screen

from atm_tui import commands
from atm_tui.model.fleet import Delta
from atm_tui.model.request import AnswerOutcome, Decision, Request
from atm_tui.view.command import Selection

Handlers = Mapping[str, Callable[..., Awaitable[None] | None]]
"""By the id of a command what runs it; one that wants to know its key is given the key."""


class FleetObserver:
    """A screen that is told when the fleet changes, wherever in the stack of screens it is."""

    def handle_fleet_change(self, delta: Delta) -> None:
        """The fleet differs by `delta` from the last call."""

    def handle_answer(self, request: Request, decision: Decision, outcome: AnswerOutcome) -> None:
        """An answer that was given on one of the screens had this outcome."""


class CommandScreen(FleetObserver, Screen[None]):
    """A screen whose keys run commands on what is selected. What runs them is in `handlers`."""

    handlers: Handlers

    @property
    @abstractmethod
    def selection(self) -> Selection:
        """What is selected now."""

    @abstractmethod
    def show_message(self, text: str, *, trouble: bool = False) -> None:
        """Shows a line for a few seconds."""

    def set_breakpoints(self) -> None:
        """Gives the screen the classes of its size before its first frame: Textual does so only after it."""
        for dimension, breakpoints in (
            (self.app.size.width, self.HORIZONTAL_BREAKPOINTS),
            (self.app.size.height, self.VERTICAL_BREAKPOINTS),
        ):
            within = [(least, name) for least, name in breakpoints or [] if dimension >= least]
            if within:
                self.add_class(max(within)[1])

    async def action_command(self, command_id: str, key: str = "") -> None:
        """Runs a command; where it can't run now, says why."""
        command = commands.find_command(command_id)
        if reason := command.disabled(self.selection):
            self.show_message(f"{command.title}: {reason}", trouble=True)
            return
        result: Any = self.handlers[command_id](*([key] if command.by_key else []))
        if isawaitable(result):
            await result
