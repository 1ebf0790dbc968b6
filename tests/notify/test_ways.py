"""Each way to give a notification keeps the text of sessions as text, and hands over what was meant."""

import base64
import getopt
import json
import os
import sys
from pathlib import Path

import pytest

from atm_tui.config import Config
from atm_tui.model.notification import Notification, NotifyReason, NotifyWay
from atm_tui.model.session import Session
from atm_tui.notify import action
from atm_tui.notify.programs import Done, make_calls, run_call
from atm_tui.notify.sequences import TerminalKind, format_sequences
from tests.support.effort import sample

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
    assert run_call(call) == Done()
    value, variable, argument = json.loads((tmp_path / "got").read_text())
    assert (value["title"], variable, argument) == (HOSTILE, HOSTILE, "$HOME")
    assert (value["sessions"][0]["id"], value["sessions"][0]["cwd"]) == ("s1", "/home/user/a b")


@pytest.mark.parametrize(("printed", "jumps"), [("default", True), ("", False), ("other", False), ("show", False)])
def test_the_action_of_a_desktop_notification_goes_to_the_session(
    monkeypatch: pytest.MonkeyPatch, printed: str, jumps: bool
) -> None:
    became: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, words: became.append(words[1:]))
    assert action.main(["s1", "echo", printed]) == (action.SHOW_CODE if printed == "show" else 0)
    assert became == ([["-P", "-m", "atm_tui", "jump", "--", "s1"]] if jumps else [])


def test_a_session_is_shown_by_the_app_or_gone_to_when_that_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    became: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, words: became.append(words[1:]))
    parents = iter([7, 1])
    monkeypatch.setattr(os, "getppid", lambda: next(parents))
    action.main(["s1", "echo", "show"])
    assert became == [["-P", "-m", "atm_tui", "jump", "--", "s1"]]


def test_only_an_app_offers_to_show_the_session() -> None:
    config = Config(notify_by=(NotifyWay.NOTIFY_SEND,))
    by_app = [make_calls(NOTICE, (SESSION,), config, by_app=app)[0].command for app in (False, True)]
    assert [[word for word in each if word.startswith("--action")] for each in by_app] == [
        ["--action=default=Go to it"],
        ["--action=default=Go to it", "--action=show=Show in atm-tui"],
    ]
    assert not [word for word in make_calls(PLAIN, (), config, by_app=True)[0].command if "--action" in word]


def test_a_desktop_notification_reports_why_it_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "notify-send"
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    (call,) = make_calls(NOTICE, (SESSION,), Config(notify_by=(NotifyWay.NOTIFY_SEND,)))
    assert call.session_id == "s1"
    for code in (0, 3):
        program.write_text(f"#!/bin/sh\nexit {code}\n")
        program.chmod(0o755)
        assert run_call(call).failure == ("notify-send: ended with 3" if code else "")


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    (call,) = make_calls(NOTICE, (SESSION,), Config(notify_by=(NotifyWay.OSASCRIPT,)))
    assert run_call(call).failure == "osascript is not on the PATH"


APPLESCRIPT_TEXTS = (
    HOSTILE,
    'say "hi" & (do shell script "touch owned")',
    '" & quit & "',
    'back\\slash \\" and \u201ccurly\u201d ¬ «class» “” --comment (* *) # {1, 2}',
    "-e",
    "--",
    "-l JavaScript",
    "",
    "end run\nend tell",
    "日本語 👩‍👩‍👧 \u202e",
)
SCRIPT = ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"]


@pytest.mark.parametrize("text", sample(APPLESCRIPT_TEXTS, HOSTILE, APPLESCRIPT_TEXTS[3], "-e", "--"))
def test_osascript_gets_a_script_that_no_text_changes_and_each_text_as_one_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """The program is run: what reaches it are its real arguments, read as osascript's getopt does."""
    program = tmp_path / "osascript"
    program.write_text(f'#!/bin/sh\nfor each; do printf "%s\\0" "$each"; done >"{tmp_path}/got"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    notification = Notification(title=text, body=text, reasons=(NotifyReason.FAILED,), session_ids=("s1",))
    (call,) = make_calls(notification, (SESSION,), Config(notify_by=(NotifyWay.OSASCRIPT,)))
    assert run_call(call) == Done()
    options, arguments = getopt.getopt((tmp_path / "got").read_text().split("\0")[:-1], "l:is:e:")
    assert options == [("-e", line) for line in SCRIPT]
    assert arguments == ["atm-tui", f"{text}\n{text}".strip()]
    assert not (tmp_path / "owned").exists()
