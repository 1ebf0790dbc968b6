"""The tmux adapter without tmux: what its lists say, whatever they lack, and servers that don't answer."""

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from atm_tui.jump import run, tmux_server
from atm_tui.jump.plan import plan_next_jump
from atm_tui.jump.tmux import make_copy_command, make_new_window_command, make_switch_commands, plan
from atm_tui.jump.tmux_client import OwnTmux, choose_client
from atm_tui.jump.tmux_server import (
    TmuxClient,
    TmuxPane,
    TmuxServer,
    list_sockets,
    make_list_command,
    parse_server,
    read_server,
)
from atm_tui.jump.values import Outcome, OwnTerminal
from atm_tui.model.session import Session, Terminal

PANE = "pane $1 @2 %3 401 0 400 1.0 /dev/pts/5"
CLIENT = "client 500 1700000000 $1 @2 %3 /dev/pts/9"


@pytest.fixture
def server_socket(tmp_path: Path) -> Iterator[str]:
    """A path at which something listens."""
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        yield path


def test_panes_clients_and_names() -> None:
    server = parse_server("/s", f"{PANE}\n{CLIENT}\nsession $1 work\n")
    assert server == TmuxServer(
        socket="/s",
        pid=400,
        panes=(TmuxPane(session="$1", window="@2", pane="%3", pid=401, dead=False, tty="/dev/pts/5", index="1.0"),),
        clients=(
            TmuxClient(name="/dev/pts/9", pid=500, active_at=1_700_000_000, session="$1", window="@2", pane="%3"),
        ),
        names=(("$1", "work"),),
    )
    assert server.panes[0].target == "$1:@2.%3"
    assert server.format_address(server.panes[0]) == "work:1.0"


@pytest.mark.parametrize(
    "name",
    ["with blanks  here", "co:lon", "100%", "-x", "=equal", "@7", "naïve ✓", "pane $1", "", " leading", "a\x85b"],
)
def test_a_session_may_have_any_name(name: str) -> None:
    server = parse_server("/s", f"{PANE}\nsession $1 {name}\n")
    assert server
    assert server.find_session_name("$1") == name
    assert server.find_session_name("$9") == "$9"


def test_a_client_name_may_hold_blanks() -> None:
    server = parse_server("/s", f"{PANE}\nclient 500 1 $1 @2 %3 my own tty\n")
    assert server
    assert server.clients[0].name == "my own tty"


@pytest.mark.parametrize(
    ("line", "pid", "dead", "tty"),
    [
        ("pane $1 @2 %3 401 1 400 1.0 ", 401, True, ""),
        ("pane $1 @2 %3  0 400 1.0 /dev/pts/5", 0, False, "/dev/pts/5"),
        ("pane $1 @2 %3 401  400 1.0 /dev/pts/5", 401, False, "/dev/pts/5"),
    ],
)
def test_fields_that_are_empty(line: str, pid: int, dead: bool, tty: str) -> None:
    server = parse_server("/s", line)
    assert server
    assert (server.panes[0].pid, server.panes[0].dead, server.panes[0].tty) == (pid, dead, tty)


@pytest.mark.parametrize(
    "line",
    [
        "pane $1 @2",
        "pane $1 @2 %3 x 0 400 1.0 tty",
        "client 500",
        "client ? 1 $1 @2 %3 n",
        "no server running",
        "",
        "\x00",
    ],
)
def test_lines_without_their_fields_are_left_out(line: str) -> None:
    server = parse_server("/s", f"{line}\n{PANE}\n{line}\n")
    assert server
    assert len(server.panes) == 1
    assert server.clients == ()
    assert parse_server("/s", line) is None


def test_a_client_without_activity() -> None:
    server = parse_server("/s", f"{PANE}\nclient 500  $1 @2 %3 /dev/pts/9\n")
    assert server
    assert server.clients[0].active_at == 0


def test_the_lists_are_asked_for_at_once_by_the_exact_socket(programs: Any, server_socket: str) -> None:
    programs.add("tmux", (["list-panes"], f"{PANE}\n{CLIENT}\nsession $1 work", 0))
    server = read_server(server_socket)
    assert server
    assert server.find_session_name("$1") == "work"
    assert programs.calls == [list(make_list_command(server_socket))]
    assert programs.calls[0][:4] == ["tmux", "-u", "-S", server_socket]


@pytest.mark.parametrize("answer", [("no server running on /s", 1), ("lost server", 0), ("", 0)])
def test_a_server_that_does_not_answer_counts_as_absent(
    programs: Any, server_socket: str, answer: tuple[str, int]
) -> None:
    programs.add("tmux", ([], *answer))
    assert read_server(server_socket) is None


def test_without_tmux_there_is_no_server(programs: Any, server_socket: str) -> None:
    assert read_server(server_socket) is None


def test_a_path_that_is_not_a_socket_is_never_used(programs: Any, tmp_path: Path) -> None:
    programs.add("tmux", ([], PANE, 0))
    (tmp_path / "file").touch()
    assert read_server(str(tmp_path / "file")) is None
    assert read_server(str(tmp_path / "nothing")) is None
    assert programs.calls == []


