"""The panes on real state files: their content, moving between them by keys and mouse, and marks where text is cut."""

import os

import pytest
from rich.cells import cell_len
from textual.events import MouseScrollDown, MouseScrollUp

from atm_tui.timeline.feed import TimelineFeed
from tests.support.app_files import HomeOnDisk
from tests.support.effort import sample
from tests.support.session_ids import A, B
from tests.support.side_panes import (
    find_focused,
    get_pane,
    read_column,
    record_tool,
    record_work,
    wait_until_ready,
)


@pytest.fixture
def disk(disk: HomeOnDisk) -> HomeOnDisk:
    disk.ahead = 900.0  # what happened minutes ago is later than the start of this process
    disk.now = disk.clock()
    return disk


async def test_timeline_files_and_tasks_show_what_happened(disk: HomeOnDisk) -> None:
    """The timeline with how long it took, files grouped by action, open tasks first, and long text in full."""
    record_work(disk)
    async with disk.run_app(size=(140, 70)) as app:
        await wait_until_ready(app)
        shown = read_column(app)
        at = next(n for n, line in enumerate(shown) if "timeline" in line)
        told = shown[at + 1 : next(n for n, line in enumerate(shown) if "─ files" in line)]
        assert any("▸ Bring 日本語の翻訳" in line for line in told), told
        assert any("Read" in line and line.endswith("0.4s") for line in told)
        assert any("● permission Bash make pages" in line for line in told)
        assert any("answered there permission" in line and line.endswith("40s") for line in told)
        assert any("✗ Bash make pages: No rule" in line for line in told)
        assert told.index(next(line for line in told if "Read" in line)) < told.index(
            next(line for line in told if "✗" in line)
        )
        assert any(line.startswith("─ files 3 ─") for line in shown)
        assert [line.split() for line in shown if line.endswith((".py", ".md"))][-3:] == [
            ["new", "src/new.py"],
            ["edited", "src/page.py"],
            ["read", "notes.md"],
        ]
        at = next(n for n, line in enumerate(shown) if line.startswith("─ tasks 1/3 ─"))
        assert shown[at + 1 : at + 4] == ["○ Translate them", "○ Say what changed", "✓ Read the pages"]
        # long text is wrapped by cells, and complete in the focused pane
        assert any(line.endswith("…") for line in shown if line)
        words = "what you changed in it"
        area = get_pane(app, "status").region
        await app.press("tab")
        text = " ".join(" ".join(line.strip() for line in read_column(app)[area.y - 1 : area.bottom + 4]).split())
        assert words in text
        assert {cell_len(line.ljust(1)) <= 140 for line in app.lines} == {True}


async def test_empty_panes_show_only_their_names(disk: HomeOnDisk) -> None:
    disk.start(A)
    async with disk.run_app(size=(140, 50)) as app:
        await wait_until_ready(app)
        assert [line.rstrip("─") for line in read_column(app) if "files" in line or "tasks" in line] == [
            "─ files none  tasks none "
        ]
        await app.press("tab", "6")
        assert app.said == "tasks: there are none"
        assert find_focused(app) == "status"


async def test_tab_cycles_forward_and_shift_tab_back(disk: HomeOnDisk) -> None:
    record_work(disk)
    async with disk.run_app(size=(140, 50)) as app:
        await wait_until_ready(app)
        order = ["status", "context", "cost", "timeline", "files", "tasks", ""]
        for name in order:
            await app.press("tab")
            assert find_focused(app) == name
        for name in [*reversed(order[:-1]), ""]:
            await app.press("shift+tab")
            assert find_focused(app) == name


