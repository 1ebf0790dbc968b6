"""The shown diff: correct counts, marked cuts, and no two different lines that look alike."""

import difflib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from atm_tui.settings.plan import Plan
from atm_tui.settings.setup_steps import make_diff_lines
from atm_tui.view.diff import Counts, count_changes, write_diff

PATH = Path("/home/user/.claude/settings.json")


def format_shown(lines: list[str], width: int, *, whole: bool = False) -> list[str]:
    return [each.parts[0][0] for each in write_diff(lines, width, whole=whole)]


@pytest.mark.parametrize(
    ("lines", "counts"),
    [
        (["@@", " a", "+b", "+c"], Counts(2, 0, 0)),
        (["-a", "+b", "+c"], Counts(1, 1, 0)),
        (["-a", "-b", "+c", " d", "-e"], Counts(0, 1, 2)),
        (["-a", "\\ No newline at end of file", "+a", "\\ No newline at end of file"], Counts(0, 1, 0)),
        (["-a", "+b", "-c", "+d"], Counts(0, 2, 0)),
        ([], Counts()),
    ],
)
def test_counts(lines, counts) -> None:
    assert count_changes(lines) == counts


@given(st.lists(st.sampled_from("abcd")), st.lists(st.sampled_from("abcd")))
def test_counts_are_those_of_any_diff(old, new) -> None:
    lines = list(difflib.unified_diff(old, new, lineterm=""))[2:]
    found = count_changes(lines)
    assert found.added + found.changed == sum(line.startswith("+") for line in lines)
    assert found.removed + found.changed == sum(line.startswith("-") for line in lines)


def test_what_repeats_is_folded_and_named() -> None:
    def write(name: str, value: str, end: str = ",") -> list[str]:
        return [f'+  "{name}": [', "+    {", f'+      "type": "{value}"', "+    }", f"+  ]{end}"]

    lines = [" {", *write("A", "x"), *write("B", "x"), *write("C", "y"), *write("D", "y"), *write("A", "x", ""), " }"]
    folded = format_shown(lines, 40)
    assert folded == [
        " {",
        *write("A", "x"),
        '+  "B": [ as A ],',
        *write("C", "y"),
        '+  "D": [ as C ],',
        *write("A", "x", ""),
        " }",
    ]
    assert format_shown(lines, 40, whole=True) == lines
    assert format_shown(lines[:8], 40) == lines[:8], "what does not end is shown"


def test_lines_that_differ_beyond_the_edge_are_shown_differently() -> None:
    same = '  { "matcher": "Edit|Write", "hooks": [{ "type": "command", "command": "/opt/tools/lint" }] }'
    old, new = format_shown([f"-{same}", f"+{same},"], 50)
    assert old[1:] != new[1:]
    assert "…" in old
    assert new.endswith("}] },")
    assert new.startswith('+  { "match')


@given(st.lists(st.text(alphabet='ab 日{}",é', max_size=80)), st.integers(10, 60), st.booleans())
def test_lines_fit_and_cuts_are_marked(texts, width, whole) -> None:
    lines = [sign + text for text in texts for sign in "-+ "]
    for each in format_shown(lines, width, whole=whole):
        assert cell_len(each) <= width
    if whole:
        for line in lines:
            pieces = format_shown([line], width, whole=True)
            assert pieces[0] + "".join(piece[1:] for piece in pieces[1:]) == line
    else:
        assert all(line == text or "…" in text for line, text in zip(lines, format_shown(lines, width), strict=True))


def test_a_plans_diff_is_cleaned_and_has_no_file_names() -> None:
    plan = Plan(PATH, b'{\n\t"a": "\x1b[31m\xe2\x80\xae"\n}', b"{\n}\n", (), (), None)
    lines = make_diff_lines(plan)
    assert lines[0].startswith("@@")
    assert not any("\x1b" in line or "\u202e" in line or "\t" in line for line in lines)
    assert "\\ No newline at end of file" in lines
    assert not any(str(PATH) in line for line in lines)
