"""The folder of answers, and the lease in it, which says that an armed app runs. Its mtime is the heartbeat."""

import posix

from atm_hooks import journal
from atm_hooks.codec import Object, encode
from atm_hooks.journal import UnsafeError
from atm_hooks.private import FOLDER, make_folder, open_file, open_folder, read_open, write_in
from atm_hooks.verdict import LONGEST, VERSION, VoidError, is_id, is_number, parsed

LEASE_SECONDS = 5.0
"""Seconds without a heartbeat after which a lease has expired."""
AHEAD = 2.0
"""Seconds by which a heartbeat may lie in the future: clocks differ where a folder is shared."""
LEASE_SIZE = 4096
"""Bytes."""

PARTS = ("requests", "wake", "verdicts")
"""Folders within the folder of answers."""


def prepare(root: str) -> str:
    """Makes STATE/answers and its parts; returns its path. Raises UnsafeError when one of them is not the user's alone; OSError."""
    journal.prepare(root)
    make_folder(root)
    for part in PARTS:
        make_folder(root, part)
    return f"{root}/{FOLDER}"


def find_lease(root: str, now: float) -> Object | None:
    """The lease, where it has not expired at `now` (epoch seconds); else None."""
    try:
        folder = open_folder(root)
        try:
            held = read_lease(folder)
        finally:
            posix.close(folder)
    except (OSError, UnsafeError):
        return None
    if held is None:
        return None
    posix.close(held[0])
    return held[1] if -AHEAD <= now - held[2] <= LEASE_SECONDS else None


def read_lease(folder: int) -> tuple[int, Object, float] | None:
    """The open file of the lease, its content, and the time of its heartbeat; None without a well-formed lease."""
    try:
        file = open_file(folder, "lease")
    except FileNotFoundError:
        return None
    try:
        found, at = parsed(read_open(file, LEASE_SIZE)), posix.fstat(file).st_mtime
        if (
            type(found.get("version")) is int
            and found["version"] == VERSION
            and is_id(found.get("id"))
            and type(found.get("pid")) is int
            and is_number(found.get("wait"))
            and 0 < found["wait"] <= LONGEST
        ):
            return file, found, at
    except VoidError:
        pass
    except BaseException:
        posix.close(file)
        raise
    posix.close(file)
    return None


def arm(root: str, held: Object) -> None:
    """Takes the lease, even from another app. `held`: {"version": 1, "id", "pid", "wait"}. Raises UnsafeError, OSError."""
    prepare(root)
    folder = open_folder(root)
    temp = f"lease.{held['id']}.new"
    try:
        write_in(folder, temp, encode(held).encode("ascii"))
        try:
            posix.rename(temp, "lease", src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:
            posix.unlink(temp, dir_fd=folder)
            raise
    finally:
        posix.close(folder)


def beat(root: str, lease_id: str) -> bool:
    """Renews the heartbeat; False when another app has taken the lease. Raises UnsafeError, OSError."""
    folder = open_folder(root)
    try:
        held = read_lease(folder)
        if held is None:
            return False
        file, found, _ = held
        try:
            if found["id"] == lease_id:
                posix.utime(file)
            return bool(found["id"] == lease_id)
        finally:
            posix.close(file)
    finally:
        posix.close(folder)


def disarm(root: str, lease_id: str) -> None:
    """Removes the lease, unless another app has taken it. Raises UnsafeError, OSError."""
    try:
        folder = open_folder(root)
    except FileNotFoundError:
        return
    try:
        held = read_lease(folder)
        if held is not None:
            posix.close(held[0])
            if held[1]["id"] == lease_id:
                posix.unlink("lease", dir_fd=folder)
    except FileNotFoundError:
        pass
    finally:
        posix.close(folder)
