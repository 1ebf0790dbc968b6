"""Sizes of the panes: keys and mouse, what is remembered after a restart, and that nothing disappears."""

import json
from pathlib import Path

import pytest
from textual.events import MouseDown, MouseMove, MouseUp

from atm_tui.model.layout import Layout
from atm_tui.sources.layout import LayoutFile
from atm_tui.widgets.session_tree import SessionTree
from atm_tui.widgets.side_panes import SidePanes
from tests.support.app_files import AppDriver, HomeOnDisk
from tests.support.effort import sample
from tests.support.session_ids import A
from tests.support.side_panes import find_focused, get_pane, read_column, record_work, wait_until_ready


@pytest.fixture
def disk(disk: HomeOnDisk) -> HomeOnDisk:
    disk.ahead = 900.0
    disk.now = disk.clock()
    record_work(disk)
    return disk


def get_side(app: AppDriver) -> SidePanes:
    return app.app.screen_stack[0].query_one(SidePanes)


def get_tree(app: AppDriver) -> SessionTree:
    return app.app.screen_stack[0].query_one(SessionTree)


def read_layout(disk: HomeOnDisk) -> dict[str, object]:
    return json.loads((disk.state / "app" / "layout.json").read_text())


async def drag(app: AppDriver, start: tuple[int, int], end: tuple[int, int]) -> None:
    """Press, move in two steps, let go."""
    halfway = ((start[0] + end[0]) // 2, (start[1] + end[1]) // 2)
    await app.pilot._post_mouse_events([MouseDown], offset=start, button=1)
    await app.pilot._post_mouse_events([MouseMove], offset=halfway, button=1)
    await app.pilot._post_mouse_events([MouseMove], offset=end, button=1)
    await app.pilot._post_mouse_events([MouseUp], offset=end, button=1)
    await app.pilot.pause()


async def test_beside_the_tree_plus_and_minus_move_the_divider(disk: HomeOnDisk) -> None:
    async with disk.run_app(size=(140, 45)) as app:
        width, room = get_side(app).size.width, get_tree(app).size.width
        await app.press("plus")
        assert (get_side(app).size.width, get_tree(app).size.width) == (width - 4, room + 4)
        await app.press("minus", "minus")
        assert (get_side(app).size.width, get_tree(app).size.width) == (width + 4, room - 4)
        assert read_layout(disk)["wide"] == {"side": width + 4, "shares": {}}
        await app.press("equals_sign")
        assert get_side(app).size.width == width
        assert app.said == "sizes reset"


async def test_below_the_tree_plus_and_minus_move_the_divider(disk: HomeOnDisk) -> None:
    async with disk.run_app(size=(80, 30)) as app:
        height, room = get_side(app).size.height, get_tree(app).size.height
        await app.press("plus")
        assert (get_side(app).size.height, get_tree(app).size.height) == (height - 1, room + 1)
        await app.press("tab", "plus", "plus")
        assert (get_side(app).size.height, get_tree(app).size.height) == (height + 1, room - 1)
        assert read_layout(disk)["middle"] == {"side": height + 1, "shares": {}}
        await app.press("equals_sign")
        assert get_side(app).size.height == height


async def test_a_growing_pane_takes_its_lines_from_the_others(disk: HomeOnDisk) -> None:
    async with disk.run_app(size=(140, 40)) as app:
        await wait_until_ready(app)
        await app.press("tab", "4")
        before = get_pane(app, "timeline").size.height
        others = sum(get_pane(app, name).region.height for name in ("status", "context", "cost"))
        await app.press("plus")
        assert get_pane(app, "timeline").size.height == before + 2
        assert sum(get_pane(app, name).region.height for name in ("status", "context", "cost")) == others - 2
        await app.press("minus", "minus")
        assert get_pane(app, "timeline").size.height == before - 2
        for _ in range(12):
            await app.press("minus")
        assert get_pane(app, "timeline").size.height == 2
        assert "smaller: it can't get smaller" in app.said
        assert read_layout(disk)["wide"]["shares"] == {"timeline": 1}
        await app.press("equals_sign")
        assert get_pane(app, "timeline").size.height == before


async def test_a_pane_that_shows_all_its_text_does_not_grow(disk: HomeOnDisk) -> None:
    async with disk.run_app(size=(140, 60)) as app:
        await wait_until_ready(app)
        await app.press("tab", "6", "plus")
        assert app.said == "larger: all of it is shown"
        assert not (disk.state / "app" / "layout.json").exists()


@pytest.mark.parametrize("key", sample(["plus", "minus"], "minus"))
async def test_neither_the_tree_nor_the_panes_can_shrink_to_nothing(disk: HomeOnDisk, key: str) -> None:
    async with disk.run_app(size=(116, 24)) as app:
        for size in sample(((116, 24), (300, 60), (60, 24), (80, 24)), (116, 24), (60, 24)):
            await app.resize(size)
            await app.press("equals_sign")
            assert app.said == "sizes reset", size
            for _ in range(60):
                await app.press(key)
                if "it can't get" in app.said:
                    break
            else:
                pytest.fail(f"60 times {key} at {size}, and it still goes on: {app.said}")
            smallest = (get_side(app).size, get_tree(app).size)
            await app.press(key)
            assert (get_side(app).size, get_tree(app).size) == smallest, size
            assert get_side(app).size.width >= 28, size
            assert get_side(app).size.height >= 4, size
            assert get_tree(app).size.width >= 40, size
            assert get_tree(app).size.height >= 3, size
            assert "thinking" in app.text, (size, app.text)


async def test_the_mouse_drags_the_divider_beside_the_tree(disk: HomeOnDisk) -> None:
    async with disk.run_app(size=(140, 45)) as app:
        at = get_side(app).region.x
        await drag(app, (at, 20), (at - 17, 25))
        assert (get_side(app).region.x, find_focused(app)) == (at - 17, "")
        assert read_layout(disk)["wide"]["side"] == 140 - at + 17
        await drag(app, (at - 17, 20), (139, 20))
        assert get_side(app).size.width == 28
        await drag(app, (at + 20, 20), (at + 40, 20))  # not the line: nothing moves
        assert get_side(app).size.width == 28


async def test_the_mouse_drags_the_divider_below_the_tree(disk: HomeOnDisk) -> None:
    async with disk.run_app(size=(80, 30)) as app:
        at = get_side(app).region.y
        await drag(app, (30, at), (30, at - 4))
        assert get_side(app).region.y == at - 4
        assert read_layout(disk)["middle"]["side"] == 30 - 1 - at + 4
        await drag(app, (30, at - 4), (30, 29))
        assert get_side(app).size.height == 4


async def test_the_divider_is_highlighted_under_the_mouse(disk: HomeOnDisk) -> None:
    async with disk.run_app(size=(140, 45)) as app:
        at = get_side(app).region.x

        def find_colour() -> object:
            strip = app.app.screen._compositor.render_strips()[20]
            return strip.crop(at, at + 1)._segments[0].style.color

        rest = find_colour()
        await app.pilot.hover(offset=(at, 20))
        await app.pilot.pause()
        lit = find_colour()
        await app.pilot.hover(offset=(at - 20, 20))
        await app.pilot.pause()
        assert lit != rest
        assert find_colour() == rest


async def test_a_layout_is_remembered_for_each_arrangement(disk: HomeOnDisk) -> None:
    async with disk.run_app(size=(140, 45)) as app:
        await wait_until_ready(app)
        await app.press("minus", "minus", "tab", "4", "minus", "minus")
        wide = (get_side(app).size.width, get_pane(app, "timeline").size.height)
    async with disk.run_app(size=(80, 30)) as app:
        untouched = get_side(app).size.height
        await app.press("minus", "minus")
        assert get_side(app).size.height == untouched + 2
    async with disk.run_app(size=(140, 45)) as app:
        await wait_until_ready(app)
        assert get_side(app).size.width == wide[0]
        await app.press("tab", "4")
        assert get_pane(app, "timeline").size.height == wide[1]
        await app.pilot.resize_terminal(80, 30)
        await app.pilot.pause(0.1)
        assert (get_side(app).size.width, get_side(app).size.height) == (80, untouched + 2)
        await app.pilot.resize_terminal(140, 45)
        await app.pilot.pause(0.1)
        assert get_side(app).size.width == wide[0]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"wide": {"side": -5}}', '{"wide": {"side": "x"}}', '{"wide": null}', '{"wide": {"side": 1e99}}',
     '{"middle": {"shares": {"status": -1}}}', "\x00\xff"],
)  # fmt: skip
def test_an_invalid_layout_file_is_ignored(tmp_path: Path, text: str) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "layout.json").write_text(text)
    assert LayoutFile(tmp_path).read() == Layout()


