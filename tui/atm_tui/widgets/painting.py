"""Cells that a tick changed: a screen writes them at once, all together, without the turns of Textual's update."""

from collections.abc import Sequence

from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from atm_tui.widgets.ends_workers_first import EndsWorkersFirst

Cells = tuple[int, int, Strip]
"""A strip with the column and row of its first cell."""


class PaintingScreen(EndsWorkersFirst, Screen[None]):
    """A screen that collects changed cells while `changed` is a dict, and then writes them."""

    changed: dict[Widget, list[Cells]] | None = None
    """By widget, in its coordinates."""


def collects_cells(widget: Widget) -> bool:
    """Returns whether the widget's screen collects changed cells now, so that it pays to render them."""
    return isinstance(screen := widget.screen, PaintingScreen) and screen.changed is not None


def show_cells(widget: Widget, cells: Sequence[Cells]) -> None:
    """Shows cells of a widget that changed, as `render_lines` renders them from now on."""
    screen = widget.screen
    if isinstance(screen, PaintingScreen) and screen.changed is not None:
        screen.changed.setdefault(widget, []).extend(cells)
    else:
        refresh_cells(widget, cells)


def refresh_cells(widget: Widget, cells: Sequence[Cells]) -> None:
    """Renders these cells again with the next frame."""
    widget.refresh(*(Region(x, y, strip.cell_length, 1) for x, y, strip in cells))
