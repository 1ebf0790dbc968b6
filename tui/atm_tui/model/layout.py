"""How its user divided the main screen: sizes in cells, for the two forms that it has room for panes in."""

from typing import Annotated

import msgspec

Cells = Annotated[int, msgspec.Meta(ge=0, le=10_000)]


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """The sizes of one form. What its user never touched has no entry: it goes by what it holds."""

    side: Cells = 0
    """Columns of the panes where they stand beside the tree, lines where they lie under it; 0: as the style sheet says."""
    shares: dict[str, Cells] = {}
    """Lines of text by pane."""


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """Both forms."""

    wide: Sizes = Sizes()
    """The panes stand beside the tree."""
    middle: Sizes = Sizes()
    """They lie under it."""
