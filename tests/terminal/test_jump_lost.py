"""Jumps in a real tmux where hooks recorded no pane, or one that is not the session's any more."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import psutil
import pytest

from atm_tui.jump.plan import plan_jump
from atm_tui.jump.run import run_plan
from atm_tui.jump.tmux_panes import read_pane_names
from atm_tui.jump.values import Outcome
from atm_tui.model.session import Session, Terminal
from tests.support.jumping import CAT, OUTSIDE, TmuxWorkspace, open_pane
from tests.support.tmux import Pane
from tests.support.waiting import wait_until

STUBBORN = (
    "import signal, sys, time; signal.signal(signal.SIGHUP, signal.SIG_IGN); open(sys.argv[1], 'w'); time.sleep(60)"
)
"""Outlives its terminal."""


def test_after_a_restart_of_the_server_the_same_id_is_another_pane(
    workspace: TmuxWorkspace, untouched: Callable[[Pane], None]
) -> None:
    first = workspace.inner
    first.start(CAT)
    ready = first.folder / "ready"
    wanted = first.start([sys.executable, "-c", STUBBORN, str(ready)])
    session, process = workspace.make_session(wanted), psutil.Process(wanted.pid)
    wait_until(ready.exists)
    first._server.kill()
    first._server.wait(5)
    first.socket.unlink()
    try:
        workspace.servers.remove(first)
        again = subprocess.Popen(
            [workspace.program, "-D", "-f", "/dev/null", "-S", str(first.socket)], env=workspace.env
        )
        first._server = again
        workspace.servers.insert(0, first)
        wait_until(first.socket.exists)
        ours, stranger = first.start(CAT), first.start(CAT)
        assert stranger.target == wanted.target
        untouched(workspace.attach_client(ours.target))
        jump = plan_jump(session, workspace.make_own_terminal(ours))
        assert (jump.outcome, jump.commands) == (Outcome.REFUSED, ())
        assert f"started anew, so {wanted.target} is another pane now" in jump.text
        assert "--resume" in jump.copy
    finally:
        process.kill()
        process.wait(5)


@pytest.mark.parametrize("kind", ["unknown", "kitty"])
def test_a_session_without_tmux_in_its_hooks_is_found_by_its_process(
    workspace: TmuxWorkspace, untouched: Callable[[Pane], None], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TMUX was unset for the client, or the environment of hooks was cleared."""
    ours, wanted = workspace.inner.start(CAT), workspace.inner.start(CAT)
    mine = workspace.attach_client(ours.target)
    untouched(workspace.attach_client(workspace.inner.start(CAT).target))
    session = Session(session_id="0a1b2c3d", pid=wanted.pid, terminal=Terminal(kind=kind, pane="7"))
    run_plan(plan_jump(session, workspace.make_own_terminal(ours)))
    assert workspace.read_shown_pane(mine).endswith(wanted.target)
    link_into_tmux_folder(workspace, monkeypatch)
    run_plan(plan_jump(workspace.make_session(ours), workspace.make_own_terminal(wanted)))
    # from outside, the servers of this user are searched
    assert f"Going to pane {wanted.target}" in plan_jump(session, OUTSIDE).text
    assert read_pane_names([session])[session.session_id][0] == wanted.target


