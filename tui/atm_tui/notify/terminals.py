"""Writes a notification to the terminals of sessions, for a notifier without its own terminal."""

import os
import stat
from collections.abc import Sequence
from contextlib import suppress

from atm_tui.config import Config
from atm_tui.model.notification import Notification, NotifyWay
from atm_tui.model.session import Session
from atm_tui.notify.sequences import TerminalKind, format_sequences

_FLAGS = os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW


def write_to_terminals(
    notification: Notification, sessions: Sequence[Session], config: Config, terminal: TerminalKind
) -> None:
    """Writes to the terminal of the first session, and rings the bell in those of the others.

    `sessions`: those that the notification is about; `terminal`: the kind of their terminals. What can't be written is dropped.
    """
    text = format_sequences(notification, config.notify_by, terminal)
    bell = "\a" if NotifyWay.BELL in config.notify_by else ""
    for number, tty in enumerate(dict.fromkeys(each.terminal.tty for each in sessions if each.terminal.tty)):
        with suppress(OSError):
            _write(tty, bell if number else text)


def _write(tty: str, text: str) -> None:
    """Writes to a terminal of this user. Raises OSError."""
    if not text or not tty.startswith("/dev/"):
        return
    file = os.open(tty, _FLAGS)
    try:
        found = os.fstat(file)
        if stat.S_ISCHR(found.st_mode) and found.st_uid == os.getuid() and os.isatty(file):
            os.write(file, text.encode(errors="replace"))
    finally:
        os.close(file)