async def test_an_invalid_layout_file_only_loses_the_saved_sizes(disk: HomeOnDisk) -> None:
    path = disk.state / "app" / "layout.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"wide": {"side": -5}}')
    async with disk.run_app(size=(140, 45)) as app:
        assert get_side(app).size.width == 42
        await app.press("minus")
        assert get_side(app).size.width == 46
    assert LayoutFile(disk.state).read().wide.side == 46


@pytest.mark.parametrize(
    "text", ['{"wide": {"side": 9999, "shares": {"status": 9999, "gone": 3}}}', '{"wide": {"side": 1}}']
)
async def test_sizes_saved_on_another_screen_are_limited(disk: HomeOnDisk, text: str) -> None:
    path = disk.state / "app" / "layout.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    async with disk.run_app(size=(116, 24)) as app:
        assert 28 <= get_side(app).size.width <= 70
        assert get_tree(app).size.width >= 40
        assert "timeline" in " ".join(read_column(app))


async def test_resizing_is_explained_where_only_one_part_fits(disk: HomeOnDisk) -> None:
    async with disk.run_app(size=(50, 20)) as app:
        await app.press("plus")
        assert app.said == "larger: there is room for only one pane"


async def test_an_unwritable_folder_only_loses_the_saved_sizes(disk: HomeOnDisk) -> None:
    (disk.state / "app").write_text("in the way")
    async with disk.run_app(size=(140, 45)) as app:
        await app.press("minus")
        assert get_side(app).size.width == 46
        assert app.selected == ("session", A)