def link_into_tmux_folder(workspace: TmuxWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts the inner server's socket where tmux's own are."""
    folder = workspace.inner.folder / f"tmux-{os.getuid()}"
    folder.mkdir(mode=0o700)
    (folder / "default").symlink_to(workspace.inner.socket)
    monkeypatch.setenv("TMUX_TMPDIR", str(workspace.inner.folder))


def test_a_process_in_another_terminal_that_a_pane_started_is_not_in_that_pane(
    workspace: TmuxWorkspace, tmp_path: Path
) -> None:
    """Its terminal is recorded, and its tty is no pane's: that a pane's shell is among its ancestors says nothing."""
    note = tmp_path / "pid"
    ours = workspace.inner.start(
        ["sh", "-c", f"setsid sh -c 'echo $$ > {note}.new; mv {note}.new {note}; exec sleep 60' & exec cat"]
    )
    workspace.attach_client(ours.target)
    wait_until(note.exists)
    session = Session(session_id="0a1b2c3d", pid=int(note.read_text()), terminal=Terminal(kind="apple"))
    assert plan_jump(session, workspace.make_own_terminal(ours)).outcome is Outcome.REFUSED
    unknown = msgspec.structs.replace(session, terminal=Terminal())
    assert plan_jump(unknown, workspace.make_own_terminal(ours)).outcome is Outcome.THERE
    psutil.Process(int(note.read_text())).kill()  # closing the pane does not end it


def test_a_pane_whose_process_is_gone_offers_to_resume(
    workspace: TmuxWorkspace, untouched: Callable[[Pane], None]
) -> None:
    ours, wanted = workspace.inner.start(CAT), workspace.inner.start(CAT)
    untouched(workspace.attach_client(ours.target))
    session = workspace.make_session(wanted)
    workspace.inner.run("respawn-pane", "-k", "-t", wanted.target, "env", "cat")
    wait_until(lambda: plan_jump(session, workspace.make_own_terminal(ours)).outcome is Outcome.RESUME)
    jump = plan_jump(session, workspace.make_own_terminal(ours))
    assert jump.takeover[-2:] == ("--resume", session.session_id)
    assert jump.commands == ()


def test_a_pane_that_runs_another_program_is_not_used(
    workspace: TmuxWorkspace, untouched: Callable[[Pane], None]
) -> None:
    ours, stranger, real = workspace.inner.start(CAT), workspace.inner.start(CAT), workspace.inner.start(CAT)
    stranger.server.run("select-pane", "-t", stranger.target, "-T", "claude")
    mine = workspace.attach_client(ours.target)
    untouched(workspace.attach_client(stranger.target))
    # the hook's variables name the pane from which the server's environment came
    session = workspace.make_session(stranger)
    session = type(session)(session_id=session.session_id, pid=real.pid, terminal=session.terminal)
    run_plan(plan_jump(session, workspace.make_own_terminal(ours)))
    assert workspace.read_shown_pane(mine).endswith(real.target)


def test_without_a_recorded_socket_the_registrys_pane_is_searched_on_our_server(
    workspace: TmuxWorkspace, untouched: Callable[[Pane], None]
) -> None:
    ours, wanted = workspace.inner.start(CAT), workspace.inner.start(CAT)
    mine = workspace.attach_client(ours.target)
    untouched(workspace.attach_client(workspace.inner.start(CAT).target))
    run_plan(plan_jump(workspace.make_session(wanted, socket=None, server_pid=None), workspace.make_own_terminal(ours)))
    assert workspace.read_shown_pane(mine).endswith(wanted.target)


def test_a_detached_server_is_offered_to_attach(workspace: TmuxWorkspace) -> None:
    beside = workspace.inner.start(CAT)
    wanted = open_pane(workspace.inner, "split-window", "-t", beside.target)
    workspace.inner.run("select-pane", "-t", beside.target)
    jump = plan_jump(workspace.make_session(wanted), OUTSIDE)
    assert jump.outcome is Outcome.ATTACH
    # a lone ; would end the command of the outer tmux
    workspace.outer.start([word if word != ";" else "\\;" for word in jump.takeover])
    wait_until(lambda: any(shown.endswith(wanted.target) for shown in workspace.list_clients().values()))


def test_a_server_that_is_gone_says_so(workspace: TmuxWorkspace) -> None:
    ours = workspace.inner.start(CAT)
    session = workspace.make_session(ours, socket="/nowhere/at/all", server_pid=4242)
    jump = plan_jump(session, OUTSIDE)
    assert jump.outcome is Outcome.REFUSED
    assert "kill -USR1 4242" in jump.text
