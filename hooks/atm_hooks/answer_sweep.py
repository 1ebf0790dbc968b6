"""Removes what dead hooks and apps left in the folder of answers."""

import posix

from atm_hooks.answers import is_hook_alive
from atm_hooks.journal import UnsafeError
from atm_hooks.lease import PARTS, read_lease
from atm_hooks.private import open_folder, remove
from atm_hooks.verdict import is_id

LEFTOVER_SECONDS = 10.0
"""Age in seconds from which a file without a living hook is removed; a younger one may still be in the making."""


def remove_leftovers(root: str, now: float) -> list[str]:
    """Removes what dead hooks and apps left; returns the nonces of the removed requests. `now` is in epoch seconds.

    A request without a living hook is removed at once, everything else from the age LEFT on. What can't be removed
    is left alone. Raises UnsafeError, OSError.
    """
    gone: list[str] = []
    _remove_leases(root, now)
    for part in PARTS:
        try:
            folder = open_folder(root, part)
        except FileNotFoundError:
            return gone
        try:
            for name in posix.listdir(folder):
                nonce = name.partition(".")[0]
                old = now - posix.lstat(name, dir_fd=folder).st_mtime > LEFTOVER_SECONDS
                if (old or part == "requests") and not (is_id(nonce) and _is_hook_alive(root, nonce)):
                    try:
                        remove(root, part, name)
                    except OSError:  # a folder that is not empty is not ours
                        continue
                    if part == "requests":
                        gone.append(nonce)
        except FileNotFoundError:  # its hook has just removed it; the next call sees the rest
            continue
        finally:
            posix.close(folder)
    return gone


def _remove_leases(root: str, now: float) -> None:
    """Removes the lease of a killed app, which hooks would still read, and half-written leases."""
    try:
        folder = open_folder(root)
    except FileNotFoundError:
        return
    try:
        for name in posix.listdir(folder):
            made = name.startswith("lease.") and name.endswith(".new")
            old = now - posix.lstat(name, dir_fd=folder).st_mtime > LEFTOVER_SECONDS
            if old and (made or (name == "lease" and not _is_app_alive(folder))):
                posix.unlink(name, dir_fd=folder)
    except (FileNotFoundError, IsADirectoryError, PermissionError):  # another app was first; not ours
        pass
    finally:
        posix.close(folder)


def _is_app_alive(folder: int) -> bool:
    """Whether the app of the lease runs. One that slept with the machine still does, and will renew the lease."""
    try:
        lease = read_lease(folder)
        if lease is None:
            return False
        posix.close(lease[0])
        posix.kill(lease[1]["pid"], 0)
    except (ProcessLookupError, OverflowError, UnsafeError):
        return False
    except PermissionError:
        return True
    return True


def _is_hook_alive(root: str, nonce: str) -> bool:
    """Whether the request's hook still waits; False where the FIFO has been replaced by something else."""
    try:
        return is_hook_alive(root, nonce)
    except UnsafeError:
        return False
