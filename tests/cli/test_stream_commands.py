"""`atm-tui stream --commands` as a process: what it takes on stdin, what it replies, and what it refuses."""

import base64

from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.stream_commands import COMMANDS
from atm_tui.model.stream_commands import LONGEST_REQUEST
from tests.support.command_home import Home
from tests.support.conversations import write_work
from tests.support.stream_process import run_stream
from tests.support.waiting import PATIENCE


def test_commands_are_carried_out_one_by_one_and_refused_with_the_reason(home: Home) -> None:
    path = home.folder / ".claude" / "projects" / "-app" / "s1.jsonl"
    home.record("s1", "SessionStart", source="startup", transcript_path=str(path))
    home.record("s1", "UserPromptSubmit", prompt="go", prompt_id="p1")
    told = write_work(path)
    given = {"command": "make " + "x" * 300}
    told.call("t9", "Bash", **given)
    home.record("s1", "PermissionRequest", tool_name="Bash", tool_input=given, prompt_id="p1")
    commands = "explain,timeline,peek,conversation"
    with run_stream(home, "--heartbeat", "3600", "--commands", f"{commands},nothing") as stream:
        hello, *_ = stream.read_until("complete")
        assert hello["commands"] == commands.split(",")
        reply = stream.ask(id=7, command="explain", session_id="s1")
        assert (reply["id"], reply["problem"]) == (7, "")
        assert reply["result"]["total"] == len(reply["result"]["lines"])
        assert "needs you" in "\n".join(reply["result"]["lines"])
        rest = stream.ask(id=8, command="explain", session_id="s1", begin=2)["result"]
        assert (len(rest["lines"]), rest["lines"][0]) == (rest["total"] - 2, reply["result"]["lines"][2])
        [waiting] = stream.ask(id=9, command="peek", session_id="s1")["result"]["inputs"].values()
        assert waiting == given

        events = stream.ask(id=1, command="timeline", session_id="s1")["result"]
        assert [each["event"] for each in events["events"]] == ["SessionStart", "UserPromptSubmit", "PermissionRequest"]
        asked = {"command": "timeline", "session_id": "s1", "begin": events["total"], "count": events["count"]}
        assert stream.ask(id=2, **asked)["result"]["events"] == []
        home.record("s1", "PostToolUse", tool_name="Bash", tool_input=given, tool_use_id="t9", prompt_id="p1")
        [new] = stream.ask(id=3, **asked)["result"]["events"]
        assert new["event"] == "PostToolUse"
        assert stream.ask(id=4, **asked | {"count": "other"})["result"]["begin"] == 0
        page = stream.ask(id=5, command="timeline", session_id="s1", size=0)["result"]
        assert (page["begin"], len(page["events"]), page["total"]) == (3, 1, 4)

        files = stream.ask(id=6, command="conversation", session_id="s1")["result"]["files"]
        assert [each["name"] for each in files] == ["main", "agent-a1.jsonl", "agent-a2.jsonl"]
        for each, there in zip(files, (path, *sorted(path.with_suffix("").glob("subagents/*.jsonl"))), strict=True):
            piece = stream.ask(id=7, command="conversation", session_id="s1", file=each["name"], begin=9, size=99)
            assert base64.b64decode(piece["result"]["data"]) == there.read_bytes()[9:108]
            assert each["size"] == there.stat().st_size

        for wrong, words in (
            ({"command": "nothing", "session_id": "s1"}, "no command"),
            ({"command": "jump", "session_id": "s1"}, "not switched on"),
            ({"command": "conversation", "session_id": "s1", "file": str(path)}, "no such transcript"),
            ({"command": "conversation", "session_id": "s1", "file": "../s1.jsonl"}, "no such transcript"),
            ({"command": "conversation", "session_id": "s1", "file": "main", "size": 1 << 30}, "size"),
            ({"command": "explain"}, "session_id"),
            ({"command": "explain", "session_id": "s9"}, "no such session"),
            ({"command": "explain", "session_id": "../s1"}, "no such session"),
            ({"command": "explain", "session_id": "s1", "loud": True}, "unknown field `loud`"),
            ({"command": "explain", "session_id": "s1", "begin": -1}, "begin"),
            ({"command": "explain", "session_id": "s1", "begin": "2"}, "begin"),
        ):
            refused = stream.ask(id=9, **wrong)
            assert (refused["id"], refused["result"]) == (9, None)
            assert words in refused["problem"]
        for noise in ("no json", "[]", '{"id":"x"}', "x" * (3 * LONGEST_REQUEST), "\x1b]0;x\x07"):
            stream.write(noise)
            [*_, refused] = stream.read_until("reply")
            assert (refused["id"], refused["result"]) == (0, None)
            assert refused["problem"]
        stream.write('{"id":0,"command":"beat"}')
        assert stream.ask(id=10, command="explain", session_id="s1")["id"] == 10
        assert stream.process.stdin is not None
        stream.process.stdin.close()  # nobody asks any more
        assert stream.process.wait(PATIENCE) == ExitCode.DONE
        assert stream.process.stderr is not None
        known = ", ".join(COMMANDS)
        assert (
            stream.process.stderr.read() == f'atm-tui: --commands: there is no command "nothing"; there are {known}\n'
        )
