"""The replay: a recording on the main screen, with a slider that keys and the mouse move."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from atm_hooks import journal
from atm_tui.app import AtmApp
from atm_tui.cli.main import main
from atm_tui.cli.replay import read_source
from atm_tui.config import Config
from atm_tui.monitor.live import LiveMonitor
from atm_tui.monitor.recording import read_entries
from atm_tui.monitor.replay import Replay
from atm_tui.screens.peek import PeekScreen
from atm_tui.timeline.event import Event
from tests.support.app_files import AppDriver, settle
from tests.support.effort import sample
from tests.support.session_ids import A
from tests.support.timelines import DATA

RECORDING = DATA / "recordings" / "01-permission-allowed.jsonl"


class Clock:
    at = 100.0

    def __call__(self) -> float:
        return self.at


@asynccontextmanager
async def play_replay(
    path: Path = RECORDING, *, size: tuple[int, int] = (120, 30), config: Config | None = None
) -> AsyncIterator[tuple[AppDriver, Replay, Clock]]:
    clock = Clock()
    replay = Replay(read_entries(path), clock)
    app = AtmApp(replay, config or Config())
    async with app.run_test(size=size) as pilot:
        driver = AppDriver(app, pilot)
        await driver.wait_until(lambda: app.screen_stack[0].has_class("-loaded"))
        yield driver, replay, clock


async def test_the_slider_shows_the_time_of_the_replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(tmp_path / "home", monkeypatch)
    async with play_replay() as (app, replay, clock):
        await app.wait_for_text("▶ 1x")
        assert app.lines[-3].strip().startswith("●──")
        clock.at += (replay.end - replay.begin) / 2
        await app.wait_until(lambda: app.lines[-3].strip().startswith("━━━━━━━━━━━━━━━━"))
        clock.at += 1000
        await app.wait_for_text("at the end")
        assert app.lines[-3].strip().endswith("━●")
        passed, entries = replay.position
        assert passed == entries
        assert f"{entries} of {entries}" in app.lines[-2]
        await app.press("p")
        await app.wait_for_text("▶ 1x")
        assert replay.now() == replay.begin


async def test_keys_pause_step_seek_and_change_the_speed() -> None:
    async with play_replay() as (app, replay, clock):
        await app.press("p")
        assert replay.paused
        assert "paused" in app.lines[-2]
        await app.press("full_stop", "full_stop")
        second = replay.now()
        assert "3 of" in app.lines[-2]
        assert replay.describe_entry() in app.lines[-2]
        await app.press("less_than_sign")
        assert replay.now() < second
        await app.press("right_curly_bracket", "shift+right")
        assert replay.now() > replay.begin + 0.2 * (replay.end - replay.begin)
        await app.press("left_curly_bracket", "shift+left", "shift+left", "shift+left")
        assert replay.now() == replay.begin
        await app.press("right_square_bracket", "right_square_bracket")
        assert replay.speed == 5.0
        assert "5x" in app.lines[-2]
        await app.press("left_square_bracket", "p")
        assert replay.speed == 2.0
        clock.at += 1.0
        assert replay.now() == pytest.approx(replay.begin + 2.0)


async def test_the_footer_says_what_the_key_that_pauses_does_now() -> None:
    async with play_replay() as (app, replay, clock):
        await app.wait_for_text("p pause")
        await app.press("p")
        assert "p resume" in app.lines[-1]
        await app.press("p")
        assert "p pause" in app.lines[-1]
        await app.press("full_stop", "b")
        assert "p resume" in app.lines[-1]
        await app.press("p")
        clock.at += replay.end - replay.begin
        await app.wait_until(lambda: "p play again" in app.lines[-1])
        await app.press("p")
        assert "p pause" in app.lines[-1]
        assert replay.now() == replay.begin


async def test_the_replay_shows_the_state_at_its_position() -> None:
    async with play_replay() as (app, replay, _):
        await app.press("p")
        replay.seek(replay.begin + 3.2)
        await app.wait_for_text("permission Bash")
        replay.seek(replay.end)
        await app.wait_until(lambda: "permission Bash" not in app.text)
        replay.seek(replay.begin + 3.2)
        await app.wait_for_text("permission Bash")
        await app.press("space")
        await app.wait_until(lambda: isinstance(app.app.screen, PeekScreen) and "tools" in app.text)


async def test_a_click_or_drag_on_the_slider_seeks() -> None:
    async with play_replay() as (app, replay, _):
        await app.press("p")
        length = replay.end - replay.begin
        await app.pilot.click(offset=(60, 27))
        await app.pilot.pause()
        assert (replay.now() - replay.begin) / length == pytest.approx(0.5, abs=0.02)
        await app.pilot.mouse_down(offset=(2, 27))
        await app.pilot.hover(offset=(90, 20))
        await app.pilot.mouse_up(offset=(90, 20))
        await app.pilot.pause()
        assert (replay.now() - replay.begin) / length == pytest.approx(0.75, abs=0.02)
        await app.pilot.hover(offset=(10, 20))
        await app.pilot.pause()
        assert (replay.now() - replay.begin) / length == pytest.approx(0.75, abs=0.02)


async def test_a_session_of_a_recording_cannot_be_jumped_to() -> None:
    async with play_replay() as (app, _, _):
        await app.press("p", "enter")
        await asyncio.sleep(0.1)
        assert app.said == "jump: this is a recording, not the session"


@pytest.mark.parametrize("size", sample([(40, 12), (60, 20), (200, 40)], (40, 12)))
async def test_the_replay_fits_every_size_in_unicode_and_ascii(size: tuple[int, int]) -> None:
    async with play_replay(size=size, config=Config(ascii=True)) as (app, _, _):
        await app.press("p")
        assert app.text.isascii()
        assert "paused" in app.lines[-2]
        assert app.lines[-3].strip().startswith("O--")
        assert len(app.lines[-3].strip()) == size[0] - 2


def test_a_journal_and_its_rotated_predecessor_are_one_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = settle(tmp_path / "home", monkeypatch)
    disk.start(A)
    path = journal.locate_journal(str(disk.state), A)
    Path(path).rename(f"{path}.1")
    disk.send_hook(10, "Stop", A, background_tasks=[])
    monitor = LiveMonitor(disk.state, [disk.config_dir], Config())
    for words in ("aaaaaaaa", "do a"):
        assert [entry.event for _, entry in read_source(words, monitor) if isinstance(entry, Event)] == [
            "SessionStart",
            "UserPromptSubmit",
            "Stop",
        ]
    assert len(read_source(path, monitor)) == 1


def test_the_error_names_an_unusable_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    disk = settle(tmp_path / "home", monkeypatch)
    monkeypatch.setattr("atm_tui.app.AtmApp", None)
    assert main(["replay", "nobody"]) == 3
    assert "no session matches “nobody”" in capsys.readouterr().err
    bad = tmp_path / "bad.jsonl"
    bad.write_text("x\n")
    assert main(["replay", str(bad)]) == 1
    assert "bad.jsonl: no event in it" in capsys.readouterr().err
    disk.start(A)
    assert main(["replay", "aaaa"]) == 2
    assert "needs a terminal" in capsys.readouterr().err
    Path(journal.locate_journal(str(disk.state), A)).unlink()
    assert main(["replay", "aaaa"]) == 1
    assert "no journal to replay" in capsys.readouterr().err
    for speed in ("0", "-1", "nan", "inf", "fast"):
        with pytest.raises(SystemExit):
            main(["replay", "aaaa", "--speed", speed])
