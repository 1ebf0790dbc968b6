"""Writes sessions as fields of text, for programs that let a person pick one. Pure."""

from collections.abc import Sequence

from atm_tui.model.session import Session
from atm_tui.model.sorting import Order, rank_sessions
from atm_tui.text import clean, fit_width, format_age, measure_width
from atm_tui.view.change_lines import describe_doing
from atm_tui.view.status_text import name_state

_WIDEST = 32
"""Largest width in cells to which a field is padded."""


def list_fields(sessions: Sequence[Session], at: float) -> list[tuple[str, ...]]:
    """Returns the fields of each session: id, state, name, project, age, what it does. All but the first and last are padded.

    Those that need you come first, the longest wait before the others; those that have ended come last.
    """
    ranks = rank_sessions(sessions, Order.ATTENTION)
    rows = [
        (
            clean(each.session_id),
            name_state(each),
            clean(each.name) or "–",
            clean(each.project.name) or "–",
            format_age(at - each.since) if each.since else "–",
            describe_doing(each),
        )
        for each in sorted(sessions, key=lambda each: ranks[each.session_id])
    ]
    widths = [min(_WIDEST, max(map(measure_width, column))) for column in zip(*rows, strict=True)]
    return [
        tuple(
            field if at in (0, len(row) - 1) else fit_width(field, width)
            for at, (field, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
