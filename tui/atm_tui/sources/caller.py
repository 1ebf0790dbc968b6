"""Finds out who started this process: the processes above it, and its controlling terminal."""

import os

import psutil

from atm_hooks.proc import read_start_ticks
from atm_tui.model.caller import Ancestor
from atm_tui.model.facts import ProcessFact
from atm_tui.sources.ancestors import walk_up


def read_caller_ancestors() -> tuple[Ancestor, ...]:
    """Returns all ancestors of this process, nearest first, then the leader of its process session and the leader's ancestors.

    When a process in between has ended, so that init is the parent, only the leader leads to a client.
    """
    found: dict[int, Ancestor] = {}
    for start in (os.getppid(), os.getsid(0)):
        for process in walk_up(start):
            if process.pid in found or process.pid == os.getpid():
                break
            found[process.pid] = _read(process)
    return tuple(found.values())


def _read(process: psutil.Process) -> Ancestor:
    """Reads a process as far as it is readable; a zombie, or another user's process, is not fully readable."""
    name, command, created_at = "", [], 0.0
    try:
        created_at = process.create_time()
        name = process.name()
        command = process.cmdline()
    except (psutil.Error, OSError):
        pass
    fact = ProcessFact(pid=process.pid, start=read_start_ticks(process.pid) or None, created_at=created_at)
    return Ancestor(fact, name, tuple(command))


def has_controlling_terminal() -> bool:
    """Whether this process has a controlling terminal, even if its input and output are redirected."""
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True
