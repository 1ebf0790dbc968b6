"""Timeline entries from a session's events: recordings of the real client, and limits of what is kept."""

import json

import pytest

from atm_hooks import payload
from atm_tui.timeline.builder import KEEP, TimelineBuilder, TimelineEvent, TimelineKind
from atm_tui.view.answered import name_answer
from atm_tui.view.timeline_row import format_text
from tests.support.timelines import NAMES, make_events, read_recording


def build_events(name: str) -> list[TimelineEvent]:
    builders: dict[str, TimelineBuilder] = {}
    told: list[TimelineEvent] = []
    for line in read_recording(name):
        if line["kind"] == "hook":
            event = payload.parse_event(json.dumps(line["data"]).encode(), line["t"], {})
            key = event["session_id"]
            told += builders.setdefault(key, TimelineBuilder(key)).build(make_events(event))
    return told


def format_lines(name: str) -> list[str]:
    return [
        " ".join(
            part
            for part in (
                moment.kind.value,
                f"({moment.agent})" if moment.agent else "",
                f"({name_answer(moment.wait)})" if moment.wait and name_answer(moment.wait) else "",
                format_text(moment)[:28],
                f"{moment.seconds:.0f}s" if moment.seconds is not None and moment.seconds >= 0.5 else "",
            )
            if part
        )
        for moment in build_events(name)
    ]


def test_a_permission_has_entries_for_its_start_and_end() -> None:
    assert format_lines("01-permission-allowed") == [
        "started started",
        "prompt Fix the login test",
        "tool Read notes.txt",
        "asks permission Bash touch build.",
        "went on (answered there) permission Bash touch build. 8s",
        "tool Bash touch build.log && rm b",
        "finished The login test is fixed. 9s",
        "ended prompt input exit",
    ]


def test_agents_are_named_in_entries_and_waits() -> None:
    told = format_lines("02-background-subagents")
    assert "agent (Explore) started" in told
    assert "asks (Explore) permission Bash for i in 1 2" in told
    assert "went on (Explore) (answered there) permission Bash for i in 1 2 9s" in told
    assert "agent done (general-purpose) The docs are updated. 13s" in told


def test_a_question_is_a_wait_and_not_a_tool() -> None:
    told = format_lines("03-ask-user-question")
    assert "asks question Which colour do you" in told
    assert "went on (answered there) question Which colour do you 8s" in told
    assert not any(line.startswith("tool AskUserQuestion") for line in told)


def test_failures_have_a_reason() -> None:
    assert any(line.startswith("tool failed Read missing.txt: File") for line in format_lines("05-tool-failure"))
    assert any(line.startswith("failed ") for line in format_lines("05-api-errors"))


@pytest.mark.parametrize("name", NAMES)
def test_every_recording_gives_entries_with_at_most_one_end_per_wait(name: str) -> None:
    told = build_events(name)
    assert told
    assert all(moment.seconds is None or moment.seconds >= 0 for moment in told)
    asked = sum(moment.kind is TimelineKind.ASKS for moment in told)
    assert sum(moment.kind is TimelineKind.WENT_ON for moment in told) <= asked


def test_calls_that_never_end_are_dropped_eventually() -> None:
    builder = TimelineBuilder("s")
    begins = [
        {"at": float(number), "event": "PreToolUse", "session_id": "s", "tool": "Bash", "tool_use_id": f"t{number}"}
        for number in range(2 * KEEP)
    ]
    assert builder.build(make_events(*begins)) == []
    assert len(builder._tools) == KEEP


def test_answers_name_who_answered_and_tools_their_duration() -> None:
    ask = {"session_id": "s", "tool": "Bash", "summary": "npm test", "hash": "h", "permission_mode": "default"}
    who = {"agent_id": "a1", "agent_type": "Explore"}
    answer = {"key": "a1|Bash|h", "decision": "deny", "by": "app", "after": 9.0}
    told = TimelineBuilder("s").build(
        make_events(
            {"at": 1.0, "event": "PermissionRequest", **ask, **who},
            {"at": 10.0, "event": "Answered", "session_id": "s", **who, **answer},
            {"at": 20.0, "event": "PostToolUse", **ask, "ran": 3.5, "tool_use_id": "t"},
        )
    )
    assert [(moment.kind, format_text(moment), moment.seconds, moment.agent) for moment in told] == [
        (TimelineKind.ASKS, "permission Bash npm test", None, "Explore"),
        (TimelineKind.WENT_ON, "permission Bash npm test", 9.0, "Explore"),
        (TimelineKind.TOOL, "Bash npm test", 3.5, ""),
    ]
    assert told[1].wait is not None
    assert name_answer(told[1].wait) == "denied"
