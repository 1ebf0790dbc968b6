"""What the screens that show the fleet share: they hear of its changes."""

from abc import abstractmethod

from textual.screen import Screen

from atm_tui import commands
from atm_tui.commands import Selection
from atm_tui.model.fleet import Delta
from atm_tui.model.request import Answered, Decision, Request


class FleetScreen(Screen[None]):
    """A screen that shows the fleet, or stands before one that does."""

    def fleet_changed(self, delta: Delta) -> None:
        """The fleet differs by `delta` from the last call. The app calls it on every screen of the stack."""

    def answered(self, request: Request, decision: Decision, outcome: Answered) -> None:
        """What became of an answer that was given on one of the screens. The app calls it on every screen of the stack."""


class CommandScreen(FleetScreen):
    """One on which commands act on what is selected."""

    @property
    @abstractmethod
    def selection(self) -> Selection:
        """What is selected now."""

    @abstractmethod
    def say(self, text: str, *, trouble: bool = False) -> None:
        """Shows a line for a few seconds."""

    async def action_command(self, command_id: str) -> None:
        """Runs a command; where it can't run now, says why."""
        command = commands.command(command_id)
        if reason := command.disabled(self.selection):
            self.say(f"{command.title}: {reason}", trouble=True)
        else:
            await self.run_action(command_id)
