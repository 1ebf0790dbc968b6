"""`atm-tui stream` as a process: everything first, then each change; every line is what the committed schema says."""

import json
import os

import jsonschema
import msgspec

from atm_tui.cli.exit_codes import ExitCode
from atm_tui.model.session import Session
from atm_tui.model.stream import LINES, PROTOCOL
from tests.support.command_home import Home
from tests.support.stream_process import SCHEMA, VALIDATOR, run_stream
from tests.support.tables import STREAM_SCHEMA, make_stream_schema
from tests.support.waiting import PATIENCE


def test_everything_first_then_each_change_until_nobody_reads(home: Home) -> None:
    home.replay("02-background-subagents", until=5.0)
    name = "ev\x1b[31mil\u202e"
    home.record("s1", "SessionStart", source="startup", session_title=name)
    with run_stream(home, "--heartbeat", "3600") as stream:
        stream.write('{"id":1,"command":"explain","session_id":"s1"}')  # nobody reads it, without --commands
        assert stream.process.stdin is not None
        stream.process.stdin.close()
        hello, fleet, *listed, complete = stream.read_until("complete")
        assert (hello["change"], hello["protocol"], hello["machine"]) == ("hello", PROTOCOL, os.uname().nodename)
        assert hello["commands"] == []
        assert fleet["change"] == "fleet"
        assert any(each.endswith("Run `atm-tui install` there.") for each in fleet["notices"])
        assert [each["change"] for each in listed] == ["listed", "listed"]
        assert complete["sessions"] == 2
        asking, plain = (each["session"] for each in listed)
        assert asking["state"] == "needs_you"
        assert [each["type"] for each in asking["agents"]][:1] == ["Explore"]
        assert plain["title"] == name
        beat = stream.read()
        assert (beat["change"], beat["totals"]["needs_you"]) == ("heartbeat", 1)

        home.record("s1", "UserPromptSubmit", prompt="go", prompt_id="p1")
        [state] = stream.read_until("state")
        assert (state["before"]["state"], state["session"]["state"]) == ("idle", "working")
        home.record("s1", "PreToolUse", tool_name="Bash", tool_input={"command": "make"}, tool_use_id="t1")
        [detail] = stream.read_until("detail")
        assert detail["session"]["activity"]["tool"] == "Bash"
        assert stream.process.stdout is not None
        assert stream.process.stderr is not None
        stream.process.stdout.close()
        assert stream.process.wait(PATIENCE) == ExitCode.DONE
        assert stream.process.stderr.read() == ""


def test_heartbeats_come_while_nothing_changes(home: Home) -> None:
    done = home.run("stream", "--timeout", "0.4", "--heartbeat", "0.1")
    assert (done.code, done.err) == (ExitCode.DONE, "")
    changes = [json.loads(line)["change"] for line in done.out.splitlines()]
    assert changes[:4] == ["hello", "fleet", "complete", "heartbeat"]
    assert changes.count("heartbeat") > 1


def test_the_schema_is_that_of_the_code() -> None:
    assert STREAM_SCHEMA.read_text("utf-8") == make_stream_schema(), "python -m tests.support.tables writes it anew"
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["$defs"]["Session"]["properties"]) == set(Session.__struct_fields__)


def test_the_schema_refuses_what_is_no_line_and_allows_more_fields() -> None:
    hello = {"change": "hello", "protocol": 1, "at": 1.0, "later": [1]}
    VALIDATOR.validate(hello)
    assert msgspec.json.decode(json.dumps(hello), type=LINES["hello"]) is not None
    for wrong in ({"change": "listed", "at": 1.0}, {"change": "hello"}, {"change": "state", "session": {"name": "x"}}):
        assert not VALIDATOR.is_valid(wrong), wrong
