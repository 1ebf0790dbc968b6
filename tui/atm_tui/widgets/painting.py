"""Cells that a tick changed: a screen writes them at once, all together, without the turns of Textual's update."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

Cells = tuple[int, int, Strip]
"""A strip with the column and row of its first cell."""


Changed = dict[Widget, list[Cells]]
"""Cells that changed by widget, in its coordinates."""

_collected: dict[Screen[Any], Changed] = {}
"""By screen, while it collects them."""


@contextmanager
def collect_cells(screen: Screen[Any]) -> Iterator[Changed]:
    """Collects what `show_cells` shows of a screen's widgets meanwhile; the caller writes it."""
    changed = _collected[screen] = {}
    try:
        yield changed
    finally:
        del _collected[screen]


def collects_cells(widget: Widget) -> bool:
    """Returns whether the widget's screen collects changed cells now, so that it pays to render them."""
    return widget.screen in _collected


def locate(widget: Widget) -> tuple[int, int] | None:
    """Returns the column and row of the screen at which a widget begins; None if it is not in view."""
    found = widget.screen._compositor.visible_widgets.get(widget) if widget.is_attached else None  # noqa: SLF001
    return found[0].offset if found is not None else None


def show_cells(widget: Widget, cells: Sequence[Cells]) -> None:
    """Shows cells of a widget that changed, as `render_lines` renders them from now on."""
    if (changed := _collected.get(widget.screen)) is not None:
        changed.setdefault(widget, []).extend(cells)
    else:
        refresh_cells(widget, cells)


def refresh_cells(widget: Widget, cells: Sequence[Cells]) -> None:
    """Renders these cells again with the next frame."""
    widget.refresh(*(Region(x, y, strip.cell_length, 1) for x, y, strip in cells))
