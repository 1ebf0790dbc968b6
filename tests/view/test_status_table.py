"""The table of `status`: columns, headings, and what is left out when space is short."""

import msgspec
import pytest

from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.session import Context, Cost, Liveness, Project, Session, State
from atm_tui.text import measure_width
from atm_tui.view.status_columns import COLUMNS, DEFAULT, measure_ids
from atm_tui.view.status_table import Line, find_style, format_table

NOW = 10_000.0
SHOP = Session(
    session_id="0a1b2c3d-0000-4000-8000-000000000001",
    name="fix the login of customers",
    project=Project(name="shop-api", branch="main"),
    state=State.NEEDS_YOU,
    activity=Activity(kind=ActivityKind.TOOL, tool="Bash", what="npm run a test with a long name"),
    context=Context(percent=61.0),
    cost=Cost(usd=12.4),
    since=NOW - 720,
)
BLOG = Session(session_id="ffff2c3d-0000-4000-8000-000000000002", name="日本語", state=State.IDLE)


def read_lines(lines: list[Line]) -> list[str]:
    return ["".join(text for text, _ in line) for line in lines]


def test_columns_are_aligned_with_their_headings() -> None:
    heading, shop, blog = read_lines(format_table([SHOP, BLOG], NOW))
    assert heading.split() == list(DEFAULT)
    assert shop.startswith("0a1b2c3d  needs you  fix the login of customers  shop-api")
    assert shop.split()[-3:] == ["61%", "$12.40", "12m"]
    assert blog.startswith("ffff2c3d  idle       日本語")
    assert measure_width(shop) == measure_width(blog) == len(heading)


def test_chosen_columns_in_the_chosen_order_without_headings() -> None:
    lines = format_table([SHOP, BLOG], NOW, ("branch", "id"), headings=False)
    assert read_lines(lines) == ["main  0a1b2c3d", "      ffff2c3d"]
    assert read_lines(format_table([BLOG], NOW, ("id", "branch"), headings=False)) == ["ffff2c3d"]


def test_every_column_has_text_for_any_session() -> None:
    for session in (SHOP, BLOG, Session(session_id="x")):
        (line,) = format_table([session], NOW, list(COLUMNS), headings=False)
        assert line


def test_the_table_fits_the_terminal() -> None:
    for width in range(24, 140):
        lines = read_lines(format_table([SHOP, BLOG], NOW, width=width))
        assert max(map(measure_width, lines)) <= width, width
        assert "needs you" in lines[1], width
        assert lines[0].split() == [each for each in DEFAULT if each in lines[0].split()], width


def test_ids_are_as_short_as_possible() -> None:
    twin = msgspec.structs.replace(SHOP, session_id="0a1b2c3d-0000-4000-9000-000000000001")
    assert measure_ids([SHOP, BLOG]) == 8
    assert measure_ids([SHOP, twin]) == len("0a1b2c3d-0000-4000-9")
    assert measure_ids([]) == 8


@pytest.mark.parametrize(
    ("changes", "style"),
    [
        ({}, "1;33"),
        ({"activity": Activity(kind=ActivityKind.FAILED)}, "1;31"),
        ({"state": State.WORKING, "activity": Activity()}, "36"),
        ({"state": State.IDLE, "unseen": True}, "32"),
        ({"state": State.IDLE}, ""),
        ({"liveness": Liveness.LOST}, "2"),
    ],
)
def test_a_state_has_a_colour_and_a_word(changes: dict[str, object], style: str) -> None:
    assert find_style(msgspec.structs.replace(SHOP, **changes)) == style


def test_without_sessions_there_are_no_headings() -> None:
    assert format_table([], NOW) == []
