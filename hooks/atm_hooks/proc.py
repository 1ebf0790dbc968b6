"""Reads from the system when a client's process started, and whether it has ended."""

import posix
from _io import FileIO

from atm_hooks.codec import Object
from atm_hooks.regular_file import read_start


def read_facts(event: Object, state: Object | None) -> Object:
    """Returns what to add to an event that begins a turn or a session: {"pid_start"?, "pid_domain"?, "gone_pids"?}.

    gone_pids: the processes that served the session before and ended without a SessionEnd; their tools no longer run.
    """
    found: Object = {}
    pid = event.get("pid")
    if pid and read_start_ticks(pid):
        found["pid_start"] = read_start_ticks(pid)
    domain = read_pid_domain()
    if pid and domain:
        found["pid_domain"] = domain
    processes = state["processes"] if state else {}
    gone = [
        int(key)
        for key, each in processes.items()
        if key
        and int(key) != pid
        and each["ended"] < each["last"]
        and each.get("domain", domain) == domain
        and _is_gone(int(key), each.get("start", ""))
    ]
    return {**found, "gone_pids": gone} if gone else found


def read_pid_domain() -> str:
    """Returns the machine and the pid namespace in which our pids hold, in the client's spelling; "" if unknown.

    linux:MACHINE:pid:[NAMESPACE], with the machine's id, which may be empty.
    """
    try:
        namespace = posix.readlink("/proc/self/ns/pid")
    except OSError:
        return ""
    try:
        machine = read_start("/etc/machine-id", 64).strip().lower()
    except OSError:
        machine = b""
    return f"linux:{machine.decode('ascii', 'replace')}:{namespace}"


def _is_gone(pid: int, start: str) -> bool:
    """Whether the process has ended; a pid that now has another start belongs to another program."""
    try:
        posix.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:  # it is another user's
        return bool(start)
    return bool(start) and read_start_ticks(pid) not in ("", start)


def read_start_ticks(pid: int) -> str:
    """Returns when a process began, in clock ticks since boot (field 22 of /proc/PID/stat); "" if unknown.

    Together with the pid it identifies a process: a reused pid has another start.
    """
    found = read_stat_fields(pid)
    return found[19].decode("ascii", "replace") if len(found) > 19 else ""


def read_stat_fields(pid: int) -> list[bytes]:
    """Returns the fields of /proc/PID/stat after the process's name: state, parent, …; empty without such a file."""
    try:
        file = FileIO(f"/proc/{pid}/stat")
        try:
            data = file.readall() or b""
        finally:
            file.close()
    except OSError:
        return []
    return data.rpartition(b")")[2].split()
