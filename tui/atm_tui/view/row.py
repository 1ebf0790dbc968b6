"""One row of the session tree as a value: what it shows, before any width is known."""

from dataclasses import dataclass

from atm_tui.model.session import Context
from atm_tui.view.present import Part

RowId = tuple[str, ...]
"""("project", root) · ("session", id) · ("agent", session id, agent id) · ("done", session id) · ("unreadable", path) ·
("closed",) · ("gap", root), an empty line that can't be selected. Selection and folds are bound to it, never to a position."""

CLOSED: RowId = ("closed",)


@dataclass(frozen=True, slots=True)
class Row:
    """What a row shows; equal rows look equal, so `==` decides whether a line is painted again."""

    id: RowId
    parent: RowId | None
    indent: str
    """Blanks and guides before the fold mark."""
    folded: bool | None
    """Whether it is folded; None: there is nothing to fold."""
    glyph: Part | None
    name: Part
    signs: str = ""
    """The user's flags, behind the name; never cut."""
    note: Part = ("", "muted")
    """Branch of a session, description of an agent."""
    words: tuple[Part, ...] = ()
    context: Context | None = None
    cost: float | None = None
    over_budget: bool = False
    """Whether the cost is over its budget."""
    has_cost: bool = True
    since: float | None = None
    """When the state began, epoch seconds; None: no age."""
    counts_seconds: bool = False
    """Whether its age counts seconds for longer than a minute."""
    spans: bool = False
    """Whether the words take the rest of the line, without figures."""

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
        """Whether it is below a session, on a guide."""
        return self.id[0] in {"agent", "done"}
