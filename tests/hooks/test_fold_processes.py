"""Which processes serve a session: ends, resumes, one session opened twice, and clients that don't say who they are."""

from collections.abc import Callable
from typing import Any

from tests.hooks.folding import fold_events

Make = Callable[..., dict[str, Any]]
PROMPT = {"prompt_kind": "human", "prompt": "go"}
BASH = {"tool": "Bash", "tool_use_id": "t1", "summary": "make", "hash": "h"}


def test_the_end_of_a_session_interrupts_its_turn(make: Make) -> None:
    events = [make("SessionStart", pid=1), make("UserPromptSubmit", pid=1, **PROMPT)]
    state = fold_events(*events, make("SessionEnd", pid=1, reason="logout"))
    assert (state["session_active"], state["ended"]) == (False, {"at": 1003, "reason": "logout"})
    assert state["activity"] == {"kind": "interrupted", "since": 1003}


def test_late_events_do_not_revive_an_ended_session(make: Make) -> None:
    events = [make("UserPromptSubmit", pid=1, **PROMPT), make("SessionEnd", pid=1, reason="other")]
    state = fold_events(*events, make("PostToolUse", pid=1, **BASH), make("Sample", pid=1, metrics={}))
    assert (state["session_active"], state["activity"]["kind"]) == (False, "interrupted")


def test_a_session_without_a_prompt_ends_as_new(make: Make) -> None:
    assert fold_events(make("SessionStart", pid=1), make("SessionEnd", pid=1))["activity"]["kind"] == "new"


def test_a_resumed_session_is_active_in_its_new_process(make: Make) -> None:
    first = [
        make("SessionStart", pid=1, pid_start="5", terminal={"TMUX_PANE": "%1"}),
        make("UserPromptSubmit", pid=1, **PROMPT),
        make("Stop", pid=1),
    ]
    events = [*first, make("SessionEnd", pid=1, reason="prompt_input_exit")]
    resumed = make("SessionStart", pid=2, source="resume", pid_start="9", terminal={"TMUX_PANE": "%2"})
    state = fold_events(*events, resumed)
    assert (state["session_active"], state["ended"], state["activity"]["kind"]) == (True, None, "new")
    assert (state["pid"], state["pid_start"], state["terminal"]) == (2, "9", {"TMUX_PANE": "%2"})
    assert state["fresh"] == {"at": 1005, "pid": 2, "source": "resume"}


def test_a_second_process_does_not_reset_the_firsts_turn(make: Make) -> None:
    running = [
        make("SessionStart", pid=1),
        make("UserPromptSubmit", pid=1, **PROMPT),
        make("PreToolUse", pid=1, **BASH),
    ]
    agent = make("SubagentStart", pid=1, agent_id="a1", agent_type="Explore")
    opened = [*running, agent, make("SessionStart", pid=2, source="resume")]
    state = fold_events(*opened)
    assert (state["activity"]["kind"], state["agents"]["a1"]["state"]) == ("tool", "working")
    state = fold_events(*opened, make("SessionEnd", pid=2, reason="other"))
    assert (state["session_active"], state["activity"]["kind"], state["pid"]) == (True, "tool", 1)


def test_the_end_of_the_process_that_ran_the_turn_ends_the_turn_only(make: Make) -> None:
    running = [
        make("SessionStart", pid=1),
        make("UserPromptSubmit", pid=1, **PROMPT),
        make("SessionStart", pid=2, source="resume"),
    ]
    state = fold_events(*running, make("SessionEnd", pid=1, reason="other"))
    assert (state["session_active"], state["pid"]) == (True, 2)
    assert state["activity"]["kind"] not in ("thinking", "tool")


def test_a_process_that_vanished_runs_no_tool(make: Make) -> None:
    killed = [make("SessionStart", pid=1), make("UserPromptSubmit", pid=1, **PROMPT), make("PreToolUse", pid=1, **BASH)]
    state = fold_events(*killed, make("SessionStart", pid=2, source="resume", gone_pids=[1]))
    assert (state["activity"]["kind"], state["pid"]) == ("new", 2)
    state = fold_events(*killed, make("SessionStart", pid=2, source="resume", gone_pids=[1]), make("SessionEnd", pid=2))
    assert state["session_active"] is False


def test_clients_that_do_not_report_their_pid(make: Make) -> None:
    events = [make("SessionStart"), make("UserPromptSubmit", **PROMPT)]
    assert (fold_events(*events)["session_active"], fold_events(*events)["pid"]) == (True, None)
    events.append(make("SessionEnd", reason="other"))
    assert fold_events(*events)["session_active"] is False
    assert fold_events(*events, make("SessionStart", source="resume"))["session_active"] is True


def test_a_missing_session_end(make: Make) -> None:
    events = [make("SessionStart", pid=1), make("UserPromptSubmit", pid=1, **PROMPT), make("Stop", pid=1)]
    assert fold_events(*events)["session_active"] is True  # the process table knows better


def test_clear_ends_one_session_and_begins_another_in_the_same_process(make: Make) -> None:
    old = fold_events(make("SessionStart", pid=1), make("Stop", pid=1), make("SessionEnd", pid=1, reason="clear"))
    assert (old["session_active"], old["ended"]["reason"], old["pid"]) == (False, "clear", 1)
    again = fold_events(
        make("SessionStart", pid=1),
        make("SessionEnd", pid=1, reason="resume"),
        make("SessionStart", pid=1, source="resume"),
    )
    assert (again["session_active"], again["ended"], again["activity"]["kind"]) == (True, None, "new")


def test_the_newest_event_sets_the_identity(make: Make) -> None:
    path = "/home/user/.claude/projects/-x/s1.jsonl"
    state = fold_events(
        make("SessionStart", at=1, cwd="/x", transcript_path=path, model="m1", title="old"),
        make("PostModelSwitch", at=9, model="m3"),
        make("CwdChanged", at=5, cwd="/x/sub"),
        make("UserPromptSubmit", at=3, cwd="/x", model="m2", title="new", permission_mode="plan", effort="high"),
    )
    known = {"cwd": "/x/sub", "model": "m3", "title": "new", "permission_mode": "plan", "effort": "high"}
    assert {key: state[key] for key in known} == known
    assert (state["config_dir"], state["transcript_path"]) == ("/home/user/.claude", path)
