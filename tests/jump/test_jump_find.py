"""A few characters find the session that is meant, or all that can be."""

import pytest

from atm_tui.jump.find import Named, matches

KNOWN = (
    Named(session_id="0a1b2c3d-1111-4000-8000-000000000000", names=("shop",), live=True),
    Named(session_id="0a1b2c3d-2222-4000-8000-000000000000", names=("shop front", "Fix the till")),
    Named(session_id="facade00-3333-4000-8000-000000000000", names=("facade", "Straße")),
    Named(session_id="facade01-4444-4000-8000-000000000000", names=("blog",)),
    Named(session_id="facade02-5555-4000-8000-000000000000", names=("blog",), live=True),
)


def found(text: str, least: int = 1) -> list[str]:
    return [each.session_id[9:13] for each in matches(text, KNOWN, least)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0a1b2c3d-2", ["2222"]),
        ("0A1B2C3D2", ["2222"]),
        ("0a1b-2c3d-2222", ["2222"]),
        ("0a1b2c3d-2222-4000-8000-000000000000", ["2222"]),
        # both fit; the live one is meant
        ("0a1b", ["1111"]),
        # a whole name before the start of one
        ("shop", ["1111"]),
        ("shop f", ["2222"]),
        ("FIX", ["2222"]),
        ("strasse", ["3333"]),
        # a whole name before the start of an id
        ("facade", ["3333"]),
        ("facade0", ["5555"]),
        ("blog", ["5555"]),
        ("nothing", []),
        ("", []),
        ("-", []),
        (" ", []),
    ],
)
def test_what_is_meant(text: str, expected: list[str]) -> None:
    assert found(text) == expected


def test_too_few_digits_are_no_id() -> None:
    assert found("0a1b2", 6) == []
    assert found("0a-1b-2", 6) == []
    assert found("0a1b2c3d2", 6) == ["2222"]


def test_several_that_are_over_are_all_told() -> None:
    over = [Named(session_id=each.session_id, names=each.names) for each in KNOWN]
    assert len(matches("0a1b2c3d", over)) == 2


def test_one_that_is_given_twice_is_one() -> None:
    assert len(matches("facade00", [KNOWN[2], KNOWN[2]])) == 1
