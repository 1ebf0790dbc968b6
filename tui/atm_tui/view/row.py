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
    """None: nothing to fold."""
    glyph: Part | None
    name: Part
    signs: str = ""
    """Behind the name, never cut: what the user laid on it."""
    note: Part = ("", "muted")
    """Branch of a session, description of an agent."""
    words: tuple[Part, ...] = ()
    context: Context | None = None
    cost: float | None = None
    over_budget: bool = False
    """Whether the cost is over its budget."""
    has_cost: bool = True
    since: float | None = None
    """Begin of the state, epoch seconds; None: no age."""
    fine: bool = False
    """Whether the seconds of its age matter for longer than a minute."""
    spans: bool = False
    """The words take the rest of the line; there are no figures."""

    @property
    def mark_at(self) -> int:
        """The cell of the fold mark."""
        return len(self.indent)

    @property
    def gap(self) -> bool:
        """Whether it is only air."""
        return self.id[0] == "gap"

    @property
    def nested(self) -> bool:
        """Whether it hangs on a guide below a session."""
        return self.id[0] in {"agent", "done"}
