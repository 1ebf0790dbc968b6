"""A person's answers reach the real client: what it shows, what the model is told, and what atm-tui shows, agree."""

import time

import pytest

from atm_hooks.answer_log import REFUSED
from atm_tui.cli.exit_codes import ExitCode
from tests.client.answering import (
    ALLOWED,
    ASKED,
    DENIED,
    SETTLE,
    ArmedApp,
    HeadlessClient,
    make_removal_script,
    read_model_input,
    wait_or_show_screen,
)
from tests.client.api import Text, Tool, Tools
from tests.client.client import Client
from tests.client.sandbox import ATM_TUI, Sandbox
from tests.support.effort import LONG
from tests.support.waiting import act_until

SIZE_QUESTION = {
    "question": "Which size?",
    "header": "Size",
    "multiSelect": False,
    "options": [{"label": "Small", "description": "for one"}, {"label": "Large", "description": "for all"}],
}
COLOURS = {
    "question": "Which colours?",
    "header": "Colours",
    "multiSelect": True,
    "options": [{"label": each, "description": f"it is {each}"} for each in ("Red", "Blue", "Green")],
}


@pytest.mark.long
def test_allowing_runs_the_tool(sandbox: Sandbox) -> None:
    armed_app = ArmedApp(sandbox)
    file = make_removal_script(sandbox, "remove it", "a.txt", "It is gone.")
    client = armed_app.start_client("shop")
    client.type_prompt("please remove it")
    armed_app.wait_for_requests()
    client.wait_screen("Do you want to proceed")
    pressed = armed_app.press("a")
    client.wait_screen(ALLOWED)
    took = time.time() - pressed
    client.wait_screen("It is gone.")
    assert not file.exists()
    armed_app.wait_for_text("allowed")
    armed_app.wait_until_calm()
    (entry,) = armed_app.read_log()
    assert (entry["decision"], entry["by"], entry["outcome"]) == ("allow", "app", "given")
    sandbox.measure_until(lambda: sandbox.read_session(client.session_id)["detail"] == "finished")
    print(f"from the key to the closed dialog: {took:.2f} s")


def test_only_the_answers_of_a_person_in_the_app_count(sandbox: Sandbox) -> None:
    """The steps share one app and two clients, for each start costs seconds."""
    armed_app = ArmedApp(sandbox)
    client = armed_app.start_client("shop")
    check_deny(armed_app, client)
    if LONG:
        check_question(armed_app, client)
    agent = sandbox.start_client(sandbox.make_project("helper"), *ASKED, "--allowedTools", "Bash", env=sandbox.atm_env)
    check_allow_from_now_on(armed_app, agent)
    check_agent_is_refused(armed_app, client, agent)


def check_deny(armed_app: ArmedApp, client: Client) -> None:
    """A deny tells the model why."""
    file = make_removal_script(armed_app.sandbox, "remove it", "a.txt", "Then not.")
    client.type_prompt("please remove it")
    armed_app.wait_for_requests()
    armed_app.refuse("not that file, please")
    client.wait_screen(DENIED)
    client.wait_screen("Then not.")
    assert file.exists()
    assert "not that file, please" in read_model_input(armed_app.sandbox, "remove it")
    armed_app.wait_for_text("denied")
    armed_app.wait_until_calm()


def check_question(armed_app: ArmedApp, client: Client) -> None:
    """One question is answered with one key."""
    armed_app.sandbox.api.script("ask me", Tool("AskUserQuestion", {"questions": [SIZE_QUESTION]}), Text("Thanks."))
    client.wait_status("idle")
    client.type_prompt("please ask me")
    armed_app.wait_for_requests()
    armed_app.press("a")
    armed_app.wait_for_text("Large")
    time.sleep(SETTLE)
    armed_app.press("2")
    client.wait_screen("Which size\\? → Large")
    assert "Large" in read_model_input(armed_app.sandbox, "ask me")
    armed_app.wait_until_calm()
    client.wait_status("idle")


def check_allow_from_now_on(armed_app: ArmedApp, client: Client) -> None:
    """What is allowed from now on is asked no more; another session is the selected one at first."""
    project = armed_app.sandbox.work / "helper"
    for name in ("one", "two"):
        given = {"file_path": str(project / f"{name}.txt"), "content": "hello\n"}
        armed_app.sandbox.api.script(f"write {name}", Tool("Write", given), Text(f"Wrote {name}."))
    before = len(armed_app.read_log())
    client.type_prompt("please write one")
    (request,) = armed_app.wait_for_requests()
    assert request["suggestions"]
    armed_app.press("n", "w")
    armed_app.wait_for_text("acceptEdits|accept edits")
    time.sleep(SETTLE)
    armed_app.press("1")
    client.wait_screen(ALLOWED)
    client.wait_screen("Wrote one.")
    armed_app.wait_until_calm()
    client.wait_status("idle")
    client.type_prompt("please write two")
    client.wait_screen("Wrote two.")
    client.wait_status("idle")
    assert (project / "two.txt").read_text() == "hello\n"
    assert [entry["decision"] for entry in armed_app.read_log()[before:]] == ["always"]


