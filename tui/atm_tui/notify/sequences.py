"""Writes a notification as a terminal sequence: the bell, or OSC 9, 777 or 99."""

import base64

import msgspec

from atm_tui import paths
from atm_tui.model.notification import Notification, NotifyWay


class TerminalKind(msgspec.Struct, frozen=True, kw_only=True):
    """The terminal's kind, from environment variables; empty if unset."""

    term: str = ""
    program: str = ""
    """TERM_PROGRAM; LC_TERMINAL within tmux, where the former is "tmux"."""
    is_kitty: bool = False
    is_vte: bool = False
    in_tmux: bool = False


def find_terminal_kind() -> TerminalKind:
    """Returns the terminal's kind from the environment."""
    read = paths.read_variable
    in_tmux = read("TMUX") is not None
    program = read("LC_TERMINAL") if in_tmux else read("TERM_PROGRAM")
    return TerminalKind(
        term=read("TERM") or "",
        program=program or "",
        is_kitty=read("KITTY_WINDOW_ID") is not None,
        is_vte=read("VTE_VERSION") is not None,
        in_tmux=in_tmux,
    )


_BY_777 = frozenset({"ghostty", "wezterm", "foot"})


def format_sequences(notification: Notification, ways: tuple[NotifyWay, ...], terminal: TerminalKind) -> str:
    """Returns the sequences to write to the terminal; empty if none of the ways uses it."""
    written = "\a" if NotifyWay.BELL in ways else ""
    if NotifyWay.TERMINAL in ways and (sequence := _format_osc(notification, terminal)):
        # tmux passes the content of this sequence on if allow-passthrough is on
        written += "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\" if terminal.in_tmux else sequence
    return written


def _format_osc(notification: Notification, terminal: TerminalKind) -> str:
    """Returns the sequence that the terminal supports; OSC 9 for unknown ones, since others ignore it."""
    term, program = terminal.term.lower(), terminal.program.lower()
    if term in ("linux", "dumb"):
        return ""
    title = notification.title
    if terminal.is_kitty or "kitty" in term:
        encoded = [base64.b64encode(each.encode(errors="replace")).decode() for each in (title, notification.body)]
        return f"\x1b]99;i=atm:d=0:e=1;{encoded[0]}\x1b\\\x1b]99;i=atm:d=1:e=1:p=body;{encoded[1]}\x1b\\"
    body = notification.body.replace("\n", " / ")
    if program in _BY_777 or term.startswith(("foot", "rxvt")) or "ghostty" in term or terminal.is_vte:
        return f"\x1b]777;notify;{title.replace(';', ',')};{body.replace(';', ',')}\x1b\\"
    # with the name first, since some terminals take "4;…" for something else
    return f"\x1b]9;atm-tui: {title}{' / ' if body else ''}{body}\x1b\\"
