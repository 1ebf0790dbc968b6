"""The whole request as text: nothing is left out, and nothing controls the terminal."""

import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atm_tui.model.request import Request
from atm_tui.text import clean
from atm_tui.view import request_limit
from atm_tui.view.request import find_wait, is_shown_whole, write_diff_rows, write_title, write_whole_line
from atm_tui.view.request_limit import RequestLimit, Row
from tests.support.effort import examples


def make_request(tool="Bash", given=None, **more):
    more = {"at": 100.0, "until": 700.0, "cwd": "/home/user/work/web", "permission_mode": "default", **more}
    return Request(
        nonce="0" * 32, session_id="2aa9ed30-a0ae", key="k", digest="d", tool=tool, input=given or {}, **more
    )


def find_section(wanted, asked_for, **more):
    found = {each.id: each for each in find_wait(asked_for, now=172.0, home="/home/user", **more)}
    return found[wanted].rows if wanted in found else None


def join_text(rows):
    return [f"{row.label}: {row.text}" if row.label else row.text for row in rows]


def test_the_title_shows_who_asks_where_and_since_when():
    rows = find_section("about", make_request(agent_id="a1", agent_type="Explore"), session="web", agent="Scan routes")
    assert join_text(rows) == [
        "session: web",
        "subagent: Scan routes (Explore)",
        "cwd: ~/work/web",
        "mode: manual",
        "waits: for 1m12s, 8m48s left to answer here",
    ]
    assert join_text(find_section("about", make_request(cwd="", permission_mode="", until=0.0))) == [
        "session: 2aa9ed30",
        "waits: for 1m12s",
    ]


def test_a_command_of_several_lines_with_all_its_options():
    rows = find_section(
        "input", make_request(given={"command": "a\n\tb  c", "description": "Does it", "timeout": 5000})
    )
    assert rows == (
        Row("code", "a"),
        Row("code", "    b  c"),
        Row("text", "Does it", "description"),
        Row("text", "5000", "timeout"),
    )


def test_an_edit_shows_every_line_of_both_texts():
    edit = {"file_path": "/a.py", "old_string": "one\ntwo\nthree", "new_string": "one\n2\nthree\n", "replace_all": True}
    assert find_section("input", make_request("Edit", edit)) == (
        Row("text", "/a.py", "file"),
        Row("text", "true", "replace_all"),
        Row("same", "one"),
        Row("remove", "two"),
        Row("add", "2"),
        Row("same", "three"),
        Row("add", ""),
    )


def test_several_edits_one_after_another():
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "", "odd": 1}]
    rows = find_section("input", make_request("MultiEdit", {"file_path": "/a.py", "edits": edits}))
    assert join_text(rows) == ["file: /a.py", "change 1 of 2", "a", "b", "change 2 of 2", "odd: 1", "c"]


def test_lines_that_only_look_alike_are_shown_as_different():
    assert list(write_diff_rows("a\x1bb", "a\x9bb", RequestLimit())) == [
        Row("remove", "a\ufffdb"),
        Row("add", "a\ufffdb"),
    ]


def test_texts_that_take_too_long_to_compare_are_shown_whole():
    old, new = ["", *"abc"] * 600, ["", *"cba"] * 500
    rows = list(write_diff_rows("\n".join(old), "\n".join(new), RequestLimit()))
    assert [row.role for row in rows] == ["remove"] * len(old) + ["add"] * len(new)


def test_long_texts_are_compared_where_that_is_cheap():
    old = list(map(str, range(3000)))
    rows = list(write_diff_rows("\n".join(old), "\n".join([*old[:1500], "new", *old[1500:]]), RequestLimit()))
    assert [row for row in rows if row.role != "same"] == [Row("add", "new")]


ALIKE = "".join(f"\nline {number}" for number in range(249)), "".join(f"\nLine {number}" for number in range(249))
"""Texts in which every other line is blank: nothing else is equal, and difflib takes seconds for two of them."""


def test_all_edits_of_a_request_share_one_limit_of_comparing(monkeypatch):
    compared = []
    longest = request_limit.SequenceMatcher.find_longest_match

    def count(matcher, alo=0, ahi=None, blo=0, bhi=None):
        compared.append(ahi - alo)
        return longest(matcher, alo, ahi, blo, bhi)

    monkeypatch.setattr(request_limit.SequenceMatcher, "find_longest_match", count)
    old, new = ("\n".join(f"{text}\n" for text in each.split("\n")) for each in ALIKE)
    edits = [{"old_string": old, "new_string": new}] * 150
    rows = find_section("input", make_request("MultiEdit", {"file_path": "/a.py", "edits": edits}))
    assert len(rows) <= request_limit.LINES + 1
    assert sum(compared) < request_limit.STEPS
    assert "change 150 of 150" not in join_text(rows)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Write", {"file_path": "/a", "content": "hello world\n" * 70_000}),
        ("Bash", {"command": "echo " + "x" * 1_000_000}),
        ("MultiEdit", {"file_path": "/a", "edits": [{"old_string": "a\n" * 9000, "new_string": "b\n" * 9000}]}),
        ("mcp__x", {"list": [{"deep": "x\n" * 20_000}]}),
        ("AskUserQuestion", {"questions": [{"question": "?", "options": [{"label": "a", "preview": "x\n" * 20_000}]}]}),
        ("ExitPlanMode", {"plan": "x\n" * 20_000}),
    ],
)
def test_a_request_that_is_too_long_counts_left_out_lines_and_is_not_whole(tool, given):
    found = find_wait(make_request(tool, given), now=0.0, plan=(given["plan"], "") if "plan" in given else None)
    assert not is_shown_whole(found)
    rows = found[-1].rows
    assert len(rows) <= request_limit.LINES + 1
    assert sum(len(row.text) for row in rows[:-1]) <= request_limit.CHARACTERS
    assert rows[-1].role == "danger"
    assert "not shown whole: " in rows[-1].text
    assert "left out" in rows[-1].text


