"""Copies something of the selected session, and shows where it was copied to."""

import asyncio

from atm_tui.screens.command_screen import CommandScreen, Handlers
from atm_tui.text import clean
from atm_tui.view.present import Glyphs


class CopyController:
    """Opens the copy menu for the selection of `screen`."""

    def __init__(self, screen: CommandScreen, glyphs: Glyphs) -> None:
        self._screen = screen
        self._glyphs = glyphs
        self.handlers: Handlers = {"copy": self.open_menu}

    def open_menu(self) -> None:
        """Opens the menu."""
        self._screen.run_worker(self._choose(), group="copy", exclusive=True)

    async def _choose(self) -> None:
        # Imported when first needed, to keep the start short.
        from atm_tui.jump.plan import make_resume_line  # noqa: PLC0415
        from atm_tui.screens.copy_menu import CopyScreen  # noqa: PLC0415
        from atm_tui.view.copy_choices import list_copy_choices  # noqa: PLC0415

        selection = self._screen.selection
        if (session := selection.session) is None:
            return
        resume = await asyncio.to_thread(make_resume_line, session)
        choices = list_copy_choices(session, selection.request, resume)
        choice = await self._screen.app.push_screen_wait(CopyScreen(session.name, choices, self._glyphs))
        if choice is not None:
            await self.copy(choice.text, f"the {choice.title}")

    async def copy(self, text: str, what: str) -> None:
        """Copies by OSC 52, which the terminal may ignore, and to every other clipboard that exists; shows which."""
        from atm_tui.jump.clipboard import copy_text  # noqa: PLC0415
        from atm_tui.jump.own_terminal import find_own_terminal  # noqa: PLC0415

        self._screen.app.copy_to_clipboard(text)
        copied = await asyncio.to_thread(lambda: copy_text(text, find_own_terminal()))
        message = f"copied {what} ({', '.join(('OSC 52', *copied.places))})"
        if copied.problems:
            message += f", but {clean('; '.join(copied.problems))}"
        self._screen.show_message(message, trouble=bool(copied.problems))