async def test_digits_and_footer_are_those_of_the_part_that_has_the_focus(disk: HomeOnDisk) -> None:
    record_work(disk)
    disk.start(B, ago=50, pid=os.getppid())
    async with disk.run_app(size=(140, 50)) as app:
        await wait_until_ready(app)
        await app.press("2")
        assert app.selected == ("session", B)
        await app.press("1")
        assert (app.selected, find_focused(app)) == (("session", A), "")
        assert "4 timeline" not in app.text
        await app.press("tab")
        assert "1 … 6 pane   Esc tree   f zoom   + larger   - smaller" in app.said
        await app.press("4")
        assert find_focused(app) == "timeline"
        assert "▌4 timeline" in app.text
        assert "─ 5 files 3 ─" in app.text
        await app.press("2")
        assert (app.selected, find_focused(app)) == (("session", A), "context")
        await app.press("escape")
        assert (find_focused(app), "2 context" in app.text) == ("", False)
        assert "jump" in app.said
        assert "larger" not in app.said


async def test_keys_and_wheel_scroll_a_pane_and_its_title_counts_hidden_lines(disk: HomeOnDisk) -> None:
    record_work(disk)
    async with disk.run_app(size=(140, 30)) as app:
        await wait_until_ready(app)
        await app.press("tab")
        status = get_pane(app, "status")
        rows = status.size.height - 1
        rest = len(status.lines) - rows
        assert rest > 3
        assert f"+{rest} more" in app.line_with("▌1 ")
        await app.press("j", "down")
        assert status.top == 2
        assert f"3–{2 + rows} of {rows + rest}" in app.line_with("▌1 ")
        await app.press("k")
        assert status.top == 1
        await app.press("pagedown", "pagedown", "pagedown")
        assert status.top == rest
        await app.press("g")
        assert status.top == 0
        await app.press("G")
        assert status.top == rest
        await app.press("pageup", "pageup", "escape")
        before = status.top
        at = (status.region.x + 4, status.region.y + 2)
        await app.pilot._post_mouse_events([MouseScrollDown], offset=at, button=0)
        assert (status.top, find_focused(app)) == (before + 2, "")
        await app.pilot._post_mouse_events([MouseScrollUp], offset=at, button=0)
        assert status.top == before


async def test_the_timeline_follows_until_its_user_scrolls(disk: HomeOnDisk) -> None:
    record_work(disk)
    async with disk.run_app(size=(140, 30)) as app:
        await wait_until_ready(app)
        await app.press("tab", "4")
        record_tool(disk, A, 60, "Bash", {"command": "echo one"}, 1.0)
        await app.wait_until(lambda: any("echo one" in line for line in read_column(app)[-10:]))
        await app.press("k", "k")
        before = read_column(app)
        record_tool(disk, A, 50, "Bash", {"command": "echo two"}, 1.0)
        lines = get_pane(app, "timeline")
        await app.wait_until(lambda: any("echo two" in text for line in lines.lines for text, _ in line))
        told = slice(lines.region.y, lines.region.bottom - 1)
        assert read_column(app)[told] == before[told]
        await app.press("G")
        assert "echo two" in "".join(read_column(app)[told])
        record_tool(disk, A, 40, "Bash", {"command": "echo three"}, 1.0)
        await app.wait_until(lambda: "echo three" in "".join(read_column(app)[told]))


async def test_the_timeline_of_an_agent_is_its_own(disk: HomeOnDisk) -> None:
    record_work(disk)
    disk.send_hook(300, "SubagentStart", A, agent_id="x1", agent_type="Explore")
    record_tool(disk, A, 290, "Grep", {"pattern": "needle"}, 1.0, agent_id="x1", agent_type="Explore")
    async with disk.run_app(size=(140, 60)) as app:
        await wait_until_ready(app)
        await app.wait_for_text("Explore ▸ Grep needle")
        await app.press("g", "j", "j")
        assert app.selected == ("agent", A, "x1")
        await wait_until_ready(app)
        shown = read_column(app)
        told = shown[next(n for n, line in enumerate(shown) if "timeline" in line) :]
        assert any("Grep needle" in line for line in told)
        assert not any("Read" in line or "permission" in line or "▸ Grep" in line for line in told)
        assert "files" not in "".join(shown)


