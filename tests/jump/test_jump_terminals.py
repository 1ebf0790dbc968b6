"""Each terminal is asked and moved by its own commands; values are passed as arguments, never inside a script."""

import json
import os
from collections.abc import Callable
from typing import Any

import pytest

from atm_tui.jump import processes
from atm_tui.jump.plan import plan_jump
from atm_tui.jump.run import run_plan
from atm_tui.jump.values import JumpError, JumpPlan, Outcome, OwnTerminal
from atm_tui.model.session import Liveness, Session, Terminal

Live = Callable[..., Session]
TTY = "/dev/pts/77"


@pytest.fixture(autouse=True)
def _tty(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that stands for the session is on a known terminal."""
    for name in ("apple", "iterm2", "vscode", "wezterm", "plan"):
        monkeypatch.setattr(f"atm_tui.jump.{name}.read_tty", lambda _pid: TTY)


def make_kitty_listing(pid: int) -> str:
    window = {"id": 31, "pid": pid, "foreground_processes": []}
    return json.dumps([{"id": 1, "tabs": [{"id": 1, "windows": [{"id": 30, "pid": -7}, window]}]}])


def test_kitty(programs: Any, live: Live, own: OwnTerminal) -> None:
    programs.add("kitten", (["ls"], make_kitty_listing(os.getppid()), 0), (["focus-window"], "", 0))
    jump = plan_jump(live("kitty", socket="unix:/tmp/my kitty", pane="3"), own)
    assert jump.outcome is Outcome.GO
    run_plan(jump)
    assert programs.calls == [
        ["kitten", "@", "--to", "unix:/tmp/my kitty", "ls"],
        ["kitten", "@", "--to", "unix:/tmp/my kitty", "focus-window", "--match", "id:31"],
    ]


def test_an_older_kitty_without_kitten(programs: Any, live: Live, own: OwnTerminal) -> None:
    programs.add("kitty", (["ls"], make_kitty_listing(os.getpid()), 0), (["focus-window"], "", 0))
    run_plan(plan_jump(live("kitty", socket="unix:/tmp/kitty", pane="31"), own))
    assert programs.calls[-1] == ["kitty", "@", "--to", "unix:/tmp/kitty", "focus-window", "--match", "id:31"]


@pytest.mark.parametrize(
    ("answer", "status", "says"),
    [
        ("", 1, "ended with 1"),
        ("Remote control is disabled", 1, "Remote control is disabled"),
        ("no json", 0, "does not answer"),
        (make_kitty_listing(-5), 0, "in no window"),
    ],
)
def test_a_kitty_that_fails_or_lacks_the_window_is_refused(
    programs: Any, live: Live, own: OwnTerminal, answer: str, status: int, says: str
) -> None:
    programs.add("kitten", ([], answer, status))
    jump = plan_jump(live("kitty", socket="unix:/tmp/kitty", pane="31"), own)
    assert jump.outcome is Outcome.REFUSED
    assert says in jump.text
    assert TTY in jump.text
    assert "--resume 0a1b2c3d" in jump.copy


def test_kitty_without_a_socket_says_what_to_switch_on(programs: Any, live: Live, own: OwnTerminal) -> None:
    jump = plan_jump(live("kitty", pane="3"), own)
    assert "allow_remote_control" in jump.text
    assert programs.calls == []


@pytest.mark.parametrize("socket", ["/run/user/wez term.sock", None])
def test_wezterm(programs: Any, live: Live, own: OwnTerminal, socket: str | None) -> None:
    listing = [{"pane_id": 4, "tty_name": "/dev/pts/1"}, {"pane_id": 12, "tty_name": TTY}]
    programs.add("wezterm", (["list"], json.dumps(listing), 0), (["activate-pane"], "", 0))
    run_plan(plan_jump(live("wezterm", socket=socket, pane="4"), own))
    assert programs.calls == [
        ["wezterm", "cli", "list", "--format", "json"],
        ["wezterm", "cli", "activate-pane", "--pane-id", "12"],
    ]
    assert programs.sockets == [socket, socket]


def test_an_older_wezterm_without_ttys_uses_the_pane_id(programs: Any, live: Live, own: OwnTerminal) -> None:
    programs.add("wezterm", (["list"], json.dumps([{"pane_id": 4}]), 0), (["activate-pane"], "", 0))
    assert plan_jump(live("wezterm", pane="4"), own).outcome is Outcome.GO
    assert plan_jump(live("wezterm", pane="5"), own).outcome is Outcome.REFUSED


def read_script(call: list[str]) -> tuple[str, list[str]]:
    """The script of an osascript call, and its arguments."""
    words = call[1:]
    lines = []
    while words and words[0] == "-e":
        lines.append(words[1])
        words = words[2:]
    return "\n".join(lines), words


@pytest.mark.parametrize(
    ("kind", "terminal", "application", "arguments"),
    [
        ("iterm2", {"pane": 'w0t1p2:6A"B'}, "iTerm2", ['6A"B', TTY]),
        ("apple", {"pane": "E5"}, "Terminal", [TTY]),
        ("ghostty", {}, "Ghostty", ["/home/user/my work"]),
    ],
)
def test_mac_terminals_get_the_values_as_arguments(
    programs: Any,
    live: Live,
    own: OwnTerminal,
    kind: str,
    terminal: dict[str, str],
    application: str,
    arguments: list[str],
) -> None:
    programs.add("osascript", ([], "", 0))
    run_plan(plan_jump(live(kind, **terminal), own))
    script, given = read_script(programs.calls[0])
    assert f'tell application "{application}"' in script
    assert given == arguments
    assert not any(word in script for word in arguments)
    opened = [
        line for line in script.splitlines() if line.startswith(("on ", "tell ", "repeat ")) or line.endswith(" then")
    ]
    assert len(opened) == sum(line.startswith("end ") for line in script.splitlines())


@pytest.mark.parametrize("kind", ["iterm2", "apple", "ghostty"])
def test_mac_terminals_are_refused_on_other_systems(programs: Any, live: Live, own: OwnTerminal, kind: str) -> None:
    assert plan_jump(live(kind, pane="w0t0p0:A"), own).outcome is Outcome.REFUSED


def test_zellij(programs: Any, live: Live, own: OwnTerminal) -> None:
    panes = [{"id": 3, "is_plugin": True}, {"id": 3, "is_plugin": False, "exited": False}]
    programs.add("zellij", (["list-panes"], json.dumps(panes), 0), (["focus-pane-id"], "", 0))
    run_plan(plan_jump(live("zellij", session="my work", pane="3"), own))
    assert programs.calls == [
        ["zellij", "--session", "my work", "action", "list-panes", "--json"],
        ["zellij", "--session", "my work", "action", "focus-pane-id", "terminal_3"],
    ]


def test_a_zellij_that_is_too_old_says_so(programs: Any, live: Live, own: OwnTerminal) -> None:
    programs.add("zellij", ([], "error: unrecognized subcommand", 2))
    jump = plan_jump(live("zellij", session="s", pane="3"), own)
    assert "0.44" in jump.text


def test_vs_code(programs: Any, live: Live, own: OwnTerminal) -> None:
    programs.add("code", ([], "", 0))
    jump = plan_jump(live("vscode"), own)
    run_plan(jump)
    assert programs.calls == [["code", "/home/user/my work"]]
    assert TTY in jump.text


@pytest.mark.parametrize("kind", ["kitty", "wezterm", "zellij", "screen", "vscode", "tmux"])
def test_a_terminal_whose_program_is_absent_is_refused_with_the_tty(
    programs: Any, live: Live, own: OwnTerminal, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("atm_tui.jump.screen.read_ancestors", lambda _pid: (1, 99))
    jump = plan_jump(live(kind, socket="s", session="99.s", window="1", pane="3"), own)
    assert jump.outcome is Outcome.REFUSED
    assert "on the PATH" in jump.text
    assert TTY in jump.text


def test_an_unknown_terminal_shows_the_tty_and_a_command_to_copy(live: Live, own: OwnTerminal) -> None:
    jump = plan_jump(live("unknown"), own)
    assert jump.outcome is Outcome.REFUSED
    assert TTY in jump.text
    assert jump.copy.endswith("claude --resume 0a1b2c3d-0000-4000-8000-000000000000")


def test_a_session_in_the_background_is_attached_by_the_client(live: Live, own: OwnTerminal) -> None:
    session = live("unknown")
    background = Session(session_id=session.session_id, pid=session.pid, kind="background")
    jump = plan_jump(background, own)
    assert (jump.outcome, jump.takeover) == (Outcome.ATTACH, ("claude", "attach", "0a1b2c3d"))


def test_a_session_without_a_screen_is_refused(live: Live, own: OwnTerminal) -> None:
    session = Session(session_id="s", pid=os.getpid(), kind="headless", terminal=Terminal(kind="tmux"))
    assert plan_jump(session, own).outcome is Outcome.REFUSED


@pytest.mark.parametrize("liveness", [Liveness.LOST, Liveness.ENDED])
def test_an_ended_or_lost_session_is_offered_to_resume(
    live: Live, own: OwnTerminal, liveness: Liveness, tmp_path: Any
) -> None:
    session = Session(session_id="s", liveness=liveness, cwd=str(tmp_path), config_dir="/home/user/other config")
    jump = plan_jump(session, own)
    assert jump.outcome is Outcome.RESUME
    assert jump.takeover == ("env", "CLAUDE_CONFIG_DIR=/home/user/other config", "claude", "--resume", "s")
    assert jump.directory == str(tmp_path)


def test_the_first_command_that_fails_ends_the_jump(programs: Any) -> None:
    programs.add("one", ([], "not today", 3))
    programs.add("two", ([], "", 0))
    with pytest.raises(JumpError, match="one: not today"):
        run_plan(JumpPlan(outcome=Outcome.GO, text="", commands=(("one",), ("two",))))
    assert [call[0] for call in programs.calls] == ["one"]


def test_a_tty_that_was_opened_later_is_found() -> None:
    first, second = os.openpty()
    try:
        name = os.ttyname(second)
        pid = os.fork()
        if pid == 0:  # the child: a session of its own, whose terminal is the new one
            os.setsid()
            os.close(os.open(name, os.O_RDWR))
            os.write(second, b"x")
            os.read(second, 1)
            os._exit(0)
        os.read(first, 1)
        assert processes.read_tty(pid) == name
        os.kill(pid, 9)
        os.waitpid(pid, 0)
    finally:
        os.close(first)
        os.close(second)
