"""Ends of clients that say goodbye or don't, clients that go from session to session, and those without a screen."""

import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil
import pytest

from tests.client.api import Hold, Text, Tool
from tests.client.gaps import PERMISSION, RULE, SLOW, DrivenSession, Row, ShownSession
from tests.client.sandbox import Sandbox
from tests.support.effort import LONG
from tests.support.tmux import end_processes
from tests.support.waiting import wait_until


@pytest.fixture
def installed(sandbox: Sandbox) -> Sandbox:
    sandbox.install()
    sandbox.api.script("hello", Text("Hello yourself."))
    sandbox.api.script("take your time", Tool("Bash", {"command": "sh slow.sh 60"}))
    sandbox.api.script("remove it", Tool("Bash", {"command": "rm -f a"}), Text("Gone."))
    return sandbox


def start_session(sandbox: Sandbox, *arguments: str) -> DrivenSession:
    """A new session with one turn."""
    watched = DrivenSession(sandbox, sandbox.start_client(sandbox.make_project("shop", SLOW), *RULE, *arguments))
    watched.send_prompt("hello")
    watched.client.wait_screen("Hello yourself")
    watched.wait_for_state("idle", "finished")
    return watched


# --- ends


@pytest.mark.long
def test_a_client_terminated_in_a_tool_ends_its_session(installed: Sandbox) -> None:
    watched = start_session(installed)
    watched.send_prompt("take your time")
    watched.client.wait_screen(r"slow\.sh 60")
    watched.wait_for_state("working", r"Bash sh slow\.sh 60")
    watched.client.kill(signal.SIGTERM)
    assert watched.wait_for_end("other")["detail"] == "interrupted"


# --- one client, many sessions


def test_a_client_switches_sessions_is_killed_and_resumes(installed: Sandbox) -> None:
    back = check_moves(installed)
    again = check_kill(installed, back)

    # A closed pane ends the session.
    if LONG:
        again.send_prompt("hello")
        again.wait_for_state("idle", "finished")
    detail = again.wait_for_state("idle")["detail"]
    again.client.pane.close()
    again.client.wait_gone()
    assert again.wait_for_end("other")["detail"] == detail


def check_moves(installed: Sandbox) -> DrivenSession:
    """One client serves session after session, each of which is told with its name, model and end; the one that it ends with."""
    first = start_session(installed)
    client = first.client
    client.type_prompt("/rename Fish")
    client.wait_screen("renamed to: Fish")
    first.wait_for_row(lambda row: row["name"] == "Fish")
    client.type_prompt("/model claude-sonnet-4-6")
    client.wait_screen(r"(?i)set model|switch model|yes, switch")
    if client.status == "waiting":
        first.wait_for_state("needs_you", "dialog", waits=1)
        client.answer(r"(?i)yes", "Enter")
    client.wait_status("idle")
    first.wait_for_state("idle", "finished")
    first.wait_for_row(lambda row: "sonnet-4-6" in row["model"])

    client.type_prompt("/clear")
    second = wait_for_next_session(first)
    first.wait_for_end("clear")
    second.wait_for_state("idle", "new")
    left = second
    if LONG:
        second.send_prompt("hello")
        client.wait_screen("Hello yourself")
        second.wait_for_state("idle", "finished")
        client.type_prompt("/branch Bird")
        left = wait_for_next_session(second)
        second.wait_for_end("resume")
        left.wait_for_state("idle")

    client.type_prompt(f"/resume {first.session_id}")
    back = wait_for_next_session(left)
    assert back.session_id == first.session_id
    left.wait_for_end("resume")
    row = back.wait_for_state("idle", "finished|new")
    assert (row["name"], row["pid"], row["turns"]) == ("Fish", client.pid, 1)
    live = [row for row in installed.read_status()["sessions"] if row["liveness"] == "live"]
    assert [row["session_id"] for row in live] == [first.session_id]
    return back


def check_kill(installed: Sandbox, watched: DrivenSession) -> DrivenSession:
    """A killed client is lost, and comes back with --continue; the one that came back."""
    watched.send_prompt("remove it")
    watched.client.wait_screen(PERMISSION)
    watched.wait_for_state("needs_you", "permission Bash", waits=1)
    watched.client.kill()
    assert watched.client.read_registry(), "the client's own record stays behind"
    watched.wait_for_state("idle", "interrupted", liveness="lost")
    again = DrivenSession(installed, installed.start_client(installed.work / "shop", *RULE, "--continue"))
    assert again.session_id == watched.session_id
    row = again.wait_for_state("idle")
    assert (row["pid"], row["turns"]) == (again.client.pid, 2)
    return again


