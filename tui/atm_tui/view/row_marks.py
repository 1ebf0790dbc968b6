"""Adds marks to a row of the tree: the user's mark and flags on its session, and whether it can be answered here."""

from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from atm_tui.model.flags import NO_FLAGS
from atm_tui.model.fleet import Fleet
from atm_tui.view.answerable import list_answerable_requests
from atm_tui.view.present import Glyphs
from atm_tui.view.row import Row

_MARKED = ("session", "agent")
"""The kinds of rows that can have marks."""


def mark_rows(
    rows: tuple[Row, ...], fleet: Fleet, glyphs: Glyphs, chosen: AbstractSet[str] = frozenset()
) -> tuple[Row, ...]:
    """Returns the rows, those of sessions with flags or requests with their marks.

    `chosen`: the ids of the sessions that the user marked.
    """
    marked = {*fleet.flags, *(each.session_id for each in fleet.requests.values()), *chosen}
    if marked.isdisjoint(fleet.sessions):
        return rows
    return tuple(
        mark_row(row, fleet, glyphs, chosen) if row.id[0] in _MARKED and row.id[1] in marked else row for row in rows
    )


def mark_row(row: Row, fleet: Fleet, glyphs: Glyphs, chosen: AbstractSet[str] = frozenset()) -> Row:
    """Returns the row with its marks; the row of a snoozed session is dimmed."""
    agent_id = row.id[2] if row.id[0] == "agent" else None
    if row.id[0] in ("session", "agent") and list_answerable_requests(fleet, row.id[1], agent_id):
        row = replace(row, words=((f"{glyphs.armed} ", "armed"), *row.words))
    if row.id[0] != "session":
        return row
    flags, marked = fleet.flags.get(row.id[1], NO_FLAGS), row.id[1] in chosen
    signs = (glyphs.marked if marked else "") + (glyphs.pinned if flags.pinned else "")
    if row.id[1] in fleet.snoozed:
        signs += glyphs.snoozed
        quiet = tuple((text, "muted") for text, _ in row.words)
        glyph = (row.glyph[0], "muted") if row.glyph else None
        row = replace(row, glyph=glyph, name=(row.name[0], "muted"), words=quiet)
    return replace(row, signs=signs, marked=marked) if signs else row
