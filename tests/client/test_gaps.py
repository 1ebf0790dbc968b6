"""What no hook tells of a turn, with the real client: Esc, answers, rules, queued prompts, two waits, errors, compactions."""

import re
import threading

import pytest

from tests.client.api import Error, Hold, Options, Text, Tool
from tests.client.gaps import PERMISSION, RULE, SLOW, DrivenSession, make_agent_call
from tests.client.sandbox import Sandbox
from tests.support.effort import sample


@pytest.fixture
def watched(sandbox: Sandbox) -> DrivenSession:
    sandbox.install()
    return DrivenSession(
        sandbox, sandbox.start_client(sandbox.make_project("shop", SLOW), *RULE, "--disallowedTools", "Bash(curl:*)")
    )


def test_a_turn_is_reported_step_by_step(watched: DrivenSession) -> None:
    """The steps share one client, for each start costs seconds."""
    check_escape(watched)
    check_denials(watched)
    check_queued_prompts(watched)


def check_escape(watched: DrivenSession) -> None:
    """Esc ends a turn whenever it comes."""
    api, client = watched.sandbox.api, watched.client
    api.script("wait for it", Hold(threading.Event(), Text("Never said.")))
    api.script("tell a story", Text("word " * 1200, Options(chunk_delay=0.1)))
    api.script("take your time", Tool("Bash", {"command": "sh slow.sh 60"}))
    before_reply = ("wait for it", None, "thinking")
    during_reply = ("tell a story", None, "thinking")
    during_tool = ("take your time", r"slow\.sh 60", r"Bash sh slow\.sh 60")
    for phrase, seen, detail in sample((before_reply, during_reply, during_tool), during_reply, during_tool):
        watched.send_prompt(phrase)
        watched.sandbox.api.wait_for_call(phrase)
        if seen:
            client.wait_screen(seen)
        watched.wait_for_state("working", detail)
        client.press_keys("Escape")
        client.wait_status("idle")
        row = watched.wait_for_state("idle", "interrupted")
        assert row["reason"] == "interrupted"
        assert not row["unseen"], "a person who pressed Esc has seen it"


def check_denials(watched: DrivenSession) -> None:
    """A person who denies ends the turn; a rule that denies does not."""
    after = threading.Event()
    api, client = watched.sandbox.api, watched.client
    api.script("remove another", Tool("Bash", {"command": "rm -f b"}), Text("Never said."))
    api.script("what is forbidden", Tool("Bash", {"command": "curl localhost"}), Hold(after, Text("Not done.")))
    watched.send_prompt("remove another")
    client.wait_screen(PERMISSION)
    watched.wait_for_state("needs_you", "permission Bash", waits=1)
    number = re.search(r"(\d)\. No\b", client.read_screen())
    assert number
    client.answer(PERMISSION, number[1])
    client.wait_status("idle")
    watched.wait_for_state("idle", "interrupted")

    watched.send_prompt("what is forbidden")
    watched.sandbox.api.wait_for_call("what is forbidden", 2)
    watched.wait_for_state("working", "thinking")
    after.set()
    client.wait_screen("Not done")
    watched.wait_for_state("idle", "finished")


@pytest.mark.long  # every run has a yes in the test of a whole session, and a tool that a rule allows in the queued prompts
def test_a_permission_is_answered_yes_or_by_a_rule(watched: DrivenSession) -> None:
    api, client = watched.sandbox.api, watched.client
    api.script("remove one", Tool("Bash", {"command": "rm -f a; sh slow.sh 10"}), Text("Removed."))
    api.script("what is allowed", Tool("Bash", {"command": "sh slow.sh 8"}), Text("It took a while."))

    watched.send_prompt("remove one")
    client.wait_screen(PERMISSION)
    row = watched.wait_for_state("needs_you", "permission Bash", waits=1)
    assert row["waits"][0]["summary"] == "rm -f a; sh slow.sh 10"
    client.answer(PERMISSION, "Enter")
    client.wait_status("busy")
    watched.wait_for_state("working", r"Bash rm -f a; sh slow\.sh 10")
    client.wait_screen("Removed")
    watched.wait_for_state("idle", "finished")

    watched.send_prompt("what is allowed")
    client.wait_screen(r"slow\.sh 8")
    watched.wait_for_state("working", r"Bash sh slow\.sh 8")
    client.wait_screen("It took a while")
    watched.wait_for_state("idle", "finished")


