"""What the system says of who started this process: the processes above it, and its controlling terminal."""

import os
from collections.abc import Iterator

import psutil

from atm_hooks.proc import read_start_ticks
from atm_tui.model.caller import Ancestor
from atm_tui.model.facts import ProcessFact


def read_ancestors() -> tuple[Ancestor, ...]:
    """All ancestors of this process, nearest first, then the leader of its session and that one's ancestors.

    The leader still leads to a client where a process in between has ended and left this one to init.
    """
    found: dict[int, Ancestor] = {}
    for start in (os.getppid(), os.getsid(0)):
        for process in _walk_up(start):
            if process.pid in found or process.pid == os.getpid():
                break
            found[process.pid] = _read(process)
    return tuple(found.values())


def _walk_up(pid: int) -> Iterator[psutil.Process]:
    """A process and its ancestors, as far as they can be seen."""
    while pid:
        try:
            process = psutil.Process(pid)
            yield process
            pid = process.ppid()
        except (psutil.Error, OSError):
            return


def _read(process: psutil.Process) -> Ancestor:
    """A process with what can be read of it; of a zombie, or another user's process, that is not all."""
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
    """Whether this process belongs to a terminal, wherever its input and output go."""
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True
