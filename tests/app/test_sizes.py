"""Every screen and dialog at every size from one cell up, on start and while the terminal is resized."""

import pytest

from atm_tui.screens.too_small import LEAST, TooSmallScreen
from tests.support.effort import LONG, sample
from tests.support.fleets import make_busy_fleet

SIZES = [(1, 1), (30, 8)]
MORE = [(5, 5), (39, 10), (2, 40), (200, 1), (10, 3), (79, 24), (20, 5), (25, 24), (29, 8), (30, 7)]
if LONG:
    MORE += [(width, height) for width in range(1, 60, 3) for height in (1, 2, 5, 8, 9, 24)]
ROOMY = (100, 30)
SCREENS = {
    "tree": ("t",),
    "board": ("b",),
    "timeline": ("L",),
    "history": ("H",),
    "usage": ("u",),
    "help": ("question_mark",),
    "notices": ("D",),
    "palette": ("ctrl+p",),
    "palette that finds": ("ctrl+p", "e"),
    "themes": ("T",),
    "peek": ("t", "space"),
    "walk through": ("W",),
    "filter": ("t", "slash", "a"),
}


async def _resize(app, size: tuple[int, int]) -> None:
    await app.pilot.resize_terminal(*size)
    small = size[0] < LEAST.width or size[1] < LEAST.height
    await app.wait_until(lambda: isinstance(app.app.screen, TooSmallScreen) is small)
    if small and size[0] >= 20:
        await app.wait_until(lambda: app.lines[0].startswith("too small"))


async def test_every_screen_and_dialog_works_at_every_size(drive) -> None:
    async with drive(make_busy_fleet(), size=ROOMY) as app:
        for name in sample(SCREENS, "tree", "board", "help", "palette that finds"):
            await app.press(*SCREENS[name])
            shown = app.app.screen
            for size in SIZES + MORE if LONG else SIZES + MORE[:1] if name == "help" else SIZES[1:]:
                await _resize(app, size)
            await _resize(app, ROOMY)
            assert app.app.screen is shown, name
            await app.press("escape", "escape")
            while len(app.app.screen_stack) > 1:
                app.app.pop_screen()
                await app.pilot.pause()


@pytest.mark.parametrize("size", sample([(1, 1), (20, 5)], (1, 1)))
async def test_a_start_in_a_small_terminal_asks_for_room_and_continues_when_there_is(
    drive, size: tuple[int, int]
) -> None:
    async with drive(make_busy_fleet(), size=size) as app:
        await app.wait_until(lambda: isinstance(app.app.screen, TooSmallScreen))
        await app.press("question_mark", "b", "enter")
        await _resize(app, ROOMY)
        assert app.app.screen is app.main
        assert "need you" in app.lines[0]


async def test_the_app_can_be_quit_in_a_small_terminal(drive) -> None:
    async with drive(make_busy_fleet(), size=(20, 5)) as app:
        await app.wait_until(lambda: isinstance(app.app.screen, TooSmallScreen))
        assert "too small: needs" in app.lines[0]
        await app.press("q")
        await app.wait_until(lambda: not app.app.is_running)
