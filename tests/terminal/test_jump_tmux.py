"""The right tmux client ends on the right pane, and nobody else's view changes."""

import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from atm_tui.jump.plan import plan_jump
from atm_tui.jump.run import run_plan
from atm_tui.jump.values import Outcome
from tests.support.effort import sample
from tests.support.jumping import CAT, OUTSIDE, TmuxWorkspace, open_pane
from tests.support.tmux import Pane, Tmux
from tests.support.waiting import PATIENCE, wait_until


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
