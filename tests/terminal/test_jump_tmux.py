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
from tests.support.needs import need_tmux
from tests.support.tmux import Pane, Tmux
from tests.support.waiting import PATIENCE, wait_until
from tests.terminal.jumping import CAT, OUTSIDE, Desk, View, open_pane


@pytest.fixture
def desk(terminal_env: dict[str, str]) -> Iterator[Desk]:
    made = Desk(need_tmux(), terminal_env)
    yield made
    made.close()


@pytest.fixture
def untouched(desk: Desk) -> Iterator[Callable[[Pane], None]]:
    """Notes clients whose view must be the same at the end, byte by byte."""
    kept: list[tuple[Pane, View]] = []
    yield lambda client: kept.append((client, desk.read_view(client)))
    assert kept, "no client was noted"
    for client, view in kept:
        assert desk.read_view(client) == view


def test_our_client_moves_between_sessions_and_two_others_stay(desk: Desk, untouched: Callable[[Pane], None]) -> None:
    inner = desk.inner
    ours, target, other = inner.start(CAT), inner.start(CAT), inner.start(CAT)
    wanted = open_pane(inner, "split-window", "-t", target.target)
    inner.run("select-pane", "-t", target.target)
    mine, second, third = (desk.attach_client(pane.read_format("#{session_id}")) for pane in (ours, other, other))
    untouched(second)
    untouched(third)
    jump = plan_jump(desk.make_session(wanted), desk.make_own_terminal(ours))
    assert jump.outcome is Outcome.GO
    run_plan(jump)
    assert desk.read_shown_pane(mine) == wanted.read_format("#{session_id}:#{window_id}.#{pane_id}")


def test_two_servers_whose_ids_are_the_same(desk: Desk, untouched: Callable[[Pane], None]) -> None:
    second = desk.start_server()
    ours, wanted = desk.inner.start(CAT), desk.inner.start(CAT)
    theirs, twin = second.start(CAT), second.start(CAT)
    assert (ours.target, wanted.target) == (theirs.target, twin.target)
    mine, other = desk.attach_client(ours.target), desk.attach_client(theirs.target, second)
    untouched(other)
    run_plan(plan_jump(desk.make_session(wanted), desk.make_own_terminal(ours)))
    assert desk.read_shown_pane(mine).endswith(wanted.target)
    assert desk.read_shown_pane(other, second).endswith(theirs.target)


def test_a_pane_of_another_server_moves_the_client_that_was_used_last_there(
    desk: Desk, untouched: Callable[[Pane], None]
) -> None:
    second = desk.start_server()
    ours = desk.inner.start(CAT)
    first, wanted = second.start(CAT), second.start(CAT)
    mine = desk.attach_client(ours.target)
    old, new = desk.attach_client(first.target, second), desk.attach_client(first.target, second)
    desk.press_key_in(new, second)
    # both look at one session, of which only one is to leave
    desk.read_view(old)
    untouched(mine)
    untouched(old)
    jump = plan_jump(desk.make_session(wanted), desk.make_own_terminal(ours))
    assert new.read_format("#{pane_tty}") in jump.text
    run_plan(jump)
    assert desk.read_shown_pane(new, second).endswith(wanted.target)


def test_outside_tmux_the_client_that_was_used_last_moves(desk: Desk, untouched: Callable[[Pane], None]) -> None:
    first, second, wanted = (desk.inner.start(CAT) for _ in range(3))
    early, late = desk.attach_client(first.target), desk.attach_client(second.target)
    desk.press_key_in(early)
    untouched(late)
    desk.read_view(early)
    run_plan(plan_jump(desk.make_session(wanted), OUTSIDE))
    assert desk.read_shown_pane(early).endswith(wanted.target)


@pytest.mark.parametrize("last", ["mine", "other"])
def test_in_a_session_group_no_other_client_moves(desk: Desk, untouched: Callable[[Pane], None], last: str) -> None:
    inner = desk.inner
    ours = inner.start(CAT)
    inner.run("rename-session", "-t", ours.target, "base")
    base = ours.read_format("#{session_id}")
    inner.run("new-session", "-d", "-s", "base-b", "-t", "base")
    wanted = open_pane(inner, "new-window", "-d", "-t", "=base:")
    open_pane(inner, "new-window", "-t", "=base-b:")
    clients = {"mine": desk.attach_client("=base"), "other": desk.attach_client("=base-b")}
    # a bare pane id is looked up in the session that was used last
    desk.press_key_in(clients[last])
    desk.read_view(clients["mine"])
    untouched(clients["other"])
    run_plan(plan_jump(desk.make_session(wanted), desk.make_own_terminal(ours)))
    assert desk.read_shown_pane(clients["mine"]) == f"{base}:{wanted.read_format('#{window_id}')}.{wanted.target}"


