"""The folder of answers, and the lease in it: the file that says that an armed app runs. Its mtime is the heartbeat."""

import posix

from atm_hooks import journal
from atm_hooks.codec import Object, encode
from atm_hooks.journal import UnsafeError
from atm_hooks.private import FOLDER, make_folder, open_file, open_folder, read_open, write_new_in
from atm_hooks.verdict import LONGEST, VERSION, VoidError, is_id, is_number, parse_object

LEASE_SECONDS = 5.0
"""Seconds without a heartbeat after which a lease has expired."""
AHEAD = 2.0
"""Seconds that a heartbeat may be in the future, since clocks differ on a shared folder."""
LEASE_SIZE = 4096
"""Largest size of a lease in bytes."""

PARTS = ("requests", "wake", "verdicts")
"""Folders in the folder of answers."""


def prepare_answers(root: str) -> str:
    """Creates STATE/answers and its parts; returns its path. Raises UnsafeError when one is not the user's alone; OSError."""
    journal.prepare_folders(root)
    make_folder(root)
    for part in PARTS:
        make_folder(root, part)
    return f"{root}/{FOLDER}"


def find_lease(root: str, now: float) -> Object | None:
    """Returns the lease, or None when there is none or it has expired at `now` (epoch seconds)."""
    try:
        folder = open_folder(root)
        try:
            lease = read_lease(folder)
        finally:
            posix.close(folder)
    except (OSError, UnsafeError):
        return None
    if lease is None:
        return None
    posix.close(lease[0])
    return lease[1] if -AHEAD <= now - lease[2] <= LEASE_SECONDS else None


def read_lease(folder: int) -> tuple[int, Object, float] | None:
    """Returns the open file of the lease, its content and the time of its heartbeat; None without a well-formed lease."""
    try:
        file = open_file(folder, "lease")
    except FileNotFoundError:
        return None
    try:
        found, at = parse_object(read_open(file, LEASE_SIZE)), posix.fstat(file).st_mtime
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


def arm(root: str, lease: Object) -> None:
    """Takes the lease, even from another app. `lease`: {"version": 1, "id", "pid", "wait"}. Raises UnsafeError, OSError."""
    prepare_answers(root)
    folder = open_folder(root)
    temp = f"lease.{lease['id']}.new"
    try:
        write_new_in(folder, temp, encode(lease).encode("ascii"))
        try:
            posix.rename(temp, "lease", src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:
            posix.unlink(temp, dir_fd=folder)
            raise
    finally:
        posix.close(folder)


def renew(root: str, lease_id: str) -> bool:
    """Renews the heartbeat; returns False when another app has the lease, or none. Raises UnsafeError, OSError."""
    folder = open_folder(root)
    try:
        lease = read_lease(folder)
        if lease is None:
            return False
        file, found, _ = lease
        try:
            if found["id"] == lease_id:
                posix.utime(file)
            return bool(found["id"] == lease_id)
        finally:
            posix.close(file)
    finally:
        posix.close(folder)


def remove_lease(root: str, lease_id: str) -> bool:
    """Removes the lease, unless another app has taken it; returns whether it did. Raises UnsafeError, OSError."""
    try:
        folder = open_folder(root)
    except FileNotFoundError:
        return False
    try:
        lease = read_lease(folder)
        if lease is not None:
            posix.close(lease[0])
            if lease[1]["id"] == lease_id:
                posix.unlink("lease", dir_fd=folder)
                return True
    except FileNotFoundError:
        pass
    finally:
        posix.close(folder)
    return False
