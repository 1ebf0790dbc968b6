"""The user's sizes of the parts of the main screen, in cells, for each of the two arrangements of panes."""

from typing import Annotated

import msgspec

Cells = Annotated[int, msgspec.Meta(ge=0, le=10_000)]


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """The sizes in one arrangement. What the user never changed has no entry and is sized by its content."""

    side: Cells = 0
    """Columns of the panes beside the tree, or their lines below it; 0: as the style sheet says."""
    shares: dict[str, Cells] = {}
    """Lines of text by pane."""


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """The sizes in both arrangements."""

    wide: Sizes = Sizes()
    """With the panes beside the tree."""
    middle: Sizes = Sizes()
    """With the panes below it."""