def test_another_client_of_our_session_stays_where_it_is(desk: Desk, untouched: Callable[[Pane], None]) -> None:
    ours = desk.inner.start(CAT)
    session = ours.read_format("#{session_id}")
    wanted = open_pane(desk.inner, "new-window", "-d", "-t", f"{session}:")
    other, mine = desk.attach_client(session), desk.attach_client(session)
    desk.press_key_in(mine)
    desk.read_view(mine)
    untouched(other)
    run_plan(plan_jump(desk.make_session(wanted), desk.make_own_terminal(ours)))
    assert desk.read_shown_pane(mine).endswith(wanted.target)
    assert desk.read_shown_pane(mine).startswith(session) is False
    # and back, in the session that was made for this; it goes when its only client leaves it
    run_plan(plan_jump(desk.make_session(ours), desk.make_own_terminal(wanted)))
    assert desk.read_shown_pane(mine).endswith(ours.target)
    assert len(desk.inner.run("list-sessions").splitlines()) == 2
    run_plan(plan_jump(desk.make_session(desk.inner.start(CAT)), desk.make_own_terminal(wanted)))
    assert "atm-1" not in desk.inner.run("list-sessions")


def test_a_client_at_another_window_of_the_session_stays_there(desk: Desk, untouched: Callable[[Pane], None]) -> None:
    ours, seen = desk.inner.start(CAT), desk.inner.start(CAT)
    wanted = open_pane(desk.inner, "new-window", "-d", "-t", f"{seen.read_format('#{session_id}')}:")
    mine, other = desk.attach_client(ours.target), desk.attach_client(seen.target)
    untouched(other)
    run_plan(plan_jump(desk.make_session(wanted), desk.make_own_terminal(ours)))
    assert desk.read_shown_pane(mine).endswith(wanted.target)
    assert desk.read_shown_pane(other).endswith(seen.target)


NAMES = ("with blanks here", "dot.ted", "co:lon", "100%", "-x", "=equal", "@7", "naïve ✓", "a;b")


def test_names_do_not_matter(desk: Desk, untouched: Callable[[Pane], None]) -> None:
    ours, other, wanted = desk.inner.start(CAT), desk.inner.start(CAT), desk.inner.start(CAT)
    mine, second = desk.attach_client(ours.target), desk.attach_client(other.target)
    untouched(second)
    for name in NAMES:
        desk.inner.run("rename-session", "-t", wanted.read_format("#{session_id}"), "--", name)
        desk.inner.run("rename-window", "-t", wanted.target, "--", name)
        run_plan(plan_jump(desk.make_session(wanted), desk.make_own_terminal(ours)))
        assert desk.read_shown_pane(mine).endswith(wanted.target), name
        desk.inner.run("switch-client", "-c", mine.read_format("#{pane_tty}"), "-t", ours.target)


def test_pane_5_is_not_pane_50(desk: Desk, untouched: Callable[[Pane], None]) -> None:
    inner = desk.inner
    ours, other = inner.start(CAT), inner.start(CAT)
    session = other.read_format("#{session_id}")
    made = [open_pane(inner, "new-window", "-d", "-t", f"{session}:") for _ in range(49)]
    five, fifty = (next(pane for pane in made if pane.target == target) for target in ("%5", "%50"))
    mine = desk.attach_client(ours.target)
    untouched(desk.attach_client(inner.start(CAT).target))
    for at, wanted in ((ours, five), (five, fifty), (fifty, five)):
        run_plan(plan_jump(desk.make_session(wanted), desk.make_own_terminal(at)))
        assert desk.read_shown_pane(mine).endswith(f".{wanted.target}")


def test_a_zoomed_window_stays_zoomed_on_the_wanted_pane(desk: Desk) -> None:
    ours, beside = desk.inner.start(CAT), desk.inner.start(CAT)
    wanted = open_pane(desk.inner, "split-window", "-t", beside.target)
    desk.inner.run("select-pane", "-t", beside.target)
    desk.inner.run("resize-pane", "-Z", "-t", beside.target)
    mine = desk.attach_client(ours.target)
    run_plan(plan_jump(desk.make_session(wanted), desk.make_own_terminal(ours)))
    assert desk.read_shown_pane(mine).endswith(wanted.target)
    assert wanted.read_format("#{window_zoomed_flag}") == "1"


