"""All notices and the doctor's findings can be read in full: by a key, or by a click on the header's notice."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from atm_tui.model.fleet import Health
from atm_tui.monitor.capabilities import Capabilities
from atm_tui.screens import notices
from atm_tui.screens.notices import NoticesScreen
from atm_tui.settings.check import Check, Level
from atm_tui.settings.errors import SettingsError
from tests.support.fleets import make_busy_fleet

LONG = " ".join(f"word{number}" for number in range(90)) + " /a/folder/" + "x" * 150 + "/end"
FOUND = (
    Check("settings", Level.OK, "/s", "valid for Claude Code"),
    Check("state", Level.BROKEN, "/state", f"the disk is full: {LONG}", "Make room there: df -h /state"),
    Check("recording", Level.WARNING, "/state", "takes [/] 400 ms", "Look at the disk."),
)


def strip_frame(text: str) -> str:
    """Text without what a frame and broken lines add to it."""
    return re.sub(r"[\s│╭╮╰╯─▁-█▎▊▔▕]", "", text)


async def test_every_notice_and_finding_is_shown_in_full(drive, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()

    def run_all_checks(*_: object) -> Iterator[Check]:
        yield from FOUND[:2]
        assert go_on.wait(60)
        yield from FOUND[2:]

    monkeypatch.setattr(notices, "run_all_checks", run_all_checks)
    health = Health(notices=(f"First: {LONG}", "Second [/]."))
    async with drive(make_busy_fleet(), size=(90, 60), health=health) as app:
        app.monitor.capabilities = Capabilities(state_dir=Path("/state"))
        assert "First: word0" in app.lines[1]
        assert "word89" not in app.lines[1]
        await app.press("D")
        await app.wait_until(lambda: "checking" in app.text)
        assert "takes [/] 400 ms" not in app.text
        go_on.set()
        await app.wait_until(lambda: "checking" not in app.text)
        shown = strip_frame(app.text)
        for text in (
            f"First: {LONG}",
            "Second [/].",
            *(word for each in FOUND[1:] for word in (each.text, each.advice)),
        ):
            assert strip_frame(text) in shown
        assert "valid for Claude Code" not in app.text
        await app.put(*make_busy_fleet(), health=Health(notices=("Another one.",)))
        await app.wait_until(lambda: "Another one." in app.text and "Second" not in app.text)
        await app.press("D")
        assert app.app.screen is app.main


async def test_without_notices_the_screen_says_so(drive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "run_all_checks", lambda *_: iter(FOUND[:1]))
    async with drive(make_busy_fleet()) as app:
        app.monitor.capabilities = Capabilities(state_dir=Path("/state"))
        await app.press("D")
        await app.wait_until(lambda: "1 check, all fine" in app.text)
        assert "none" in app.line_with("none")


async def test_folders_with_undecodable_names_are_a_notice(drive, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> list[Path]:
        raise SettingsError("CLAUDE_CONFIG_DIR is not UTF-8")

    monkeypatch.setattr(notices, "find_config_dirs", fail)
    async with drive(make_busy_fleet()) as app:
        app.monitor.capabilities = Capabilities(state_dir=Path("/state"))
        await app.press("D")
        await app.wait_until(lambda: "CLAUDE_CONFIG_DIR is not UTF-8" in app.text)


async def test_a_click_on_the_notice_opens_it_and_a_recording_is_not_checked(drive) -> None:
    async with drive(make_busy_fleet(), health=Health(notices=("One.",))) as app:
        assert "D shows all" not in app.text  # it is whole where it stands
        await app.pilot.click("#notice")
        await app.pilot.pause()
        await app.wait_until(lambda: isinstance(app.app.screen, NoticesScreen))
        assert "Doctor" not in app.text
