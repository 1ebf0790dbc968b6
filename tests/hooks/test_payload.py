"""What becomes of a payload: every event that was ever recorded or described, odd ones, and what must never be kept."""

import json
from typing import Any

import pytest

from atm_hooks import payload, sample
from atm_hooks.payload import EVENTS, RefusedError
from tests.hooks.recordings import read_hooks
from tests.support.timelines import NAMES, read_recording


def parse_payload(given: dict[str, Any], **environ: str) -> dict[str, Any]:
    return payload.parse_event(json.dumps({"session_id": "s1", **given}).encode(), 5.0, environ)


def parse_kept(given: dict[str, Any]) -> dict[str, Any]:
    """What is kept besides session, event and time."""
    event = parse_payload(given)
    assert (event.pop("at"), event.pop("session_id"), event.pop("event")) == (5.0, "s1", given["hook_event_name"])
    return event


CALL = {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "ls  -l\n x"}}
TOOL = {"tool": "Bash", "tool_use_id": "t1", "summary": "ls -l x"}

EACH = {
    "SessionStart": (
        {"source": "resume", "model": "m", "session_title": "mine"},
        {"source": "resume", "model": "m", "title": "mine"},
    ),
    "SessionEnd": ({"reason": "clear"}, {"reason": "clear"}),
    "Setup": ({"trigger": "init"}, {"trigger": "init"}),
    "UserPromptSubmit": ({"prompt": "go"}, {"prompt_kind": "human", "prompt": "go"}),
    "UserPromptExpansion": ({"command_name": "greet"}, {}),
    "PreToolUse": (CALL, {**TOOL, "hash": payload.hash_input(CALL["tool_input"])}),
    "PermissionRequest": (
        {key: CALL[key] for key in ("tool_name", "tool_input")},
        {"tool": "Bash", "summary": "ls -l x", "hash": payload.hash_input(CALL["tool_input"])},
    ),
    "PermissionDenied": (CALL, {**TOOL, "hash": payload.hash_input(CALL["tool_input"])}),
    "PostToolUse": ({**CALL, "tool_response": {"stdout": "x", "backgroundTaskId": "b1"}}, {**TOOL, "shell": "b1"}),
    "PostToolUseFailure": ({**CALL, "error": "Exit 1", "is_interrupt": True}, {**TOOL, "error": "Exit 1", "is_interrupt": True}),
    "PostToolBatch": ({"tool_calls": [{"tool_use_id": "t1"}, 7, {}]}, {"tool_use_ids": ["t1", ""]}),
    "Notification": (
        {"notification_type": "idle_prompt", "message": "hey", "title": "x"},
        {"notification_type": "idle_prompt", "message": "hey"},
    ),
    "SubagentStart": ({"agent_id": "a1", "agent_type": "Explore"}, {"agent_id": "a1", "agent_type": "Explore"}),
    "SubagentStop": ({"agent_id": "a1", "agent_type": "", "last_assistant_message": "ok"}, {"agent_id": "a1", "reply": "ok"}),
    "Stop": (
        {
            "last_assistant_message": "ok",
            "background_tasks": [{"id": "a1", "type": "subagent", "status": "running", "command": "x"}, {"type": "shell"}, 3],
            "session_crons": [{}, {}],
        },
        {"reply": "ok", "background_tasks": [{"id": "a1", "type": "subagent", "status": "running"}], "crons": 2},
    ),
    "StopFailure": ({"error": "rate_limit", "last_assistant_message": "429"}, {"error": "rate_limit", "reply": "429"}),
    "TeammateIdle": ({"teammate_name": "writer", "team_name": "x"}, {"teammate": "writer"}),
    "TaskCreated": ({"task_id": "1", "task_subject": "do"}, {"task_id": "1", "subject": "do"}),
    "TaskCompleted": ({"task_id": "1", "task_subject": "do"}, {"task_id": "1", "subject": "do"}),
    "PreCompact": ({"trigger": "auto", "custom_instructions": "be brief"}, {"trigger": "auto"}),
    "PostCompact": ({"trigger": "auto", "compact_summary": "all of it"}, {"trigger": "auto"}),
    "Elicitation": ({"mcp_server_name": "forms", "message": "Name?"}, {"server": "forms", "message": "Name?"}),
    "ElicitationResult": (
        {"mcp_server_name": "forms", "action": "accept", "content": {"n": 1}},
        {"server": "forms", "action": "accept"},
    ),
    "CwdChanged": ({"old_cwd": "/a", "new_cwd": "/b", "cwd": "/a"}, {"cwd": "/b"}),
    "PreModelSwitch": ({"from_model": "a", "to_model": "b"}, {}),
    "PostModelSwitch": ({"from_model": "a", "to_model": "b"}, {"model": "b"}),
    "ConfigChange": ({"source": "user_settings", "file_path": "/x"}, {}),
    "InstructionsLoaded": ({"file_path": "/x/CLAUDE.md", "memory_type": "Project"}, {}),
    "DirectoryAdded": ({"directory": "/x"}, {}),
    "FileChanged": ({"file_path": "/x"}, {}),
    "MessageDisplay": ({"delta": "text", "index": 0, "final": True}, {}),
    "WorktreeCreate": ({}, {}),
    "WorktreeRemove": ({}, {}),
    "PreSkillShellCommand": ({}, {}),
}  # fmt: skip