def test_a_server_that_hangs_times_out(programs: Any, server_socket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = programs.folder / "tmux"
    program.write_text("#!/bin/sh\nexec /bin/sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setattr(run, "_TIMEOUT", 0.2)
    assert read_server(server_socket) is None


def test_the_default_socket_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMUX_TMPDIR", str(tmp_path))
    assert list_sockets() == []
    folder = tmp_path / f"tmux-{os.getuid()}"
    folder.mkdir()
    for name in ("zeta", "default", "alpha"):
        (folder / name).touch()
    assert [Path(each).name for each in list_sockets()] == ["default", "alpha", "zeta"]


def make_pane(number: int, session: str = "$1", *, dead: bool = False, tty: str = "") -> TmuxPane:
    return TmuxPane(session=session, window=f"@{number}", pane=f"%{number}", pid=number, dead=dead, tty=tty)


def make_client(name: str, session: str, number: int, active_at: int = 0) -> TmuxClient:
    return TmuxClient(name=name, pid=900, active_at=active_at, session=session, window=f"@{number}", pane=f"%{number}")


def make_server(*panes: TmuxPane, clients: tuple[TmuxClient, ...] = (), socket: str = "/s") -> TmuxServer:
    return TmuxServer(socket=socket, pid=400, panes=panes, clients=clients, names=(("$1", "one"), ("$2", "atm-1")))


@pytest.mark.parametrize(
    ("panes", "found"),
    [
        ((make_pane(1, tty="/dev/pts/5"), make_pane(2)), ["%1"]),
        ((make_pane(1, tty="/dev/pts/5", dead=True), make_pane(2)), []),
        ((make_pane(70), make_pane(50)), ["%70"]),  # the nearest ancestor
        ((make_pane(1, tty="/dev/pts/5"), make_pane(70)), ["%1"]),  # the tty first
        ((make_pane(70), make_pane(70, "$2")), ["%70", "%70"]),  # one pane in two sessions
        ((make_pane(1), make_pane(2)), []),
    ],
)
def test_the_pane_of_a_process(panes: tuple[TmuxPane, ...], found: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tmux_server, "read_ancestors", lambda _pid: (77, 70, 50, 1000))
    monkeypatch.setattr(tmux_server, "read_tty", lambda _pid: "/dev/pts/5")
    assert [each.pane for each in make_server(*panes).find_panes_of_process(77)] == found
    assert make_server(*panes).find_panes_of_process(None) == ()


def test_without_our_own_client_the_last_used_one_is_chosen() -> None:
    shown = make_server(make_pane(1), clients=(make_client("a", "$1", 1, 5), make_client("b", "$1", 1, 9)))
    target = choose_client(shown, None)
    assert target
    assert (target.client.name, target.is_ours) == ("b", False)
    assert choose_client(make_server(make_pane(1)), None) is None
    own = OwnTmux(server=shown, client=shown.clients[0])
    target = choose_client(shown, own)
    assert target
    assert (target.client.name, target.is_ours) == ("a", True)


def test_the_command_that_moves_one_client() -> None:
    mine, wanted = make_client("/dev/pts/1", "$1", 1), make_pane(2)
    alone = make_server(make_pane(1), wanted, make_pane(3, "$2"), clients=(mine,))
    assert make_switch_commands(alone, (make_pane(3, "$2"),), mine, None) == (
        ("tmux", "-S", "/s", "switch-client", "-Z", "-c", "/dev/pts/1", "-t", "$2:@3.%3"),
    )
    assert make_switch_commands(alone, (wanted,), mine, None) == (
        ("tmux", "-S", "/s", "select-window", "-t", "$1:@2", ";", "select-pane", "-Z", "-t", "%2"),
    )
    assert make_switch_commands(alone, (make_pane(1),), mine, None) == ()
    beside = make_server(make_pane(1), wanted, clients=(mine, make_client("/dev/pts/2", "$1", 1)))
    (command,) = make_switch_commands(beside, (wanted,), mine, None)
    # atm-1 is taken
    assert command[3:10] == ("new-session", "-d", "-s", "atm-2", "-t", "$1", ";")
    assert "=atm-2:@2.%2" in command


def test_outside_tmux_there_is_no_window_and_no_buffer() -> None:
    assert make_new_window_command(("claude",), "/", OwnTerminal()) is None
    assert make_copy_command("x", OwnTerminal()) is None
    inside = OwnTerminal(terminal=Terminal(kind="tmux", socket="/s"))
    assert make_copy_command("-x", inside) == ("tmux", "-S", "/s", "set-buffer", "-w", "--", "-x")
    # a semicolon at the end of a word would end the command
    assert (make_copy_command("make; ls;", inside) or ())[-1] == "make; ls\\;"


def test_a_session_whose_server_is_gone_is_refused(programs: Any, tmp_path: Path) -> None:
    programs.add("tmux", ([], "", 1))
    session = Session(session_id="s", pid=os.getpid(), terminal=Terminal(kind="tmux", socket=str(tmp_path / "gone")))
    refused = plan(session, OwnTerminal())
    assert refused.outcome is Outcome.REFUSED
    assert "No tmux server answers" in refused.text


def test_all_waiting_sessions_ask_a_server_once(
    programs: Any, live: Callable[..., Session], server_socket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten sessions in panes of one server, and ten whose hooks recorded no tmux; the last of all is reached."""
    monkeypatch.setattr("atm_tui.jump.tmux.list_sockets", lambda: [server_socket])
    monkeypatch.setattr("atm_tui.jump.tmux_server.read_tty", lambda pid: "/dev/pts/5" if pid == os.getpid() else None)
    shown = "client 500 1 $1 @9 %9 /dev/pts/9"
    pane = "pane $1 @2 %3 400 0 77 1.0 /dev/pts/5"
    programs.add("tmux", (["list-panes"], f"{pane}\n{shown}\nsession $1 work", 0))
    away = Session(session_id="away", pid=1, terminal=Terminal(kind="tmux", socket=server_socket))
    hidden = Session(session_id="hidden", pid=1, terminal=Terminal())
    there = live("tmux", socket=server_socket)
    found, jump = plan_next_jump([*[away] * 10, *[hidden] * 10, there], OwnTerminal())
    assert (found, jump.outcome) == (there, Outcome.GO)
    assert len(programs.calls) == 1
