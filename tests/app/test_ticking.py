"""How often an app updates the times that it shows, and what then still follows at once."""

from pathlib import Path

import pytest

from atm_tui.model.session import Session
from atm_tui.screens.controllers import configuring, ticking
from atm_tui.sources import notices
from atm_tui.sources.followed_config import FollowedConfig
from tests.support.fleets import NOW, make_busy_fleet

LONG = 3600.0
"""Seconds from one rare tick to the next, longer than any test."""


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each tick, whether something counted seconds. The next one follows at once, or after a long time."""
    taken: list[bool] = []

    def pause(_: float, step: float) -> float:
        return 0.02 if step == ticking.TICK else LONG

    monkeypatch.setattr(ticking, "measure_pause", pause)
    run = ticking.TickingController._wait

    def note(self: ticking.TickingController, step: float) -> None:
        taken.append(step == ticking.TICK)
        run(self, step)

    monkeypatch.setattr(ticking.TickingController, "_wait", note)
    return taken


def make_idle_fleet() -> list[Session]:
    """Sessions that have been idle for hours."""
    return [Session(session_id=name, name=name, started_at=NOW - 9000.0, since=NOW - 7200.0) for name in ("one", "two")]


async def test_ticks_are_rare_while_nothing_counts_seconds(drive, ticks: list[bool]) -> None:
    async with drive(make_idle_fleet()) as app:
        await app.wait_until(lambda: bool(ticks) and not ticks[-1])


@pytest.mark.parametrize("keys", [("L",), ("j",)], ids=["timeline", "selected"])
async def test_what_a_key_brings_into_view_ticks_soon(drive, ticks: list[bool], keys: tuple[str, ...]) -> None:
    async with drive(make_idle_fleet()) as app:
        await app.wait_until(lambda: bool(ticks) and not ticks[-1])
        before = len(ticks)
        await app.press(*keys)
        await app.wait_until(lambda: any(ticks[before:]))


async def test_ticks_of_a_board_are_rare_while_nobody_works_or_waits(drive, ticks: list[bool]) -> None:
    async with drive(make_idle_fleet()) as app:
        await app.press("b")
        await app.wait_until(lambda: bool(ticks) and not ticks[-1])
        await app.put(*make_busy_fleet())
        before = len(ticks)
        await app.wait_until(lambda: len(ticks) > before + 10)
        assert all(ticks[before:])


async def test_ticks_stay_frequent_while_a_session_works(drive, ticks: list[bool]) -> None:
    async with drive(make_busy_fleet()) as app:
        await app.wait_until(lambda: len(ticks) > 10)
        assert all(ticks)


async def test_a_session_that_starts_to_work_counts_its_seconds(drive, ticks: list[bool]) -> None:
    async with drive(make_idle_fleet()) as app:
        await app.wait_until(lambda: bool(ticks) and not ticks[-1])
        before = len(ticks)
        await app.put(*make_busy_fleet())
        await app.wait_until(lambda: len(ticks) > before + 10)
        assert all(ticks[before:])


def write_aside(path: Path, text: str) -> None:
    """Replaces a file as editors do."""
    other = path.with_name("written-aside")
    other.write_text(text)
    other.replace(path)


@pytest.mark.parametrize("place", ["file", "link", "no folder yet", "no folder above it yet"])
async def test_a_change_of_the_configuration_applies_at_once_though_ticks_are_rare(
    drive, ticks: list[bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setattr(configuring, "LOOK", LONG)
    path = real = tmp_path / "config" / "atm-tui" / "config.toml"
    if place == "no folder yet":
        path.parent.parent.mkdir()
    if place == "link":
        real = tmp_path / "dotfiles" / "atm.toml"
        real.parent.mkdir()
        path.parent.mkdir(parents=True)
        path.symlink_to(real)
    if "no folder" not in place:
        real.parent.mkdir(parents=True, exist_ok=True)
        real.write_text("ascii = false")
    async with drive(make_idle_fleet(), followed=FollowedConfig(path)) as app:
        await app.wait_until(lambda: bool(ticks) and not ticks[-1])
        for ascii_only in (True, False, True):
            real.parent.mkdir(parents=True, exist_ok=True)
            write_aside(real, f"ascii = {str(ascii_only).lower()}")
            await app.wait_until(lambda: app.app.glyphs.ascii is ascii_only)  # noqa: B023  awaited here


async def test_without_notices_of_the_system_the_file_is_looked_at_each_second(
    drive, ticks: list[bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "are_there", lambda: False)
    path = tmp_path / "config.toml"
    async with drive(make_idle_fleet(), followed=FollowedConfig(path)) as app:
        await app.wait_until(lambda: bool(ticks) and not ticks[-1])
        write_aside(path, "ascii = true")
        await app.wait_until(lambda: app.app.glyphs.ascii)
