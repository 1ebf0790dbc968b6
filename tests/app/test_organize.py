"""Pin, snooze, dismiss and undo from the app, through real state files and restarts."""

from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.monitor.recording import read_entries
from atm_tui.monitor.replay import Replay
from tests.support.app_files import AppDriver, HomeOnDisk
from tests.support.session_ids import A, B, C
from tests.support.timelines import RECORDINGS


def list_order(app: AppDriver) -> list[str]:
    rows = app.tree.rows
    return [row.id[1] for row in rows if row.id[0] == "session"]


async def test_a_pinned_session_stays_first_after_a_restart(disk: HomeOnDisk) -> None:
    for n, session in enumerate((A, B, C)):
        disk.start(session, ago=100 - n)
    async with disk.run_app() as app:
        await app.wait_until(lambda: list_order(app) == [A, B, C])
        await app.press("3", "p")
        await app.wait_until(lambda: list_order(app) == [C, A, B])
        assert app.selected == ("session", C)
        assert "⚑ " in app.line_with(f"▌    ◐ do {C[:5]}")
    async with disk.run_app() as app:
        await app.wait_until(lambda: list_order(app) == [C, A, B])
        await app.press("1", "p")
        await app.wait_until(lambda: list_order(app) == [A, B, C])


async def test_a_snoozed_wait_leaves_the_queue_and_returns_when_it_changes(disk: HomeOnDisk) -> None:
    disk.start(A)
    disk.ask(A, 20, {"command": "make"})
    async with disk.run_app() as app:
        await app.wait_for_text("waiting for you")
        await app.press("z")
        await app.wait_until(lambda: "waiting for you" not in app.text)
        assert "snoozed until it changes" in app.said
        assert "☾ " in app.line_with("▌    ● do ")
        await app.press("n")
        assert "no session needs you" in app.said
        disk.ask(A, 5, {"command": "make more"})
        disk.send_hook(15, "PostToolUse", A, tool_name="Bash", tool_input={"command": "make"}, tool_use_id="t20")
        await app.wait_for_text("waiting for you")


async def test_each_press_snoozes_longer_and_undo_reverts(disk: HomeOnDisk) -> None:
    disk.start(A)
    async with disk.run_app() as app:
        await app.wait_for_text(f"do {A[:5]}")
        said = []
        for _ in range(4):
            before = app.app._monitor.fleet.flags  # type: ignore[attr-defined]
            await app.press("z")
            await app.wait_until(lambda before=before: app.app._monitor.fleet.flags != before)  # type: ignore[attr-defined]
            said.append(app.said)
        assert "until it changes" in said[0]
        assert all("snoozed until " in each and ":" in each.split("until")[1] for each in said[1:3])
        assert "not snoozed" in said[3]
        await app.press("U")
        await app.wait_for_text("☾")
        assert "undone: snooze" in app.said


async def test_only_ended_sessions_are_dismissed_and_undo_restores_them(disk: HomeOnDisk) -> None:
    disk.start(A)
    disk.start(B)
    disk.send_hook(30, "SessionEnd", B, reason="prompt_input_exit")
    async with disk.run_app() as app:
        await app.wait_until(lambda: list_order(app) == [A, B])
        await app.press("1", "x")
        assert "it is still running; snooze it instead" in app.said
        await app.press("2", "z")
        assert "it has ended; dismiss it instead" in app.said
        await app.press("x")
        await app.wait_until(lambda: list_order(app) == [A])
        await app.press("U")
        await app.wait_until(lambda: list_order(app) == [A, B])
        await app.press("U")
        assert "undo: nothing was" in app.said


async def test_in_a_recording_p_pauses_and_nothing_is_pinned(disk: HomeOnDisk) -> None:
    replay = Replay(read_entries(RECORDINGS / "02-nested-subagents.jsonl"))
    replay.paused = True
    async with disk.run_app(app=lambda: AtmApp(replay, Config())) as app:
        await app.press("p")
        assert not replay.paused
        await app.press("p", "}", "}", "z")
        assert "snooze: this is a recording" in app.said