def check_agent_is_refused(armed_app: ArmedApp, client: Client, agent: Client) -> None:
    """An agent can't answer for the person, and an app that is killed answers nothing: the request stays the client's."""
    sandbox = armed_app.sandbox
    command = {"command": "rm -rf build", "description": "Remove the build"}
    sandbox.api.script("remove the build", Tool("Bash", command), Text("It is gone."))
    (sandbox.make_project("shop") / "build").mkdir()
    before = len(armed_app.read_log())
    client.type_prompt("please remove the build")
    (request,) = armed_app.wait_for_requests()
    answer = f"{ATM_TUI} answer --allow --yes --yes"
    hidden = f"env -u CLAUDECODE -u CLAUDE_PID {answer}"
    ways = [
        answer,
        hidden,
        f"(setsid {hidden} >away 2>&1; echo $? >code) & sleep 1; wait; cat away; (exit $(cat code))",
    ]
    text = "; ".join(f"{way}; echo ended with $?" for way in ways)
    sandbox.api.script("help the shop", Tool("Bash", {"command": text, "description": "Help"}), Text("Helped."))
    agent.type_prompt("please help the shop")
    armed_app.wait_for_text(r"Refused: an agent of .* tried to answer for you")
    agent.wait_screen("Helped.")
    told = read_model_input(sandbox, "help the shop")
    assert told.count(f"ended with {ExitCode.NO_PERSON}") == len(ways), told
    assert "only a person answers" in told
    log = armed_app.read_log()[before:]
    assert [(line["attempt"], line["outcome"]) for line in log] == [("answer", REFUSED)] * len(ways)
    assert [line["session_id"] for line in log[:2]] == [agent.session_id] * 2
    armed_app.wait_for_text("Refused: an agent")
    assert [each["nonce"] for each in armed_app.read_requests()] == [request["nonce"]]
    assert (sandbox.work / "shop" / "build").exists()

    sandbox.tmux.run("kill-pane", "-t", armed_app.app.target)
    wait_or_show_screen(lambda: not armed_app.read_requests(), "the end of the wait", None)
    assert not list((sandbox.state_dir / "answers" / "requests").iterdir())
    assert "Do you want to proceed" in client.read_screen()
    client.answer("Do you want to proceed", "Escape")
    client.wait_status("idle")
    assert (sandbox.work / "shop" / "build").exists()


@pytest.mark.long
def test_several_questions_and_several_answers_go_together(sandbox: Sandbox) -> None:
    armed_app = ArmedApp(sandbox)
    sandbox.api.script("ask me", Tool("AskUserQuestion", {"questions": [COLOURS, SIZE_QUESTION]}), Text("Thanks."))
    client = armed_app.start_client("shop")
    client.type_prompt("please ask me")
    armed_app.wait_for_requests()
    armed_app.press("a")
    armed_app.wait_for_text("Green")
    time.sleep(SETTLE)
    armed_app.press("1", "3", "Enter", "1", "Enter")
    client.wait_screen("Which colours\\? → Red, Green")
    client.wait_screen("Which size\\? → Small")
    armed_app.wait_until_calm()
    assert [entry["decision"] for entry in armed_app.read_log()] == ["answer"]


@pytest.mark.long
def test_a_plan_is_refused_and_then_approved(sandbox: Sandbox) -> None:
    armed_app = ArmedApp(sandbox)
    sandbox.api.script("plan it", Tool("ExitPlanMode", {"plan": "# Plan\n\n1. first\n"}), Text("Planned."))
    client = sandbox.start_client(sandbox.make_project("shop"), "--permission-mode", "plan")
    client.type_prompt("please plan it")
    armed_app.wait_for_requests()
    armed_app.refuse("add a second step")
    client.wait_screen(DENIED)
    assert "add a second step" in read_model_input(sandbox, "plan it")
    client.wait_status("idle")
    armed_app.wait_until_calm()
    client.wait_screen("plan mode on")
    client.type_prompt("please plan it")
    armed_app.wait_for_requests()
    act_until(lambda: armed_app.press("a"), lambda: not armed_app.read_requests(), "the approval")
    client.wait_screen("Exited plan mode")
    armed_app.wait_until_calm()
    assert [entry["decision"] for entry in armed_app.read_log()] == ["deny", "approve"]


