"""The lines of a request: nothing is lost at any width, and every line knows the row that it belongs to."""

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from atm_tui.model.request import Request, list_questions
from atm_tui.view.present import ASCII, UNICODE
from atm_tui.view.request import find_wait
from atm_tui.view.request_choices import Choices
from atm_tui.view.request_lines import PlacedLine, break_lines, find_seen, write, write_key
from tests.support.effort import examples
from tests.support.waiting import PATIENCE

ASKED: dict[str, Any] = {
    "questions": [
        {"question": "Which colour?", "header": "Colour", "options": [{"label": "Red", "description": "as it was"}]},
        {"question": "Which fruits?", "multiSelect": True, "options": [{"label": "Fig"}, {"label": "Apple"}]},
    ]
}


def make_request(tool: str, **given: Any) -> Request:
    return Request(
        nonce="n",
        session_id="s1",
        key="k",
        digest="d",
        tool=tool,
        input=given,
        cwd="/home/user/work",
        at=1.0,
        until=9.0,
    )


def lay_out(asks: Request, width: int, *, offers: bool = False, choices: Choices | None = None) -> list[PlacedLine]:
    sections = find_wait(asks, now=2.0, session="my session", dangers=["deletes files"])
    return write(sections, width, UNICODE, choices or Choices(list_questions(asks)), offers=offers, spaced=False)


def join_text(placed: list[PlacedLine]) -> list[str]:
    return ["".join(part for part, _ in each.parts) for each in placed]


@settings(max_examples=examples(200), deadline=None)
@given(st.text(alphabet=st.sampled_from("ab  日é-🙂"), max_size=80), st.integers(2, 40))
def test_a_wrapped_line_is_complete_and_fits(line: str, width: int) -> None:
    pieces = break_lines(line, width)
    assert "".join(pieces) == line
    assert all(cell_len(piece) <= width for piece in pieces)


@pytest.mark.parametrize("text", ["x" * 1_000_000, "ab cd " * 170_000, "日本 é" * 200_000])
def test_a_line_of_a_million_characters_is_wrapped_quickly(text: str) -> None:
    begin = time.monotonic()
    assert "".join(break_lines(text, 100)) == text
    assert time.monotonic() - begin < PATIENCE  # in square time it takes hours


@pytest.mark.parametrize("width", [20, 33, 60, 103])
def test_nothing_is_cut_and_every_line_fits(width: int) -> None:
    command = "echo " + " ".join(f"word{number}" for number in range(40)) + " " + "日" * 50 + "\n  done"
    shown = join_text(lay_out(make_request("Bash", command=command, description="x " * 60, timeout=5), width))
    assert all(cell_len(each) <= width for each in shown)
    joined = "".join(shown).replace(" ", "")
    assert command.replace(" ", "").replace("\n", "") in joined
    assert "…" not in joined
    assert "deletesfiles" in joined
    assert "/home/user/work" in joined


@pytest.mark.parametrize("width", [20, 80])
def test_a_row_keeps_its_name_at_every_width(width: int) -> None:
    wide, narrow = (
        lay_out(make_request("Bash", command="a b c " * 30), 100),
        lay_out(make_request("Bash", command="a b c " * 30), width),
    )
    assert {each.row for each in wide if each.row[0] == "input"} == {  # type: ignore[index]
        each.row
        for each in narrow
        if each.row[0] == "input"  # type: ignore[index]
    }


def test_a_partly_seen_row_stays_so_when_an_age_above_it_wraps() -> None:
    before = lay_out(make_request("Bash", command="word " * 60), 40)
    numbers = set(range(len(before) - 2))
    pieces, rows = find_seen(before, numbers)
    after = [PlacedLine(("about", 9), [("one more", "plain")]), *before]
    kept = [at for at, (key, each) in enumerate(write_key(after)) if key in pieces or each.row in rows]
    assert kept == [at + 1 for at in sorted(numbers)]


def test_different_text_in_the_same_place_is_a_new_row() -> None:
    one, other = (lay_out(make_request("Bash", command=each), 80)[-1].row for each in ("ls", "rm"))
    assert one != other


def test_chosen_options_are_marked_with_words_and_signs() -> None:
    asks = make_request("AskUserQuestion", **ASKED)
    choices = Choices(list_questions(asks), current=1, chosen={0: (0,), 1: (1,)}, written={1: "Kiwi"})
    shown = join_text(lay_out(asks, 80, choices=choices))
    assert any("1 ● Red" in each for each in shown)
    assert any("1 [ ] Fig" in each for each in shown)
    assert any("2 [x] Apple" in each for each in shown)
    assert any("3 [x] other: Kiwi" in each for each in shown)
    assert any(each.startswith("▌ ✓ 2  Which fruits?") for each in shown)
    assert not choices.unanswered
    assert choices.answers == {"Which colour?": "Red", "Which fruits?": ("Apple", "Kiwi")}
    assert Choices(list_questions(asks)).unanswered == (0, 1)


def test_nothing_is_chosen_at_first() -> None:
    asks = make_request("AskUserQuestion", **ASKED)
    sections = find_wait(asks, now=2.0)
    shown = join_text(write(sections, 60, ASCII, Choices(list_questions(asks)), offers=False, spaced=True))
    assert not any("(x)" in each or "[x]" in each for each in shown)
    assert sum("( )" in each for each in shown) == 2  # the option, and other text


def test_suggestions_are_listed_only_when_offered() -> None:
    rule = {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "ls"}], "behavior": "allow"}
    asks = Request(
        nonce="n", session_id="s", key="k", digest="d", tool="Bash", input={"command": "ls"}, suggestions=(rule,)
    )
    assert not any("Bash(ls)" in each for each in join_text(lay_out(asks, 80)))
    assert any("1 allow Bash(ls)" in each for each in join_text(lay_out(asks, 80, offers=True)))
