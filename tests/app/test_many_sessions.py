"""More sessions than the app keeps: who waits is there, those that are over are counted, and come back with an event."""

import os
from pathlib import Path

import pytest

from atm_hooks import journal
from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.monitor.live import LiveMonitor
from tests.support.app_files import HomeOnDisk, settle


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HomeOnDisk:
    return settle(tmp_path / "home", monkeypatch)


async def test_older_sessions_that_are_over_are_counted(disk: HomeOnDisk) -> None:
    disk.start("waits", 200)
    disk.ask("waits", 150, {"command": "make all"})
    os.utime(disk.state / "sessions" / "waits.json", (1e9, 1e9))
    for number in range(9):
        disk.start(f"over-{number}", 100)
        disk.send_hook(90, "SessionEnd", f"over-{number}", reason="other")
        os.utime(disk.state / "sessions" / f"over-{number}.json", (2e9 + number, 2e9 + number))

    def make() -> AtmApp:
        folders, config = [disk.config_dir], Config()
        return AtmApp(LiveMonitor(disk.state, folders, config, now=disk.clock, portion=1 << 20, most_whole=2), config)

    async with disk.run_app(app=make) as app:
        await app.wait_until(lambda: "+7 older" in app.text)
        assert "make all" in app.text
        assert "do over-8" in app.text
        assert "do over-6" not in app.text
        assert "the history lists them" in app.line_with("+7 older")
        journal.remove_session(str(disk.state), "over-0")
        await app.wait_for_text("+6 older")
        disk.send_hook(0, "UserPromptSubmit", "over-1", prompt="once more", prompt_id="p2")
        await app.wait_for_text("+5 older")
        await app.wait_for_text("1 working")
        await app.press("slash", *"zzz")
        await app.wait_until(lambda: "+5 older" not in app.text)
