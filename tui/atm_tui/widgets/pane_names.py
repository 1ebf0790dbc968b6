"""The last line of a column of panes: the names of hidden panes, which can be clicked."""

from collections.abc import Sequence

import msgspec
from rich.cells import cell_len
from textual.content import Content, Span
from textual.style import Style
from textual.widgets import Static

from atm_tui.view import present
from atm_tui.view.present import Glyphs, Part

_SPELLINGS = (
    (True, True, "  "),
    (True, False, "  "),
    (True, False, " "),
    (False, True, "  "),
    (False, False, "  "),
    (False, False, " "),
)
"""Whether keys and figures are shown, and the gap: a figure stands nearer to its name than to the next one."""


class PaneName(msgspec.Struct, frozen=True):
    """The name of a hidden pane."""

    name: str
    figure: str
    number: int
    """The key that goes to it from another pane."""
    keys: bool
    """Whether that key works now."""
    empty: bool
    """Whether it has no content."""


class PaneNames(Static):
    """Shows what fits: figures are left out first, then keys; longer text is cut with "…"."""

    ALLOW_SELECT = False
    auto_links = False

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="names")
        self._glyphs = glyphs
        self._shown: tuple[object, ...] = ()

    def show(self, names: Sequence[PaneName], corner: str, side_role: str, width: int) -> None:
        """Sets the names; `corner` joins the line to the one on its left, if any."""
        look = (tuple(names), corner, side_role, width)
        if look == self._shown:
            return
        self._shown = look
        rule = self._glyphs.rule
        start: list[Part] = [*([(corner, side_role)] if corner else []), (rule, "rule"), (" ", "plain")]
        room = width - sum(cell_len(text) for text, _ in start) - 1
        spelled = [
            Content(gap).join(_write_entry(each, keys=keys, figures=figures) for each in names)
            for keys, figures, gap in _SPELLINGS
        ]
        line = next((each for each in spelled if each.cell_length <= room), spelled[-1])
        line = line.truncate(room, ellipsis=True) if line.cell_length > room else line
        rest = rule * max(0, width - 1 - cell_len("".join(text for text, _ in start)) - line.cell_length)
        self.update(
            Content.assemble(present.make_content(*start), line, present.make_content((" " + rest, "rule"))),
            layout=False,
        )


def _write_entry(of: PaneName, *, keys: bool, figures: bool) -> Content:
    parts: list[Part] = [(f"{of.number} ", "faint")] if keys and of.keys else []
    parts.append((of.name, "faint" if of.empty else "muted"))
    if figures and of.figure:
        parts.append((f" {of.figure}", "faint"))
    shown = present.make_content(*parts)
    click = Style.from_meta({"@click": f"screen.command('pane', '{of.number}')"})
    return shown.add_spans([Span(0, len(shown), click)])
