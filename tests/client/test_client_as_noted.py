"""The client still behaves as the product's rules assume: its registry's words, and the silence after Esc."""

import threading

import pytest

from tests.client.api import Hold, Text, Tool, Tools
from tests.client.sandbox import Sandbox

PERMISSION = r"Do you want to proceed"
COUNTING = "for i in 1 2 3 4 5 6 7 8 9; do sleep 1; done"


@pytest.mark.long
def test_a_permission_dialog_is_waiting_until_it_is_answered(sandbox: Sandbox) -> None:
    gate = threading.Event()
    sandbox.api.script("remove it", Tool("Bash", {"command": "rm -f a.txt"}), Hold(gate, Text("Removed.")))
    project = sandbox.make_project("shop", {"a.txt": "hello\n"})
    client = sandbox.start_client(project, "--permission-mode", "default")
    client.type_prompt("please remove it")
    client.wait_status("waiting", "permission prompt")
    client.answer(PERMISSION, "Enter")
    client.wait_status("busy")
    sandbox.api.wait_for_call("remove it", 2)
    assert not (project / "a.txt").exists()
    gate.set()
    client.wait_status("idle")


@pytest.mark.long
def test_two_subagents_keep_the_client_busy_after_the_main_turn(sandbox: Sandbox) -> None:
    gate = threading.Event()
    for name in ("count the apples", "count the pears"):
        sandbox.api.script(name, Hold(gate, Text(f"I {name}: 3.")))
    sandbox.api.script(
        "both of them",
        Tools(
            [
                Tool("Agent", {"description": name, "prompt": f"Please {name}", "subagent_type": "general-purpose"})
                for name in ("count the apples", "count the pears")
            ]
        ),
        Text("Both are counting."),
    )
    client = sandbox.start_client(sandbox.make_project("shop"), "--permission-mode", "default")
    client.type_prompt("please do both of them")
    sandbox.api.wait_for_call("count the apples")
    sandbox.api.wait_for_call("count the pears")
    client.wait_screen("Both are counting")
    assert client.status == "busy"
    gate.set()
    client.wait_status("idle")


@pytest.mark.long
def test_escape_during_a_tool_is_idle_at_once(sandbox: Sandbox) -> None:
    sandbox.api.script("count it", Tool("Bash", {"command": COUNTING}))
    client = sandbox.start_client(sandbox.make_project("shop"))
    client.type_prompt("please count it")
    client.wait_screen(r"Running|\(\d+s")
    client.press_keys("Escape")
    client.wait_status("idle")
    client.wait_screen("Interrupted")


@pytest.mark.long  # the tests of figures run a headless client in every run
def test_a_headless_run_reports_its_cost(sandbox: Sandbox) -> None:
    sandbox.api.script("read it", Tool("Read", {"file_path": "a.txt"}), Text("It says hello."))
    result = sandbox.run_headless("please read it", project=sandbox.make_project("shop", {"a.txt": "hello\n"}))
    assert result["result"] == "It says hello."
    assert result["total_cost_usd"] > 0
    assert [asked.phrase for asked in sandbox.api.asked].count("read it") == 2
