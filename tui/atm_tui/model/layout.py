"""The sizes of the main screen's parts as the user set them, in cells, for both arrangements of panes."""

from typing import Annotated

import msgspec

Cells = Annotated[int, msgspec.Meta(ge=0, le=10_000)]


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """The sizes in one arrangement. Parts that the user never resized have no entry; their content decides."""

    side: Cells = 0
    """Width of the panes beside the tree, or their height below it; 0: the default of the style sheet."""
    shares: dict[str, Cells] = {}
    """Height of each pane, in lines of text."""


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """The sizes in both arrangements."""

    wide: Sizes = Sizes()
    """Sizes with the panes beside the tree."""
    middle: Sizes = Sizes()
    """Sizes with the panes below the tree."""
