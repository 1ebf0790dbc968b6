"""The real client on another machine, reached by a real sshd: what it does is seen here, and what it says can be read here."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from atm_tui.model.conversation import EntryText
from atm_tui.model.host import Host
from atm_tui.model.session import Liveness, Session, State
from atm_tui.monitor.machines import Machines
from tests.client.api import Text, Tool
from tests.client.sandbox import Sandbox
from tests.support.machines import run_net
from tests.support.waiting import wait_until

PERMISSION = r"Do you want to proceed"


@pytest.mark.long
def test_a_session_on_another_machine_from_start_to_end(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.api.script("remove it", Tool("Bash", {"command": "rm -f a.txt"}), Text("It is gone."))
    sandbox.install()
    with run_net(tmp_path / "net") as net:
        monkeypatch.setenv("PATH", str(net.bin), prepend=":")
        there = net.add("gpu")
        there.environ = {**sandbox.base_env, **sandbox.atm_env}
        there.set_program('exec $REAL "$@"')
        machines = Machines({"gpu": Host(ssh="gpu")}, time.time)
        machines.start()

        def wait_for_session(holds: Callable[[Session], object], what: str) -> Session:
            found: list[Session] = []

            def look() -> bool:
                machines.refresh()
                found.extend(each for each in machines.sessions.values() if holds(each))
                return bool(found)

            wait_until(look, what)
            return found[0]

        try:
            project = sandbox.make_project("shop", {"a.txt": "hello\n"})
            client = sandbox.start_client(project, "--permission-mode", "default")
            key = f"gpu:{client.session_id}"
            wait_for_session(lambda each: each.session_id == key and each.state is State.IDLE, "the session")
            client.type_prompt("please remove it")
            client.wait_screen(PERMISSION)
            asking = wait_for_session(lambda each: each.state is State.NEEDS_YOU, "its request")
            assert asking.waits[0].summary == "rm -f a.txt"
            # the client writes the call into its transcript a little later
            wait_until(lambda: machines.reader.find_inputs(asking), "the whole input")
            [given] = machines.reader.find_inputs(asking).values()
            assert given["command"] == "rm -f a.txt"
            client.answer(PERMISSION, "Enter")
            done = wait_for_session(
                lambda each: each.last_reply == "It is gone." and each.state is State.IDLE and each.cost.usd,
                "its reply",
            )
            events = [each.event for each in machines.reader.read_events(key)]
            assert events.index("UserPromptSubmit") < events.index("PermissionRequest") < events.index("Stop")
            assert "idle: finished" in "\n".join(machines.reader.explain(done))
            assert done.elsewhere is not None
            said = machines.reader.open_conversation(done.elsewhere)

            def read_texts() -> list[EntryText]:
                said.check()
                return [said.fetch_text(each, 1 << 20) for each in said.list_entries(set())]

            wait_until(
                lambda: any("It is gone." in each.text for each in read_texts()), "the reply in the conversation"
            )
            texts = read_texts()
            said.close()
            assert any("please remove it" in each.text for each in texts)
            assert any(each.given and each.given.get("command") == "rm -f a.txt" for each in texts)
            client.exit()
            wait_for_session(lambda each: each.liveness is Liveness.ENDED, "its end")
        finally:
            machines.stop()
