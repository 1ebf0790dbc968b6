"""Hints on the main screen: signs after names, explanations of an empty screen, double clicks, the label of the demo."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.color import Color
from textual.events import MouseScrollDown, MouseScrollUp

from atm_tui.cli import demo as demo_command
from atm_tui.config import Config
from atm_tui.demo.clients import Clients
from atm_tui.demo.player import Player
from atm_tui.keys.table import CommandKeys
from atm_tui.model.fleet import WITHOUT_SCREEN
from atm_tui.model.session import Project, Session, Unreadable
from atm_tui.screens.offer import OfferScreen
from atm_tui.view.columns import fit_columns, write_row
from atm_tui.view.present import ASCII, UNICODE
from atm_tui.view.row import Row
from atm_tui.view.themes import ATM_CONTRAST, THEMES
from atm_tui.widgets.empty import list_not_shown
from tests.support.app_files import HomeOnDisk
from tests.support.fleets import make_busy_fleet
from tests.support.session_ids import A, B

# Signs


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize("width", [40, 60, 80, 140])
def test_signs_are_never_cut_and_columns_stay_aligned(width: int, glyphs) -> None:
    def get_text(name: str, signs: str) -> str:
        row = Row(("session", "a"), None, "  ", None, (glyphs.idle, "muted"), (name, "plain"), signs=signs)
        line = "".join(
            part for part, _ in write_row(row, fit_columns(width), "1m", glyphs, (60, 80, 90), selected=False)
        )
        assert cell_len(line) == width
        return line

    signs = glyphs.pinned + glyphs.snoozed
    assert f"docs {signs} " in get_text("docs", signs)
    for name in ("x" * 200, "日本語の翻訳を直す" * 9):
        cut = get_text(name, signs)
        assert f"… {signs} " in cut or f"…  {signs} " in cut
    assert not glyphs.ascii or signs.isascii()


async def test_pinned_and_snoozed_signs_are_in_a_narrow_tree_and_the_help(disk: HomeOnDisk) -> None:
    disk.start(A, 100)
    async with disk.run_app((60, 50)) as driver:
        await driver.press("p")
        await driver.wait_for_text("do aaaaaaaa ⚑ ")
        await driver.press("z")
        await driver.wait_for_text("do aaaaaaaa ⚑☾ ")
        await driver.press("question_mark", "pagedown")
        await driver.wait_for_text("behind a name: pinned")


# Nothing to see


async def test_when_all_sessions_are_dismissed_a_message_says_how_to_see_them(disk: HomeOnDisk) -> None:
    disk.start(A, 100)
    disk.send_hook(50, "SessionEnd", A, reason="other")
    async with disk.run_app((100, 30), Config(closed_after=0.0)) as driver:
        await driver.press("x")
        await driver.wait_for_text("1 session is dismissed")
        assert "No sessions yet" not in driver.text
        await driver.press("H")
        await driver.wait_until(lambda: "do aaaaaaaa" in driver.text)
        await driver.press("x", "t")
        await driver.wait_until(lambda: "is dismissed" not in driver.text and "do aaaaaaaa" in driver.text)


async def test_when_all_sessions_are_hidden_a_message_names_the_key_that_shows_them(drive) -> None:
    hidden = Session(session_id="h", name="nightly", kind="headless", project=Project(root="/r", name="r"))
    async with drive([], size=(100, 30)) as app:
        app.monitor.fleet.hidden_kinds = WITHOUT_SCREEN
        await app.put(hidden)
        await app.wait_until(lambda: "1 session is hidden" in app.text)
        assert "No sessions yet" not in app.text
        await app.press("V")
        await app.wait_until(lambda: "nightly" in app.text)


def test_hidden_sessions_are_counted() -> None:
    assert list_not_shown(0, 0, UNICODE, CommandKeys()) == []
    assert [entry[2] for entry in list_not_shown(3, 1, ASCII, CommandKeys())] == [
        "3 sessions are dismissed",
        "1 session is hidden",
    ]


async def test_the_board_shows_an_unreadable_file(drive) -> None:
    broken = [Unreadable(path=f"/s/sessions/{n}f9a[b].json", problem=f"end at byte {n} \x1b[31m") for n in range(3)]
    async with drive(make_busy_fleet()[:2], size=(80, 24), unreadable=tuple(broken)) as app:
        await app.press("b")
        assert "⚠ 0f9a[b].json  unreadable end at byte 0" in app.text
        assert "+1 more" in app.text
        assert "\x1b" not in app.text
        await app.put(*make_busy_fleet()[:2])
        await app.wait_until(lambda: "unreadable" not in app.text)


# The mouse


@pytest.mark.parametrize("where", ["tree", "queue", "board", "history"])
async def test_a_double_click_jumps_and_a_single_click_selects(disk: HomeOnDisk, where: str) -> None:
    disk.start(A, 100, pid=999_999_999)
    disk.start(B, 90)
    disk.ask(B, 30, {"command": "npm run migrate"})
    keys = {"board": ["b"], "history": ["H"]}.get(where, [])
    async with disk.run_app((120, 40)) as driver:
        await driver.press(*keys)
        await driver.pilot.pause(0.3)
        at: Callable[[str], int] = lambda text: next(n for n, each in enumerate(driver.lines) if text in each)  # noqa: E731
        wanted = "do bbbb" if where == "queue" else "do aaaa"
        line_of = at(wanted)
        await driver.pilot.click(offset=(12 if where != "board" else driver.lines[line_of].index(wanted), line_of))
        await driver.pilot.pause(0.8)
        selection = driver.app.screen.selection  # type: ignore[attr-defined]
        assert selection.session.session_id == (B if where == "queue" else A)
        assert not isinstance(driver.app.screen, OfferScreen)
        line_of = at(wanted)
        x = 12 if where != "board" else driver.lines[line_of].index(wanted)
        await driver.pilot.click(offset=(x, line_of), times=2)
        await driver.wait_until(
            lambda: isinstance(driver.app.screen, OfferScreen) or "jump" in driver.said.split("   ")[0]
        )


async def test_a_double_click_on_a_project_does_nothing(disk: HomeOnDisk) -> None:
    disk.start(A, 100)
    async with disk.run_app() as driver:
        await driver.pilot.click("#tree", offset=(8, 0), times=2)
        await driver.pilot.pause(0.2)
        assert driver.selected == ("project", str(disk.work))
        assert len(driver.app.screen_stack) == 1


@pytest.mark.parametrize("key", ["t", "b"])
async def test_the_mouse_wheel_scrolls_without_selecting(drive, key: str) -> None:
    many = [Session(session_id=f"s{n}", name=f"session {n:02}", started_at=1.0 + n, since=1.0 + n) for n in range(60)]
    async with drive(many, size=(120, 30)) as app:
        await app.press(key)
        await app.pilot.pause(0.1)
        before, selected = app.lines[4:-2], app.tree.selected
        widget = app.tree if key == "t" else app.app.screen.query_one("#column-2")
        # the selected card is the last one
        wheel = MouseScrollDown if key == "t" else MouseScrollUp
        for _ in range(4):
            x, y = widget.region.center
            widget.post_message(wheel(widget, int(x), int(y), 0, 1, 0, shift=False, meta=False, ctrl=False))
        await app.pilot.pause(0.5)
        assert app.lines[4:-2] != before
        assert app.tree.selected == selected


# Where one was


@pytest.mark.long
async def test_visiting_another_view_keeps_the_selected_project(drive) -> None:
    async with drive(make_busy_fleet(), size=(120, 40)) as app:
        await app.press("g")
        row = app.tree.selected
        assert row is not None
        assert row[0] == "project"
        for key in ("b", "L", "H"):
            await app.press(key)
            await app.pilot.pause(0.1)
            await app.press("t")
            assert app.tree.selected == row, key


# Lines that can be seen


async def test_frames_are_visible_in_the_high_contrast_theme(drive) -> None:
    async with drive(make_busy_fleet(), size=(120, 40), config=Config(theme="atm-contrast")) as app:
        await app.press("b")
        frames = [part for strip in app.app.screen._compositor.render_strips() for part in strip if "╭─" in part.text]
        assert frames
        for part in frames:
            assert part.style is not None
            assert part.style.color is not None
            red, green, blue = part.style.color.get_truecolor()
            assert min(red, green, blue) >= 0x80
    assert all("rule" in theme.variables for theme in THEMES)
    assert Color.parse(ATM_CONTRAST.variables["rule"]).brightness > 0.5


# The demo


async def test_the_demo_is_labelled_and_hides_its_temporary_folder(tmp_path: Path) -> None:
    with Clients() as clients:
        player = Player(tmp_path / "deep" / "demo", clients)
        player.place.home.mkdir(parents=True)
        player.open()
        app = demo_command.make_app(player)
        async with app.run_test(size=(140, 45)) as pilot:
            await pilot.pause(1.0)
            for size in ((140, 45), (40, 20)):
                await pilot.resize_terminal(*size)
                await pilot.pause(0.1)
                text = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
                assert len(text.splitlines()) == size[1]
                assert "demo" in text.splitlines()[0]
                assert "deep" not in text
