"""Writes the fleet as aligned lines of text, for `atm-tui status`."""

from atm_tui.model.fleet import Fleet
from atm_tui.model.session import Liveness, Session
from atm_tui.text import clean, fit_width, format_age, format_money, format_percent, measure_width
from atm_tui.view.process_text import describe_place
from atm_tui.view.status_text import describe_activity, describe_queue

EMPTY = "No sessions yet. Start Claude Code in any terminal. `atm-tui install` adds the hooks, `atm-tui demo` shows the app."

_WIDEST = (9, 32, 20, 48, 5, 9, 6)
"""Largest width of each column in cells."""
_NUMBERS_FROM = 4
"""Columns from this one on are right-aligned."""


def format_status(fleet: Fleet, at: float) -> list[str]:
    """Returns one line for each session: state, name, project, activity, context, cost, age."""
    rows: list[tuple[str, ...]] = []
    for session in fleet.sessions.values():
        state = session.state.value.replace("_", " ") if session.liveness == "live" else session.liveness.value
        rows.append(
            (
                state,
                clean(session.name),
                clean(session.project.name),
                _describe_doing(session),
                format_percent(session.context.percent),
                format_money(session.cost.usd),
                format_age(at - session.since) if session.since else "–",
            )
        )
    return [*_align(rows), *(f"unreadable  {clean(each.path)}: {clean(each.problem)}" for each in fleet.unreadable)]


def _describe_doing(session: Session) -> str:
    doing = " ".join(filter(None, (describe_activity(session.activity), describe_queue(session.queued))))
    marks = describe_place(session) if session.liveness is Liveness.LIVE else []
    return " · ".join([*marks, *([doing] if doing else [])])


def _align(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [
        min(widest, max((measure_width(row[at]) for row in rows), default=0)) for at, widest in enumerate(_WIDEST)
    ]
    return [
        "  ".join(
            fit_width(cell, width, right=at >= _NUMBERS_FROM)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
