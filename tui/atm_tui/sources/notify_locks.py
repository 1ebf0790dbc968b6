"""The locks by which apps and the hooks' notifier detect each other, in `notify/` in the state folder."""

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

from atm_hooks import notifier
from atm_hooks.regular_file import read_regular

_FRONT_LOCK = "front.lock"
"""The app that the user is in front of holds this lock."""
_ATTEMPTS = 20
_PAUSE = 0.005
"""Seconds between two attempts: a hook that checks a lock holds it briefly."""


def hold_app_lock(state_dir: Path) -> int | None:
    """Tells hooks that an app gives notifications, until the returned file is closed; None if impossible. Blocks briefly."""
    return _take_lock(state_dir, notifier.APP_LOCK, fcntl.LOCK_SH)


def is_app_running(state_dir: Path) -> bool:
    """Returns whether an app gives notifications."""
    try:
        return notifier.is_locked(_locate(state_dir, notifier.APP_LOCK))
    except OSError:
        return False


def hold_front_lock(state_dir: Path) -> int | None:
    """Tells other apps that the user is in front of this one, until the returned file is closed; None if impossible, or while
    another app tells so. Blocks briefly.
    """
    return _take_lock(state_dir, _FRONT_LOCK, fcntl.LOCK_EX, attempts=3)


def is_app_in_front(state_dir: Path) -> bool:
    """Returns whether another app tells that the user is in front of it."""
    try:
        file = notifier.open_lock(_locate(state_dir, _FRONT_LOCK))
    except OSError:
        return False
    try:
        # shared, so that apps that look at the same moment do not take each other for one in front
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


def take_notifier_lock(state_dir: Path) -> int | None:
    """Takes the lock of the only notifier, until the returned file is closed; None if another one has it. Blocks briefly."""
    return _take_lock(state_dir, notifier.NOTIFIER_LOCK, fcntl.LOCK_EX)


def read_mark(state_dir: Path) -> bytes:
    """Returns the mark of the newest hook that wanted a notifier; empty if there is none."""
    try:
        return read_regular(_locate(state_dir, notifier.MARK), 200)
    except OSError:
        return b""


def _take_lock(state_dir: Path, name: str, kind: int, attempts: int = _ATTEMPTS) -> int | None:
    with suppress(OSError):
        state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        notifier.prepare_folder(str(state_dir))
        file = notifier.open_lock(_locate(state_dir, name))
        for _ in range(attempts):
            try:
                fcntl.flock(file, kind | fcntl.LOCK_NB)
                return file
            except OSError:
                time.sleep(_PAUSE)
        os.close(file)
    return None


def _locate(state_dir: Path, name: str) -> str:
    return f"{state_dir}/{notifier.FOLDER}/{name}"