def check_queued_prompts(watched: DrivenSession) -> None:
    """Prompts that are typed while a turn runs keep its tool, and are counted when they get a turn: no hook tells which."""
    gate = threading.Event()
    api, client = watched.sandbox.api, watched.client
    turns = watched.wait_for_state("idle", "finished")["turns"]
    api.script("go slowly", Tool("Bash", {"command": "sh slow.sh 40"}), Hold(gate, Text("It took long.")))
    api.script("do it later", Text("Later it is."))
    watched.send_prompt("go slowly")
    client.wait_screen(r"slow\.sh 40")
    watched.wait_for_state("working", r"Bash sh slow\.sh 40")
    client.type_prompt("and this as well")
    watched.wait_for_row(lambda row: row["queued"] == 1)
    watched.wait_for_state("working", r"Bash sh slow\.sh 40")
    api.wait_for_call("go slowly", 2)
    watched.wait_for_row(lambda row: (row["queued"], row["detail"], row["turns"]) == (0, "thinking", turns + 1))
    client.type_prompt("please do it later")
    watched.wait_for_row(lambda row: row["queued"] == 1)
    gate.set()
    client.wait_screen("Later it is")
    client.wait_status("idle")
    row = watched.wait_for_row(lambda row: (row["turns"], row["queued"], row["detail"]) == (turns + 2, 0, "finished"))
    assert row["evidence"]["event"] == "Stop"


def check_two_waits(watched: DrivenSession, first: str) -> None:
    """Two waits at once, of the main thread and a subagent, are both told and settled one by one; `first` asks first."""
    api, client = watched.sandbox.api, watched.client
    gates = {"main": threading.Event(), "agent": threading.Event()}
    rest = threading.Event()
    api.script(
        "ask twice",
        make_agent_call("the helper", "Helper"),
        Hold(gates["main"], Tool("Bash", {"command": "rm -f main"})),
        Hold(rest, Text("All done.")),
    )
    api.script(
        "the helper", Hold(gates["agent"], Tool("Bash", {"command": "rm -f agent"})), Hold(rest, Text("Helped."))
    )
    api.script("Helped.", Text("Heard."))
    second = "agent" if first == "main" else "main"
    watched.send_prompt("ask twice")
    watched.sandbox.api.wait_for_call("the helper")
    watched.sandbox.api.wait_for_call("ask twice", 2)
    watched.wait_for_state("working", "thinking")
    gates[first].set()
    client.wait_screen(PERMISSION)
    watched.wait_for_state("needs_you", "permission Bash", waits=1)
    gates[second].set()
    row = watched.wait_for_state("needs_you", r"permission Bash \+1", waits=2)
    assert [wait["summary"] for wait in row["waits"]] == [f"rm -f {first}", f"rm -f {second}"]
    assert [bool(wait["agent_id"]) for wait in row["waits"]] == [first == "agent", second == "agent"]
    client.answer(rf"rm -f {first}", "Enter")
    client.wait_screen(rf"rm -f {second}[\s\S]*{PERMISSION}")
    row = watched.wait_for_state("needs_you", "permission Bash", waits=1)
    assert row["waits"][0]["summary"] == f"rm -f {second}"
    client.answer(rf"rm -f {second}", "Enter")
    client.wait_status("busy")
    watched.wait_for_state("working")
    rest.set()
    client.wait_status("idle")
    watched.wait_for_state("idle", "finished")
    watched.wait_for_row(lambda row: [each["state"] for each in row["agents"]] == ["done"])


@pytest.mark.long  # tests/model/test_gaps_turns.py has both orders in every run
@pytest.mark.parametrize("first", ["agent", "main"])
def test_two_waits_are_settled_one_by_one(watched: DrivenSession, first: str) -> None:
    check_two_waits(watched, first)


