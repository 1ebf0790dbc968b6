"""What asks twice, and what does not: files, tools, letters, patterns of the user, and any text."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atm_tui.model.request import Request
from atm_tui.risk.characters import find_hidden_characters
from atm_tui.risk.requests import find_dangers
from atm_tui.risk.rules import DANGERS, DangerError, build_rules
from tests.support.danger_ids import HOME, ROOT, WORDS, find_ids
from tests.support.effort import LONG, examples

FILES = [
    ("Write", f"{ROOT}/src/a.py", []),
    ("Write", "src/a.py", []),
    ("Write", "/etc/hosts", ["outside"]),
    ("Edit", f"{ROOT}/../other/a.py", ["outside"]),
    ("Edit", "/home/user/work/web-2/a.py", ["outside"]),
    ("Edit", "~/x", ["outside"]),
    ("Edit", f"{ROOT}/.env", ["credentials"]),
    ("Edit", f"{ROOT}/.env.example", []),
    ("Read", "/etc/hosts", []),
    ("Read", "/home/user/.ssh/config", ["credentials"]),
    ("Read", f"{ROOT}/server.pem", ["credentials"]),
    ("Edit", f"{ROOT}/.claude/settings.local.json", ["settings"]),
    ("Write", f"{ROOT}/.git/hooks/pre-commit", ["settings"]),
    ("Write", f"{ROOT}/.mcp.json", ["settings"]),
    ("Write", f"{ROOT}/docs/credentials.md", []),
]


@pytest.mark.parametrize(("tool", "path", "expected"), FILES)
def test_files(tool, path, expected):
    assert find_ids(tool, file_path=path, content="rm -rf /\n.env") == expected


def test_a_path_with_a_line_break_or_too_long():
    assert find_ids("Write", file_path="/etc/x\ny") == ["outside"]
    assert find_ids("Write", file_path="/" + "a." * 500_000) == ["unread"]


def test_links_are_followed():
    request = Request(
        nonce="0", session_id="s", key="k", digest="d", tool="Write", input={"file_path": "docs/a"}, cwd=ROOT
    )
    places = {f"{ROOT}/docs/a": "/etc/cron.d/a", ROOT: "/disk/web"}

    def list_found(**real):
        return [
            WORDS[each] for each in find_dangers(request, (ROOT,), HOME, follow_links=lambda path: real.get(path, path))
        ]

    assert list_found(**places) == ["outside", "settings"]
    assert list_found(**{**places, f"{ROOT}/docs/a": "/disk/web/docs/a"}) == []
    assert list_found(**{**places, f"{ROOT}/docs/a": f"{HOME}/.ssh/config"}) == ["outside", "credentials", "settings"]


@pytest.mark.parametrize(
    "command",
    [
        "cаt notes",  # a Cyrillic letter
        "git push оrigin main",
        "curl https://gοogle.com",  # a Greek one
        "curl https://example.com\u2215evil.org/x",
        "ls \uff0dl\uff41x",
    ],
)
def test_letters_that_look_like_others(command):
    assert "alike" in find_ids(command=command)


@pytest.mark.parametrize(
    "command", ["git commit -m 'исправил ошибку'", "echo Δt 10μs λx", "ls äöü", "echo “quoted” – x"]
)
def test_other_alphabets_are_not_flagged(command):
    assert find_ids(command=command) == []


def test_a_notebook_and_other_tools():
    assert find_ids("NotebookEdit", notebook_path="/srv/x.ipynb", new_source="") == ["outside"]
    assert find_ids("Glob", pattern="**/.env") == ["credentials"]
    assert find_ids("Grep", pattern=".env", path="src") == []
    assert find_ids("mcp__files__read", path="/home/user/.aws/credentials") == ["credentials"]
    assert find_ids("mcp__db__query", sql="drop table users") == ["data"]
    assert find_ids("WebFetch", url="https://example.com/a", prompt="rm -rf") == []


def test_questions_and_plans_are_not_checked_as_commands():
    asked = {"questions": [{"question": "rm -rf / ?", "options": [{"label": "drop table x"}]}]}
    assert find_ids("AskUserQuestion", **asked) == []
    assert find_ids("ExitPlanMode", plan="rm -rf /") == []
    assert find_ids("ExitPlanMode", plan="see\u202e") == ["hidden"]


def test_outside_the_sandbox():
    assert find_ids(command="ls", dangerouslyDisableSandbox=True) == ["sandbox"]
    assert find_ids(command="ls", dangerouslyDisableSandbox=False) == []


def test_several_roots_and_none():
    assert find_ids("Write", file_path="/srv/tree/a", roots=(ROOT, "/srv/tree")) == []
    assert find_ids("Write", file_path=f"{ROOT}/a", roots=()) == ["outside"]
    assert find_ids("Write", file_path=f"{ROOT}/a", roots=("",)) == ["outside"]
    assert find_ids("Write", file_path="/a", roots=("/",)) == []


def test_reasons_come_in_the_order_of_the_list_and_once():
    found = find_ids(command="sudo rm -rf a; rm -rf b; git push -f > /etc/x")
    assert found == [each for each in DANGERS if each in ("delete", "push", "outside", "root")]


def test_patterns_of_the_user():
    assert find_ids(command="rollout prod", wanted=["rollout .*prod"]) == [
        'matches "rollout .*prod", a pattern of yours'
    ]
    assert find_ids(command="rollout stage", wanted=["rollout .*prod"]) == []
    assert find_ids("WebFetch", url="https://prod.example.com", wanted=["prod"]) == [
        'matches "prod", a pattern of yours'
    ]


def test_an_entry_can_be_left_out():
    assert find_ids(command="rm -rf x > /etc/y", wanted=["!outside"]) == ["delete"]


@pytest.mark.parametrize(
    ("entry", "says"),
    [("(", '"("'), ("!outsid", 'did you mean "!outside"?'), ("!zzz", "there are: delete"), ("", '""')],
)
def test_a_bad_entry_is_named(entry, says):
    with pytest.raises(DangerError) as caught:
        build_rules(["fine", entry])
    assert says in str(caught.value)


def test_characters_that_no_screen_shows():
    assert not find_hidden_characters("plain\ttext\r\nand ünï 漢字 e\u0301 \U0001f600\ufe0f")
    for bad in ("\x00", "\x1b", "a\rb", "\x9b", "\u200b", "\u202e", "\u2066", "\ufeff", "\U000e0041", "\ud800"):
        assert find_hidden_characters(f"a{bad}b"), bad


NASTY = [
    '"',
    "'",
    "`",
    "$(",
    '"$("',
    "<<A ",
    "cat <<A\n",
    ";",
    "(",
    "\\",
    "$'\\x41",
    "sudo ",
    "xargs a; ",
    "eval ",
    "sh -c ",
]
NASTY += [
    "{",
    "[",
    "echo x>a.sh;sh a.sh;",
    "<<E\n$(",
    "find -exec ",
    "a@",
    ".env.",
    "drop ",
    "timeout 'a b' ",
    "$TOKE",
    "cd x && ",
]


@pytest.mark.parametrize("piece", NASTY)
def test_every_command_is_checked_quickly(piece):
    begin = time.process_time()
    size, seconds = (50_000, 3) if LONG else (20_000, 2)
    find_ids(command=(piece * size)[: size - 1])
    assert time.process_time() - begin < seconds


PIECES = st.sampled_from(
    [*NASTY, "rm -rf x", " ", "\n", "| sh", "curl u", ")", "A\n", "git push -f", ">", "&", "{", "\u202e", "x"]
)


@settings(max_examples=examples(200), deadline=None)
@given(st.text(max_size=40) | st.lists(PIECES, max_size=12).map("".join))
def test_any_text_can_be_checked(command):
    assert set(find_ids(command=command)) <= set(DANGERS)


@settings(max_examples=examples(160), deadline=None)
@given(
    st.lists(
        st.sampled_from(["'it''s'", '"a b"', "x;y", "$(date)", "# c\n", "<<E\ndon't\nE\n", "a\\\nb", "2>&1"]),
        max_size=5,
    )
)
def test_text_before_a_danger_does_not_hide_it(before):
    assert {"delete", "unread"} & set(find_ids(command=" ".join(["echo", *before]) + "\nrm -rf src"))
