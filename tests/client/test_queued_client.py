"""Prompts that are typed while a turn runs, with the real client: no hook tells which turn they get."""

import threading

from tests.client.api import Hold, Text, Tool
from tests.client.gaps import RULE, SLOW, Watched
from tests.client.lab import Lab


def test_queued_prompts_keep_the_tool_and_are_counted_when_they_get_a_turn(lab: Lab) -> None:
    lab.install()
    gate = threading.Event()
    watched = Watched(lab, lab.start(lab.project("shop", SLOW), *RULE))
    client = watched.client
    lab.api.script("take your time", Tool("Bash", {"command": "sh slow.sh 40"}), Hold(gate, Text("It took long.")))
    lab.api.script("later", Text("Later it is."))
    watched.asks("take your time")
    client.wait_screen(r"slow\.sh 40")
    watched.told("working", r"Bash sh slow\.sh 40")
    client.type("and this as well")
    watched.holds(lambda row: row["queued"] == 1)
    watched.told("working", r"Bash sh slow\.sh 40")
    lab.api.wait_asked("take your time", 2)
    watched.holds(lambda row: (row["queued"], row["detail"], row["turns"]) == (0, "thinking", 1))
    client.type("please do it later")
    watched.holds(lambda row: row["queued"] == 1)
    gate.set()
    client.wait_screen("Later it is")
    client.wait_status("idle")
    row = watched.holds(lambda row: (row["turns"], row["queued"], row["detail"]) == (2, 0, "finished"))
    assert row["evidence"]["event"] == "Stop"
