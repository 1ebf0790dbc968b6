"""Every frame from the start on has header and headings, and all parts in their final places."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import pytest
from textual.screen import Screen

from atm_tui.app import AtmApp
from tests.support.effort import sample
from tests.support.fleets import make_busy_fleet

HEADINGS = {
    "t": ("· started ", "STATE"),
    "b": ("Needs you", "Running", "Done"),
    "L": ("Timeline",),
    "H": ("History",),
}
SIZES = sample([(140, 42), (80, 24), (60, 20), (40, 12)], (140, 42), (60, 20))


Look = TypeVar("Look")


@contextmanager
def record_frames(monkeypatch: pytest.MonkeyPatch, look: Callable[[Screen[object]], Look]) -> Iterator[list[Look]]:
    """What `look` returns for each frame that the app writes to its terminal meanwhile."""
    frames: list[Look] = []
    display = AtmApp._display

    def record(self: AtmApp, screen: Screen[object], renderable: object) -> None:
        if renderable is not None and screen is self.screen and not self._batch_count:
            frames.append(look(screen))
        display(self, screen, renderable)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(AtmApp, "_display", record)
        yield frames


def read_lines(screen: Screen[object]) -> list[str]:
    return [strip.text for strip in screen._compositor.render_strips()]


def find_columns(screen: Screen[object]) -> dict[str, tuple[int, int]]:
    """The first and the last column of the views and of the panes; the panes leave no cell of theirs empty."""
    views, panes = screen.query_one("#left").region, screen.query_one("#panes").region
    filled = sum(each.region.area for each in screen.query("#panes > *"))
    assert filled == panes.area, f"the panes take {filled} of {panes.area} cells"
    return {"views": (views.x, views.right), "panes": (panes.x, panes.right)}


@pytest.mark.parametrize("size", SIZES)
async def test_no_frame_at_the_start_has_misplaced_views(
    drive, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    with record_frames(monkeypatch, find_columns) as frames:
        async with drive(make_busy_fleet(), size=size):
            pass
    assert frames
    assert frames == [frames[-1]] * len(frames)


@pytest.mark.parametrize("size", sample(SIZES, (140, 42)))
async def test_no_frame_of_a_switch_lacks_header_or_headings(
    drive, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    async with drive(make_busy_fleet(), size=size) as app:
        seen = set()
        with record_frames(monkeypatch, read_lines) as frames:
            for key in ("b", "t", "L", "H", "t", "b", "L", "b", "H", "b", "t"):
                await app.press(key)
                await app.pilot.pause(0.05)
        assert len(frames) >= 11
        for frame in frames:
            text = "\n".join(frame)
            assert frame[0].strip().startswith(("atm-tui", "●")), text
            shown = [key for key, words in HEADINGS.items() if all(word in text for word in words)]
            assert len(shown) == 1, text
            seen.update(shown)
        assert seen == set(HEADINGS)


async def test_usage_and_peek_show_the_same_header_from_their_first_frame(
    drive, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with drive(make_busy_fleet(), size=(120, 36)) as app:
        before = app.lines[0]
        for key in ("u", "space"):
            with record_frames(monkeypatch, read_lines) as frames:
                await app.press(key)
                await app.pilot.pause(0.2)
                await app.press("escape")
                await app.pilot.pause(0.1)
            assert frames, key
            assert {frame[0] for frame in frames} == {before}, key
