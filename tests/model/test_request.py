"""What a request asks, which answers fit, and the client's suggestions word for word."""

import json

import msgspec
import pytest

from atm_tui.model.request import (
    Decision,
    Option,
    Question,
    Request,
    describe_suggestion,
    format_rule,
    list_questions,
)


def make_request(**given):
    return Request(**{"nonce": "0" * 32, "session_id": "s", "key": "|Bash|0", "digest": "d", "tool": "Bash", **given})


ASKED = {
    "questions": [
        {
            "question": "Which colours?",
            "header": "Colour",
            "multiSelect": True,
            "options": [{"label": "Red", "description": "warm"}, {"label": "Blue"}],
        },
        {"question": "How?", "options": [], "multiSelect": "yes"},
    ]
}


def test_questions_and_their_options_in_order():
    found = list_questions(make_request(tool="AskUserQuestion", input=ASKED))
    assert found == (
        Question(
            text="Which colours?",
            header="Colour",
            multi=True,
            options=(Option(label="Red", description="warm"), Option(label="Blue")),
        ),
        Question(text="How?"),
    )


@pytest.mark.parametrize(
    "given",
    [{}, {"questions": None}, {"questions": "x"}, {"questions": [1, None, {"question": 3}, []]}],
)
def test_malformed_questions_are_ignored(given):
    assert list_questions(make_request(tool="AskUserQuestion", input=given)) == ()


def test_another_tool_asks_no_question():
    assert list_questions(make_request(tool="mcp__x__ask", input=ASKED)) == ()


@pytest.mark.parametrize(
    ("tool", "suggestions", "kinds"),
    [
        ("Bash", (), ("allow", "deny")),
        ("Bash", ({"type": "setMode"},), ("allow", "always", "deny")),
        ("AskUserQuestion", ({"type": "setMode"},), ("answer", "deny")),
        ("ExitPlanMode", (), ("approve", "deny")),
    ],
)
def test_the_allowed_decisions_depend_on_the_tool(tool, suggestions, kinds):
    assert make_request(tool=tool, suggestions=suggestions).kinds == kinds


BASH = {"toolName": "Bash", "ruleContent": "npm run test:*"}
READ = {"toolName": "Read"}


@pytest.mark.parametrize(
    ("suggestion", "what", "kept"),
    [
        (
            {"type": "addRules", "rules": [BASH, READ], "behavior": "allow", "destination": "localSettings"},
            "allow Bash(npm run test:*), Read",
            "in this project's .claude/settings.local.json, for you alone",
        ),
        (
            {"type": "addRules", "rules": [BASH], "behavior": "deny", "destination": "userSettings"},
            "deny Bash(npm run test:*)",
            "in your own settings.json, for all projects",
        ),
        (
            {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
            "permission mode accept edits",
            "until this session ends",
        ),
        (
            {"type": "addDirectories", "directories": ["/srv/a", "/srv/b"], "destination": "projectSettings"},
            "work in /srv/a, /srv/b",
            "in this project's .claude/settings.json, for all who work on it",
        ),
        ({"type": "setMode", "mode": "plan", "destination": "moon"}, "permission mode plan", "in moon"),
        ({"type": "setMode", "mode": "plan"}, "permission mode plan", "where the client decides"),
    ],
)
def test_suggestions_in_words(suggestion, what, kept):
    assert describe_suggestion(suggestion) == (what, kept)


@pytest.mark.parametrize(
    "suggestion",
    [
        {"type": "grantAll"},
        {"type": "addRules", "behavior": "allow", "rules": []},
        {"type": "addRules", "behavior": "allow", "rules": [{"toolName": "Bash", "and": "more"}]},
        {"type": "addRules", "behavior": "allow", "rules": [BASH, {"ruleContent": "x"}]},
        {"type": "setMode", "mode": "plan", "hidden": "bypassPermissions"},
        {"type": "addDirectories", "directories": ["/a", 3]},
        {"type": "setMode", "mode": "plan", "rules": [BASH]},
        {"type": "addDirectories", "directories": ["/a"], "mode": "bypassPermissions"},
        {"type": "setMode", "mode": "plan", "destination": {"all": True}},
        {"type": "grant", "half": "\ud800"},
    ],
)
def test_an_unknown_suggestion_is_shown_in_full(suggestion):
    assert json.loads(describe_suggestion(suggestion)[0]) == suggestion


def test_rules_as_the_client_spells_them():
    assert format_rule(BASH) == "Bash(npm run test:*)"
    assert format_rule({"toolName": "Bash", "ruleContent": ""}) == "Bash()"
    assert format_rule("Bash") == format_rule({"toolName": 3}) == ""


def test_a_decision_contains_only_its_own_fields():
    assert msgspec.to_builtins(Decision(kind="allow")) == {"kind": "allow"}
    assert msgspec.to_builtins(Decision(kind="always", suggestions=(0, 2))) == {"kind": "always", "suggestions": (0, 2)}


@pytest.mark.parametrize(
    "asked",
    [
        [{"question": "A?", "options": []}, {"question": "A?", "options": []}],
        [{"question": "A?", "options": [{"label": "x", "description": "1"}, {"label": "x", "description": "2"}]}],
    ],
)
def test_ambiguous_questions_can_only_be_denied(asked):
    made = Request(nonce="0", session_id="s", key="k", digest="d", tool="AskUserQuestion", input={"questions": asked})
    assert made.kinds == ("deny",)