@pytest.mark.long
def test_the_client_recovers_from_one_error_and_fails_on_another(watched: DrivenSession) -> None:
    api, client = watched.sandbox.api, watched.client
    api.script("try it", Error(529))
    watched.send_prompt("try it")
    watched.sandbox.api.wait_for_call("try it", 2)
    watched.wait_for_state("working", "thinking")
    api.script("try it", Text("At last."))
    client.wait_screen("At last")
    watched.wait_for_state("idle", "finished")
    api.script("fail", Error(400))
    watched.send_prompt("fail")
    client.wait_screen("API Error")
    row = watched.wait_for_state("needs_you", "failed: .+")
    assert row["reason"] == "failed"
    assert row["unseen"]
    api.script("go on", Text("Going on."))
    watched.send_prompt("go on")
    client.wait_screen("Going on")
    watched.wait_for_state("idle", "finished")


@pytest.mark.long
def test_a_shell_that_outlives_its_turn_is_counted(watched: DrivenSession) -> None:
    api, client = watched.sandbox.api, watched.client
    call = {"command": "sh slow.sh 15", "run_in_background": True, "description": "the server"}
    api.script("serve", Tool("Bash", call), Text("Serving."))
    api.script("the server", Text("It is over."))
    watched.send_prompt("serve")
    client.wait_screen("Serving")
    watched.wait_for_state("idle", "finished")
    watched.wait_for_row(lambda row: row["background"]["shells"] == 1)
    client.wait_screen("It is over")
    watched.wait_for_state("idle", "finished")
    row = watched.wait_for_row(lambda row: row["background"]["shells"] == 0)
    assert row["turns"] == 1
    assert row["last_prompt"] == "please serve"


@pytest.mark.long
def test_manual_and_automatic_compactions_are_reported(sandbox: Sandbox) -> None:
    sandbox.install()
    gate = threading.Event()
    usage = {
        "input_tokens": 10,
        "output_tokens": 900,
        "cache_read_input_tokens": 120_000,
        "cache_creation_input_tokens": 60_000,
    }
    sandbox.api.script("fill it", Text("Full.", Options(usage=usage)))
    sandbox.api.script("small", Text("Small."))
    sandbox.api.script("detailed summary", Hold(gate, Text("A summary.")))
    watched = DrivenSession(
        sandbox, sandbox.start_client(sandbox.make_project("shop"), env={"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "200000"})
    )
    client = watched.client
    for number in range(5):  # a shorter conversation is not compacted
        sandbox.api.script(f"part {number}", Text(f"Told {number}."))
        watched.send_prompt(f"part {number}")
        client.wait_screen(f"Told {number}")
        # a prompt that comes before the end of the turn is queued, and may count to it
        watched.wait_for_row(lambda row, turns=number + 1: (row["turns"], row["detail"]) == (turns, "finished"))
    watched.send_prompt("fill it")
    client.wait_screen("Full")
    watched.wait_for_row(lambda row: (row["turns"], row["detail"]) == (6, "finished"))
    watched.wait_for_row(lambda row: row["context"]["used_tokens"] == 180_010)
    watched.send_prompt("small")
    watched.sandbox.api.wait_for_call("detailed summary")
    watched.wait_for_state("working", "compacting")
    gate.set()
    client.wait_screen("Small")
    client.wait_status("idle")
    watched.wait_for_state("idle", "finished")
    watched.wait_for_row(lambda row: row["agents"] == [])
    gate.clear()
    client.type_prompt("/compact")
    watched.sandbox.api.wait_for_call("detailed summary", 2)
    watched.wait_for_state("working", "compacting")
    gate.set()
    client.wait_status("idle")
    watched.wait_for_state("idle", "finished")
    watched.wait_for_row(lambda row: row["turns"] == 7)
    gate.clear()
    client.type_prompt("/compact")
    watched.sandbox.api.wait_for_call("detailed summary", 3)
    client.press_keys("Escape")
    client.wait_status("idle")
    watched.wait_for_state("idle", "finished")
    gate.set()
