"""The output to the terminal: each frame contains only the changed cells, each once, and nothing else."""

import gc
import re
from collections.abc import Iterator

import msgspec
import pytest
from textual._compositor import Compositor
from textual.drivers.headless_driver import HeadlessDriver
from textual.geometry import Size
from textual.screen import Screen
from textual.strip import Strip

from atm_tui.app import AtmApp
from atm_tui.screens.compositor import PartialCompositor
from atm_tui.screens.controllers.ticking import TickingController
from atm_tui.text import FINE_UNTIL, format_age
from atm_tui.view.aged_lines import COARSE_STEP
from atm_tui.view.clocks import VisibleClocks
from atm_tui.widgets.session_tree import SessionTree
from tests.app.conftest import MemoryAppDriver
from tests.support.fleets import make_busy_fleet, make_large_fleet
from tests.support.small_terminal import SmallTerminal
from tests.support.waiting import comes_true

SIZE = (140, 42)
FRAME = re.compile(r"\x1b\[\d+;\d+H")
KEYS = ("j", "j", "k", "space", "b", "j", "L", "t", "question_mark", "escape", "tab", "J", "K", "left", "u")
LONGEST_AGE = 5
LATER = 1e12
MOST_OF_A_KEY = 6000
"""Bytes that a move of the selection may write at this size."""


class FrameTerminal:
    """A terminal that shows what the app writes, and the sizes of its frames in bytes."""

    def __init__(self) -> None:
        self.terminal = SmallTerminal(*SIZE)
        self.frames: list[str] = []

    def record_write(self, data: str) -> None:
        """A write: a frame begins with a move; the others are the title of the terminal and its pointer."""
        if not FRAME.match(data):
            return
        self.terminal.begin_frame()
        self.terminal.feed(data)
        twice = {at: times for at, times in self.terminal.written.items() if times > 1}
        assert not twice, f"written twice in a frame: {twice}"
        self.frames.append(data)

    async def check_screen(self, app: AtmApp) -> None:
        """The terminal shows what the app means to show, at once or with the next frame."""
        await comes_true(lambda: not self._find_stale_rows(app))
        assert not self._find_stale_rows(app)

    def _find_stale_rows(self, app: AtmApp) -> list[tuple[int, str, str]]:
        """Rows that differ: the number of each, what the terminal shows, and what the app means."""
        rows = enumerate(app.screen._compositor.render_strips())
        return [(y, self.terminal.line(y), strip.text) for y, strip in rows if self.terminal.line(y) != strip.text]

    @property
    def size(self) -> int:
        """Bytes of all frames."""
        return len("".join(self.frames).encode())


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> Iterator[FrameTerminal]:
    """Lets the app write as to a real terminal."""
    taken = FrameTerminal()
    monkeypatch.setattr(AtmApp, "is_headless", False)
    monkeypatch.setattr(HeadlessDriver, "write", lambda _, data: taken.record_write(data))
    return taken


async def test_the_terminal_shows_the_frame_after_moves_and_switches(drive, writes: FrameTerminal) -> None:
    async with drive(make_busy_fleet(), size=SIZE) as app:
        for key in KEYS:
            await app.press(key)
            await writes.check_screen(app.app)


async def test_one_key_press_writes_few_bytes(drive, writes: FrameTerminal) -> None:
    async with drive(make_busy_fleet(), size=SIZE) as app:
        await app.press("j")
        for key in ("j", "k", "j"):
            writes.frames.clear()
            await app.press(key)
            assert 0 < writes.size <= MOST_OF_A_KEY
        await writes.check_screen(app.app)


async def test_after_a_second_only_ages_are_written(drive, writes: FrameTerminal) -> None:
    async with drive(make_busy_fleet(), size=SIZE) as app:
        await app.wait_until(lambda: "timeline none" in app.text)  # its events were read
        await app.tick(1.0)
        writes.frames.clear()
        before = dict(writes.terminal.cells)
        await app.tick(1.0)
        cells, written = writes.terminal.cells, writes.terminal.written
        differ = {at for at, cell in cells.items() if cell != before[at]}
        assert differ
        # terminals disagree on the width of other characters, so that what is beside them is written again
        narrow = {y for y in range(SIZE[1]) if all(cells[x, y][0] for x in range(SIZE[0]))}
        for x, y in written:
            word = range(max(0, x - LONGEST_AGE), x + LONGEST_AGE + 1)
            assert y not in narrow or any((at, y) in differ for at in word), writes.terminal.line(y)
        assert len(writes.frames) == 1
        await writes.check_screen(app.app)


