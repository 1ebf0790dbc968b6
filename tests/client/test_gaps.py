"""What no hook tells of a turn, with the real client: Esc, answers, rules, two waits, errors that pass, compactions."""

import re
import threading

import pytest

from tests.client.api import Error, Hold, Options, Text, Tool
from tests.client.gaps import PERMISSION, RULE, SLOW, Watched
from tests.client.lab import Lab
from tests.support.effort import sample


@pytest.fixture
def watched(lab: Lab) -> Watched:
    lab.install()
    return Watched(lab, lab.start(lab.project("shop", SLOW), *RULE))


def agent(prompt: str, description: str) -> Tool:
    return Tool("Agent", {"description": description, "prompt": prompt, "subagent_type": "general-purpose"})


def test_esc_ends_a_turn_whenever_it_comes(watched: Watched) -> None:
    api, client = watched.lab.api, watched.client
    api.script("wait for it", Hold(threading.Event(), Text("Never said.")))
    api.script("tell a story", Text("word " * 400, Options(chunk_delay=0.1)))
    api.script("take your time", Tool("Bash", {"command": "sh slow.sh 60"}))
    for phrase, seen, detail in (
        ("wait for it", None, "thinking"),
        ("tell a story", "word word", "thinking"),
        ("take your time", r"slow\.sh 60", r"Bash sh slow\.sh 60"),
    ):
        watched.asks(phrase)
        watched.lab.api.wait_asked(phrase)
        if seen:
            client.wait_screen(seen)
        watched.told("working", detail)
        client.key("Escape")
        client.wait_status("idle")
        row = watched.told("idle", "interrupted")
        assert row["reason"] == "interrupted"
        assert not row["unseen"], "a person who pressed Esc has seen it"


def test_a_permission_is_answered_yes_no_or_by_a_rule(lab: Lab) -> None:
    after = threading.Event()
    lab.install()
    watched = Watched(lab, lab.start(lab.project("shop", SLOW), *RULE, "--disallowedTools", "Bash(curl:*)"))
    client = watched.client
    lab.api.script("yes", Tool("Bash", {"command": "rm -f a; sh slow.sh 10"}), Text("Removed."))
    lab.api.script("no", Tool("Bash", {"command": "rm -f b"}), Text("Never said."))
    lab.api.script("allowed", Tool("Bash", {"command": "sh slow.sh 8"}), Text("It took a while."))
    lab.api.script("forbidden", Tool("Bash", {"command": "curl localhost"}), Hold(after, Text("Not done.")))

    watched.asks("yes")
    client.wait_screen(PERMISSION)
    row = watched.told("needs_you", "permission Bash", waits=1)
    assert row["waits"][0]["summary"] == "rm -f a; sh slow.sh 10"
    client.answer(PERMISSION, "Enter")
    client.wait_status("busy")
    watched.told("working", r"Bash rm -f a; sh slow\.sh 10")
    client.wait_screen("Removed")
    watched.told("idle", "finished")

    watched.asks("no")
    client.wait_screen(PERMISSION)
    watched.told("needs_you", "permission Bash", waits=1)
    number = re.search(r"(\d)\. No\b", client.screen())
    assert number
    client.answer(PERMISSION, number[1])
    client.wait_status("idle")
    watched.told("idle", "interrupted")

    watched.asks("allowed")
    client.wait_screen(r"slow\.sh 8")
    watched.told("working", r"Bash sh slow\.sh 8")
    client.wait_screen("It took a while")
    watched.told("idle", "finished")

    watched.asks("forbidden")
    watched.lab.api.wait_asked("forbidden", 2)
    watched.told("working", "thinking")
    after.set()
    client.wait_screen("Not done")
    watched.told("idle", "finished")


