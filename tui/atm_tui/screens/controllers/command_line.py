"""Opens the command line, and runs what was typed into it."""

from collections.abc import Awaitable, Callable, Sequence
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from textual.app import App

from atm_tui.commands import describe_place
from atm_tui.keys.conflicts import YES
from atm_tui.model.sorting import Order
from atm_tui.screens.active_bindings import list_active_commands
from atm_tui.view.command import Command
from atm_tui.view.command_line import Typed
from atm_tui.view.dialog_commands import DIALOGS
from atm_tui.view.present import Glyphs
from atm_tui.view.themes import sort_themes

if TYPE_CHECKING:
    from atm_tui.screens.controllers.filtering import FilterController
    from atm_tui.screens.controllers.sorting import SortController

NOT_TYPED = frozenset({*YES, "command_line", "interrupt"})
"""The commands that can't be typed: what answers a request has to be a key that is pressed while the request is in view."""
ELSEWHERE = frozenset({"peek", "request", *DIALOGS})
"""The groups of dialogs, on which there is no command line."""

Argument = Callable[[str], Awaitable[None] | None]


class CommandLineController:
    """A command runs as by its key: with the same checks, on the screen on which the line was opened."""

    def __init__(
        self, app: App[None], glyphs: Glyphs, set_theme: Callable[[str], None], say: Callable[[str], None]
    ) -> None:
        """`say` shows why a command can't run."""
        self._app = app
        self._glyphs = glyphs
        self._set_theme = set_theme
        self._say = say
        self._history: list[str] = []

    async def open(self, every: Sequence[Command], sorting: "SortController", filtering: "FilterController") -> None:
        """Opens the line. `every`: all commands; `sorting` and `filtering`: of the rows of the fleet."""
        from atm_tui.screens.command_line import CommandLineScreen  # noqa: PLC0415 (no part of the start)

        arguments: dict[str, tuple[Sequence[str], Argument]] = {
            "theme": (sort_themes(self._app.available_themes), self._set_theme),
            "sort": (list(Order), lambda name: sorting.choose(Order(name))),
            "filter": ((), filtering.filter_by),
        }
        can = [each for each in every if each.id not in NOT_TYPED and each.group not in ELSEWHERE and not each.by_key]
        words = {command_id: known for command_id, (known, _) in arguments.items()}

        async def run(typed: Typed | None) -> None:
            if typed is None:
                return
            if typed.argument:
                result: Any = arguments[typed.command.id][1](typed.argument)
                if isawaitable(result):
                    await result
            else:
                await self._run(typed.command)

        screen = CommandLineScreen(can, words, self._history, self._glyphs)
        await self._app.push_screen(screen, run)
        screen.open()

    async def _run(self, command: Command) -> None:
        found = list_active_commands(self._app.screen).get(command.id)
        if found is None:
            self._say(f"{command.title}: {describe_place(command)}")
        else:
            await self._app.run_action(found.action, found.node)
