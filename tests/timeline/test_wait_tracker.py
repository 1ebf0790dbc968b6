"""Waits tracked event by event: the same result as a full fold, and who answered after how long."""

import json
from typing import Any

import pytest
from hypothesis import given, settings

from atm_hooks import payload
from atm_hooks.fold import fold
from atm_tui.timeline.wait_record import AnsweredBy, WaitRecord
from atm_tui.timeline.wait_tracker import LATE, MARKS, WaitTracker
from tests.support.effort import examples
from tests.support.timelines import NAMES, make_events, read_recording
from tests.support.turns import turns

Event = dict[str, Any]
BASH = {"tool": "Bash", "tool_use_id": "t1", "summary": "rm x"}
ASK = {"tool": "Bash", "summary": "rm x", "hash": "h1", "permission_mode": "default"}
AGENT = {"agent_id": "a1", "agent_type": "Explore"}


def make_event(at: float, kind: str, **fields: Any) -> Event:
    return {"at": at, "session_id": "s", "event": kind, "pid": 7, **fields}


def track_waits(*events: Event) -> list[WaitRecord]:
    waiting = WaitTracker()
    return [entry for event in events for entry in waiting.apply(*make_events(event))[1]]


def check_agreement(events: list[Event]) -> None:
    state, waiting, known = None, WaitTracker(), {}
    for event in events:
        state = fold(state, event)
        opened, ended = waiting.apply(*make_events(event))
        for entry in ended:
            known.pop(entry.wait.key, None)
        known.update({entry.wait.key: entry.wait.since for entry in opened})
        assert known == {wait["key"]: wait["since"] for wait in state["waits"]}, event


@settings(deadline=None, max_examples=examples(300))
@given(turns())
def test_the_open_waits_are_those_of_a_full_fold(events: list[Event]) -> None:
    asked: dict[str, str] = {}
    for event in events:  # what is asked the same has the same hash, and the other way round
        if event["event"] == "Answered":
            event["key"] = asked[event["key"]]
        elif event.get("summary") and event.get("hash"):
            who = f"{event.get('agent_id', '')}|{event['tool']}|"
            asked[who + event["hash"]] = who + event["summary"]
            event["hash"] = event["summary"]
    check_agreement(events)


@pytest.mark.parametrize("name", NAMES)
def test_the_open_waits_agree_in_every_recording(name: str) -> None:
    sessions: dict[str, list[Event]] = {}
    for line in read_recording(name):
        if line["kind"] == "hook":
            event = payload.parse_event(json.dumps(line["data"]).encode(), line["t"], {})
            sessions.setdefault(event["session_id"], []).append(event)
    for events in sessions.values():
        check_agreement(events)
        every, few = WaitTracker(), WaitTracker()
        for event in events:
            told = every.apply(*make_events(event))
            marked = any(mark in json.dumps(event).encode() for mark in MARKS)
            assert (few.apply(*make_events(event)) if marked or not few.is_idle else ([], [])) == told


@pytest.mark.parametrize(
    ("kind", "fields", "until", "by"),
    [
        ("Answered", {"key": "|Bash|h1", "decision": "deny", "by": "shell", "after": 60}, 70, AnsweredBy.HERE),
        ("PostToolUse", {**BASH, "ran": 50.0}, 20, AnsweredBy.THERE),
        ("PostToolUse", BASH, 70, AnsweredBy.THERE),
        ("PostToolUse", {**BASH, "ran": 59.9}, 10.1, AnsweredBy.RULE),
        ("PostToolUseFailure", {**BASH, "ran": 90.0, "error": "x"}, 10, AnsweredBy.RULE),
        ("PostToolBatch", {}, 70, AnsweredBy.THERE),
        ("UserPromptSubmit", {"prompt_kind": "human", "prompt": "no"}, 70, AnsweredBy.THERE),
        ("PermissionDenied", {**BASH, "hash": "h1"}, 70, AnsweredBy.RULE),
        ("SessionEnd", {"reason": "other"}, 70, AnsweredBy.UNKNOWN),
        ("SessionStart", {"source": "resume"}, 30, AnsweredBy.UNKNOWN),
    ],
)
def test_who_answered_and_when(kind: str, fields: dict[str, Any], until: float, by: AnsweredBy) -> None:
    heard = make_event(30, "CwdChanged", cwd="/x")
    (entry,) = track_waits(make_event(10, "PermissionRequest", **ASK), heard, make_event(70, kind, **fields))
    assert (entry.wait.since, entry.until, entry.by) == (10, pytest.approx(until), by)
    assert (entry.decision, entry.through) == (("deny", "shell") if by is AnsweredBy.HERE else ("", ""))
    wait = entry.wait
    assert (wait.agent_id, wait.reason, wait.tool, wait.summary) == ("", "permission", "Bash", "rm x")