def test_each_event_of_the_clients_schema_is_described_here() -> None:
    assert set(EACH) == EVENTS


@pytest.mark.parametrize("kind", EACH)
def test_each_event_keeps_its_fields(kind: str) -> None:
    given, expected = EACH[kind]
    assert parse_kept({"hook_event_name": kind, **given}) == expected


def test_all_events_have_the_common_fields() -> None:
    common = {
        "cwd": "/x",
        "transcript_path": "/t.jsonl",
        "prompt_id": "p",
        "permission_mode": "plan",
        "effort": {"level": "high"},
    }
    event = parse_kept({"hook_event_name": "Stop", **common, "agent_id": "a", "agent_type": "b"})
    assert event == common | {"effort": "high", "agent_id": "a", "agent_type": "b"}
    assert parse_kept({"hook_event_name": "Stop", "effort": "low"}) == {"effort": "low"}


@pytest.mark.parametrize("name", NAMES)
def test_recorded_payloads_have_no_unknown_fields(name: str) -> None:
    for hook in read_hooks(name):
        event = payload.parse_event(hook.raw, hook.t, hook.environ)
        assert "other_fields" not in event, hook.event
        assert event["event"] in EVENTS


def test_unknown_events_and_fields_are_kept_by_name() -> None:
    assert parse_kept({"hook_event_name": "HoverStart", "colour": "red", "speed": {"x": 1}}) == {
        "other_fields": ["colour", "speed"]
    }
    many = {f"field{n}": n for n in range(500)} | {"bad\nname": 1, "x" * 500: 1}
    assert parse_kept({"hook_event_name": "Stop", **many})["other_fields"] == [f"field{n}" for n in range(20)]


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("Read", {"file_path": "/a/b/c.py"}, "c.py"),
        ("NotebookEdit", {"notebook_path": "/a/n.ipynb"}, "n.ipynb"),
        ("LS", {"path": "/a/b/"}, "b"),
        ("Grep", {"pattern": "def x", "path": "/a"}, "def x"),
        ("Odd", {"pattern": "def x", "path": "/a"}, "a"),
        ("WebFetch", {"url": "https://x.org/y", "prompt": "sum up"}, "https://x.org/y"),
        ("WebSearch", {"query": "weather"}, "weather"),
        ("Agent", {"description": "look", "prompt": "long"}, "look"),
        ("AskUserQuestion", {"questions": [{"question": "Which?"}, {"question": "When?"}]}, "Which?"),
        ("AskUserQuestion", {"questions": []}, ""),
        ("ExitPlanMode", {}, ""),
        ("Bash", None, ""),
        ("Bash", {"command": 7}, ""),
        ("Bash", {"command": "x" * 300}, "x" * 199 + "…"),
    ],
)
def test_tool_inputs_are_summarized(tool: str, given: Any, expected: str) -> None:
    assert payload.summarize_input(tool, given) == expected


def test_files_that_tools_touch() -> None:
    def touched(tool: str, response: Any) -> tuple[Any, Any]:
        given = {"hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": {"file_path": "/x/y"}}
        event = parse_kept({**given, "tool_response": response})
        return event.get("file"), event.get("created")

    assert touched("Write", {"type": "create", "content": "secret text"}) == ("/x/y", True)
    assert touched("Write", {"type": "update"}) == ("/x/y", None)
    assert touched("Edit", {}) == ("/x/y", None)
    assert touched("Read", "text") == ("/x/y", None)


