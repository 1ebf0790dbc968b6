"""Answers through `atm-tui stream` as a process: off unless both sides ask for it, and over when the stream is, however it ends."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from atm_hooks import answers
from atm_hooks.lease import LEASE_SECONDS
from atm_tui.cli.exit_codes import ExitCode
from tests.support.answering import list_answered
from tests.support.answers_on_disk import AnswerHarness, run_client
from tests.support.callers import AS_PERSON
from tests.support.command_home import Home
from tests.support.effort import mark_long
from tests.support.stream_process import Stream
from tests.support.waiting import PATIENCE, wait_until

COMMANDS = "arm,requests,answer,disarm"


class AnsweringMachine:
    """A machine with hooks that wait for answers, whose streams a test starts."""

    def __init__(self, folder: Path, pid: int) -> None:
        self.harness = AnswerHarness(folder, pid)
        self.home = Home(folder)
        self.home.environ["CLAUDE_CONFIG_DIR"] = str(self.harness.config_dir)
        self.config = folder / ".config" / "atm-tui" / "config.toml"
        self.config.parent.mkdir(parents=True)
        self.config.write_text("remote_answers = true\n", "utf-8")
        self.lease = self.harness.sandbox.root / "answers" / "lease"

    @contextmanager
    def run_stream(self, commands: str = COMMANDS) -> Iterator["AnswerStream"]:
        words = ("stream", "--heartbeat", "3600", "--commands", commands)
        with self.home.open(*words, stdin=subprocess.PIPE, program=AS_PERSON) as process:
            stream = AnswerStream(process)
            stream.read_until("complete")
            yield stream


class AnswerStream(Stream):
    """A stream that takes answers."""

    number = 0

    def say(self, command: str, **fields: Any) -> dict[str, Any]:
        self.number += 1
        return self.ask(id=self.number, command=command, **fields)

    def arm(self) -> str:
        lease: str = self.say("arm")["result"]["lease"]
        assert len(lease) == 32
        return lease


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[AnsweringMachine]:
    with run_client() as process:
        yield AnsweringMachine(tmp_path, process.pid)


@pytest.mark.long  # tests/monitor/test_answer_desk.py shows it without a process
def test_without_both_sides_nothing_is_armed(machine: AnsweringMachine) -> None:
    with machine.run_stream("explain") as stream:
        for command in COMMANDS.split(","):
            assert "is not switched on" in stream.say(command)["problem"]
    machine.config.write_text("", "utf-8")
    with machine.run_stream() as stream:
        result = stream.say("arm", takes_over=True)["result"]
        assert (result["state"], result["lease"]) == ("not allowed", "")
        assert "remote_answers = true" in result["problem"]
    assert not machine.lease.exists()


@pytest.mark.parametrize("how", mark_long(("end", "kill"), short=("kill",)))
def test_the_lease_ends_with_the_stream(machine: AnsweringMachine, how: str) -> None:
    """At once when its stdin ends, and in some seconds when it is killed; the hook then leaves the request to its dialog."""
    with machine.run_stream() as stream:
        stream.arm()
        with machine.harness.open_request() as hook:
            if how == "kill":
                stream.process.kill()
            else:
                assert stream.process.stdin is not None
                stream.process.stdin.close()
                assert stream.process.wait(PATIENCE) == ExitCode.DONE
                assert not machine.lease.exists()
            assert hook.end(LEASE_SECONDS + PATIENCE) == b""
        assert answers.find_lease(str(machine.harness.sandbox.root), 0.0) is None
        assert list_answered(machine.harness.sandbox) == []


@pytest.mark.long
def test_a_verdict_over_stdin(machine: AnsweringMachine) -> None:
    from atm_tui.model.decoding import convert
    from atm_tui.model.request import Request
    from atm_tui.sources.request_digest import digest_request

    with machine.run_stream() as stream:
        lease = stream.arm()
        with machine.harness.open_request() as hook:
            found: list[dict[str, Any]] = []

            def look() -> bool:
                found[:] = stream.say("requests", lease=lease)["result"]["asked"]
                return bool(found)

            wait_until(look, "the request")
            [asked] = found
            assert asked["request"]["input"] == {"command": "npm test"}
            fields = {
                "lease": lease,
                "nonce": hook.nonce,
                "seal": asked["seal"],
                "shown": digest_request(convert(asked["request"], Request)),
            }
            for decision in ({"kind": "allow", "updatedInput": {}}, "allow", None, {}):
                assert stream.say("answer", **fields, decision=decision)["problem"], decision
            assert stream.say("answer", **fields, decision={"kind": "allow"}, sure=True)["problem"]
            assert hook.process.poll() is None
            assert stream.say("answer", **fields, decision={"kind": "allow"})["result"] == {"outcome": "given"}
            assert hook.decision() == {"behavior": "allow"}
        assert stream.say("disarm", lease=lease)["result"]["state"] == "off"
        assert not machine.lease.exists()
