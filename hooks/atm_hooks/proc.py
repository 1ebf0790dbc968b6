"""Reads from the running system when a client's process began, and whether it has ended."""

import posix
from _io import FileIO

from atm_hooks.codec import Object


def facts(event: Object, state: Object | None) -> Object:
    """What to add to an event that begins a turn or a session: {"pid_start"?, "gone_pids"?}.

    gone_pids are those that served the session before and went without a SessionEnd: what they did runs no more.
    """
    found: Object = {}
    pid = event.get("pid")
    if pid and start_ticks(pid):
        found["pid_start"] = start_ticks(pid)
    processes = state["processes"] if state else {}
    gone = [
        int(key)
        for key, each in processes.items()
        if key and int(key) != pid and each["ended"] < each["last"] and _is_gone(int(key), each.get("start", ""))
    ]
    return {**found, "gone_pids": gone} if gone else found


def _is_gone(pid: int, start: str) -> bool:
    """Whether the process has ended; a pid that now has another start belongs to another program."""
    try:
        posix.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:  # another user's
        return bool(start)
    return bool(start) and start_ticks(pid) not in ("", start)


def start_ticks(pid: int) -> str:
    """When a process began, in kernel clock ticks since boot (field 22 of /proc/PID/stat); "" where the system does not tell.

    With the pid it names a process for good: a reused pid has another start.
    """
    found = fields(pid)
    return found[19].decode("ascii", "replace") if len(found) > 19 else ""


def fields(pid: int) -> list[bytes]:
    """The fields of /proc/PID/stat after the process's name: state, parent, …; empty where the system has none."""
    try:
        file = FileIO(f"/proc/{pid}/stat")
        try:
            data = file.readall() or b""
        finally:
            file.close()
    except OSError:
        return []
    return data.rpartition(b")")[2].split()