def wait_for_next_session(watched: DrivenSession) -> DrivenSession:
    """The session that the client serves after this one."""
    wait_until(lambda: watched.client.session_id != watched.session_id, "another session")
    return DrivenSession(watched.sandbox, watched.client)


@pytest.mark.long
def test_a_fork_is_a_separate_session(installed: Sandbox) -> None:
    watched = start_session(installed)
    fork = DrivenSession(
        installed,
        installed.start_client(installed.work / "shop", *RULE, "--resume", watched.session_id, "--fork-session"),
    )
    assert fork.session_id != watched.session_id
    fork.wait_for_state("idle")
    watched.wait_for_state("idle", "finished")
    fork.send_prompt("remove it")
    fork.client.wait_screen(PERMISSION)
    fork.wait_for_state("needs_you", "permission Bash", waits=1)
    watched.wait_for_state("idle", "finished")


@pytest.mark.long
def test_a_session_in_two_terminals_lives_until_both_are_left(installed: Sandbox) -> None:
    one = start_session(installed)
    two = DrivenSession(installed, installed.start_client(installed.work / "shop", *RULE, "--resume", one.session_id))
    assert two.session_id == one.session_id
    two.wait_for_state("idle")
    one.send_prompt("remove it")
    one.client.wait_screen(PERMISSION)
    two.wait_for_state("needs_you", "permission Bash", waits=1)
    one.client.answer(PERMISSION, "Escape")
    one.client.wait_status("idle")
    two.wait_for_state("idle", "interrupted")
    one.client.exit()
    assert two.wait_for_state("idle")["pid"] == two.client.pid
    two.send_prompt("hello")
    two.client.wait_status("idle")
    two.client.exit()
    two.wait_for_end("prompt_input_exit")


# --- without a screen


@pytest.mark.long
def test_a_headless_run_is_reported_with_its_kind(installed: Sandbox) -> None:
    gate = threading.Event()
    installed.api.script("count them", Hold(gate, Text("Three.")))
    project = installed.make_project("shop")
    runner = threading.Thread(target=installed.run_headless, args=["please count them"], kwargs={"project": project})
    runner.start()
    try:
        installed.api.wait_for_call("count them")
        row = wait_for_only_session(installed)
        assert (row["kind"], row["state"], row["detail"], row["liveness"]) == (
            "headless",
            "working",
            "thinking",
            "live",
        )
    finally:
        gate.set()
        runner.join()
    ended = installed.read_session(row["session_id"])
    assert (ended["kind"], ended["liveness"], ended["state"], ended["detail"]) == (
        "headless",
        "ended",
        "idle",
        "finished",
    )


@pytest.mark.long
def test_a_background_job_is_reported_with_its_kind(installed: Sandbox) -> None:
    gate = threading.Event()
    installed.api.script("count them", Hold(gate, Text("Three.")))
    with run_background_job(installed, "please count them"):
        installed.api.wait_for_call("count them")
        shown = ShownSession(installed, wait_for_only_session(installed)["session_id"])
        row = shown.wait_for_state("working", "thinking")
        assert (row["kind"], row["heard"]) == ("background", True)
        gate.set()
        shown.wait_for_state("idle", "finished")


def wait_for_only_session(sandbox: Sandbox) -> Row:
    """The only session that there is."""
    found: list[Row] = []

    def there() -> bool:
        found[:] = sandbox.read_status()["sessions"]
        assert len(found) == 1
        return bool(found[0]["state"] == "working")

    sandbox.measure_until(there)
    return found[0]


@contextmanager
def run_background_job(sandbox: Sandbox, prompt: str) -> Iterator[None]:
    """A job of `claude --bg`; the client's daemon and all that it started are ended afterwards."""
    project = sandbox.make_project("shop")
    try:
        subprocess.run(
            [sandbox.program, "--bg", prompt],
            cwd=project,
            env={**sandbox.base_env, **sandbox.client_env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            timeout=120,
            check=True,
        )
        yield
    finally:
        ours = [process for process in psutil.process_iter(["name"]) if read_home(process) == str(sandbox.home)]
        ours = [process for process in ours if not process.info["name"].startswith("tmux")]
        for process in ours:
            with suppress(psutil.NoSuchProcess):
                process.terminate()
        end_processes(ours)


def read_home(process: psutil.Process) -> str:
    try:
        return process.environ().get("HOME", "")
    except psutil.Error:
        return ""
