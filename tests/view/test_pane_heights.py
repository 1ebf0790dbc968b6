"""How the lines beside or below the tree are divided among the panes."""

import pytest

from atm_tui.view.pane_heights import Allotment, Want, allot_lines

WANTS = (
    Want("status", 19, 8),
    Want("context", 8, 4),
    Want("cost", 14, 3),
    Want("timeline", 90, 4),
    Want("files", 5, 3),
)


def sum_heights(done: Allotment) -> int:
    return sum(done.lines.values()) + len(done.lines) + done.names


@pytest.mark.parametrize("held", [None, "status", "files"])
def test_all_lines_are_allotted_and_the_held_pane_is_shown(held: str | None) -> None:
    for height in range(2, 120):
        done = allot_lines(WANTS, height, held)
        assert sum_heights(done) == height
        assert all(lines >= 1 for lines in done.lines.values()), height
        assert held is None or held in done.lines, height
        assert list(done.lines) == [each.name for each in WANTS if each.name in done.lines]
        assert done.names == (len(done.lines) < len(WANTS) and height >= 4), height


def test_no_space_is_tolerated() -> None:
    assert allot_lines(WANTS, 0) == Allotment({}, names=False)
    assert allot_lines(WANTS, 1, "cost") == Allotment({}, names=False)
    assert allot_lines((), 9) == Allotment({}, names=False)


def test_empty_panes_are_only_named() -> None:
    done = allot_lines((Want("status", 4, 8), Want("tasks", 0, 3)), 20)
    assert done == Allotment({"status": 18}, names=True)


@pytest.mark.parametrize(("height", "lines"), [(40, 17), (60, 20), (80, 20)])
def test_a_fixed_share_takes_precedence(height: int, lines: int) -> None:
    given = allot_lines((*WANTS[:3], Want("timeline", 90, 4, share=20), WANTS[4]), height)
    assert given.lines["timeline"] == lines  # all of its share, or what the least of the others leaves of it
    assert lines == 20 or all(given.lines[each.name] == each.least for each in WANTS if each.name != "timeline")


def test_a_share_can_be_below_the_minimum() -> None:
    small = allot_lines((Want("status", 19, 8, share=2), *WANTS[1:]), 40)
    assert small.lines["status"] == 2
    assert small.lines["timeline"] > allot_lines(WANTS, 40).lines["timeline"]


def test_panes_with_enough_lines_yield_to_others() -> None:
    wants = (Want("status", 6, 3), Want("cost", 20, 3, enough=5), Want("timeline", 9, 4))
    assert allot_lines(wants, 23).lines == {"status": 6, "cost": 5, "timeline": 9}
    assert allot_lines(wants, 30).lines == {"status": 6, "cost": 12, "timeline": 9}
