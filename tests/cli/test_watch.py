"""`atm-tui watch` as a process: a line for each change from now on, until the time limit or until its output is closed."""

import json
import socket
import subprocess
from typing import Any

import pytest

from atm_tui.cli.exit_codes import ExitCode
from tests.support.command_home import Home
from tests.support.waiting import PATIENCE


def read_json(process: "subprocess.Popen[str]") -> dict[str, Any]:
    assert process.stdout is not None
    found: dict[str, Any] = json.loads(process.stdout.readline())
    return found


def record_request(home: Home, session_id: str) -> None:
    tool = {"tool_name": "Bash", "tool_input": {"command": "npm test"}, "prompt_id": "p1"}
    home.record(session_id, "PermissionRequest", **tool)


def test_a_session_from_its_start_to_its_end_as_json(home: Home) -> None:
    home.record("old", "SessionStart", source="startup")
    with home.open("watch", "--json", "--heartbeat", "3600") as process:
        first = read_json(process)
        assert (first["change"], first["totals"]) == ("heartbeat", {"needs_you": 0, "working": 0, "idle": 1})
        home.record("s1", "SessionStart", source="startup")
        new = read_json(process)
        assert (new["change"], new["before"], new["session"]["session_id"]) == ("new", None, "s1")
        home.record("s1", "UserPromptSubmit", prompt="go", prompt_id="p1")
        assert read_json(process)["session"]["state"] == "working"
        record_request(home, "s1")
        waits = read_json(process)
        assert (waits["change"], waits["before"]["state"], waits["session"]["state"]) == (
            "state",
            "working",
            "needs_you",
        )
        assert waits["session"]["waits"][0]["summary"] == "npm test"
        home.record("s1", "SessionEnd", reason="logout")
        ended = read_json(process)
        assert (ended["change"], ended["session"]["liveness"]) == ("ended", "ended")
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()  # nothing changes any more: it ends without having to write
        assert process.wait(PATIENCE) == ExitCode.DONE
        assert process.stderr.read() == ""


def test_watch_ends_when_the_other_end_of_a_socket_is_closed(home: Home) -> None:
    ours, its = socket.socketpair()
    with ours, home.open("watch", "--heartbeat", "3600", stdout=its) as process:
        its.close()
        assert b"heartbeat" in ours.recv(1000)
        ours.shutdown(socket.SHUT_RDWR)
        ours.close()
        assert process.wait(PATIENCE) == ExitCode.DONE


def test_only_the_named_sessions_are_printed(home: Home) -> None:
    for session_id in ("s1", "t2"):
        home.record(session_id, "SessionStart", source="startup")
    with home.open("watch", "s1", "--heartbeat", "3600") as process:
        assert process.stdout is not None
        assert process.stdout.readline().endswith("heartbeat  0 need you, 0 working, 2 idle\n")
        home.record("t2", "UserPromptSubmit", prompt="other", prompt_id="p1")
        record_request(home, "s1")
        line = process.stdout.readline()
        assert "  needs you  s1  " in line
        assert line.endswith("  permission Bash npm test\n")


def test_watch_ends_after_its_time_limit(home: Home) -> None:
    done = home.run("watch", "--timeout", "0.3", "--heartbeat", "0.05")
    assert (done.code, done.err) == (ExitCode.DONE, "")
    assert done.out.count("heartbeat") > 1


@pytest.mark.parametrize("given", ["-1", "soon", "inf", "nan"])
def test_times_are_numbers_of_seconds(home: Home, given: str) -> None:
    done = home.run("watch", "--timeout", given)
    assert done.code == ExitCode.USAGE
    assert f"{given}: not a number of seconds" in done.err or "expected one argument" in done.err