@pytest.mark.long
def test_two_subagents_are_answered_in_the_reverse_order(sandbox: Sandbox) -> None:
    armed_app = ArmedApp(sandbox)
    for name in ("apples", "pears"):
        command = {"command": f"rm -f {name}.txt", "description": f"Remove {name}"}
        sandbox.api.script(f"some {name}", Tool("Bash", command), Text(f"The {name} are gone."))
    calls = [
        Tool("Agent", {"description": name, "prompt": f"some {name}", "subagent_type": "general-purpose"})
        for name in ("apples", "pears")
    ]
    sandbox.api.script("send both", Tools(calls), Text("Sent."))
    client = sandbox.start_client(
        sandbox.make_project("shop", {"apples.txt": "a\n", "pears.txt": "p\n"}), "--permission-mode", "default"
    )
    client.type_prompt("please send both")
    first, second = armed_app.wait_for_requests(2)
    assert {first["input"]["command"], second["input"]["command"]} == {"rm -f apples.txt", "rm -f pears.txt"}
    armed_app.answer_by_command(second["nonce"], "--allow")
    file = {each["nonce"]: sandbox.work / "shop" / each["input"]["command"].split()[-1] for each in (first, second)}
    wait_or_show_screen(lambda: not file[second["nonce"]].exists(), "the second file gone", armed_app)
    assert file[first["nonce"]].exists()
    assert [each["nonce"] for each in armed_app.read_requests()] == [first["nonce"]]
    armed_app.answer_by_command(first["nonce"], "--allow")
    wait_or_show_screen(lambda: not file[first["nonce"]].exists(), "the first file gone", armed_app)
    armed_app.wait_until_calm()
    assert [entry["by"] for entry in armed_app.read_log()] == ["shell", "shell"]


@pytest.mark.long
def test_an_answer_in_the_pane_comes_first(sandbox: Sandbox) -> None:
    armed_app = ArmedApp(sandbox)
    file = make_removal_script(sandbox, "remove it", "a.txt", "It is gone.")
    client = armed_app.start_client("shop")
    client.type_prompt("please remove it")
    armed_app.wait_for_requests()
    client.answer("Do you want to proceed", "Enter")
    wait_or_show_screen(lambda: not armed_app.read_requests(), "withdrawn", armed_app)
    client.wait_screen("It is gone.")
    assert not file.exists()
    assert ALLOWED not in client.read_screen()
    armed_app.wait_until_calm()
    assert armed_app.read_log() == []


@pytest.mark.long
def test_an_unanswered_request_times_out_and_the_dialog_stays(sandbox: Sandbox) -> None:
    armed_app = ArmedApp(sandbox, config="answer_wait = 10\n")
    file = make_removal_script(sandbox, "remove it", "a.txt", "It is gone.")
    client = armed_app.start_client("shop")
    client.type_prompt("please remove it")
    armed_app.wait_for_requests()
    wait_or_show_screen(lambda: not armed_app.read_requests(), "the end of the wait", armed_app)
    time.sleep(1.0)
    assert "Do you want to proceed" in client.read_screen()
    assert file.exists()
    assert armed_app.count_waiting() == 1
    client.answer("Do you want to proceed", "Enter")
    client.wait_screen("It is gone.")
    assert ALLOWED not in client.read_screen()


@pytest.mark.long
def test_a_headless_run_goes_on_after_an_answer(sandbox: Sandbox) -> None:
    armed_app = ArmedApp(sandbox)
    file = make_removal_script(sandbox, "remove it", "a.txt", "It is gone.")
    run = HeadlessClient(sandbox, "please remove it", sandbox.work / "shop")
    (request,) = armed_app.wait_for_requests()
    armed_app.press("a")
    result = run.wait_for_result()
    assert not file.exists()
    assert result["result"] == "It is gone."
    assert result["permission_denials"] == []
    assert armed_app.read_log()[0]["session_id"] == request["session_id"] == result["session_id"]


@pytest.mark.long
def test_without_an_armed_app_only_the_dialog_asks(sandbox: Sandbox) -> None:
    armed_app = ArmedApp(sandbox, arm=False)
    file = make_removal_script(sandbox, "remove it", "a.txt", "It is gone.")
    client = armed_app.start_client("shop")
    client.type_prompt("please remove it")
    client.wait_screen("Do you want to proceed")
    sandbox.measure_until(lambda: armed_app.count_waiting() == 1)
    assert armed_app.read_requests() == []
    armed_app.press("a")
    armed_app.wait_for_text("not armed")
    assert file.exists()
    assert "Do you want to proceed" in client.read_screen()
