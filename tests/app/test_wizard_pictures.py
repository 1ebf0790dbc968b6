"""How each step of the wizard is composed, as pictures; what it does is tested as text elsewhere."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from atm_tui.screens.wizard_app import WizardApp
from atm_tui.settings.check import Check, Level
from atm_tui.settings.command import Commands
from tests.support.effort import mark_long
from tests.support.wizard import WizardHome

KEYS = {
    "where": (),
    "how": ("enter", "j", "j"),
    "what": ("enter", "enter"),
    "done": ("enter", "enter", "a"),
    "refused": ("j",),
}
SIZES = {"where": (120, 36), "refused": (60, 24)}


@pytest.fixture
def wizard_home(wizard_home: WizardHome) -> WizardHome:
    wizard_home.project.write_bytes(b'{\n  "model": "opus",\n  // ours\n  "hooks": {}\n}\n')
    wizard_home.checks = lambda: make_checks(wizard_home)
    return wizard_home


def make_checks(wizard_home: WizardHome) -> Iterator[Check]:
    file = str(wizard_home.file)
    yield Check("settings", Level.OK, file, "valid for Claude Code")
    yield Check("hooks", Level.OK, file, "installed and current, 24 events")
    yield Check("hook", Level.OK, file, "runs, 19 ms", "", 19.4)
    yield Check("statusline", Level.OK, file, "runs, 31 ms", "", 31.0)
    text = "session 0c11aa22 (pid 4242, ~/src/shop) has not loaded the hooks"
    advice = "Send it a prompt; if it stays silent, restart it, or trust its folder."
    yield Check("session", Level.WARNING, str(wizard_home.config_dir), text, advice)


@pytest.mark.parametrize("name", mark_long(KEYS, short=("where", "what", "refused")))
def test_picture(snap_compare, wizard_home: WizardHome, name: str) -> None:
    if name == "what":
        # nothing is run here: the paths in the diff can be the same on every machine
        wizard_home.commands = Commands(
            Path("/usr/bin/python3"), Path("/home/user/data/atm_hooks"), Path("/home/user/state")
        )

    async def settle(pilot) -> None:
        await pilot.pause(0.2)
        for key in KEYS[name]:
            await pilot.press(key)
            await pilot.pause(0.2)
        if name == "done":
            for _ in range(100):
                await pilot.pause(0.05)
                if "checked" in pilot.app.screen._done_word:
                    break
        await pilot.pause(0.1)

    app = WizardApp(wizard_home.make_setup())
    assert snap_compare(app, terminal_size=SIZES.get(name, (80, 24)), run_before=settle)
