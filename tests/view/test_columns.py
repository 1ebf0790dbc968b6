"""The columns of the tree: which, in which order and how wide the user wants them; every line is filled."""

import pytest
from rich.cells import cell_len

from atm_tui.view.columns import DEFAULT, Columns, Layout, fit_columns, write_headings, write_row
from atm_tui.view.present import UNICODE
from atm_tui.view.row import Row

ROW = Row(
    id=("session", "s"),
    parent=None,
    indent="  ",
    folded=None,
    glyph=("○", "muted"),
    name=("name of it", "plain"),
    note=("main", "muted"),
    words=(("finished", "plain"),),
    cost=1.5,
)
LAYOUTS = (
    DEFAULT,
    Layout(("session",)),
    Layout(("for", "session")),
    Layout(("cost", "state", "for", "session", "branch"), (("branch", 12), ("session", 18))),
    Layout(("state", "session"), (("state", 200), ("session", 4))),
    Layout(("session", "state", "context"), (("context", 30), ("session", 150))),
)


def join(at: Columns, age: str = "41s") -> str:
    return "".join(text for text, _ in write_row(ROW, at, age, UNICODE, (60, 80, 90), selected=False))


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda each: "-".join(each.names))
def test_every_line_is_filled_and_stands_below_its_heading(layout: Layout) -> None:
    for width in (*range(40, 130, 3), 300):
        at = fit_columns(width, layout)
        (heading, _), *_ = write_headings(at, "started")
        line = join(at)
        assert cell_len(line) == cell_len(heading) == width, (width, at)
        assert [each for each in layout.names if each in at.order] == list(at.order)
        if at.age:
            assert line[at.age_at :][: at.age] == "  41s"
            assert heading[at.age_at :][: at.age] == "  FOR"
        assert "name" in line


def test_a_width_of_the_user_holds() -> None:
    at = fit_columns(
        160, Layout(DEFAULT.names, (("session", 25), ("branch", 30), ("cost", 12), ("for", 9), ("context", 20)))
    )
    assert (at.name, at.note, at.cost, at.age, at.draw_gauge + at.percent) == (25, 30, 12, 9, 20)
    assert fit_columns(100, Layout(DEFAULT.names, (("state", 20),))).words == 20


def test_the_heading_names_its_column_and_the_order_from_40_columns_on() -> None:
    for width in (40, 60, 80, 200):
        ((heading, _),) = write_headings(fit_columns(width, DEFAULT), "started")
        assert "SESSION" in heading
        assert "started" in heading