def test_prompts_that_no_user_typed() -> None:
    notice = "<task-notification>\n<task-id>a1</task-id>\n<status> completed </status>\n<summary>x</summary></task-notification>"
    assert parse_kept({"hook_event_name": "UserPromptSubmit", "prompt": notice}) == {
        "prompt_kind": "notification",
        "child": "a1",
        "child_status": "completed",
    }
    for text in (
        "1 background agent was stopped by the user: x",
        '3 background agents were stopped by the user: "a", "b"',
    ):
        assert parse_kept({"hook_event_name": "UserPromptSubmit", "prompt": text}) == {"prompt_kind": "stopped"}
    assert (
        parse_kept({"hook_event_name": "UserPromptSubmit", "prompt": "3 background agents would be nice"})[
            "prompt_kind"
        ]
        == "human"
    )
    assert parse_kept({"hook_event_name": "UserPromptSubmit", "prompt": ["x"]}) == {"prompt_kind": "human"}


def test_equal_inputs_have_equal_hashes() -> None:
    assert payload.hash_input({"a": 1, "b": [2, {"d": 3, "c": 4}]}) == payload.hash_input(
        {"b": [2, {"c": 4, "d": 3}], "a": 1}
    )
    assert payload.hash_input({"a": 1}) != payload.hash_input({"a": "1"})
    assert payload.hash_input({"a": float("nan"), "b": "\ud800"}) != payload.hash_input({})


@pytest.mark.parametrize(
    "value", [None, 7, 1.5, True, [], {}, ["x"], {"a": "b"}, "", "x" * 5000, "a\nb", "a\x00b", "\ud800"]
)
def test_wrong_types_are_tolerated_everywhere(value: Any) -> None:
    """Each known field of each event, one at a time, with a value that it never has."""
    fields = sorted(payload._FIELDS - {"session_id", "hook_event_name"})
    for kind in EVENTS:
        for field in fields:
            event = parse_payload({"hook_event_name": kind, **EACH[kind][0], field: value})
            assert len(json.dumps(event)) < 12_000
            assert all(
                isinstance(event.get(key, ""), str) for key in ("cwd", "model", "tool", "summary", "agent_id", "reply")
            )


@pytest.mark.parametrize(
    "bad", [None, "", "x" * 129, "../x", "a/b", "a b", "a.b", "ä", "a\n", "a\x00", 7, ["s1"], "\uff21\u202e"]
)
def test_session_ids_that_are_not_file_names_are_refused(bad: Any) -> None:
    with pytest.raises(RefusedError, match="session_id"):
        parse_payload({"hook_event_name": "Stop", "session_id": bad})


@pytest.mark.parametrize("bad", [None, "", 7, ["Stop"], "x" * 200, "St\nop"])
def test_invalid_event_names_are_refused(bad: Any) -> None:
    with pytest.raises(RefusedError, match="hook_event_name"):
        parse_payload({"hook_event_name": bad})


@pytest.mark.parametrize(
    "raw",
    [b"", b"  \n", b"{", b"[]", b"null", b"42", b'"x"', b"{}", b"{}{}", b'{"a":1}x', b"\xff\xfe{",
     b"nul", b"[" * 100_000, b"\x00" * 1000],
)  # fmt: skip
def test_payloads_that_are_not_events_are_refused(raw: bytes) -> None:
    with pytest.raises(RefusedError):
        payload.parse_event(raw, 1.0, {})


def test_unusual_but_valid_json() -> None:
    good = b'\xef\xbb\xbf \n{"session_id":"s1","hook_event_name":"Stop","a":1e999,"b":-0,"c":NaN,"d":"\xff","a":2}\r\n'
    assert payload.parse_event(good, 1.0, {})["event"] == "Stop"
    half = b'{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"a\\ud800b \\ud83d\\ude00"}'
    assert payload.parse_event(half, 1.0, {})["prompt"] == "a\ufffdb 😀"


