"""Accepts no answer from an agent: only a person may answer. Each attempt is logged."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from atm_hooks import answer_log
from atm_hooks.journal import UnsafeError, prepare_folders
from atm_hooks.private import make_folder
from atm_tui import paths
from atm_tui.model.caller import NO_TERMINAL, VARIABLES, Caller, Refusal, find_refusal, index_clients
from atm_tui.monitor.reading import FactReader

Attempt = Literal["answer", "arm"]
_OWN_TERMINAL = "If you are a person, use a terminal that no agent started"


class CallerCheck:
    """Whether a person started this process."""

    def __init__(self, state_dir: Path, reader: FactReader, now: Callable[[], float]) -> None:
        self._root = str(state_dir)
        self._reader = reader
        self._now = now

    def refuse(self, attempt: Attempt, *, asks_twice: bool = False, from_elsewhere: bool = False) -> str | None:
        """Returns why this process may not answer, and logs the attempt; None when a person started it.

        `asks_twice`: whether it is a yes that needs a confirmation. `from_elsewhere`: whether the person is at another machine.
        """
        reader = self._reader
        # copies, since another thread may be reading
        entries = [entry for found in list(reader.registries.entries.values()) for entry in found]
        clients = index_clients(entries, list(reader.states.states.values()), reader.pid_domain)
        refusal = find_refusal(_read_caller(), clients, asks_twice=asks_twice, from_elsewhere=from_elsewhere)
        if refusal is None:
            return None
        try:
            prepare_folders(self._root)  # there are none where the agent answers for another machine
            make_folder(self._root)
            answer_log.append_line(
                self._root, answer_log.make_refusal(self._now(), refusal.session_id, attempt, refusal.sign)
            )
        except (OSError, UnsafeError):  # it is refused anyway
            pass
        return describe_refusal(refusal)


def _read_caller() -> Caller:
    from atm_tui.sources.caller import has_controlling_terminal, read_caller_ancestors  # noqa: PLC0415  loads psutil

    named = paths.read_variable("CLAUDE_PID") or ""
    return Caller(
        variables=frozenset(name for name in VARIABLES if paths.is_set(name)),
        pid=int(named) if named.isdecimal() and len(named) < 12 else None,
        ancestors=read_caller_ancestors(),
        has_terminal=has_controlling_terminal(),
        is_top=os.getppid() == 0,
    )


def describe_refusal(refusal: Refusal) -> str:
    """Describes why an answer is refused, what was found, and what a person can do."""
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
