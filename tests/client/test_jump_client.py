"""Jump and resume with the real client: the right pane, the same session, and folder names as it makes them."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from atm_tui.sources.folders import LONGEST, encode_folder
from tests.client.api import Text
from tests.client.client import READY, Client
from tests.client.lab import ATM_TUI, Lab
from tests.support.effort import LONG, sample
from tests.support.forked import run_command
from tests.support.tmux import Pane, Tmux


@pytest.fixture
def person(lab: Lab) -> Iterator[Tmux]:
    """Another tmux server, whose panes are terminals in front of the lab's."""
    server = Tmux(lab.tmux.program, lab.base_env)
    yield server
    server.close()


def attach_terminal(person: Tmux, lab: Lab, at: Pane) -> Pane:
    """A terminal that shows a pane of the lab."""
    tmux = ["env", "-u", "TMUX", lab.tmux.program, "-u", "-S", str(lab.tmux.socket)]
    return person.start([*tmux, "attach-session", "-t", at.target])


def read_shown_pane(lab: Lab) -> str:
    """The pane that the only terminal shows."""
    return lab.tmux.run("list-clients", "-F", "#{pane_id}").strip()


@pytest.mark.parametrize("installed", sample([True, False], True))
def test_jump_to_the_pane_of_a_client(lab: Lab, person: Tmux, installed: bool) -> None:
    if installed:
        lab.install()
    clients = [lab.start_client(lab.make_project(name)) for name in (("shop", "blog") if LONG else ("shop",))]
    desk = lab.tmux.start(["cat"])
    attach_terminal(person, lab, desk)
    lab.measure_until(lambda: read_shown_pane(lab) == desk.target)
    where = {} if installed else {"TMUX": f"{lab.tmux.socket},{lab.tmux._server.pid},0"}
    for client in (*clients, clients[0]):
        lab.measure_until(lambda client=client: lab.read_session(client.session_id))
        done = run_command(["jump", client.session_id[:8]], lab.home, {**lab.base_env, **lab.atm_env, **where})
        assert done.code == 0, done.err
        assert read_shown_pane(lab) == client.pane.target


def start_resume(lab: Lab, *arguments: str) -> Pane:
    """`atm-tui resume` in a pane, in the home folder."""
    env = {**lab.client_env, **lab.atm_env, "ATM_CLAUDE": lab.program}
    return lab.tmux.start([str(ATM_TUI), "resume", *arguments], size=(160, 45), cwd=lab.home, env=env)


@pytest.mark.long
def test_a_resumed_session_is_the_same_row_and_live_again(lab: Lab, person: Tmux) -> None:
    lab.install()
    lab.api.script("what is it", Text("It is a shop."))
    project = lab.make_project("my shop")
    first = lab.start_client(project)
    session_id = first.session_id
    first.type_prompt("what is it")
    first.wait_screen("It is a shop")
    first.wait_status("idle")
    first.exit()
    lab.measure_until(lambda: lab.read_session(session_id)["liveness"] == "ended")

    again = Client(start_resume(lab, "-y", session_id[:8]), lab.config_dir)
    lab.clients.append(again)
    again.wait_screen("It is a shop")
    again.wait_screen(READY)
    record = again.wait_status("idle")
    assert (record["sessionId"], record["cwd"]) == (session_id, str(project))
    lab.measure_until(lambda: lab.read_session(session_id)["liveness"] == "live")
    row = lab.read_session(session_id)
    assert (row["pid"], row["terminal"]["pane"]) == (again.pid, again.pane.target)

    # it runs now: no second one is started
    other = lab.tmux.start(["cat"])
    attach_terminal(person, lab, other)
    lab.measure_until(lambda: read_shown_pane(lab) == other.target)
    start_resume(lab, "-y", session_id[:8])
    lab.measure_until(lambda: read_shown_pane(lab) == again.pane.target)
    assert len(list((lab.config_dir / "sessions").glob("*.json"))) == 1


def test_without_hooks_the_directory_comes_from_the_transcripts_folder(lab: Lab) -> None:
    project = lab.make_project("dotted.name here")
    session_id = lab.run_headless("hello", project=project)["session_id"]
    printed = lab.run_atm_tui("resume", "--print", session_id)
    assert printed == f"cd '{project}' && claude --resume {session_id}\n"


@pytest.mark.long
def test_folder_names_are_the_clients(lab: Lab) -> None:
    lab.make_project("plain")
    left = LONGEST - len(str(lab.work)) - 1
    names = ["naïve 😀.x_y", "cafe\u0301", "e" * left, "f" * (left + 1), "/".join(["x" * 60] * 4)]
    for name in names:
        folder = lab.work / name
        folder.mkdir(parents=True)
        lab.run_headless("hello", project=folder)
        expected = lab.config_dir / "projects" / encode_folder(str(folder))
        assert expected.is_dir(), f"{name}: {sorted(Path(lab.config_dir, 'projects').iterdir())}"
        shutil.rmtree(expected)
