"""The right tmux client ends on the right pane, and nobody else's view changes."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import psutil
import pytest

from atm_tui.jump.plan import plan_jump, plan_jump_or_resume, plan_resume
from atm_tui.jump.run import run_plan
from atm_tui.jump.tmux_panes import read_pane_names
from atm_tui.jump.values import Outcome
from atm_tui.model.session import Liveness, Session, Terminal
from tests.support.effort import sample
from tests.support.tmux import Pane, Tmux
from tests.support.waiting import PATIENCE, wait_until
from tests.terminal.jumping import CAT, OUTSIDE, TerminalView, TmuxWorkspace, open_pane


@pytest.fixture
def untouched(workspace: TmuxWorkspace) -> Iterator[Callable[[Pane], None]]:
    """Notes clients whose view must be the same at the end, byte by byte."""
    kept: list[tuple[Pane, TerminalView]] = []
    yield lambda client: kept.append((client, workspace.read_view(client)))
    assert kept, "no client was noted"
    for client, view in kept:
        assert workspace.read_view(client) == view


def test_our_client_moves_between_sessions_and_two_others_stay(
    workspace: TmuxWorkspace, untouched: Callable[[Pane], None]
) -> None:
    inner = workspace.inner
    ours, target, other = inner.start(CAT), inner.start(CAT), inner.start(CAT)
    wanted = open_pane(inner, "split-window", "-t", target.target)
    inner.run("select-pane", "-t", target.target)
    mine, second, third = (workspace.attach_client(pane.read_format("#{session_id}")) for pane in (ours, other, other))
    untouched(second)
    untouched(third)
    jump = plan_jump(workspace.make_session(wanted), workspace.make_own_terminal(ours))
    assert jump.outcome is Outcome.GO
    run_plan(jump)
    assert workspace.read_shown_pane(mine) == wanted.read_format("#{session_id}:#{window_id}.#{pane_id}")


def test_two_servers_whose_ids_are_the_same(workspace: TmuxWorkspace, untouched: Callable[[Pane], None]) -> None:
    second = workspace.start_server()
    ours, wanted = workspace.inner.start(CAT), workspace.inner.start(CAT)
    theirs, twin = second.start(CAT), second.start(CAT)
    assert (ours.target, wanted.target) == (theirs.target, twin.target)
    mine, other = workspace.attach_client(ours.target), workspace.attach_client(theirs.target, second)
    untouched(other)
    run_plan(plan_jump(workspace.make_session(wanted), workspace.make_own_terminal(ours)))
    assert workspace.read_shown_pane(mine).endswith(wanted.target)
    assert workspace.read_shown_pane(other, second).endswith(theirs.target)


def test_a_pane_of_another_server_moves_the_client_that_was_used_last_there(
    workspace: TmuxWorkspace, untouched: Callable[[Pane], None]
) -> None:
    second = workspace.start_server()
    ours = workspace.inner.start(CAT)
    first, wanted = second.start(CAT), second.start(CAT)
    mine = workspace.attach_client(ours.target)
    old, new = workspace.attach_client(first.target, second), workspace.attach_client(first.target, second)
    workspace.press_key_in(new, second)
    # both look at one session, of which only one is to leave
    workspace.read_view(old)
    untouched(mine)
    untouched(old)
    jump = plan_jump(workspace.make_session(wanted), workspace.make_own_terminal(ours))
    assert new.read_format("#{pane_tty}") in jump.text
    run_plan(jump)
    assert workspace.read_shown_pane(new, second).endswith(wanted.target)


def test_outside_tmux_the_client_that_was_used_last_moves(
    workspace: TmuxWorkspace, untouched: Callable[[Pane], None]
) -> None:
    first, second, wanted = (workspace.inner.start(CAT) for _ in range(3))
    early, late = workspace.attach_client(first.target), workspace.attach_client(second.target)
    workspace.press_key_in(early)
    untouched(late)
    workspace.read_view(early)
    run_plan(plan_jump(workspace.make_session(wanted), OUTSIDE))
    assert workspace.read_shown_pane(early).endswith(wanted.target)


@pytest.mark.parametrize("last", sample(["mine", "other"], "other"))
def test_in_a_session_group_no_other_client_moves(
    workspace: TmuxWorkspace, untouched: Callable[[Pane], None], last: str
) -> None:
    inner = workspace.inner
    ours = inner.start(CAT)
    inner.run("rename-session", "-t", ours.target, "base")
    base = ours.read_format("#{session_id}")
    inner.run("new-session", "-d", "-s", "base-b", "-t", "base")
    wanted = open_pane(inner, "new-window", "-d", "-t", "=base:")
    open_pane(inner, "new-window", "-t", "=base-b:")
    clients = {"mine": workspace.attach_client("=base"), "other": workspace.attach_client("=base-b")}
    # a bare pane id is looked up in the session that was used last
    workspace.press_key_in(clients[last])
    workspace.read_view(clients["mine"])
    untouched(clients["other"])
    run_plan(plan_jump(workspace.make_session(wanted), workspace.make_own_terminal(ours)))
    assert workspace.read_shown_pane(clients["mine"]) == f"{base}:{wanted.read_format('#{window_id}')}.{wanted.target}"


def test_another_client_of_our_session_stays_where_it_is(
    workspace: TmuxWorkspace, untouched: Callable[[Pane], None]
) -> None:
    ours = workspace.inner.start(CAT)
    session = ours.read_format("#{session_id}")
    wanted = open_pane(workspace.inner, "new-window", "-d", "-t", f"{session}:")
    other, mine = workspace.attach_client(session), workspace.attach_client(session)
    workspace.press_key_in(mine)
    workspace.read_view(mine)
    untouched(other)
    run_plan(plan_jump(workspace.make_session(wanted), workspace.make_own_terminal(ours)))
    assert workspace.read_shown_pane(mine).endswith(wanted.target)
    assert workspace.read_shown_pane(mine).startswith(session) is False
    # and back, in the session that was made for this; it goes when its only client leaves it
    run_plan(plan_jump(workspace.make_session(ours), workspace.make_own_terminal(wanted)))
    assert workspace.read_shown_pane(mine).endswith(ours.target)
    assert len(workspace.inner.run("list-sessions").splitlines()) == 2
    run_plan(plan_jump(workspace.make_session(workspace.inner.start(CAT)), workspace.make_own_terminal(wanted)))
    assert "atm-1" not in workspace.inner.run("list-sessions")


def test_a_client_at_another_window_of_the_session_stays_there(
    workspace: TmuxWorkspace, untouched: Callable[[Pane], None]
) -> None:
    ours, seen = workspace.inner.start(CAT), workspace.inner.start(CAT)
    wanted = open_pane(workspace.inner, "new-window", "-d", "-t", f"{seen.read_format('#{session_id}')}:")
    mine, other = workspace.attach_client(ours.target), workspace.attach_client(seen.target)
    untouched(other)
    run_plan(plan_jump(workspace.make_session(wanted), workspace.make_own_terminal(ours)))
    assert workspace.read_shown_pane(mine).endswith(wanted.target)
    assert workspace.read_shown_pane(other).endswith(seen.target)


NAMES = ("with blanks here", "dot.ted", "co:lon", "100%", "-x", "=equal", "@7", "naïve ✓", "a;b")


def test_session_names_do_not_matter(workspace: TmuxWorkspace, untouched: Callable[[Pane], None]) -> None:
    ours, other, wanted = workspace.inner.start(CAT), workspace.inner.start(CAT), workspace.inner.start(CAT)
    mine, second = workspace.attach_client(ours.target), workspace.attach_client(other.target)
    untouched(second)
    for name in NAMES:
        workspace.inner.run("rename-session", "-t", wanted.read_format("#{session_id}"), "--", name)
        workspace.inner.run("rename-window", "-t", wanted.target, "--", name)
        run_plan(plan_jump(workspace.make_session(wanted), workspace.make_own_terminal(ours)))
        assert workspace.read_shown_pane(mine).endswith(wanted.target), name
        workspace.inner.run("switch-client", "-c", mine.read_format("#{pane_tty}"), "-t", ours.target)


def test_pane_5_is_not_pane_50(workspace: TmuxWorkspace, untouched: Callable[[Pane], None]) -> None:
    inner = workspace.inner
    ours, other = inner.start(CAT), inner.start(CAT)
    session = other.read_format("#{session_id}")
    window = ("new-window", "-d", "-t", f"{session}:", *CAT)
    inner.run(*window, *(word for _ in range(48) for word in (";", *window)))  # one tmux makes them all
    five, fifty = Pane(inner, "%5"), Pane(inner, "%50")
    mine = workspace.attach_client(ours.target)
    untouched(workspace.attach_client(inner.start(CAT).target))
    for at, wanted in ((ours, five), (five, fifty), (fifty, five)):
        run_plan(plan_jump(workspace.make_session(wanted), workspace.make_own_terminal(at)))
        assert workspace.read_shown_pane(mine).endswith(f".{wanted.target}")


def test_a_zoomed_window_stays_zoomed_on_the_wanted_pane(workspace: TmuxWorkspace) -> None:
    ours, beside = workspace.inner.start(CAT), workspace.inner.start(CAT)
    wanted = open_pane(workspace.inner, "split-window", "-t", beside.target)
    workspace.inner.run("select-pane", "-t", beside.target)
    workspace.inner.run("resize-pane", "-Z", "-t", beside.target)
    mine = workspace.attach_client(ours.target)
    run_plan(plan_jump(workspace.make_session(wanted), workspace.make_own_terminal(ours)))
    assert workspace.read_shown_pane(mine).endswith(wanted.target)
    assert wanted.read_format("#{window_zoomed_flag}") == "1"


def test_copy_mode_is_left_alone(workspace: TmuxWorkspace) -> None:
    ours, wanted = workspace.inner.start(CAT), workspace.inner.start(CAT)
    wanted.type_text("\n".join(map(str, range(100))))
    mine = workspace.attach_client(ours.target)
    workspace.inner.run("copy-mode", "-t", wanted.target)
    workspace.inner.run("send-keys", "-t", wanted.target, "-X", "-N", "9", "cursor-up")
    before = wanted.read_format("#{pane_in_mode} #{copy_cursor_y} #{scroll_position}")
    run_plan(plan_jump(workspace.make_session(wanted), workspace.make_own_terminal(ours)))
    assert workspace.read_shown_pane(mine).endswith(wanted.target)
    assert wanted.read_format("#{pane_in_mode} #{copy_cursor_y} #{scroll_position}") == before


def test_in_the_target_pane_nothing_is_run(workspace: TmuxWorkspace) -> None:
    ours = workspace.inner.start(CAT)
    wanted = open_pane(workspace.inner, "split-window", "-t", ours.target)
    workspace.attach_client(ours.read_format("#{session_id}"))
    jump = plan_jump(workspace.make_session(wanted), workspace.make_own_terminal(ours))
    assert (jump.outcome, jump.commands) == (Outcome.THERE, ())


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


def test_in_the_session_that_is_shown_only_window_and_pane_are_selected(workspace: TmuxWorkspace) -> None:
    """A control client (iTerm2) takes `switch-client` for another session, and builds all its windows anew."""
    inner = workspace.inner
    ours = inner.start(CAT)
    session = ours.read_format("#{session_id}")
    beside = open_pane(inner, "new-window", "-d", "-t", f"{session}:")
    wanted = open_pane(inner, "split-window", "-d", "-t", beside.target)
    inner.run("resize-pane", "-Z", "-t", beside.target)
    with attach_control_client(workspace, session) as lines:
        for pane, at in ((wanted, ours), (ours, wanted)):
            run_plan(plan_jump(workspace.make_session(pane), workspace.make_own_terminal(at)))
            assert list(workspace.list_clients().values()) == [
                pane.read_format("#{session_id}:#{window_id}.#{pane_id}")
            ]
        assert wanted.read_format("#{window_zoomed_flag}") == "1"
        wait_until(lambda: sum(line.startswith("%session-window-changed") for line in lines) == 2, "both changes")
        assert not [line for line in lines if line.startswith("%session-changed")]


@contextmanager
def attach_control_client(workspace: TmuxWorkspace, session: str) -> Iterator[list[str]]:
    """The lines that a client in control mode gets, as they come, from its second on: the first attaches it."""
    command = [workspace.program, "-u", "-S", str(workspace.inner.socket), "-C", "attach-session", "-t", session]
    client = subprocess.Popen(command, env=workspace.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert client.stdout
    assert client.stdin
    for line in client.stdout:
        if line.startswith("%session-changed"):
            break
    lines: list[str] = []
    reader = threading.Thread(target=lambda: lines.extend(client.stdout or ()))
    reader.start()
    try:
        yield lines
    finally:
        client.stdin.close()
        client.wait(PATIENCE)
        reader.join()
        client.stdout.close()


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


def start_nested_server(workspace: TmuxWorkspace) -> tuple[Tmux, Pane, Pane]:
    """A server whose only client runs in a pane of the inner server: the server, that pane, and the client's first pane."""
    deep = workspace.start_server()
    first = deep.start(CAT)
    host = workspace.inner.start(["env", "-u", "TMUX", workspace.program, "-S", str(deep.socket), "attach-session"])
    wait_until(lambda: workspace.list_clients(deep))
    return deep, host, first


