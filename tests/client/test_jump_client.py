"""Jump and resume with the real client: the right pane, the same session, and folder names as it makes them."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from atm_tui.sources.folders import LONGEST, encode_folder
from tests.client.api import Text
from tests.client.client import READY, Client
from tests.client.sandbox import ATM_TUI, Sandbox
from tests.support.effort import LONG, sample
from tests.support.forked import run_command
from tests.support.tmux import Pane, Tmux


@pytest.fixture
def person(sandbox: Sandbox) -> Iterator[Tmux]:
    """A second tmux server, whose panes are terminals that show panes of the sandbox."""
    server = Tmux(sandbox.tmux.program, sandbox.base_env)
    yield server
    server.close()


def attach_terminal(person: Tmux, sandbox: Sandbox, at: Pane) -> Pane:
    """A terminal that shows a pane of the sandbox."""
    tmux = ["env", "-u", "TMUX", sandbox.tmux.program, "-u", "-S", str(sandbox.tmux.socket)]
    return person.start([*tmux, "attach-session", "-t", at.target])


def read_shown_pane(sandbox: Sandbox) -> str:
    """The pane that the only terminal shows."""
    return sandbox.tmux.run("list-clients", "-F", "#{pane_id}").strip()


@pytest.mark.parametrize("installed", sample([True, False], True))
def test_jump_to_the_pane_of_a_client(sandbox: Sandbox, person: Tmux, installed: bool) -> None:
    if installed:
        sandbox.install()
    clients = [sandbox.start_client(sandbox.make_project(name)) for name in (("shop", "blog") if LONG else ("shop",))]
    armed_app = sandbox.tmux.start(["cat"])
    attach_terminal(person, sandbox, armed_app)
    sandbox.measure_until(lambda: read_shown_pane(sandbox) == armed_app.target)
    where = {} if installed else {"TMUX": f"{sandbox.tmux.socket},{sandbox.tmux._server.pid},0"}
    for client in (*clients, clients[0]):
        sandbox.measure_until(lambda client=client: sandbox.read_session(client.session_id))
        done = run_command(
            ["jump", client.session_id[:8]], sandbox.home, {**sandbox.base_env, **sandbox.atm_env, **where}
        )
        assert done.code == 0, done.err
        assert read_shown_pane(sandbox) == client.pane.target


def start_resume(sandbox: Sandbox, *arguments: str) -> Pane:
    """`atm-tui resume` in a pane, in the home folder."""
    env = {**sandbox.client_env, **sandbox.atm_env, "ATM_CLAUDE": sandbox.program}
    return sandbox.tmux.start([str(ATM_TUI), "resume", *arguments], size=(160, 45), cwd=sandbox.home, env=env)


@pytest.mark.long
def test_a_resumed_session_is_the_same_row_and_live_again(sandbox: Sandbox, person: Tmux) -> None:
    sandbox.install()
    sandbox.api.script("what is it", Text("It is a shop."))
    project = sandbox.make_project("my shop")
    first = sandbox.start_client(project)
    session_id = first.session_id
    first.type_prompt("what is it")
    first.wait_screen("It is a shop")
    first.wait_status("idle")
    first.exit()
    sandbox.measure_until(lambda: sandbox.read_session(session_id)["liveness"] == "ended")

    again = Client(start_resume(sandbox, "-y", session_id[:8]), sandbox.config_dir)
    sandbox.clients.append(again)
    again.wait_screen("It is a shop")
    again.wait_screen(READY)
    record = again.wait_status("idle")
    assert (record["sessionId"], record["cwd"]) == (session_id, str(project))
    sandbox.measure_until(lambda: sandbox.read_session(session_id)["liveness"] == "live")
    row = sandbox.read_session(session_id)
    assert (row["pid"], row["terminal"]["pane"]) == (again.pid, again.pane.target)

    # it runs now: no second one is started
    other = sandbox.tmux.start(["cat"])
    attach_terminal(person, sandbox, other)
    sandbox.measure_until(lambda: read_shown_pane(sandbox) == other.target)
    start_resume(sandbox, "-y", session_id[:8])
    sandbox.measure_until(lambda: read_shown_pane(sandbox) == again.pane.target)
    assert len(list((sandbox.config_dir / "sessions").glob("*.json"))) == 1


@pytest.mark.long  # the figures of every model look for their session in such a folder
def test_without_hooks_the_directory_comes_from_the_transcripts_folder(sandbox: Sandbox) -> None:
    project = sandbox.make_project("dotted.name here")
    session_id = sandbox.run_headless("hello", project=project)["session_id"]
    printed = sandbox.run_atm_tui("resume", "--print", session_id)
    assert printed == f"cd '{project}' && claude --resume {session_id}\n"


@pytest.mark.long
def test_folder_names_match_the_clients(sandbox: Sandbox) -> None:
    sandbox.make_project("plain")
    left = LONGEST - len(str(sandbox.work)) - 1
    names = ["naïve 😀.x_y", "cafe\u0301", "e" * left, "f" * (left + 1), "/".join(["x" * 60] * 4)]
    for name in names:
        folder = sandbox.work / name
        folder.mkdir(parents=True)
        sandbox.run_headless("hello", project=folder)
        expected = sandbox.config_dir / "projects" / encode_folder(str(folder))
        assert expected.is_dir(), f"{name}: {sorted(Path(sandbox.config_dir, 'projects').iterdir())}"
        shutil.rmtree(expected)
