"""The real client in another pid namespace, and one session in two terminals: told apart, and found where it asks."""

import shutil
import subprocess
import time

import pytest

from tests.client.answering import ASKED, ArmedApp, make_removal_script
from tests.client.api import Text, Tool
from tests.client.client import READY
from tests.client.gaps import PERMISSION, RULE, SLOW, DrivenSession
from tests.client.sandbox import Sandbox

UNSHARE = ("unshare", "-p", "-f", "--mount-proc")


def need_unshare() -> str:
    program = shutil.which("unshare")
    done = subprocess.run([*UNSHARE, "true"], capture_output=True, check=False) if program else None
    return program if program and done and done.returncode == 0 else pytest.skip("no pid namespace can be made here")


@pytest.mark.long  # tests/model/test_serving.py and tests/hooks/test_hook_process.py have such a client in every run
def test_a_client_in_a_container_is_live_and_can_be_answered(sandbox: Sandbox) -> None:
    unshare = need_unshare()
    armed_app = ArmedApp(sandbox)
    file = make_removal_script(sandbox, "remove it", "a.txt", "It is gone.")
    pane = sandbox.tmux.start(
        [unshare, *UNSHARE[1:], sandbox.program, *ASKED],
        size=(160, 45),
        cwd=sandbox.make_project("shop"),
        env=sandbox.client_env,
    )
    pane.wait_for(READY)
    pane.type_text("please remove it")
    time.sleep(0.5)
    pane.press_keys("Enter")
    (request,) = armed_app.wait_for_requests()
    pane.wait_for("Do you want to proceed")
    (row,) = sandbox.read_status()["sessions"]
    assert (row["liveness"], row["state"], row["place"], row["pid"]) == ("live", "needs_you", "container", None)
    assert row["terminal"]["pane"] == pane.target
    assert "in a container" in armed_app.app.read_screen()
    assert "is not one of ours" in sandbox.run_atm_tui("explain", request["session_id"])
    armed_app.press("a")
    pane.wait_for("It is gone.")
    assert not file.exists()
    armed_app.wait_until_calm()


@pytest.mark.long
def test_jump_goes_to_the_terminal_that_asks(sandbox: Sandbox) -> None:
    sandbox.install()
    sandbox.api.script("hello", Text("Hello yourself."))
    sandbox.api.script("remove it", Tool("Bash", {"command": "rm -f a"}), Text("Gone."))
    one = DrivenSession(sandbox, sandbox.start_client(sandbox.make_project("shop", SLOW), *RULE))
    one.send_prompt("hello")
    one.client.wait_screen("Hello yourself")
    one.wait_for_state("idle", "finished")
    two = DrivenSession(sandbox, sandbox.start_client(sandbox.work / "shop", *RULE, "--resume", one.session_id))
    for asking, other in ((one, two), (two, one)):
        asking.send_prompt("remove it")
        asking.client.wait_screen(PERMISSION)
        row = asking.wait_for_state("needs_you", "permission Bash", waits=1)
        assert (row["pid"], row["terminal"]["pane"]) == (asking.client.pid, asking.client.pane.target)
        assert [each["pid"] for each in row["processes"]] == [asking.client.pid, other.client.pid]
        assert asking.client.pane.target in sandbox.run_atm_tui("jump", "--print", asking.session_id[:8])
        assert "Open 2 times" in sandbox.run_atm_tui("explain", asking.session_id)
        asking.client.answer(PERMISSION, "Escape")
        asking.client.wait_status("idle")
        asking.wait_for_state("idle", "interrupted")
