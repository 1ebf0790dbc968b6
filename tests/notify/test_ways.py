"""Each way to give a notification keeps the text of sessions as text, and hands over what was meant."""

import base64
import json
import os
import sys
from pathlib import Path

import pytest

from atm_tui.config import Config
from atm_tui.model.notification import Notification, NotifyReason, NotifyWay
from atm_tui.model.session import Session
from atm_tui.notify import action
from atm_tui.notify.programs import make_calls, run_call
from atm_tui.notify.sequences import TerminalKind, format_sequences

HOSTILE = 'it\'s "x" $(touch owned) `touch owned` #(touch owned) %H; <b>a & b</b>'
NOTICE = Notification(title=HOSTILE, body="one\ntwo", reasons=(NotifyReason.NEEDS_YOU,), session_ids=("s1",))
PLAIN = Notification(title="done;ok", body="", reasons=(NotifyReason.FINISHED,), session_ids=())
SESSION = Session(session_id="s1", name=HOSTILE, cwd="/home/user/a b")
OSC = (NotifyWay.TERMINAL,)


@pytest.mark.parametrize(
    ("terminal", "written"),
    [
        (TerminalKind(), "\x1b]9;atm-tui: done;ok\x1b\\"),
        (TerminalKind(program="iTerm.app"), "\x1b]9;atm-tui: done;ok\x1b\\"),
        (TerminalKind(program="ghostty"), "\x1b]777;notify;done,ok;\x1b\\"),
        (TerminalKind(is_vte=True), "\x1b]777;notify;done,ok;\x1b\\"),
        (TerminalKind(term="linux"), ""),
        (TerminalKind(term="tmux-256color", in_tmux=True), "\x1bPtmux;\x1b\x1b]9;atm-tui: done;ok\x1b\x1b\\\x1b\\"),
    ],
)
def test_the_escape_sequence_depends_on_the_terminal(terminal: TerminalKind, written: str) -> None:
    assert format_sequences(PLAIN, OSC, terminal) == written
    assert format_sequences(PLAIN, (NotifyWay.BELL, NotifyWay.TERMINAL), terminal) == "\a" + written


def test_kitty_gets_title_and_body_encoded() -> None:
    written = format_sequences(NOTICE, OSC, TerminalKind(is_kitty=True))
    title, body = (part.rpartition(";")[2] for part in written.split("\x1b\\")[:2])
    assert (base64.b64decode(title).decode(), base64.b64decode(body).decode()) == (HOSTILE, "one\ntwo")


def test_the_bell_is_the_default() -> None:
    assert format_sequences(NOTICE, Config().notify_by, TerminalKind()) == "\a"
    assert make_calls(NOTICE, (SESSION,), Config()) == ()


def test_text_is_passed_to_programs_as_a_literal_argument() -> None:
    config = Config(notify_by=(NotifyWay.NOTIFY_SEND, NotifyWay.OSASCRIPT, NotifyWay.TMUX))
    desktop, mac, tmux = (each.command for each in make_calls(NOTICE, (SESSION,), config))
    assert desktop[-3:] == ("--", HOSTILE, "one\ntwo")
    assert mac[-1].startswith(HOSTILE)
    assert tmux[-1] == HOSTILE.replace("#(", "##(").replace("%H", "%%H")


def test_the_users_command_gets_the_session_as_json_and_in_variables(tmp_path: Path) -> None:
    code = (
        "import json,os,sys; "
        f"open({str(tmp_path / 'got')!r},'w').write(json.dumps([json.load(sys.stdin), os.environ['ATM_TITLE'], sys.argv[1]]))"
    )
    config = Config(notify_by=(NotifyWay.COMMAND,), notify_command=(sys.executable, "-c", code, "$HOME"))
    (call,) = make_calls(NOTICE, (SESSION,), config)
    assert run_call(call) == ""
    value, variable, argument = json.loads((tmp_path / "got").read_text())
    assert (value["title"], variable, argument) == (HOSTILE, HOSTILE, "$HOME")
    assert (value["sessions"][0]["id"], value["sessions"][0]["cwd"]) == ("s1", "/home/user/a b")


@pytest.mark.parametrize(("printed", "jumps"), [("default", True), ("", False), ("other", False)])
def test_the_action_of_a_desktop_notification_goes_to_the_session(
    monkeypatch: pytest.MonkeyPatch, printed: str, jumps: bool
) -> None:
    became: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, words: became.append(words[1:]))
    assert action.main(["s1", "echo", printed]) == 0
    assert became == ([["-P", "-m", "atm_tui", "jump", "--", "s1"]] if jumps else [])


def test_a_desktop_notification_reports_why_it_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "notify-send"
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    (call,) = make_calls(NOTICE, (SESSION,), Config(notify_by=(NotifyWay.NOTIFY_SEND,)))
    assert call.session_id == "s1"
    for code in (0, 3):
        program.write_text(f"#!/bin/sh\nexit {code}\n")
        program.chmod(0o755)
        assert run_call(call) == ("notify-send ended with 3" if code else "")


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    (call,) = make_calls(NOTICE, (SESSION,), Config(notify_by=(NotifyWay.OSASCRIPT,)))
    assert run_call(call) == "osascript is not on the PATH"