def test_an_agent_that_the_main_thread_ends_was_not_answered() -> None:
    (entry,) = track_waits(
        make_event(1, "PermissionRequest", **ASK, **AGENT), make_event(9, "Stop", background_tasks=[])
    )
    assert (entry.agent, entry.until, entry.by) == ("Explore", 9, AnsweredBy.UNKNOWN)


def test_a_late_end_of_the_tool_corrects_the_end_of_the_wait() -> None:
    events = [make_event(10, "PermissionRequest", **ASK), make_event(80, "PostToolBatch")]
    late = make_event(79.9, "PostToolUse", **BASH, ran=60)
    assert [entry.until for entry in track_waits(*events, late)] == [80, pytest.approx(19.9)]
    too_late = make_event(80 + LATE, "CwdChanged", cwd="/x")
    assert [entry.until for entry in track_waits(*events, too_late, make_event(83, "PostToolUse", **BASH, ran=60))] == [
        80
    ]


@pytest.mark.parametrize("decision", ["allow", "deny", "always"])
def test_an_answer_from_here_that_came_too_late_does_not_count(decision: str) -> None:
    """The pane was first: the hook can't know, but the tool had begun by then."""
    given = make_event(50, "Answered", key="|Bash|h1", decision=decision, by="app", after=40)
    events = [make_event(10, "PermissionRequest", **ASK), given]
    other = make_event(60, "PostToolUse", tool="Bash", tool_use_id="t9", summary="ls", ran=30)
    found = track_waits(*events, other, make_event(90, "PostToolUse", **BASH, ran=40.5))
    assert [(each.by, each.until) for each in found] == [(AnsweredBy.HERE, 50), (AnsweredBy.THERE, pytest.approx(49.5))]
    assert (found[-1].decision, found[-1].through) == ("", "")
    for ran in (39.8, 0.1):
        assert [each.by for each in track_waits(*events, make_event(90, "PostToolUse", **BASH, ran=ran))] == [
            AnsweredBy.HERE
        ]
    again = [make_event(90, "PostToolUse", **BASH, ran=39.8), make_event(99, "PostToolUse", **BASH, ran=80)]
    assert [each.by for each in track_waits(*events, *again)] == [AnsweredBy.HERE]


def test_a_duplicate_request_is_one_wait() -> None:
    ask = make_event(10, "PermissionRequest", **ASK)
    waiting = WaitTracker()
    assert [len(waiting.apply(*make_events(event))[0]) for event in (ask, make_event(20, "PostToolBatch"), ask)] == [
        1,
        0,
        0,
    ]
    assert len(waiting.apply(*make_events(make_event(30, "PermissionRequest", **ASK)))[0]) == 1


def test_a_client_that_sends_requests_needs_no_notification() -> None:
    notice = {"notification_type": "permission_prompt", "message": "Claude needs your permission to use Bash"}
    waiting = WaitTracker()
    assert [entry.wait.reason for entry in waiting.apply(*make_events(make_event(1, "Notification", **notice)))[0]] == [
        "permission"
    ]
    told = [make_event(2, "Stop"), make_event(3, "PermissionRequest", **ASK), make_event(4, "PostToolBatch")]
    assert [
        len(waiting.apply(*make_events(event))[0]) for event in [*told, make_event(5, "Notification", **notice)]
    ] == [
        0,
        1,
        0,
        0,
    ]


def test_nothing_is_kept_while_nothing_waits() -> None:
    waiting = WaitTracker()
    for number in range(300):
        waiting.apply(*make_events(make_event(10 * number + 1, "PermissionRequest", **ASK | {"hash": str(number)})))
        assert not waiting.is_idle
        waiting.apply(*make_events(make_event(10 * number + 5, "Stop")))
    waiting.apply(*make_events(make_event(4000, "CwdChanged", cwd="/x")))
    assert waiting.is_idle
    assert waiting._state is None
    assert len(waiting._settled) == 64
