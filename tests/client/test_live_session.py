"""One session from start to exit, as a person runs it: status and screen say what the client does, while it does it."""

import threading
from collections.abc import Callable
from typing import Any

from tests.client.api import Hold, Text, Tool, Tools
from tests.client.gaps import make_agent_call
from tests.client.sandbox import Sandbox

PERMISSION = r"Do you want to proceed"

Check = Callable[[dict[str, Any]], bool]


def test_a_whole_session_is_reported_while_it_happens(sandbox: Sandbox) -> None:
    read, removed, apples, pears = (threading.Event() for _ in range(4))
    sandbox.api.script("read it", Tool("Read", {"file_path": "a.txt"}), Hold(read, Text("It says hello.")))
    sandbox.api.script("remove it", Tool("Bash", {"command": "rm -f a.txt"}), Hold(removed, Text("It is gone.")))
    sandbox.api.script(
        "send both",
        Tools([make_agent_call("some apples", "First"), make_agent_call("some pears", "Second")]),
        Text("Sent."),
    )
    sandbox.api.script("some apples", Tool("Bash", {"command": "rm -f b.txt"}), Hold(apples, Text("Three of them.")))
    sandbox.api.script("some pears", Hold(pears, Text("Four of them.")))
    # What the client tells the main thread when an agent is done holds the agent's answer.
    sandbox.api.script("Three of them", Text("The first is back."))
    sandbox.api.script("Four of them", Text("Both are back."))

    sandbox.install()
    app = sandbox.start_app()
    app.wait_for("No sessions yet")
    client = sandbox.start_client(
        sandbox.make_project("shop", {"a.txt": "hello\n", "b.txt": "hello\n"}), "--permission-mode", "default"
    )
    session_id = client.session_id

    def told(step: str, check: Check, *screen: str) -> None:
        """The screen holds each text, and the status of the session passes, before the session goes on."""
        seen = sandbox.measure_until(lambda: all(text in sandbox.read_screen(app) for text in screen))
        said = sandbox.measure_until(lambda: sandbox.check_session(session_id, check))
        print(f"{step}: on the screen after {seen:.2f} s, in the status after {said:.2f} s")

    def appeared(session: dict[str, Any]) -> bool:
        assert session["liveness"] == "live"
        assert session["pid"] == client.pid
        assert session["terminal"]["kind"] == "tmux"
        assert session["cwd"] == str(sandbox.work / "shop")
        return (session["state"], session["detail"], session["turns"]) == ("idle", "new", 0)

    told("started", appeared, "shop", "new")

    client.type_prompt("please read it")
    sandbox.api.wait_for_call("read it", 2)

    def reading(session: dict[str, Any]) -> bool:
        assert session["last_prompt"] == "please read it"
        assert session["tools_used"] == {"Read": 1}
        assert [path.rsplit("/", 1)[-1] for path in session["files"]["read"]] == ["a.txt"]
        return session["state"] == "working"

    told("read", reading, "1 working", "thinking")
    read.set()
    client.wait_status("idle")

    def answered(session: dict[str, Any]) -> bool:
        assert (session["state"], session["detail"], session["turns"]) == ("idle", "finished", 1)
        assert session["last_reply"] == "It says hello."
        assert session["unseen"] is True
        assert session["context"]["used_tokens"] > 20_000
        return session["cost"]["usd"] > 0

    told("answered", answered, "finished")

    client.type_prompt("please remove it")
    client.wait_screen(PERMISSION)

    def asking(session: dict[str, Any]) -> bool:
        (wait,) = session["waits"]
        assert (wait["agent_id"], wait["reason"], wait["tool"]) == (None, "permission", "Bash")
        assert wait["summary"] == "rm -f a.txt"
        return (session["state"], session["reason"]) == ("needs_you", "permission")

    told("permission", asking, "1 need", "permission Bash", "rm -f a.txt")
    client.answer(PERMISSION, "Enter")
    client.wait_status("busy")
    told("allowed", lambda session: session["state"] == "working" and not session["waits"], "1 working")
    removed.set()
    client.wait_status("idle")
    told("removed", lambda session: session["state"] == "idle" and session["last_reply"] == "It is gone.", "finished")

    client.type_prompt("please send both")
    client.wait_screen(PERMISSION)
    sandbox.api.wait_for_call("some pears")

    def agents_by_description(session: dict[str, Any]) -> dict[str, dict[str, Any]]:
        return {agent["description"]: agent for agent in session["agents"]}

    def agent_asking(session: dict[str, Any]) -> bool:
        agents = agents_by_description(session)
        assert {name: agent["state"] for name, agent in agents.items()} == {"First": "needs_you", "Second": "working"}
        (wait,) = session["waits"]
        assert (wait["agent_id"], wait["tool"], wait["summary"]) == (agents["First"]["agent_id"], "Bash", "rm -f b.txt")
        return (session["state"], session["reason"]) == ("needs_you", "permission")

    told("agent asks", agent_asking, "1 need", "permission Bash", "rm -f b.txt", "First", "Second")
    client.answer(PERMISSION, "Enter")
    client.wait_status("busy")

    def both_working(session: dict[str, Any]) -> bool:
        assert not session["waits"]
        assert {each["state"] for each in session["agents"]} == {"working"}
        return (session["state"], session["detail"]) == ("working", "2 agents")

    sandbox.api.wait_for_call("some apples", 2)
    told("agents work", both_working, "2 agents")
    apples.set()
    client.wait_screen("The first is back")

    def one_done(session: dict[str, Any]) -> bool:
        states = {name: agent["state"] for name, agent in agents_by_description(session).items()}
        assert states == {"First": "done", "Second": "working"}
        return session["state"] == "working"

    told("one is done", one_done, "1 agent")
    pears.set()
    client.wait_screen("Both are back")
    client.wait_status("idle")

    def all_done(session: dict[str, Any]) -> bool:
        assert {each["state"] for each in session["agents"]} == {"done"}
        return (session["state"], session["detail"], session["turns"]) == ("idle", "finished", 3)

    told("all done", all_done, "finished")

    client.exit()
    assert client.read_registry() is None, "the client takes its own record away"

    def ended(session: dict[str, Any]) -> bool:
        return (session["liveness"], session["ended_reason"]) == ("ended", "prompt_input_exit")

    told("left", ended, "ended")
    app.type_text("q")
    assert app.wait_for_exit() == 0
    app.assert_clean()
