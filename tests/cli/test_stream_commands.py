"""`atm-tui stream --commands` as a process: what it takes on stdin, what it replies, and what it refuses."""

from atm_tui.cli.exit_codes import ExitCode
from atm_tui.model.stream_commands import LONGEST_REQUEST
from tests.cli.conftest import Home
from tests.cli.test_stream import run_stream
from tests.support.waiting import PATIENCE


def test_commands_are_carried_out_one_by_one_and_refused_with_the_reason(home: Home) -> None:
    home.record("s1", "SessionStart", source="startup")
    home.record("s1", "UserPromptSubmit", prompt="go", prompt_id="p1")
    with run_stream(home, "--heartbeat", "3600", "--commands", "explain,nothing") as stream:
        hello, *_ = stream.read_until("complete")
        assert hello["commands"] == ["explain"]
        reply = stream.ask(id=7, command="explain", session_id="s1")
        assert (reply["id"], reply["problem"]) == (7, "")
        assert reply["result"]["total"] == len(reply["result"]["lines"])
        assert "working" in "\n".join(reply["result"]["lines"])
        rest = stream.ask(id=8, command="explain", session_id="s1", begin=2)["result"]
        assert rest["lines"] == reply["result"]["lines"][2:]

        for wrong, words in (
            ({"command": "nothing", "session_id": "s1"}, "no command"),
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
        assert stream.process.stderr.read() == 'atm-tui: --commands: there is no command "nothing"; there are explain\n'


def test_without_the_option_stdin_is_not_read(home: Home) -> None:
    with run_stream(home, "--heartbeat", "0.2") as stream:
        hello, *_ = stream.read_until("complete")
        assert hello["commands"] == []
        stream.write('{"id":1,"command":"explain","session_id":"s1"}')
        assert stream.process.stdin is not None
        stream.process.stdin.close()
        assert [stream.read()["change"] for _ in range(3)] == ["heartbeat"] * 3
