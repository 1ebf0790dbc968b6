"""Facts about the client's process that only a running system knows."""


def start_ticks(pid: int) -> str:
    """When a process began, in the kernel's clock ticks since boot (field 22 of /proc/PID/stat); "" where that is not told.

    With the pid it names a process for good: a reused pid has another start.
    """
    from _io import FileIO

    try:
        file = FileIO(f"/proc/{pid}/stat")
        try:
            data = file.readall() or b""
        finally:
            file.close()
    except OSError:
        return ""
    fields = data.rpartition(b")")[2].split()
    return fields[19].decode("ascii", "replace") if len(fields) > 19 else ""
