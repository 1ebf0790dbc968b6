"""Fills in the template of `atm-tui status --format`. Pure."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from atm_tui.model.board import order_waits
from atm_tui.model.costs import sum_costs
from atm_tui.model.session import Liveness, Session, State
from atm_tui.model.template import fill_template, parse_template
from atm_tui.text import clean, format_age, format_money
from atm_tui.view.status_columns import COLUMNS, CellContext, measure_ids


class FleetField(NamedTuple):
    """A field that stands for all chosen sessions together."""

    meaning: str
    """For the documentation."""
    text: Callable[[Sequence[Session], float], str]
    """Returns its clean text, from the sessions and the time."""


def _count(state: State) -> Callable[[Sequence[Session], float], str]:
    return lambda sessions, _: str(sum(each.state is state and each.liveness is Liveness.LIVE for each in sessions))


def _sum_costs(sessions: Sequence[Session], _: float) -> str:
    return format_money(sum_costs(each.cost.usd for each in sessions))


def _get_first(text: Callable[[Session, float], str]) -> Callable[[Sequence[Session], float], str]:
    """Returns a function that formats the session that waits longest; its result is empty if none waits."""
    return lambda sessions, at: next((text(each, at) for each in order_waits(sessions)), "")


FLEET_FIELDS = {
    "needs_you": FleetField("how many need you", _count(State.NEEDS_YOU)),
    "working": FleetField("how many work", _count(State.WORKING)),
    "idle": FleetField("how many are idle", _count(State.IDLE)),
    "sessions": FleetField("how many there are, with those that have ended", lambda sessions, _: str(len(sessions))),
    "total_cost": FleetField("what they have cost together, USD", _sum_costs),
    "first_id": FleetField("the id of the one that waits longest", _get_first(lambda each, _: clean(each.session_id))),
    "first_name": FleetField("its name", _get_first(lambda each, _: clean(each.name))),
    "first_project": FleetField("its project", _get_first(lambda each, _: clean(each.project.name))),
    "first_age": FleetField(
        "for how long it has waited", _get_first(lambda each, at: format_age(at - each.since) if each.since else "")
    ),
}
"""The fields besides the columns."""


def format_sessions(template: str, sessions: Iterable[Session], at: float) -> list[str]:
    """Returns the template with its fields filled in: a line for each session if it has a column, else one line.

    `{{` and `}}` stand for braces. Raises TemplateError.
    """
    parts = parse_template(template, (*FLEET_FIELDS, *COLUMNS))
    shown = list(sessions)
    if not any(field in COLUMNS for _, field in parts):
        return [fill_template(parts, lambda field: FLEET_FIELDS[field].text(shown, at))]
    context = CellContext(at, measure_ids(shown))
    whole = {field: FLEET_FIELDS[field].text(shown, at) for _, field in parts if field in FLEET_FIELDS}

    def find_text(field: str, session: Session) -> str:
        return whole[field] if field in whole else COLUMNS[field].text(session, context)

    return [fill_template(parts, partial(find_text, session=each)) for each in shown]


def list_field_rows() -> list[str]:
    """Returns the rows of the documentation's table, in Markdown."""
    return [f"| `{name}` | {field.meaning} |" for name, field in FLEET_FIELDS.items()]
