"""Jumps to another machine, over a real sshd into a real tmux: a new window here, or the pane that holds an ssh already."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from atm_tui.cli.stream_jump import jump_to_session
from atm_tui.cli.stream_served import RefusedError, Served
from atm_tui.jump.plan import plan_jump
from atm_tui.jump.run import run_plan
from atm_tui.jump.values import JumpError, Outcome, OwnTerminal
from atm_tui.model.elsewhere import adopt
from atm_tui.model.host import Host
from atm_tui.model.session import Liveness, Session, State, Terminal
from atm_tui.model.stream_commands import JumpRequest
from tests.support.jump_harness import JumpHarness
from tests.support.jumping import TmuxWorkspace, open_pane
from tests.support.machines import Net, run_net
from tests.support.program import ATM_TUI
from tests.support.stream_process import Stream
from tests.support.tmux import Pane
from tests.support.waiting import PATIENCE, wait_until


@pytest.fixture
def net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Net]:
    with run_net(tmp_path / "net") as net:
        monkeypatch.setenv("PATH", str(net.bin), prepend=":")
        net.add("gpu")
        yield net


def make_session(pane: Pane) -> Session:
    socket = str(pane.server.socket)
    terminal = Terminal(kind="tmux", socket=socket, pane=pane.read_format("#{pane_id}"))
    given = Session(session_id="s1", pid=pane.pid, terminal=terminal, state=State.NEEDS_YOU)
    return adopt(given, "gpu", Host(ssh="gpu"), ahead=0.0, silent_since=None)


@pytest.mark.long
def test_a_new_window_shows_the_pane_there_and_then_that_window_is_used(workspace: TmuxWorkspace, net: Net) -> None:
    there = workspace.start_server()
    other = there.start(["cat"])
    wanted = open_pane(there, "split-window", "-t", other.target)
    hidden = open_pane(there, "new-window", "-t", other.read_format("#{session_id}:"))
    for pane, word in ((other, "OTHER"), (wanted, "WANTED"), (hidden, "HIDDEN")):
        pane.type_text(word)
    ours = workspace.inner.start(["cat"])
    client = workspace.attach_client(ours.read_format("#{session_id}"))
    own = workspace.make_own_terminal(ours)

    jump = plan_jump(make_session(wanted), own)
    assert jump.outcome is Outcome.GO
    assert "new tmux window" in jump.text
    run_plan(jump)
    client.wait_for("WANTED")
    windows = workspace.inner.run("list-windows", "-a").splitlines()

    # our client looks elsewhere; the window that holds the ssh is found, and shows the other pane
    workspace.inner.run("select-window", "-t", ours.target)
    wait_until(lambda: there.run("list-clients"), "a client there")
    jump = plan_jump(make_session(hidden), own)
    assert "holds an ssh to gpu" in jump.text, jump
    run_plan(jump)
    client.wait_for("HIDDEN")
    assert len(workspace.inner.run("list-windows", "-a").splitlines()) == len(windows)

    # a pane that another process has by now is not shown
    moved = make_session(wanted)
    assert moved.elsewhere is not None
    moved = msgspec.structs.replace(moved, elsewhere=msgspec.structs.replace(moved.elsewhere, pid=other.pid))
    with pytest.raises(JumpError, match="runs something else now"):
        run_plan(plan_jump(moved, own))


def test_the_command_of_a_stream_shows_the_pane_in_the_client_that_is_open_there(workspace: TmuxWorkspace) -> None:
    """A whole `atm-tui stream`, as the link from another machine runs it."""
    first = workspace.inner.start(["cat"])
    wanted = open_pane(workspace.inner, "new-window", "-t", first.read_format("#{session_id}:"))
    wanted.type_text("WANTED")
    workspace.inner.run("select-window", "-t", first.target)
    client = workspace.attach_client(first.read_format("#{session_id}"))
    harness = JumpHarness(workspace)
    harness.write_state("s1", wanted)
    harness.write_state("s2", pid=os.getpid(), session_active=True)
    command = [ATM_TUI, "stream", "--commands", "jump"]
    with subprocess.Popen(
        command, env=workspace.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        stream = Stream(process)
        assert stream.read()["commands"] == ["jump"]
        stream.read_until("complete")
        reply = stream.ask(id=1, command="jump", session_id="s1")
        assert (reply["id"], reply["problem"]) == (1, "")
        assert reply["result"]["text"]
        client.wait_for("WANTED")
        again = stream.ask(id=2, command="jump", session_id="s1")  # it is shown already
        assert (again["problem"], bool(again["result"]["text"])) == ("", True)
        for number, (key, words) in enumerate(
            (("s2", "terminal"), ("s4", "no such session"), ("gpu:s1", "no such session"))
        ):
            reply = stream.ask(id=3 + number, command="jump", session_id=key)
            assert (reply["id"], reply["result"]) == (3 + number, None)
            assert words in reply["problem"], reply
        refused = stream.ask(id=9, command="explain", session_id="s1")
        assert "not switched on" in refused["problem"]
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(PATIENCE) == 0


def test_the_command_of_a_stream_jumps_on_its_own_machine_only() -> None:
    sessions = {
        "s2": Session(session_id="s2", pid=os.getpid(), kind="headless"),
        "s3": adopt(Session(session_id="s3"), "gpu", Host(ssh="gpu"), ahead=0.0, silent_since=None),
    }
    monitor: Any = SimpleNamespace(fleet=SimpleNamespace(sessions=sessions))
    for key, words in (("s2", "without a screen"), ("s3", "ask that machine")):
        with pytest.raises(RefusedError, match=words):
            jump_to_session(JumpRequest(id=1, command="jump", session_id=key), Served(monitor))


def test_outside_tmux_the_command_is_offered_and_copied() -> None:
    terminal = Terminal(kind="tmux", socket="/tmp/tmux-1000/default", pane="%1")
    given = Session(session_id="s1", pid=os.getpid(), terminal=terminal)
    jump = plan_jump(adopt(given, "gpu", Host(ssh="gpu"), ahead=0.0, silent_since=None), OwnTerminal())
    assert jump.outcome is Outcome.ATTACH
    assert jump.takeover[:4] == ("ssh", "-t", "--", "gpu")
    assert jump.copy.startswith("ssh -t -- gpu ")


@pytest.mark.parametrize(
    ("terminal", "words"),
    [
        (Terminal(), "not in tmux"),
        (Terminal(kind="tmux", socket="/tmp/s", pane="%1; rm -rf /"), "not in tmux"),
        (Terminal(kind="tmux", socket="/tmp/$(id)", pane="%1"), "not in tmux"),
        (Terminal(kind="kitty", pane="3"), "not in tmux"),
    ],
)
def test_what_can_not_be_reached_says_why(terminal: Terminal, words: str) -> None:
    given = Session(session_id="s1", pid=os.getpid(), terminal=terminal)
    session = adopt(given, "gpu", Host(ssh="gpu"), ahead=0.0, silent_since=None)
    plan = plan_jump(session, OwnTerminal())
    assert plan.outcome is Outcome.REFUSED
    assert words in plan.text


def test_an_ended_session_is_resumed_there() -> None:
    given = Session(session_id="s1", liveness=Liveness.ENDED)
    session = adopt(given, "gpu", Host(ssh="gpu"), ahead=0.0, silent_since=None)
    plan = plan_jump(session, OwnTerminal())
    assert (plan.outcome, plan.text) == (Outcome.REFUSED, "It has ended on gpu: resume it there.")
