"""Writes sessions as aligned lines of text under headings, for `atm-tui status`. Pure."""

from collections.abc import Iterable, Sequence

from atm_tui.model.session import Liveness, Session, State
from atm_tui.model.wait import Reason
from atm_tui.text import fit_width, measure_width
from atm_tui.view.status_columns import COLUMNS, DEFAULT, CellContext, measure_ids

EMPTY = "No sessions yet. Start Claude Code in any terminal. `atm-tui install` adds the hooks, `atm-tui demo` shows the app."

Line = list[tuple[str, str]]
"""The parts of a line, each with its style: the codes of an SGR sequence, empty for none."""

_GAP = "  "
_HEADING = "2"
_STYLES = {State.NEEDS_YOU: "1;33", State.WORKING: "36", State.IDLE: ""}
_DROPPED = ("cost", "context", "project", "id", "age", "doing")
"""The default columns that are left out when space is short, in this order."""


def format_table(
    sessions: Iterable[Session],
    at: float,
    columns: Sequence[str] = DEFAULT,
    *,
    width: int | None = None,
    headings: bool = True,
) -> list[Line]:
    """Returns a line for each session, after one with headings; nothing without sessions.

    `width`: cells of the terminal; then wide columns shrink, and some default columns are left out if that is not enough.
    """
    shown = list(sessions)
    if not shown:
        return []
    context = CellContext(at, measure_ids(shown))
    cells = {name: [COLUMNS[name].text(each, context) for each in shown] for name in columns}
    widths = _fit_columns({name: _measure_column(name, cells[name], headings=headings) for name in columns}, width)
    lines = [_make_line([(_fit(name, name, width), _HEADING) for name, width in widths.items()])] if headings else []
    # many cells of a column are the same
    fitted = {name: {text: _fit(text, name, width) for text in set(cells[name])} for name, width in widths.items()}
    for number, session in enumerate(shown):
        styles = {"state": find_style(session)}
        lines.append(_make_line([(fitted[name][cells[name][number]], styles.get(name, "")) for name in widths]))
    return lines


def _fit(text: str, name: str, width: int) -> str:
    """Returns the text of a cell of a column in exactly `width` cells."""
    return fit_width(text, width, right=COLUMNS[name].right)


def find_style(session: Session) -> str:
    """Returns the style of the state of a session: the codes of an SGR sequence."""
    if session.liveness is not Liveness.LIVE:
        return "2"
    if session.reason is Reason.FAILED:
        return "1;31"
    return "32" if session.state is State.IDLE and session.unseen else _STYLES[session.state]


def _measure_column(name: str, cells: Iterable[str], *, headings: bool) -> int:
    widest = max(map(measure_width, set(cells)), default=0)
    return max(min(COLUMNS[name].widest, widest), len(name) if headings else 0)


def _fit_columns(widths: dict[str, int], width: int | None) -> dict[str, int]:
    """Returns the widths of the columns that fit into `width` cells."""
    if width is None:
        return widths
    shrunk = dict(widths)
    for name in sorted(widths, key=lambda each: -widths[each]):
        excess = _sum_widths(shrunk) - width
        if excess > 0 and (narrowest := COLUMNS[name].narrowest):
            shrunk[name] = max(min(narrowest, widths[name]), widths[name] - excess)
    if _sum_widths(shrunk) > width and set(DEFAULT) <= set(widths) <= {"machine", *DEFAULT}:
        unneeded = iter(_DROPPED)
        left = dict(widths)
        while len(left) > 2 and _sum_widths(_shrink(left)) > width:
            left.pop(next(unneeded))
        return _fit_columns(left, width)
    return shrunk


def _shrink(widths: dict[str, int]) -> dict[str, int]:
    """Returns the smallest widths."""
    return {name: min(width, COLUMNS[name].narrowest or width) for name, width in widths.items()}


def _sum_widths(widths: dict[str, int]) -> int:
    return sum(widths.values()) + len(_GAP) * (len(widths) - 1)


def _make_line(cells: Iterable[tuple[str, str]]) -> Line:
    parts: Line = []
    for cell in cells:
        parts += [(_GAP, ""), cell] if parts else [cell]
    while parts and not (last := parts[-1][0].rstrip()):
        parts.pop()
    return [*parts[:-1], (last, parts[-1][1])] if parts else []