def test_from_the_outer_tmux_into_the_nested_one(workspace: TmuxWorkspace, untouched: Callable[[Pane], None]) -> None:
    deep, host, _ = start_nested_server(workspace)
    wanted = deep.start(CAT)
    ours, other = workspace.inner.start(CAT), workspace.inner.start(CAT)
    mine = workspace.attach_client(ours.target)
    untouched(workspace.attach_client(other.target))
    jump = plan_jump(workspace.make_session(wanted), workspace.make_own_terminal(ours))
    assert len(jump.commands) == 2
    run_plan(jump)
    assert workspace.read_shown_pane(mine).endswith(host.target)
    assert next(iter(workspace.list_clients(deep).values())).endswith(wanted.target)


def test_from_the_nested_tmux_out_of_it(workspace: TmuxWorkspace, untouched: Callable[[Pane], None]) -> None:
    _, host, first = start_nested_server(workspace)
    wanted, other = workspace.inner.start(CAT), workspace.inner.start(CAT)
    late = workspace.attach_client(other.target)
    mine = workspace.attach_client(host.target)
    workspace.press_key_in(late)
    workspace.read_view(late)
    untouched(late)
    run_plan(plan_jump(workspace.make_session(wanted), workspace.make_own_terminal(first)))
    assert workspace.read_shown_pane(mine).endswith(wanted.target)


