"""Removes what hooks and apps that died left in the folder of answers."""

import posix

from atm_hooks.answers import is_alive
from atm_hooks.journal import UnsafeError
from atm_hooks.lease import PARTS, read_lease
from atm_hooks.private import open_folder, remove
from atm_hooks.verdict import is_id

LEFT = 10.0
"""Age in seconds from which a file without a living hook is a leftover, and not one that is being made."""


def sweep(root: str, now: float) -> list[str]:
    """Removes what dead hooks and apps left; returns the nonces of the requests among it. `now` is epoch seconds.

    A request without a living hook is removed at once, everything else from the age LEFT on. What can't be removed
    stays. Raises UnsafeError, OSError.
    """
    gone: list[str] = []
    _sweep_leases(root, now)
    for part in PARTS:
        try:
            folder = open_folder(root, part)
        except FileNotFoundError:
            return gone
        try:
            for name in posix.listdir(folder):
                nonce = name.partition(".")[0]
                old = now - posix.lstat(name, dir_fd=folder).st_mtime > LEFT
                if (old or part == "requests") and not (is_id(nonce) and _lives(root, nonce)):
                    try:
                        remove(root, part, name)
                    except OSError:  # a folder that is not empty: none of ours
                        continue
                    if part == "requests":
                        gone.append(nonce)
        except FileNotFoundError:  # its hook is done with it; the next sweep sees the rest
            continue
        finally:
            posix.close(folder)
    return gone


def _sweep_leases(root: str, now: float) -> None:
    """Removes the lease of an app that was killed, since hooks look at it, and what was left of making one."""
    try:
        folder = open_folder(root)
    except FileNotFoundError:
        return
    try:
        for name in posix.listdir(folder):
            made = name.startswith("lease.") and name.endswith(".new")
            old = now - posix.lstat(name, dir_fd=folder).st_mtime > LEFT
            if old and (made or (name == "lease" and not _app_lives(folder))):
                posix.unlink(name, dir_fd=folder)
    except (FileNotFoundError, IsADirectoryError, PermissionError):  # another app was first; none of ours
        pass
    finally:
        posix.close(folder)


def _app_lives(folder: int) -> bool:
    """Whether the app of the lease runs; one that slept with the machine renews it again."""
    try:
        held = read_lease(folder)
        if held is None:
            return False
        posix.close(held[0])
        posix.kill(held[1]["pid"], 0)
    except (ProcessLookupError, OverflowError, UnsafeError):
        return False
    except PermissionError:
        return True
    return True


def _lives(root: str, nonce: str) -> bool:
    """is_alive, but False where something else stands in the place of the FIFO."""
    try:
        return is_alive(root, nonce)
    except UnsafeError:
        return False