@pytest.mark.parametrize("first", sample(["main", "agent"], "agent"))
def test_two_waits_at_once_are_both_told_and_settled_one_by_one(watched: Watched, first: str) -> None:
    api, client = watched.lab.api, watched.client
    gates = {"main": threading.Event(), "agent": threading.Event()}
    rest = threading.Event()
    api.script(
        "both",
        agent("the helper", "Helper"),
        Hold(gates["main"], Tool("Bash", {"command": "rm -f main"})),
        Hold(rest, Text("All done.")),
    )
    api.script(
        "the helper", Hold(gates["agent"], Tool("Bash", {"command": "rm -f agent"})), Hold(rest, Text("Helped."))
    )
    api.script("Helped.", Text("Heard."))
    second = "agent" if first == "main" else "main"
    watched.asks("both")
    watched.lab.api.wait_asked("the helper")
    watched.lab.api.wait_asked("both", 2)
    watched.told("working", "thinking")
    gates[first].set()
    client.wait_screen(PERMISSION)
    watched.told("needs_you", "permission Bash", waits=1)
    gates[second].set()
    row = watched.told("needs_you", r"permission Bash \+1", waits=2)
    assert [wait["summary"] for wait in row["waits"]] == [f"rm -f {first}", f"rm -f {second}"]
    assert [bool(wait["agent_id"]) for wait in row["waits"]] == [first == "agent", second == "agent"]
    client.answer(rf"rm -f {first}", "Enter")
    client.wait_screen(rf"rm -f {second}[\s\S]*{PERMISSION}")
    row = watched.told("needs_you", "permission Bash", waits=1)
    assert row["waits"][0]["summary"] == f"rm -f {second}"
    client.answer(rf"rm -f {second}", "Enter")
    client.wait_status("busy")
    watched.told("working")
    rest.set()
    client.wait_status("idle")
    watched.told("idle", "finished")
    watched.holds(lambda row: [each["state"] for each in row["agents"]] == ["done"])


@pytest.mark.long
def test_the_client_gets_over_one_error_and_fails_with_another(watched: Watched) -> None:
    api, client = watched.lab.api, watched.client
    api.script("try it", Error(529))
    watched.asks("try it")
    watched.lab.api.wait_asked("try it", 2)
    watched.told("working", "thinking")
    api.script("try it", Text("At last."))
    client.wait_screen("At last")
    watched.told("idle", "finished")
    api.script("fail", Error(400))
    watched.asks("fail")
    client.wait_screen("API Error")
    row = watched.told("needs_you", "failed: .+")
    assert row["reason"] == "failed"
    assert row["unseen"]
    api.script("go on", Text("Going on."))
    watched.asks("go on")
    client.wait_screen("Going on")
    watched.told("idle", "finished")


@pytest.mark.long
def test_a_shell_that_outlives_its_turn_is_a_count(watched: Watched) -> None:
    api, client = watched.lab.api, watched.client
    call = {"command": "sh slow.sh 15", "run_in_background": True, "description": "the server"}
    api.script("serve", Tool("Bash", call), Text("Serving."))
    api.script("the server", Text("It is over."))
    watched.asks("serve")
    client.wait_screen("Serving")
    watched.told("idle", "finished")
    watched.holds(lambda row: row["background"]["shells"] == 1)
    client.wait_screen("It is over")
    watched.told("idle", "finished")
    row = watched.holds(lambda row: row["background"]["shells"] == 0)
    assert row["turns"] == 1
    assert row["last_prompt"] == "please serve"


@pytest.mark.long
def test_a_compaction_is_told_by_hand_and_by_itself(lab: Lab) -> None:
    lab.install()
    gate = threading.Event()
    usage = {
        "input_tokens": 10,
        "output_tokens": 900,
        "cache_read_input_tokens": 120_000,
        "cache_creation_input_tokens": 60_000,
    }
    lab.api.script("fill it", Text("Full.", Options(usage=usage)))
    lab.api.script("small", Text("Small."))
    lab.api.script("detailed summary", Hold(gate, Text("A summary.")))
    watched = Watched(lab, lab.start(lab.project("shop"), env={"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "200000"}))
    client = watched.client
    for number in range(5):  # a shorter conversation is not compacted
        lab.api.script(f"part {number}", Text(f"Told {number}."))
        watched.asks(f"part {number}")
        client.wait_screen(f"Told {number}")
        # a prompt that comes before the end of the turn is queued, and may count to it
        watched.holds(lambda row, turns=number + 1: (row["turns"], row["detail"]) == (turns, "finished"))
    watched.asks("fill it")
    client.wait_screen("Full")
    watched.holds(lambda row: (row["turns"], row["detail"]) == (6, "finished"))
    watched.holds(lambda row: row["context"]["used_tokens"] == 180_010)
    watched.asks("small")
    watched.lab.api.wait_asked("detailed summary")
    watched.told("working", "compacting")
    gate.set()
    client.wait_screen("Small")
    client.wait_status("idle")
    watched.told("idle", "finished")
    watched.holds(lambda row: row["agents"] == [])
    gate.clear()
    client.type("/compact")
    watched.lab.api.wait_asked("detailed summary", 2)
    watched.told("working", "compacting")
    gate.set()
    client.wait_status("idle")
    watched.told("idle", "finished")
    watched.holds(lambda row: row["turns"] == 7)
    gate.clear()
    client.type("/compact")
    watched.lab.api.wait_asked("detailed summary", 3)
    client.key("Escape")
    client.wait_status("idle")
    watched.told("idle", "finished")
    gate.set()
