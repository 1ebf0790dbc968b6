"""Starts a notifier, `atm-tui notify`, at an event that may give a notification. The hook doesn't wait for it.

Only with --notify PYTHON in the command. None is started while an app runs, which notifies by itself, or while a notifier
runs, which checks the mark again before it ends. Both hold a lock in STATE/notify as long as they run.
"""

import fcntl
import posix

from atm_hooks.journal import make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Event = dict[str, Any]

FOLDER = "notify"
APP_LOCK = "app.lock"
"""Apps that notify share this lock."""
NOTIFIER_LOCK = "notifier.lock"
"""The one working notifier holds this lock."""
MARK = "mark"
"""A file with the time and the process of the newest hook that wanted a notifier."""

_FLAGS = posix.O_RDWR | posix.O_CREAT | posix.O_NOFOLLOW | posix.O_NONBLOCK | posix.O_CLOEXEC


def start_notifier(root: str, python: str, event: "Event", environ: "Mapping[bytes, bytes]") -> bool:
    """Starts a notifier in a new process session, without our open files, unless an app or a notifier runs; returns whether.

    `python`: the interpreter that has atm-tui. Raises OSError when it can't be started.
    """
    folder = prepare_folder(root)
    _write_mark(f"{folder}/{MARK}", f"{event['at']} {posix.getpid()}")
    if is_locked(f"{folder}/{APP_LOCK}") or is_locked(f"{folder}/{NOTIFIER_LOCK}"):
        return False
    actions = [(posix.POSIX_SPAWN_OPEN, number, "/dev/null", posix.O_RDWR, 0) for number in (0, 1, 2)]
    actions += [(posix.POSIX_SPAWN_CLOSE, number) for number in _list_open_files()]  # type: ignore[misc]
    # -P: no modules are imported from the session's working directory
    words = [python, "-P", "-m", "atm_tui", "notify", "--since", str(event["at"])]
    own: dict[bytes, bytes | str] = {**environ, b"ATM_STATE_DIR": root}
    try:
        posix.posix_spawn(python, words, own, file_actions=actions, setsid=True)
    except NotImplementedError:
        posix.posix_spawn(python, words, own, file_actions=actions, setpgroup=0)
    return True


def prepare_folder(root: str) -> str:
    """Creates the folder of the locks and the mark in the state folder, and returns it. Raises OSError."""
    folder = f"{root}/{FOLDER}"
    make_folder(folder)
    return folder


def is_locked(path: str) -> bool:
    """Returns whether a process holds the lock, exclusively or shared. Raises OSError when the file can't be opened."""
    file = open_lock(path)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        posix.close(file)
    return False


def open_lock(path: str) -> int:
    """Opens the file of a lock without taking it. Raises OSError."""
    return posix.open(path, _FLAGS, 0o600)


def _write_mark(path: str, text: str) -> None:
    file = posix.open(path, _FLAGS | posix.O_TRUNC, 0o600)
    try:
        posix.write(file, text.encode())
    finally:
        posix.close(file)


def _list_open_files() -> list[int]:
    """Returns the numbers above 2 of our open files, which a started program would inherit."""
    found = []
    for name in posix.listdir("/dev/fd"):
        number = int(name)
        try:
            if number > 2:
                posix.fstat(number)
                found.append(number)
        except OSError:  # the descriptor of the listing itself
            continue
    return found
