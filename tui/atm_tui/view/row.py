"""A row of the session tree: what it shows, independent of any width."""

import msgspec

from atm_tui.model.session import Context
from atm_tui.view.present import Part

RowId = tuple[str, ...]
"""("machine", name), empty for this one · ("project", root) · ("session", id) · ("agent", session id, agent id) ·
("done", session id) · ("unreadable", path) · ("closed",) · ("older",), what stands for the others below the newest closed
ones · ("gap", root), an empty line that can't be selected. Selection and folds refer to this id, never to a position."""

CLOSED: RowId = ("closed",)
OLDER: RowId = ("older",)


class Row(msgspec.Struct, frozen=True, gc=False):
    """What a row shows. Equal rows look the same, so `==` decides whether a line is rendered again."""

    id: RowId
    parent: RowId | None
    indent: str
    """Blanks and guide lines before the fold mark."""
    folded: bool | None
    """Whether it is folded; None: it has nothing to fold."""
    glyph: Part | None
    name: Part
    signs: str = ""
    """The user's mark and flags, after the name; never cut."""
    marked: bool = False
    """Whether the user marked it."""
    note: Part = ("", "muted")
    """Branch of a session, task of an agent."""
    words: tuple[Part, ...] = ()
    context: Context | None = None
    cost: float | None = None
    cost_is_pending: bool = False
    """Whether the cost is not known yet."""
    over_budget: bool = False
    """Whether the cost exceeds the budget."""
    has_cost: bool = True
    since: float | None = None
    """Start of the state in epoch seconds; None: no age."""
    counts_seconds: bool = False
    """Whether its age shows seconds for longer than a minute."""
    spans: bool = False
    """Whether the words take the rest of the line, in place of figures."""

    is_old: bool = False
    """Whether all of it is faint, since the link to its machine is down."""

    @property
    def mark_at(self) -> int:
        """The cell of the fold mark."""
        return len(self.indent)

    @property
    def gap(self) -> bool:
        """Whether it is an empty line."""
        return self.id[0] == "gap"

    @property
    def nested(self) -> bool:
        """Whether it is below a session."""
        return self.id[0] in {"agent", "done"} or (self.parent is not None and self.parent[0] == "session")