@pytest.mark.parametrize("shared", sample([False, True], True))  # tests/terminal/test_app_keys.py resumes in a window
def test_an_ended_session_resumes_in_a_new_window(
    workspace: TmuxWorkspace,
    untouched: Callable[[Pane], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shared: bool,
) -> None:
    folder = tmp_path / "my #(echo OWNED) #{session_id} shop"
    folder.mkdir()
    program = tmp_path / "claude"
    program.write_text('#!/bin/sh\necho "$# in $(pwd): $*"; exec cat\n')
    program.chmod(0o755)
    monkeypatch.setenv("ATM_CLAUDE", str(program))
    ours, other = workspace.inner.start(CAT), workspace.inner.start(CAT)
    session = ours.read_format("#{session_id}")
    second = workspace.attach_client(session if shared else other.target)
    mine = workspace.attach_client(session)
    workspace.press_key_in(mine)
    workspace.read_view(mine)
    untouched(second)
    over = Session(session_id="0a1b2c3d", liveness=Liveness.ENDED, cwd=str(folder))
    jump = plan_resume(over, workspace.make_own_terminal(ours), str(folder))
    assert jump.outcome is Outcome.GO
    if shared:
        untouched(mine)
    run_plan(jump)
    pane = Pane(workspace.inner, workspace.inner.run("list-panes", "-s", "-t", session, "-F", "#{pane_id}").split()[-1])
    assert str(folder) in pane.wait_for("2 in").replace("\n", "")
    assert workspace.read_shown_pane(mine).endswith(ours.target if shared else pane.target)


def test_no_window_is_opened_for_a_client_that_is_not_on_the_path(
    workspace: TmuxWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATM_CLAUDE", "no-such-claude")
    ours = workspace.inner.start(CAT)
    workspace.attach_client(ours.target)
    over = Session(session_id="0a1b2c3d", liveness=Liveness.ENDED, cwd=str(tmp_path))
    for own in (workspace.make_own_terminal(ours), OUTSIDE):
        jump = plan_jump_or_resume(over, str(tmp_path), own)
        assert (jump.outcome, jump.commands, jump.takeover) == (Outcome.REFUSED, (), ())
        assert "no-such-claude is not on the PATH. ATM_CLAUDE can name" in jump.text
        assert jump.copy == f"cd {tmp_path} && no-such-claude --resume 0a1b2c3d"


def test_outside_tmux_an_ended_session_resumes_in_this_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATM_CLAUDE", "cat")
    over = Session(session_id="0a1b2c3d", liveness=Liveness.LOST, cwd=str(tmp_path))
    jump = plan_resume(over, OUTSIDE)
    assert (jump.outcome, jump.directory, jump.takeover[-1]) == (Outcome.RESUME, str(tmp_path), "0a1b2c3d")
    gone = plan_resume(Session(session_id="0a1b2c3d", liveness=Liveness.LOST, cwd="/no/such"), OUTSIDE)
    assert gone.outcome is Outcome.REFUSED
    assert "/no/such is gone" in gone.text