def test_a_long_request_is_whole_up_to_the_limit():
    lines = request_limit.LINES
    for count, whole in ((lines - 1, True), (lines, True), (lines + 1, False)):
        found = find_wait(make_request("Bash", {"command": "\n".join(["ls"] * count)}), now=0.0)
        assert is_shown_whole(found) is whole
    assert "about 1 of its 10,001 lines" in found[-1].rows[-1].text


def test_a_suggestion_that_is_too_long_makes_the_request_not_whole():
    offered = {"type": "addRules", "behavior": "allow", "rules": [{"toolName": "Bash", "ruleContent": "x" * 600_000}]}
    assert not is_shown_whole(find_wait(make_request(given={"command": "ls"}, suggestions=(offered,)), now=0.0))


def test_a_file_that_is_written():
    rows = find_section("input", make_request("Write", {"file_path": "/a", "content": "x\ny"}))
    assert rows == (Row("text", "/a", "file"), Row("add", "x"), Row("add", "y"))


def test_questions_with_options_and_descriptions():
    ask = {
        "questions": [
            {
                "question": "Which?",
                "header": "Colour",
                "multiSelect": True,
                "options": [
                    {"label": "Red", "description": "warm"},
                    {"label": "Blue", "preview": "~~\n##"},
                    {"lable": "x"},
                ],
            }
        ]
    }
    given = make_request("AskUserQuestion", ask)
    assert write_title(given) == "1 question"
    assert join_text(find_section("input", given)) == [
        "Colour: Which?",
        "several answers can be chosen",
        "1: Red",
        "warm",
        "2: Blue",
        "~~",
        "##",
        "option: ",
        "  lable: x",
    ]


def test_a_plan_with_its_file_or_the_last_reply():
    given = make_request("ExitPlanMode")
    rows = find_section("input", given, plan=("# Plan\n\n1. Copy", "/home/user/.claude/plans/x.md"))
    assert join_text(rows) == ["file: ~/.claude/plans/x.md", "# Plan", "", "1. Copy"]
    rows = find_section("input", given, last_reply="It is planned.")
    assert join_text(rows) == ["no plan file was found", "the last reply:", "It is planned."]


def test_suggestions_are_numbered_word_for_word():
    offered = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
    assert join_text(find_section("suggestions", make_request(suggestions=(offered,)))) == [
        "1: permission mode accept edits",
        "until this session ends",
    ]
    assert find_section("suggestions", make_request()) is None


def test_dangers_are_shown_before_the_input():
    found = find_wait(make_request(given={"command": "rm -r x"}), now=0.0, dangers=("deletes files",))
    assert [each.id for each in found] == ["about", "dangers", "input"]
    assert found[1].rows == (Row("danger", "deletes files"),)


@pytest.mark.parametrize(
    ("tool", "given", "line"),
    [
        ("Bash", {"command": "npm test", "description": "Tests"}, "npm test"),
        ("Read", {"file_path": "/a b"}, "/a b"),
        ("Bash", {"command": "npm test\nrm x"}, None),
        ("Bash", {"command": "npm test", "timeout": 3}, None),
        ("Bash", {"command": "npm  test"}, None),
        ("Bash", {"command": "npm test\u200b"}, None),
        ("Bash", {"command": ""}, None),
        ("Bash", {}, None),
        ("Read", {"file_path": "/a", "limit": 3}, None),
        ("Write", {"file_path": "/a", "content": ""}, None),
        ("WebFetch", {"url": "https://example.com", "prompt": "x"}, None),
    ],
)
def test_a_request_of_a_single_line(tool, given, line):
    assert write_whole_line(make_request(tool, given)) == line


_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
json = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
KEYS = st.sampled_from(["command", "file_path", "content", "old_string", "new_string", "edits", "questions", "url"])


@settings(max_examples=examples(150), deadline=None)
@given(
    st.sampled_from(
        ["Bash", "Edit", "MultiEdit", "Write", "NotebookEdit", "AskUserQuestion", "ExitPlanMode", "mcp__x__y"]
    ),
    st.dictionaries(KEYS | st.text(max_size=5), json, max_size=4),
    st.lists(st.dictionaries(st.text(max_size=5), json, max_size=3), max_size=2),
)
def test_any_request_is_shown_and_harmless(tool, given, suggestions):
    found = find_wait(make_request(tool, given, suggestions=tuple(suggestions)), now=0.0)
    for each in found:
        for row in each.rows:
            assert "\n" not in row.text
            assert all(clean(part, lines=True) == part and not _CONTROL.search(part) for part in row[1:]), row


@settings(max_examples=examples(100), deadline=None)
@given(st.dictionaries(st.text("abc", min_size=1, max_size=5), st.text("xyz01", min_size=1, max_size=9), max_size=5))
def test_no_key_of_an_input_is_left_out(given):
    for tool in ("Bash", "Edit", "Write", "AskUserQuestion", "ExitPlanMode", "WebFetch"):
        shown = "\n".join(join_text(find_section("input", make_request(tool, given))))
        for key, value in given.items():
            assert f"{key}: {value}" in shown, (tool, msgspec.json.encode(given))