def test_copy_mode_is_left_alone(desk: Desk) -> None:
    ours, wanted = desk.inner.start(CAT), desk.inner.start(CAT)
    wanted.type_text("\n".join(map(str, range(100))))
    mine = desk.attach_client(ours.target)
    desk.inner.run("copy-mode", "-t", wanted.target)
    desk.inner.run("send-keys", "-t", wanted.target, "-X", "-N", "9", "cursor-up")
    before = wanted.read_format("#{pane_in_mode} #{copy_cursor_y} #{scroll_position}")
    run_plan(plan_jump(desk.make_session(wanted), desk.make_own_terminal(ours)))
    assert desk.read_shown_pane(mine).endswith(wanted.target)
    assert wanted.read_format("#{pane_in_mode} #{copy_cursor_y} #{scroll_position}") == before


def test_where_we_are_already_nothing_is_run(desk: Desk) -> None:
    ours = desk.inner.start(CAT)
    wanted = open_pane(desk.inner, "split-window", "-t", ours.target)
    desk.attach_client(ours.read_format("#{session_id}"))
    jump = plan_jump(desk.make_session(wanted), desk.make_own_terminal(ours))
    assert (jump.outcome, jump.commands) == (Outcome.THERE, ())


STUBBORN = (
    "import signal, sys, time; signal.signal(signal.SIGHUP, signal.SIG_IGN); open(sys.argv[1], 'w'); time.sleep(60)"
)
"""Outlives its terminal."""


def test_after_a_restart_of_the_server_the_same_id_is_another_pane(
    desk: Desk, untouched: Callable[[Pane], None]
) -> None:
    first = desk.inner
    first.start(CAT)
    ready = first.folder / "ready"
    wanted = first.start([sys.executable, "-c", STUBBORN, str(ready)])
    session, process = desk.make_session(wanted), psutil.Process(wanted.pid)
    wait_until(ready.exists)
    first._server.kill()
    first._server.wait(5)
    first.socket.unlink()
    try:
        desk.servers.remove(first)
        again = subprocess.Popen([desk.program, "-D", "-f", "/dev/null", "-S", str(first.socket)], env=desk.env)
        first._server = again
        desk.servers.insert(0, first)
        wait_until(first.socket.exists)
        ours, stranger = first.start(CAT), first.start(CAT)
        assert stranger.target == wanted.target
        untouched(desk.attach_client(ours.target))
        jump = plan_jump(session, desk.make_own_terminal(ours))
        assert (jump.outcome, jump.commands) == (Outcome.REFUSED, ())
        assert f"started anew, so {wanted.target} is another pane now" in jump.text
        assert "--resume" in jump.copy
    finally:
        process.kill()
        process.wait(5)


def test_in_the_session_that_is_shown_only_window_and_pane_are_selected(desk: Desk) -> None:
    """A control client (iTerm2) takes `switch-client` for another session, and builds all its windows anew."""
    inner = desk.inner
    ours = inner.start(CAT)
    session = ours.read_format("#{session_id}")
    beside = open_pane(inner, "new-window", "-d", "-t", f"{session}:")
    wanted = open_pane(inner, "split-window", "-d", "-t", beside.target)
    inner.run("resize-pane", "-Z", "-t", beside.target)
    with attach_control_client(desk, session) as lines:
        for pane, at in ((wanted, ours), (ours, wanted)):
            run_plan(plan_jump(desk.make_session(pane), desk.make_own_terminal(at)))
            assert list(desk.list_clients().values()) == [pane.read_format("#{session_id}:#{window_id}.#{pane_id}")]
        assert wanted.read_format("#{window_zoomed_flag}") == "1"
        wait_until(lambda: sum(line.startswith("%session-window-changed") for line in lines) == 2, "both changes")
        assert not [line for line in lines if line.startswith("%session-changed")]


