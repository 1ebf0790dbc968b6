"""Every frame that is painted while the user switches between the views has the header and the headings of a view."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from textual.screen import Screen

from atm_tui.app import AtmApp
from tests.support.fleets import busy

HEADINGS = {
    "t": ("· started ", "STATE"),
    "b": ("Needs you", "Running", "Done"),
    "L": ("Timeline",),
    "H": ("History",),
}


@contextmanager
def recorded(app: AtmApp, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[list[str]]]:
    """The lines of each frame that the app writes to its terminal meanwhile."""
    frames: list[list[str]] = []
    display = AtmApp._display

    def record(self: AtmApp, screen: Screen[object], renderable: object) -> None:
        if renderable is not None and screen is self.screen:
            frames.append([strip.text for strip in screen._compositor.render_strips()])
        display(self, screen, renderable)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(AtmApp, "_display", record)
        yield frames


@pytest.mark.parametrize("size", [(140, 42), (80, 24), (60, 20), (40, 12)])
async def test_no_frame_of_a_switch_lacks_header_or_headings(
    drive, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    async with drive(busy(), size=size) as app:
        seen = set()
        with recorded(app.app, monkeypatch) as frames:
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


@pytest.mark.parametrize("key", ["u", "space"])
async def test_usage_and_peek_show_the_same_header_from_their_first_frame(
    drive, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    async with drive(busy(), size=(120, 36)) as app:
        before = app.lines[0]
        with recorded(app.app, monkeypatch) as frames:
            await app.press(key)
            await app.pilot.pause(0.2)
            await app.press("escape")
            await app.pilot.pause(0.1)
        assert frames
        assert {frame[0] for frame in frames} == {before}
