"""Opens the install wizard over the app."""

import asyncio
from typing import Any

from textual.app import App

from atm_tui.keys.table import CommandKeys
from atm_tui.monitor.read_once import read_sessions
from atm_tui.screens.wizard import WizardScreen
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.setup import Setup
from atm_tui.view.present import Glyphs


async def open_wizard(app: App[Any], glyphs: Glyphs, keys: CommandKeys) -> str | None:
    """Runs the wizard until the user leaves it; returns why it can't be opened, or None. Must run in a worker."""
    try:
        setup = await asyncio.to_thread(Setup.create, read_sessions)
    except SettingsError as error:
        return str(error)
    await app.push_screen_wait(WizardScreen(setup, glyphs, keys))
    return None