@contextmanager
def attach_control_client(desk: Desk, session: str) -> Iterator[list[str]]:
    """The lines that a client in control mode gets, as they come, from its second on: the first attaches it."""
    command = [desk.program, "-u", "-S", str(desk.inner.socket), "-C", "attach-session", "-t", session]
    client = subprocess.Popen(command, env=desk.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
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
    desk: Desk, untouched: Callable[[Pane], None], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TMUX was unset for the client, or the environment of hooks was cleared."""
    ours, wanted = desk.inner.start(CAT), desk.inner.start(CAT)
    mine = desk.attach_client(ours.target)
    untouched(desk.attach_client(desk.inner.start(CAT).target))
    session = Session(session_id="0a1b2c3d", pid=wanted.pid, terminal=Terminal(kind=kind, pane="7"))
    run_plan(plan_jump(session, desk.make_own_terminal(ours)))
    assert desk.read_shown_pane(mine).endswith(wanted.target)
    link_into_tmux_folder(desk, monkeypatch)
    run_plan(plan_jump(desk.make_session(ours), desk.make_own_terminal(wanted)))
    # from outside, the servers of this user are searched
    assert f"Going to pane {wanted.target}" in plan_jump(session, OUTSIDE).text
    assert read_pane_names([session])[session.session_id][0] == wanted.target


def link_into_tmux_folder(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts the inner server's socket where tmux's own are."""
    folder = desk.inner.folder / f"tmux-{os.getuid()}"
    folder.mkdir(mode=0o700)
    (folder / "default").symlink_to(desk.inner.socket)
    monkeypatch.setenv("TMUX_TMPDIR", str(desk.inner.folder))


def test_a_process_in_another_terminal_that_a_pane_started_is_not_in_that_pane(desk: Desk, tmp_path: Path) -> None:
    """Its terminal is recorded, and its tty is no pane's: that a pane's shell is among its ancestors says nothing."""
    note = tmp_path / "pid"
    ours = desk.inner.start(
        ["sh", "-c", f"setsid sh -c 'echo $$ > {note}.new; mv {note}.new {note}; exec sleep 60' & exec cat"]
    )
    desk.attach_client(ours.target)
    wait_until(note.exists)
    session = Session(session_id="0a1b2c3d", pid=int(note.read_text()), terminal=Terminal(kind="apple"))
    assert plan_jump(session, desk.make_own_terminal(ours)).outcome is Outcome.REFUSED
    unknown = msgspec.structs.replace(session, terminal=Terminal())
    assert plan_jump(unknown, desk.make_own_terminal(ours)).outcome is Outcome.THERE


def test_a_pane_whose_process_is_gone_offers_to_resume(desk: Desk, untouched: Callable[[Pane], None]) -> None:
    ours, wanted = desk.inner.start(CAT), desk.inner.start(CAT)
    untouched(desk.attach_client(ours.target))
    session = desk.make_session(wanted)
    desk.inner.run("respawn-pane", "-k", "-t", wanted.target, "env", "cat")
    wait_until(lambda: plan_jump(session, desk.make_own_terminal(ours)).outcome is Outcome.RESUME)
    jump = plan_jump(session, desk.make_own_terminal(ours))
    assert jump.takeover[-2:] == ("--resume", session.session_id)
    assert jump.commands == ()


def test_a_pane_that_runs_something_else_is_not_taken_for_the_session(
    desk: Desk, untouched: Callable[[Pane], None]
) -> None:
    ours, stranger, real = desk.inner.start(CAT), desk.inner.start(CAT), desk.inner.start(CAT)
    stranger.server.run("select-pane", "-t", stranger.target, "-T", "claude")
    mine = desk.attach_client(ours.target)
    untouched(desk.attach_client(stranger.target))
    # the hook's variables name the pane from which the server's environment came
    session = desk.make_session(stranger)
    session = type(session)(session_id=session.session_id, pid=real.pid, terminal=session.terminal)
    run_plan(plan_jump(session, desk.make_own_terminal(ours)))
    assert desk.read_shown_pane(mine).endswith(real.target)


def test_without_a_stored_socket_the_registrys_pane_is_found_where_we_are(
    desk: Desk, untouched: Callable[[Pane], None]
) -> None:
    ours, wanted = desk.inner.start(CAT), desk.inner.start(CAT)
    mine = desk.attach_client(ours.target)
    untouched(desk.attach_client(desk.inner.start(CAT).target))
    run_plan(plan_jump(desk.make_session(wanted, socket=None, server_pid=None), desk.make_own_terminal(ours)))
    assert desk.read_shown_pane(mine).endswith(wanted.target)


def test_a_detached_server_is_offered_to_attach(desk: Desk) -> None:
    beside = desk.inner.start(CAT)
    wanted = open_pane(desk.inner, "split-window", "-t", beside.target)
    desk.inner.run("select-pane", "-t", beside.target)
    jump = plan_jump(desk.make_session(wanted), OUTSIDE)
    assert jump.outcome is Outcome.ATTACH
    # a lone ; would end the command of the outer tmux
    desk.outer.start([word if word != ";" else "\\;" for word in jump.takeover])
    wait_until(lambda: any(shown.endswith(wanted.target) for shown in desk.list_clients().values()))


def test_a_server_that_is_gone_says_so(desk: Desk) -> None:
    ours = desk.inner.start(CAT)
    session = desk.make_session(ours, socket="/nowhere/at/all", server_pid=4242)
    jump = plan_jump(session, OUTSIDE)
    assert jump.outcome is Outcome.REFUSED
    assert "kill -USR1 4242" in jump.text


def start_nested_server(desk: Desk) -> tuple[Tmux, Pane, Pane]:
    """A server whose only client runs in a pane of the inner server: the server, that pane, and the client's first pane."""
    deep = desk.start_server()
    first = deep.start(CAT)
    host = desk.inner.start(["env", "-u", "TMUX", desk.program, "-S", str(deep.socket), "attach-session"])
    wait_until(lambda: desk.list_clients(deep))
    return deep, host, first


def test_from_the_outer_tmux_into_the_nested_one(desk: Desk, untouched: Callable[[Pane], None]) -> None:
    deep, host, _ = start_nested_server(desk)
    wanted = deep.start(CAT)
    ours, other = desk.inner.start(CAT), desk.inner.start(CAT)
    mine = desk.attach_client(ours.target)
    untouched(desk.attach_client(other.target))
    jump = plan_jump(desk.make_session(wanted), desk.make_own_terminal(ours))
    assert len(jump.commands) == 2
    run_plan(jump)
    assert desk.read_shown_pane(mine).endswith(host.target)
    assert next(iter(desk.list_clients(deep).values())).endswith(wanted.target)


def test_from_the_nested_tmux_out_of_it(desk: Desk, untouched: Callable[[Pane], None]) -> None:
    _, host, first = start_nested_server(desk)
    wanted, other = desk.inner.start(CAT), desk.inner.start(CAT)
    late = desk.attach_client(other.target)
    mine = desk.attach_client(host.target)
    desk.press_key_in(late)
    desk.read_view(late)
    untouched(late)
    run_plan(plan_jump(desk.make_session(wanted), desk.make_own_terminal(first)))
    assert desk.read_shown_pane(mine).endswith(wanted.target)


@pytest.mark.parametrize("shared", [False, True])
def test_an_ended_session_resumes_in_a_new_window(
    desk: Desk, untouched: Callable[[Pane], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: bool
) -> None:
    folder = tmp_path / "my #(echo OWNED) #{session_id} shop"
    folder.mkdir()
    program = tmp_path / "claude"
    program.write_text('#!/bin/sh\necho "$# in $(pwd): $*"; exec cat\n')
    program.chmod(0o755)
    monkeypatch.setenv("ATM_CLAUDE", str(program))
    ours, other = desk.inner.start(CAT), desk.inner.start(CAT)
    session = ours.read_format("#{session_id}")
    second = desk.attach_client(session if shared else other.target)
    mine = desk.attach_client(session)
    desk.press_key_in(mine)
    desk.read_view(mine)
    untouched(second)
    over = Session(session_id="0a1b2c3d", liveness=Liveness.ENDED, cwd=str(folder))
    jump = plan_resume(over, desk.make_own_terminal(ours), str(folder))
    assert jump.outcome is Outcome.GO
    if shared:
        untouched(mine)
    run_plan(jump)
    pane = Pane(desk.inner, desk.inner.run("list-panes", "-s", "-t", session, "-F", "#{pane_id}").split()[-1])
    desk.inner._panes.append(pane)
    assert str(folder) in pane.wait_for("2 in").replace("\n", "")
    assert desk.read_shown_pane(mine).endswith(ours.target if shared else pane.target)


def test_no_window_is_opened_for_a_client_that_is_not_on_the_path(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATM_CLAUDE", "no-such-claude")
    ours = desk.inner.start(CAT)
    desk.attach_client(ours.target)
    over = Session(session_id="0a1b2c3d", liveness=Liveness.ENDED, cwd=str(tmp_path))
    for own in (desk.make_own_terminal(ours), OUTSIDE):
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
