"""Opens the menu of a row, and runs what was chosen."""

from textual.geometry import Offset

from atm_tui.screens.command_screen import CommandScreen
from atm_tui.view.present import Glyphs


def open_row_menu(screen: CommandScreen, place: Offset, glyphs: Glyphs) -> None:
    """Opens the commands of the selected row at a cell of the screen; does nothing on a row that is no session."""
    from atm_tui.screens.row_menu import OWN, RowMenu, list_row_commands  # noqa: PLC0415 (no part of the start)

    at = screen.selection
    if at.session is None:
        return
    commands = list_row_commands((*screen.keys.commands, *screen.custom.values()))

    async def run(chosen: str | None) -> None:
        if chosen is not None:
            await screen.action_command(chosen)

    own = screen.keys.list_keys(*OWN)
    screen.app.push_screen(RowMenu(at.session.name, commands, at, place, glyphs, own), run)
