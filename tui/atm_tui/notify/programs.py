"""Gives a notification through programs: notify-send, osascript, tmux, and the user's own command. No shell reads any text."""

import html
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

import msgspec

from atm_tui.config import Config
from atm_tui.jump.run import feed_program, has_program
from atm_tui.model.notification import Notification, NotifyWay
from atm_tui.model.session import Session
from atm_tui.notify.action import GO, SHOW, SHOW_CODE, SHOWN

PATIENCE = 30.0
"""Time limit of a program without an action, in seconds."""
UNTIL_CHOSEN = SHOWN + PATIENCE
"""Seconds after which a program with an action has ended."""
_SCRIPT = "display notification (item 2 of argv) with title (item 1 of argv)"


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A program to start, with its input."""

    command: tuple[str, ...]
    stdin: bytes = b""
    variables: Mapping[str, str] = MappingProxyType({})
    session_id: str = ""
    """The session to go to when the action is chosen; empty: there is no action."""


def make_calls(
    notification: Notification, sessions: Sequence[Session], config: Config, *, by_app: bool = False
) -> tuple[Call, ...]:
    """Makes the calls for the ways of the configuration. `sessions`: those that the notification is about.

    `by_app`: whether an app gives it, which can show the session.
    """
    makers: dict[NotifyWay, Callable[[Notification], Call]] = {
        NotifyWay.NOTIFY_SEND: partial(_make_notify_send, by_app=by_app),
        NotifyWay.OSASCRIPT: _make_osascript,
        NotifyWay.TMUX: _make_tmux,
    }
    calls = [make(notification) for way, make in makers.items() if way in config.notify_by]
    if NotifyWay.COMMAND in config.notify_by:
        calls.append(_make_own(notification, sessions, config.notify_command))
    return tuple(calls)


def _make_notify_send(notification: Notification, *, by_app: bool) -> Call:
    session_id = notification.session_ids[0] if notification.session_ids else ""
    actions = [f"--action={GO}=Go to it"] if session_id else []
    actions += [f"--action={SHOW}=Show in atm-tui"] if session_id and by_app else []
    # a body may contain markup, a title may not
    body = html.escape(notification.body, quote=False)
    command = ("notify-send", "--app-name=atm-tui", *actions, "--", notification.title, body)
    return Call(command=command, session_id=session_id)


def _make_osascript(notification: Notification) -> Call:
    script = ("-e", "on run argv", "-e", _SCRIPT, "-e", "end run")
    return Call(command=("osascript", *script, "--", "atm-tui", f"{notification.title}\n{notification.body}".strip()))


def _make_tmux(notification: Notification) -> Call:
    # tmux runs #(…) as a command and replaces %H by the hour, unless these characters are doubled
    text = notification.title.replace("#", "##").replace("%", "%%")
    return Call(command=("tmux", "display-message", "--", text))


def _make_own(notification: Notification, sessions: Sequence[Session], command: tuple[str, ...]) -> Call:
    first = sessions[0] if sessions else None
    value = {
        "title": notification.title,
        "body": notification.body,
        "reasons": notification.reasons,
        "sessions": [
            {
                "id": each.session_id,
                "name": each.name,
                "state": each.state,
                "reason": each.reason,
                "cwd": each.cwd,
                "project": each.project.name,
                "branch": each.project.branch,
                "transcript": each.transcript_path,
                "pane": each.terminal.pane,
            }
            for each in sessions
        ],
    }
    variables = {
        "ATM_TITLE": notification.title,
        "ATM_BODY": notification.body,
        "ATM_REASONS": " ".join(notification.reasons),
        "ATM_SESSION_ID": first.session_id if first else "",
        "ATM_SESSION_CWD": first.cwd if first else "",
    }
    clean_variables = {name: value.replace("\0", "") for name, value in variables.items()}
    return Call(command=command, stdin=msgspec.json.encode(value) + b"\n", variables=clean_variables)


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a call."""

    failure: str = ""
    """Why it failed, with the name of the program; "" on success."""
    is_to_show: bool = False
    """Whether the user chose to see the session in the app."""


def run_call(call: Call, patience: float = PATIENCE) -> Done:
    """Runs a program. Blocks for as long as it runs, at most `patience` seconds.

    A program with an action goes on after that, and goes to the session if that action is chosen.
    """
    program = call.command[0]
    if not has_program(program):
        return Done(failure=f"{program} is not on the PATH")
    command = call.command
    if call.session_id:
        command = (sys.executable, "-P", "-m", "atm_tui.notify.action", call.session_id, *command)
    fed = feed_program(command, call.stdin, patience, variables=call.variables, outlives=bool(call.session_id))
    if call.session_id and fed.code == SHOW_CODE:
        return Done(is_to_show=True)
    return Done(failure=f"{program}: {fed.problem}" if fed.problem else "")