def test_only_listed_variables_of_the_environment_are_kept() -> None:
    secret = {
        "ANTHROPIC_API_KEY": "k",
        "CLAUDE_CODE_MESSAGING_TOKEN": "t",
        "PATH": "/bin",
        "HOME": "/home/user",
        "TERM": "xterm",
    }
    ours = dict.fromkeys(payload.TERMINAL, "v") | {
        "CLAUDE_PID": "77",
        "CLAUDE_PROJECT_DIR": "/p",
        "CLAUDE_CODE_ENTRYPOINT": "cli",
    }
    event = parse_payload({"hook_event_name": "SessionStart"}, **secret, **ours)
    assert event["terminal"] == dict.fromkeys(payload.TERMINAL, "v")
    assert (event["pid"], event["project_dir"], event["entrypoint"]) == (77, "/p", "cli")
    assert set(event) == {"at", "session_id", "event", "pid", "project_dir", "entrypoint", "terminal"}
    later = parse_payload({"hook_event_name": "PreToolUse"}, **secret, **ours)
    assert "terminal" not in later
    assert later["pid"] == 77


@pytest.mark.parametrize("pid", ["", "x", "-1", "1.5", "٣", "9" * 12, "1 "])
def test_an_invalid_pid(pid: str) -> None:
    assert "pid" not in parse_payload({"hook_event_name": "Stop"}, CLAUDE_PID=pid)


def test_a_sample() -> None:
    given = {
        "session_id": "s1",
        "session_name": "mine",
        "version": "2.1.332",
        "cwd": "/x",
        "model": {"id": "m", "display_name": "M"},
        "cost": {"total_cost_usd": 1.5, "total_lines_added": 3, "total_lines_removed": 0, "total_duration_ms": 9},
        "context_window": {
            "context_window_size": 200000,
            "used_percentage": 0,
            "current_usage": {"input_tokens": 5, "cache_read_input_tokens": 0, "other": 1},
        },
        "rate_limits": {"five_hour": {"used_percentage": 12.5, "resets_at": 99}, "seven_day": {"resets_at": 3}},
        "prompt_cache": {"hit_ratio": 0.8796, "expires_at": 1795820164, "ttl": "5m"},
        "new_field": 1,
    }
    event = sample.parse_sample(json.dumps(given).encode(), 3.0, {"CLAUDE_PID": "7"})
    assert event == {
        "at": 3.0, "session_id": "s1", "event": "Sample", "title": "mine", "version": "2.1.332", "cwd": "/x",
        "model": "m", "pid": 7,
        "metrics": {
            "cost_usd": 1.5, "lines_added": 3, "lines_removed": 0, "duration_ms": 9, "window_tokens": 200000, "used_percent": 0,
            "usage": {"input_tokens": 5, "output_tokens": None, "cache_creation_input_tokens": None, "cache_read_input_tokens": 0},
            "model_name": "M", "limits": {"five_hour": {"percent": 12.5, "resets_at": 99}},
            "cache": {"hit_percent": 88.0, "warm_until": 1795820164},
        },
    }  # fmt: skip


def test_samples_before_the_first_answer_and_of_wrong_types() -> None:
    assert (
        sample.parse_sample(
            b'{"session_id":"s1","context_window":{"current_usage":null,"used_percentage":null}}', 3.0, {}
        )["metrics"]
        == {}
    )
    wrong = {
        "session_id": "s1",
        "cost": [],
        "model": "x",
        "context_window": {"used_percentage": "9"},
        "rate_limits": 3,
        "prompt_cache": {"hit_ratio": "x", "expires_at": None},
        "cwd": {},
    }
    assert sample.parse_sample(json.dumps(wrong).encode(), 3.0, {}) == {
        "at": 3.0,
        "session_id": "s1",
        "event": "Sample",
        "metrics": {},
    }
    for raw in (b"", b"{", b"[]", b'{"session_id":"../x"}'):
        with pytest.raises(RefusedError):
            sample.parse_sample(raw, 3.0, {})


def test_recorded_samples() -> None:
    lines = [line["data"] for name in NAMES for line in read_recording(name) if line["kind"] == "statusline"]
    assert len(lines) > 100
    for data in lines:
        event = sample.parse_sample(json.dumps(data).encode(), 1.0, {})
        assert event["metrics"]["window_tokens"] == data["context_window"]["context_window_size"]
        assert event["metrics"]["cost_usd"] == data["cost"]["total_cost_usd"]


@pytest.mark.parametrize(("given", "ran"), [(6071, 6.071), (0, 0), ("6071", None), (True, None), (None, None)])
def test_the_duration_of_a_tool_is_kept_in_seconds(given: object, ran: float | None) -> None:
    data = {"session_id": "s1", "hook_event_name": "PostToolUse", "tool_name": "Bash", "duration_ms": given}
    assert payload.parse_event(json.dumps(data).encode(), 1.0, {}).get("ran") == ran
