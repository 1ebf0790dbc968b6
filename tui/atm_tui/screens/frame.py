"""Reduces an update of the screen to the cells that differ from what the terminal shows; waits until one is painted."""

import asyncio
import contextlib
from collections.abc import Iterator, Sequence

from rich.color import ColorSystem
from rich.console import COLOR_SYSTEMS, Console, RenderableType
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.app import App
from textual.strip import Strip

from atm_tui.view.written_screen import WrittenScreen
from atm_tui.widgets.painting import Cells

FRAME_SECONDS = 1.0
"""Seconds to wait for a frame: none may come while another program has the terminal."""


class CellsUpdate(CompositorUpdate):
    """Cells of a screen, and an update of the compositor besides."""

    def __init__(self, cells: Sequence[Cells], update: RenderableType | None) -> None:
        self.cells = cells
        self.update = update


class Frame(CompositorUpdate):
    """The escape sequences that update the terminal to a frame."""

    def __init__(self, sequences: str) -> None:
        self.sequences = sequences

    def render_segments(self, console: Console) -> str:  # noqa: ARG002 (textual's signature)
        """Returns the sequences."""
        return self.sequences


def reduce_update(
    update: RenderableType | None, written: WrittenScreen, console: Console
) -> Frame | RenderableType | None:
    """Returns a frame for an update of the compositor, and any other renderable unchanged.

    `written`: what the terminal shows; this function updates it.
    """
    if not isinstance(update, CellsUpdate | LayoutUpdate | ChopsUpdate):
        return update
    color_system = COLOR_SYSTEMS.get(console.color_system or "", ColorSystem.TRUECOLOR)
    return Frame(written.write(_list_strips(update), color_system))


def _list_strips(update: RenderableType | None) -> Iterator[Cells]:
    """Yields the strips of an update."""
    if isinstance(update, CellsUpdate):
        beside = list(_list_strips(update.update))
        in_strips = {(at, y) for x, y, strip in beside for at in range(x, x + strip.cell_length)}
        yield from (each for each in update.cells if each[:2] not in in_strips)  # the update has them as they are now
        yield from beside
    elif isinstance(update, LayoutUpdate):
        yield from _list_all(update)
    elif isinstance(update, ChopsUpdate):
        yield from _list_changed(update)


def _list_all(update: LayoutUpdate) -> Iterator[Cells]:
    """Yields the strips of a whole screen, each with the column and row of its first cell."""
    for y, strips in enumerate(update.strips, update.region.y):
        x = update.region.x
        for strip in strips:
            # textual's annotation is wrong by one level
            assert isinstance(strip, Strip)  # noqa: S101
            yield x, y, strip
            x += strip.cell_length


def _list_changed(update: ChopsUpdate) -> Iterator[Cells]:
    """Yields the strips of a screen that may have changed, each with the column and row of its first cell."""
    seen = set()
    for y, first, last in update.spans:
        for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            if strip is not None and x < last and end > first and (x, y) not in seen:
                seen.add((x, y))
                yield x, y, strip


async def wait_for_frame(app: App[None]) -> None:
    """Returns once the effects of earlier messages to the app are rendered, or after a timeout."""
    painted = asyncio.Event()
    app.call_after_refresh(painted.set)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(FRAME_SECONDS):
            await painted.wait()
