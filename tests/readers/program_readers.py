"""Feeds of what other programs print: terminals that are asked for their panes, and the client for its version."""

import random
import subprocess
from typing import Any
from unittest.mock import patch

from atm_tui.jump import elsewhere, kitty, processes, run, screen, tmux_focus, tmux_server, wezterm, zellij
from atm_tui.jump.values import JumpPlan, OwnTerminal
from atm_tui.model.session import Elsewhere, Session
from atm_tui.model.terminal import Terminal
from atm_tui.settings import doctor_machine
from tests.readers.table import ReaderSandbox, feeds
from tests.support.damage import damage_lines, damage_text

OWN = OwnTerminal(terminal=Terminal(), pid=1)


def _make_session(sandbox: ReaderSandbox, kind: str) -> Session:
    terminal = Terminal(
        kind=kind, session="main", window="1", pane="3", socket=str(sandbox.folder / "socket"), tty="/dev/pts/1"
    )
    return Session(session_id="s", name="s", pid=sandbox.pid, terminal=terminal)


def _print(value: Any, dice: random.Random) -> str:
    return damage_lines([value], dice).decode("utf-8", "replace")


def _name_outcome(plan: JumpPlan) -> str:
    return plan.outcome.value


@feeds("atm_tui.jump.kitty:plan", fed="the list of windows that kitty prints")
def feed_kitty(sandbox: ReaderSandbox, dice: random.Random) -> str:
    listing = [{"tabs": [{"windows": [{"pid": sandbox.pid, "id": 7}, {"pid": 2, "id": 8}]}]}]
    with patch.object(run, "run_command", lambda *_: _print(listing, dice)):
        return _name_outcome(kitty.plan(_make_session(sandbox, "kitty"), OWN))


@feeds("atm_tui.jump.wezterm:plan", fed="the list of panes that WezTerm prints")
def feed_wezterm(sandbox: ReaderSandbox, dice: random.Random) -> str:
    listing = [{"pane_id": 3, "tty_name": None}, {"pane_id": 4, "tty_name": "/dev/pts/1"}]
    with patch.object(run, "run_command", lambda *_: _print(listing, dice)):
        return _name_outcome(wezterm.plan(_make_session(sandbox, "wezterm"), OWN))


@feeds("atm_tui.jump.zellij:plan", fed="the list of panes that Zellij prints")
def feed_zellij(sandbox: ReaderSandbox, dice: random.Random) -> str:
    listing = [{"id": 3, "is_plugin": False, "exited": False}, {"id": 1, "is_plugin": True}]
    with patch.object(run, "run_command", lambda *_: _print(listing, dice)):
        return _name_outcome(zellij.plan(_make_session(sandbox, "zellij"), OWN))


@feeds("atm_tui.jump.screen:plan", fed="the list of sessions that GNU screen prints")
def feed_screen(sandbox: ReaderSandbox, dice: random.Random) -> str:
    text = f"There is a screen on:\n\t{sandbox.pid}.main\t(Attached)\n1 Socket in /run/screen.\n"

    def run_command(*_: object, **__: object) -> str:
        return damage_text(text, dice).decode("utf-8", "replace")

    session = Session(
        session_id="s",
        name="s",
        pid=sandbox.pid,
        terminal=Terminal(kind="screen", session=f"{sandbox.pid}.main", window="1"),
    )
    with patch.object(screen, "run_command", run_command):
        return _name_outcome(screen.plan(session, OWN))


@feeds("atm_tui.jump.tmux_focus:list_focused_panes", fed="the clients that tmux prints, with their flags")
def feed_tmux_focus(_: ReaderSandbox, dice: random.Random) -> str:
    text = "%0 attached,focused,UTF-8\n%1 attached,UTF-8\n"
    with (
        patch.object(tmux_focus, "run_command", lambda *_: damage_text(text, dice).decode("utf-8", "replace")),
        patch.object(tmux_focus, "is_socket", lambda _: True),
    ):
        return "focused" if tmux_focus.list_focused_panes("/x") else "none"


@feeds("atm_tui.jump.elsewhere:find_client", fed="the clients that tmux prints on another machine")
def feed_tmux_elsewhere(_: ReaderSandbox, dice: random.Random) -> str:
    text = damage_text("1795000000 /dev/pts/9\n1795000100 /dev/pts/10\n", dice).decode("utf-8", "replace")
    there = Elsewhere(machine="gpu", terminal=Terminal(kind="tmux", socket="/s", pane="%1"))
    with patch.object(elsewhere, "run_command", lambda *_: text):
        return "a client" if elsewhere.find_client(there) else "none"


@feeds("atm_tui.jump.tmux_server:read_server", fed="the panes, clients and sessions that tmux prints")
def feed_tmux(sandbox: ReaderSandbox, dice: random.Random) -> str:
    text = (
        f"pane $0 @0 %0 {sandbox.pid} 0 1 0.0 /dev/pts/1\npane $0 @1 %1 12 1 1 1.0 /dev/pts/2\n"
        "client 77 1795000000 $0 @0 %0 /dev/pts/9\nsession $0 main work\n"
    )
    with (
        patch.object(tmux_server, "run_command", lambda *_: damage_text(text, dice).decode("utf-8", "replace")),
        patch.object(tmux_server, "is_socket", lambda _: True),
    ):
        server = tmux_server.read_server("/x")
    if server is None:
        return "no server"
    panes = server.find_panes_of_process(sandbox.pid)
    for pane in server.panes:
        server.format_address(pane)
    return "its pane" if panes else "no pane of it"


@feeds("atm_tui.settings.doctor_machine:_read_first_line", fed="the version that a program prints")
def feed_version(sandbox: ReaderSandbox, dice: random.Random) -> str:
    class Printed:
        stdout = damage_text("2.1.332 (Claude Code)\n", dice)

    with (
        patch.object(doctor_machine.subprocess, "run", lambda *_, **__: Printed()),
        patch.object(doctor_machine.shutil, "which", lambda _: "/x/claude"),
    ):
        (found,) = doctor_machine.check_client()
        list(doctor_machine.check_tmux())
    return found.level.value


@feeds("atm_tui.jump.processes:read_tty", fed="the tty that ps prints, where there is no /proc")
def feed_tty(sandbox: ReaderSandbox, dice: random.Random) -> str:
    class Printed:
        stdout = damage_text("ttys001\n", dice).decode("utf-8", "replace")

    with (
        patch.object(processes.sys, "platform", "darwin"),
        patch.object(subprocess, "run", lambda *_, **__: Printed()),
    ):
        return "a tty" if processes.read_tty(sandbox.pid) else "none"