async def test_ages_are_written_at_once_without_a_turn_of_each_widget(drive, writes: FrameTerminal) -> None:
    async with drive(make_busy_fleet(), size=SIZE) as app:
        await app.wait_until(lambda: "timeline none" in app.text)
        await app.tick(1.0)
        writes.frames.clear()
        app.monitor.time += 1.0
        app.main._tick()
        assert len(writes.frames) == 1
        await writes.check_screen(app.app)


@pytest.mark.parametrize("name", ["plain", "日本語プロジェクト", "👩\u200d💻 fix", "e\u0301"])
@pytest.mark.parametrize("cover", ["", "notice", "question_mark"])
async def test_the_terminal_shows_the_frame_each_second(drive, writes: FrameTerminal, name: str, cover: str) -> None:
    first, *others = make_busy_fleet()
    async with drive([msgspec.structs.replace(first, title=name), *others], size=SIZE) as app:
        if cover == "notice":
            app.app.notify("in front of the ages\n" * 20, timeout=60)
        elif cover:
            await app.press(cover)
        for _ in range(3):
            await app.tick(1.0)
            await writes.check_screen(app.app)
        if cover == "question_mark":
            await app.press("escape")
            await writes.check_screen(app.app)


@pytest.fixture
def tree_ticks(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """When the tree was asked for its times."""
    asked: list[float] = []
    tick = SessionTree.tick

    def note(self: SessionTree) -> None:
        asked.append(self._now())
        tick(self)

    monkeypatch.setattr(SessionTree, "tick", note)
    return asked


@pytest.fixture
def own_ticks_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the app tick only when a test does."""
    monkeypatch.setattr(TickingController, "_wait", lambda *_: None)


async def pass_step(app: MemoryAppDriver) -> None:
    """Ticks just after ages in minutes were compared, which is a tick of all widgets."""
    app.monitor.time = (app.monitor.time // COARSE_STEP + 1) * COARSE_STEP
    await app.tick(0.5)


@pytest.mark.usefixtures("own_ticks_only")
async def test_while_only_seconds_pass_no_widget_is_asked(
    drive, writes: FrameTerminal, tree_ticks: list[float]
) -> None:
    certain = [each for each in make_busy_fleet() if each.name.isascii()]
    async with drive(certain, size=SIZE) as app:
        await app.wait_until(lambda: "timeline none" in app.text)
        await pass_step(app)
        tree_ticks.clear()
        for _ in range(int(COARSE_STEP) - 1):
            writes.frames.clear()
            await app.tick(1.0)
            assert len(writes.frames) == 1
            await writes.check_screen(app.app)
        assert not tree_ticks
        await app.tick(1.0)
        assert len(tree_ticks) == 1


@pytest.mark.usefixtures("own_ticks_only")
async def test_widgets_that_are_rendered_again_show_the_current_times(drive, writes: FrameTerminal) -> None:
    # with 0.4 s more, ages would be a second longer
    sessions = [
        msgspec.structs.replace(each, since=each.since - 0.3) for each in make_busy_fleet() if each.name.isascii()
    ]
    working = next(each for each in sessions if each.name == "terraform-drift")
    async with drive(sessions, size=SIZE) as app:
        await app.wait_until(lambda: "timeline none" in app.text)
        await app.main.go_to(working.session_id)
        await app.wait_until(lambda: app.main.panes._events[0] == working.session_id and "timeline none" in app.text)
        await app.tick(2.0)  # it counts as seen
        await pass_step(app)
        await app.tick(3.0)
        await app.tick(3.0)
        age = format_age(app.monitor.time - working.since, FINE_UNTIL)
        assert writes.terminal.line(6).endswith(f" {age} ")
        before = [writes.terminal.line(y) for y in range(SIZE[1])]
        app.monitor.time += 0.4
        for each in app.main.query("*"):
            each.refresh()
        await app.press("f20")  # of which nobody knows
        assert [writes.terminal.line(y) for y in range(SIZE[1])] == before


@pytest.mark.usefixtures("own_ticks_only")
async def test_ages_of_rows_that_were_replaced_since_the_last_tick_do_not_go_on(drive, writes: FrameTerminal) -> None:
    first, *others = [each for each in make_busy_fleet() if each.name.isascii()]
    async with drive([first, *others], size=SIZE) as app:
        await pass_step(app)
        for sessions in ([first], [first, *others]):
            await app.put(*sessions)
            clocks = VisibleClocks(app.monitor.time, LATER)
            app.tree.add_clocks(clocks)
            assert not clocks.is_complete
            await app.tick(1.0)
            app.tree.add_clocks(clocks := VisibleClocks(app.monitor.time, LATER))
            assert clocks.is_complete
            await writes.check_screen(app.app)


@pytest.mark.usefixtures("own_ticks_only")
async def test_ages_that_become_minutes_do_so_in_time(drive, writes: FrameTerminal) -> None:
    async with drive(make_busy_fleet(), size=SIZE) as app:
        await app.wait_until(lambda: "timeline none" in app.text)
        await pass_step(app)
        for _ in range(int(FINE_UNTIL / COARSE_STEP)):
            await pass_step(app)
            await writes.check_screen(app.app)
            for _ in range(3):
                await app.tick(3.1)


@pytest.mark.usefixtures("own_ticks_only")
async def test_what_is_rendered_after_seconds_shows_the_current_times(drive, writes: FrameTerminal) -> None:
    async with drive(make_busy_fleet(), size=SIZE) as app:
        await app.wait_until(lambda: "timeline none" in app.text)
        await pass_step(app)
        await app.press("j")
        for key in ("question_mark", "escape", "slash", "escape", "tab", "tab", "z", "z", *KEYS):
            await app.tick(1.0)
            await app.tick(1.0)
            await app.press(key)
            await writes.check_screen(app.app)


@pytest.fixture
def layouts(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each layout of a screen, whether a tree that needs a scrollbar has one."""
    made: list[bool] = []
    reflow = PartialCompositor.reflow

    def note(self: PartialCompositor, screen: Screen[object], size: Size) -> object:
        lists = [each for each in screen.query(SessionTree) if each.line_count > size.height]
        made.append(all(each.show_vertical_scrollbar for each in lists))
        return reflow(self, screen, size)

    monkeypatch.setattr(PartialCompositor, "reflow", note)
    return made


async def test_a_list_that_is_longer_than_the_screen_takes_no_further_layout(drive, layouts: list[bool]) -> None:
    async with drive(make_large_fleet(100), size=SIZE) as app:
        await app.press("b", "t")
        assert app.tree.show_vertical_scrollbar
    assert layouts
    assert all(layouts)


async def test_a_move_of_the_selection_lays_out_nothing_but_the_panes(
    drive, writes: FrameTerminal, layouts: list[bool]
) -> None:
    async with drive(make_busy_fleet(), size=SIZE) as app:
        await app.wait_until(lambda: "timeline none" in app.text)
        layouts.clear()
        for key in ("j", "j", "k", "j", "j", "j"):
            await app.press(key)
            await writes.check_screen(app.app)
    assert not layouts


async def test_rendering_an_unchanged_screen_writes_nothing(drive, writes: FrameTerminal) -> None:
    async with drive(make_busy_fleet(), size=SIZE) as app:
        for _ in range(2):
            writes.frames.clear()
            app.app._display(app.app.screen, app.app.screen._compositor.render_full_update())
        assert not writes.frames


async def test_frames_have_the_cells_that_textual_composes(drive) -> None:
    async with drive(make_busy_fleet(), size=SIZE) as app:
        for key in ("j", "b", "question_mark", "escape", "t"):
            await app.press(key)
            ours = app.app.screen._compositor
            theirs = Compositor._render_chops(ours, ours.size.region, lambda _: True)
            for y, (row, strip) in enumerate(zip(theirs, ours.render_strips(), strict=True)):
                assert list(strip.simplify()) == list(Strip.join(row.values()).simplify()), f"row {y}"


async def test_strips_that_are_shown_no_more_are_freed_without_the_garbage_collector(drive) -> None:
    async with drive(make_busy_fleet(), size=SIZE) as app:
        await app.press("j")
        gc.collect()
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            for key in ("j", "k", "b", "t", "escape"):
                await app.press(key)
            gc.collect()
            strips = [each.text for each in gc.garbage if isinstance(each, Strip)]
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
        assert strips == []