async def test_a_journal_is_read_only_while_its_pane_is_visible(
    disk: HomeOnDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_work(disk)
    looks: list[list[str]] = []
    look = TimelineFeed.read

    def counted(self: TimelineFeed, keys: list[str]) -> object:
        looks.append(list(keys))
        return look(self, keys)

    monkeypatch.setattr(TimelineFeed, "read", counted)
    async with disk.run_app(size=(80, 24)) as app:
        await app.pilot.pause(0.4)
        assert looks == []  # context stands there, not the timeline
        await app.press("tab", "4")
        await app.wait_until(lambda: looks)
        await wait_until_ready(app)
        disk.send_hook(5, "Stop", A, last_assistant_message="done")
        await app.wait_for_text("finished")
        await app.pilot.pause(0.4)
        seen = len(looks)
        app.app.screen_stack[0]._tick()
        await app.pilot.pause(0.4)
        assert len(looks) == seen  # it is idle: no second look
        assert set(map(tuple, looks)) == {(A,)}


async def test_where_only_one_part_fits_tab_switches_between_tree_and_panes(disk: HomeOnDisk) -> None:
    record_work(disk)
    async with disk.run_app(size=(40, 10)) as app:
        for size in sample(((40, 10), (59, 20), (79, 23), (60, 24)), (40, 10), (60, 24)):
            await app.resize(size)
            alone = size[0] < 60 or size[1] < 24
            for number, name in enumerate(("status", "context", "cost", "timeline", "files", "tasks"), 1):
                await app.press("tab")
                assert find_focused(app) == name, size
                assert f"▌{number} " in app.text, size
                assert ("STATE" in app.text) != alone, size
            await app.press("escape")
            assert (find_focused(app), "STATE" in app.text, "▌6" in app.text) == ("", True, False), size


async def test_every_size_fills_its_lines_with_each_pane_in_turn(disk: HomeOnDisk) -> None:
    record_work(disk)
    async with disk.run_app(size=(140, 45)) as app:
        await wait_until_ready(app)
        sizes = [(40, 10), (60, 23), (80, 24), (100, 10), (100, 24), (140, 45), (300, 100)]
        for size in sample(sizes, (40, 10), (140, 45)):
            await app.resize(size)
            assert find_focused(app) == "", size
            for _ in range(7):
                lines = [strip.text for strip in app.app.screen._compositor.render_strips()]
                assert (len(lines), {cell_len(line) for line in lines}) == (size[1], {size[0]})
                await app.press("tab")


async def test_the_focus_stays_in_its_pane_when_the_terminal_is_resized(disk: HomeOnDisk) -> None:
    record_work(disk)
    async with disk.run_app(size=(140, 45)) as app:
        await app.press("tab", "4")
        sizes = ((50, 20), (80, 24), (120, 12), (40, 10), (140, 45))
        for width, height in sample(sizes, (50, 20), (80, 24), (140, 45)):
            await app.pilot.resize_terminal(width, height)
            await app.pilot.pause(0.1)
            assert find_focused(app) == "timeline", (width, height)
            assert "▌4 timeline" in app.text
        await app.press("escape")
        assert find_focused(app) == ""


async def test_a_click_focuses_a_pane_and_a_click_on_a_name_shows_it(disk: HomeOnDisk) -> None:
    record_work(disk)
    async with disk.run_app(size=(80, 24)) as app:
        names = next(n for n, line in enumerate(app.lines) if " files" in line)
        before = app.lines[names].index("files")
        await app.pilot.click(offset=(cell_len(app.lines[names][:before]), names))
        await app.pilot.pause()
        assert find_focused(app) == "files"
        await app.pilot.click(offset=(4, app.app.screen.query_one("#pane-status").region.y + 2))
        await app.pilot.pause()
        assert find_focused(app) == "status"


async def test_selecting_a_row_resets_its_panes(disk: HomeOnDisk) -> None:
    record_work(disk)
    disk.start(B, ago=50, pid=os.getppid())
    async with disk.run_app(size=(140, 30)) as app:
        await wait_until_ready(app)
        await app.press("1", "tab", "j", "j", "j", "escape", "2", "1")
        assert get_pane(app, "status").top == 0
