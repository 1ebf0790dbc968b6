"""Copies something of the selected session, and shows where it was copied to."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from atm_tui.screens.command_screen import CommandScreen, Handlers
from atm_tui.text import clean
from atm_tui.view.present import Glyphs

if TYPE_CHECKING:
    from atm_tui.view.copy_choices import CopyChoice


class CopyController:
    """Opens the copy menu for the selection of `screen`."""

    def __init__(self, screen: CommandScreen, glyphs: Glyphs) -> None:
        self._screen = screen
        self._glyphs = glyphs
        self.handlers: Handlers = {"copy": self.open_menu}

    def open_menu(self) -> None:
        """Opens the menu at once, so that the next key chooses from it."""
        # Imported when first needed, to keep the start short.
        from atm_tui.jump.plan import make_resume_line  # noqa: PLC0415
        from atm_tui.screens.copy_menu import CopyScreen  # noqa: PLC0415
        from atm_tui.view.copy_choices import list_copy_choices  # noqa: PLC0415

        selection = self._screen.selection
        if (session := selection.session) is None:
            return

        def look_up() -> "Sequence[CopyChoice]":
            return list_copy_choices(session, selection.request, make_resume_line(session))

        def copy(choice: "CopyChoice | None") -> None:
            if choice is not None:
                work = self.copy(choice.text, f"the {choice.title}")
                self._screen.run_worker(work, group="copy", exclusive=True)

        known = list_copy_choices(session, selection.request, None)
        self._screen.app.push_screen(CopyScreen(session.name, known, look_up, self._glyphs), copy)

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
