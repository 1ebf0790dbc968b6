"""The whole request as text: nothing of it is left out, and nothing of it steers a terminal."""

import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atm_tui.model.request import Request
from atm_tui.text import clean
from atm_tui.view.request import Row, asked, diff_rows, title, whole_line


def request(tool="Bash", given=None, **more):
    more = {"at": 100.0, "until": 700.0, "cwd": "/home/user/work/web", "permission_mode": "default", **more}
    return Request(
        nonce="0" * 32, session_id="2aa9ed30-a0ae", key="k", digest="d", tool=tool, input=given or {}, **more
    )


def section(wanted, asked_for, **more):
    found = {each.id: each for each in asked(asked_for, now=172.0, home="/home/user", **more)}
    return found[wanted].rows if wanted in found else None


def text(rows):
    return [f"{row.label}: {row.text}" if row.label else row.text for row in rows]


def test_who_asks_where_and_since_when():
    rows = section("about", request(agent_id="a1", agent_type="Explore"), session="web", agent="Scan routes")
    assert text(rows) == [
        "session: web",
        "subagent: Scan routes (Explore)",
        "cwd: ~/work/web",
        "mode: manual",
        "waits: for 1m12s, 8m48s left to answer here",
    ]
    assert text(section("about", request(cwd="", permission_mode="", until=0.0))) == [
        "session: 2aa9ed30",
        "waits: for 1m12s",
    ]


def test_a_command_of_several_lines_with_all_its_options():
    rows = section("input", request(given={"command": "a\n\tb  c", "description": "Does it", "timeout": 5000}))
    assert rows == (
        Row("code", "a"),
        Row("code", "    b  c"),
        Row("text", "Does it", "description"),
        Row("text", "5000", "timeout"),
    )


def test_an_edit_shows_every_line_of_both_texts():
    edit = {"file_path": "/a.py", "old_string": "one\ntwo\nthree", "new_string": "one\n2\nthree\n", "replace_all": True}
    assert section("input", request("Edit", edit)) == (
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
    rows = section("input", request("MultiEdit", {"file_path": "/a.py", "edits": edits}))
    assert text(rows) == ["file: /a.py", "change 1 of 2", "a", "b", "change 2 of 2", "odd: 1", "c"]


def test_lines_that_only_look_alike_differ():
    assert diff_rows("a\x1bb", "a\x9bb") == [Row("remove", "a\ufffdb"), Row("add", "a\ufffdb")]


def test_texts_too_long_to_compare_are_shown_whole():
    rows = diff_rows("\n".join(map(str, range(1100))), "\n".join(map(str, range(1000))))
    assert [row.role for row in rows] == ["remove"] * 1100 + ["add"] * 1000


def test_a_file_that_is_written():
    rows = section("input", request("Write", {"file_path": "/a", "content": "x\ny"}))
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
    given = request("AskUserQuestion", ask)
    assert title(given) == "1 question"
    assert text(section("input", given)) == [
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
    given = request("ExitPlanMode")
    rows = section("input", given, plan=("# Plan\n\n1. Copy", "/home/user/.claude/plans/x.md"))
    assert text(rows) == ["file: ~/.claude/plans/x.md", "# Plan", "", "1. Copy"]
    rows = section("input", given, last_reply="It is planned.")
    assert text(rows) == ["no plan file was found", "the last reply:", "It is planned."]


def test_suggestions_are_numbered_word_for_word():
    offered = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
    assert text(section("suggestions", request(suggestions=(offered,)))) == [
        "1: permission mode accept edits",
        "until this session ends",
    ]
    assert section("suggestions", request()) is None


def test_dangers_stand_before_the_input():
    found = asked(request(given={"command": "rm -r x"}), now=0.0, dangers=("deletes files",))
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
def test_when_one_line_is_all_that_is_asked(tool, given, line):
    assert whole_line(request(tool, given)) == line


_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
json = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
KEYS = st.sampled_from(["command", "file_path", "content", "old_string", "new_string", "edits", "questions", "url"])


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(
        ["Bash", "Edit", "MultiEdit", "Write", "NotebookEdit", "AskUserQuestion", "ExitPlanMode", "mcp__x__y"]
    ),
    st.dictionaries(KEYS | st.text(max_size=5), json, max_size=4),
    st.lists(st.dictionaries(st.text(max_size=5), json, max_size=3), max_size=2),
)
def test_any_request_is_shown_and_harmless(tool, given, suggestions):
    found = asked(request(tool, given, suggestions=tuple(suggestions)), now=0.0)
    for each in found:
        for row in each.rows:
            assert "\n" not in row.text
            assert all(clean(part, lines=True) == part and not _CONTROL.search(part) for part in row[1:]), row


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text("abc", min_size=1, max_size=5), st.text("xyz01", min_size=1, max_size=9), max_size=5))
def test_no_key_of_an_input_is_left_out(given):
    for tool in ("Bash", "Edit", "Write", "AskUserQuestion", "ExitPlanMode", "WebFetch"):
        shown = "\n".join(text(section("input", request(tool, given))))
        for key, value in given.items():
            assert f"{key}: {value}" in shown, (tool, msgspec.json.encode(given))
