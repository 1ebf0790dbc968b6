"""A person's answer in atm-tui: it settles exactly its own request, at once, and who answered is kept."""

from collections.abc import Callable
from typing import Any

from atm_hooks.fold import fold
from atm_hooks.updates import KEEP_LIST
from tests.hooks.folding import fold_events

Make = Callable[..., dict[str, Any]]
ASK = {"tool": "Bash", "summary": "rm x", "hash": "h1", "permission_mode": "default"}
AGENT = {"agent_id": "a1", "agent_type": "Explore"}
ANSWER = {"tool": "Bash", "hash": "h1", "key": "|Bash|h1", "decision": "allow", "by": "app", "after": 2.5}


def test_an_answer_ends_its_wait_at_once_and_names_who_answered(make: Make) -> None:
    state = fold_events(make("PermissionRequest", **ASK), make("Answered", **ANSWER))
    assert state["waits"] == []
    assert state["answers"] == [
        {"at": 1002, "key": "|Bash|h1", "agent_id": "", "tool": "Bash", "decision": "allow", "by": "app", "after": 2.5}
    ]


def test_an_answer_ends_no_other_wait(make: Make) -> None:
    others = [
        make("PermissionRequest", **ASK | {"hash": "h2"}),
        make("PermissionRequest", **ASK, **AGENT),
        make("PermissionRequest", **ASK | {"tool": "Write"}),
    ]
    state = fold_events(*others, make("PermissionRequest", **ASK), make("Answered", **ANSWER))
    assert [wait["key"] for wait in state["waits"]] == ["|Bash|h2", "a1|Bash|h1", "|Write|h1"]


def test_an_agent_continues_once_its_request_is_answered(make: Make) -> None:
    answer = {**ANSWER, **AGENT, "key": "a1|Bash|h1"}
    state = fold_events(make("PermissionRequest", **ASK, **AGENT), make("Answered", **answer))
    assert (state["waits"], state["agents"]["a1"]["state"]) == ([], "working")


def test_the_same_request_made_again_waits_again(make: Make) -> None:
    events = [make("PermissionRequest", **ASK), make("Answered", **ANSWER), make("PermissionRequest", **ASK)]
    assert [wait["since"] for wait in fold_events(*events)["waits"]] == [1003]


def test_an_answer_that_arrives_before_its_request_ends_the_wait_too(make: Make) -> None:
    assert fold_events(make("Answered", at=5, **ANSWER), make("PermissionRequest", at=4, **ASK))["waits"] == []


def test_the_last_answers_are_kept(make: Make) -> None:
    state = fold_events(*(make("Answered", **ANSWER | {"after": number}) for number in range(3 * KEEP_LIST)))
    assert [each["after"] for each in state["answers"]] == list(range(2 * KEEP_LIST, 3 * KEEP_LIST))


def test_a_state_written_before_answers_existed_is_continued(make: Make) -> None:
    old = fold_events(make("PermissionRequest", **ASK))
    assert "answers" not in old
    assert fold(old, make("Answered", **ANSWER))["waits"] == []
    assert "answers" not in old
