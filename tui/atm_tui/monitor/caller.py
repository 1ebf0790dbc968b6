"""Takes no answer from an agent: only a person answers. Each attempt is logged, and shown in every open app."""

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from atm_hooks import answer_log
from atm_hooks.journal import UnsafeError
from atm_hooks.private import FOLDER, make_folder
from atm_tui import paths
from atm_tui.model.caller import NO_TERMINAL, VARIABLES, Caller, Refusal, find_refusal, index_clients
from atm_tui.model.session import Session
from atm_tui.monitor.reading import FactReader
from atm_tui.sources.answers import read_log

Attempt = Literal["answer", "arm"]
SHOWN_FOR = 3600.0
"""Seconds for which a notice about an attempt is shown."""
_MAX_TIME = 1e11
"""Epoch seconds up to which a time can be written as a date."""
_OWN_TERMINAL = "If you are a person, use a terminal that no agent started"


class CallerCheck:
    """Whether a person started this process, and which attempts were refused before, here and in other processes."""

    def __init__(self, state_dir: Path, reader: FactReader, now: Callable[[], float] = time.time) -> None:
        self._root = str(state_dir)
        self._reader = reader
        self._now = now
        self._log = state_dir / FOLDER / answer_log.NAME
        self._stamp: tuple[int, ...] = ()
        """Inode, modification time and size of the log when it was last read."""
        self._attempts: list[tuple[float, str]] = []
        """Time and session of each attempt in the log, oldest first."""

    def refuse(self, attempt: Attempt, *, asks_twice: bool = False) -> str | None:
        """Returns why this process may not answer, and logs the attempt; None when a person started it.

        `asks_twice`: whether it is a yes that needs a confirmation.
        """
        reader = self._reader
        # copies, since another thread may be reading
        entries = [entry for found in list(reader.registries.entries.values()) for entry in found]
        clients = index_clients(entries, list(reader.states.states.values()), reader.pid_domain)
        refusal = find_refusal(_read_caller(), clients, asks_twice=asks_twice)
        if refusal is None:
            return None
        try:
            make_folder(self._root)
            answer_log.append_line(
                self._root, answer_log.make_refusal(self._now(), refusal.session_id, attempt, refusal.sign)
            )
        except (OSError, UnsafeError):  # it is refused anyway
            pass
        return describe_refusal(refusal)

    def describe_attempts(self, sessions: Mapping[str, Session]) -> str | None:
        """Describes the attempts of the last hour in one line; None when there were none. `sessions`: by id."""
        self._read_attempts()
        now = self._now()
        recent = [each for each in self._attempts if 0 <= now - each[0] < SHOWN_FOR]
        if not recent:
            return None
        at, session_id = recent[-1]
        name = sessions[session_id].name if session_id in sessions else session_id[:8]
        who = f"an agent of {name}" if name else "an agent, or a command without a terminal,"
        when = datetime.fromtimestamp(at).astimezone().strftime("%H:%M")
        times = f"{len(recent)} times, last at {when}" if len(recent) > 1 else f"at {when}"
        return f"Refused: {who} tried to answer for you {times}. `atm-tui answers` lists it."

    def _read_attempts(self) -> None:
        """Reads the log when it has changed. Skips one that has not grown for so long that it holds nothing to show."""
        try:
            found = self._log.stat()
        except OSError:
            self._stamp, self._attempts = (), []
            return
        stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        lines = read_log(self._root) if time.time() - found.st_mtime < SHOWN_FOR else []
        self._attempts = [attempt for line in lines if (attempt := _read_attempt(line))]


def _read_caller() -> Caller:
    from atm_tui.sources.caller import has_controlling_terminal, read_caller_ancestors  # noqa: PLC0415  loads psutil

    named = paths.read_variable("CLAUDE_PID") or ""
    return Caller(
        variables=frozenset(name for name in VARIABLES if paths.is_set(name)),
        pid=int(named) if named.isdecimal() and len(named) < 12 else None,
        ancestors=read_caller_ancestors(),
        has_terminal=has_controlling_terminal(),
    )


def _read_attempt(line: Mapping[str, Any]) -> tuple[float, str] | None:
    """Returns time and session of an attempt; None for other lines."""
    at, session_id = line.get("at"), line.get("session_id")
    if line.get("outcome") != answer_log.REFUSED or not isinstance(session_id, str) or not isinstance(at, (int, float)):
        return None
    return (float(at), session_id) if abs(at) < _MAX_TIME else None


def describe_refusal(refusal: Refusal) -> str:
    """Describes why an answer is refused, what was found, and how a person goes on."""
    session = f" of session {refusal.session_id[:8]}" if refusal.session_id else ""
    if refusal.sign == NO_TERMINAL:
        return (
            "a yes to what looks dangerous takes a person at a terminal, and this process has none. Answer it in one."
        )
    if refusal.sign in VARIABLES:
        return (
            f"only a person answers, and {refusal.sign}{session} is set here, as in all that Claude Code starts. "
            f"{_OWN_TERMINAL} (in tmux: whose server no agent started)."
        )
    return (
        f"only a person answers, and Claude Code{session} started this (process {refusal.sign.split()[-1]}). "
        f"{_OWN_TERMINAL}."
    )
