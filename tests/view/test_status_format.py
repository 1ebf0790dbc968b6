"""The text of `status --format`."""

import pytest

from atm_tui.model.session import Cost, Liveness, Project, Session, State
from atm_tui.model.template import TemplateError
from atm_tui.view.status_columns import COLUMNS
from atm_tui.view.status_format import FLEET_FIELDS, format_sessions

NOW = 10_000.0
FLEET = [
    Session(session_id="a1", name="login\x1b[2J", state=State.NEEDS_YOU, since=NOW - 60, cost=Cost(usd=1.5)),
    Session(session_id="b2", name="{state}", state=State.NEEDS_YOU, since=NOW - 720, project=Project(name="shop")),
    Session(session_id="c3", name="docs", state=State.WORKING, cost=Cost(usd=0.5)),
    Session(session_id="d4", name="old", state=State.WORKING, liveness=Liveness.ENDED),
]


@pytest.mark.parametrize(
    ("template", "lines"),
    [
        ("{needs_you} ● {working} ◐", ["2 ● 1 ◐"]),
        ("{sessions} {idle} {total_cost}", ["4 0 $2.00"]),
        ("{first_name} ({first_id}, {first_project}) {first_age}", ["{state} (b2, shop) 12m"]),
        ("no field", ["no field"]),
        ("{{{working}}}", ["{1}"]),
        ("{id}\t{state}", ["a1\tneeds you", "b2\tneeds you", "c3\tworking", "d4\tended"]),
        ("{needs_you} {name}", ["2 login\ufffd[2J", "2 {state}", "2 docs", "2 old"]),
        ("", [""]),
    ],
)
def test_fields_are_filled_in(template: str, lines: list[str]) -> None:
    assert format_sessions(template, FLEET, NOW) == lines


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{need_you}", 'unknown field "need_you"; did you mean "needs_you"?'),
        ("{names}", 'unknown field "names"; did you mean "name"?'),
        ("{qqqqq}", 'unknown field "qqqqq"; known fields: age, agents, '),
        ("{}", 'unknown field ""; known fields: '),
        ("{name.__class__}", 'unknown field "name.__class__"'),
        ("{name!r}", 'unknown field "name!r"'),
        ("{cost:.2f}", 'unknown field "cost:.2f"'),
        ("{name", "write {{ and }} for braces"),
        ("}", "write {{ and }} for braces"),
    ],
)
def test_unknown_fields_are_an_error_with_the_nearest_name(template: str, message: str) -> None:
    with pytest.raises(TemplateError) as error:
        format_sessions(template, FLEET, NOW)
    assert message in str(error.value)


def test_no_field_has_two_meanings() -> None:
    assert not set(FLEET_FIELDS) & set(COLUMNS)


def test_without_sessions_the_counts_are_0() -> None:
    assert format_sessions("{needs_you} {first_name}.", [], NOW) == ["0 ."]
    assert format_sessions("{name}", [], NOW) == []
