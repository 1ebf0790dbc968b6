"""The log of answers: a line for each verdict that a hook took or refused, and for each attempt of an agent to answer.

It only grows, and one older file is kept.
"""

import fcntl
import posix
import time

from atm_hooks.codec import Object, encode
from atm_hooks.private import open_file, open_folder, read_open
from atm_hooks.verdict import VoidError, parsed

NAME = "log.jsonl"
REFUSED = "refused: only a person answers"
"""The outcome of an attempt of anything but a person."""
ROTATE = 1 << 20
"""Bytes after which the log is moved to log.jsonl.1."""
PATIENCE = 1.0
"""Seconds to wait for another hook that is about to rotate."""
_FLAGS = posix.O_RDWR | posix.O_APPEND | posix.O_CREAT | posix.O_NOFOLLOW | posix.O_NONBLOCK | posix.O_CLOEXEC


def append(root: str, line: Object) -> None:
    """Adds a line. Raises UnsafeError when the log is not the user's alone; OSError."""
    data = encode(line).encode("ascii") + b"\n"
    folder = open_folder(root)
    try:
        file = _locked(folder)
        try:
            if posix.fstat(file).st_size + len(data) > ROTATE:
                posix.rename(NAME, f"{NAME}.1", src_dir_fd=folder, dst_dir_fd=folder)
                posix.close(file)
                file = _locked(folder)
            size = posix.fstat(file).st_size
            if size and posix.pread(file, 1, size - 1) != b"\n":  # cut by a crash
                data = b"\n" + data
            while data:
                data = data[posix.write(file, data) :]
        finally:
            posix.close(file)
    finally:
        posix.close(folder)


def make_refusal(at: float, session_id: str, attempt: str, sign: str) -> Object:
    """The line of an attempt that was refused: to "answer", or to "arm" an app.

    `session_id`: the session whose agent tried, "" if unknown; `sign`: how it was recognised.
    """
    return {
        "at": round(at, 3),
        "session_id": session_id,
        "attempt": attempt,
        "sign": sign,
        "outcome": REFUSED,
    }


def _locked(folder: int) -> int:
    """The open log. Another's lock is waited for, but not for ever: a line is never lost to it."""
    until = time.monotonic() + PATIENCE
    while True:
        posix.close(posix.open(NAME, _FLAGS, 0o600, dir_fd=folder))
        posix.close(open_file(folder, NAME))
        file = posix.open(NAME, _FLAGS, 0o600, dir_fd=folder)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if posix.stat(NAME, dir_fd=folder, follow_symlinks=False).st_ino == posix.fstat(file).st_ino:
                return file
        except OSError:  # held by another, or just moved away
            if time.monotonic() > until:
                return file
        posix.close(file)
        time.sleep(0.005)


def read(root: str) -> list[Object]:
    """All lines that are kept, oldest first; what is damaged is passed over. Raises UnsafeError, OSError."""
    found = []
    try:
        folder = open_folder(root)
    except FileNotFoundError:
        return []
    try:
        for name in (f"{NAME}.1", NAME):
            try:
                file = open_file(folder, name)
            except FileNotFoundError:
                continue
            try:
                data = read_open(file, 2 * ROTATE)
            finally:
                posix.close(file)
            for line in data.split(b"\n"):
                try:
                    found.append(parsed(line))
                except VoidError:
                    continue
    finally:
        posix.close(folder)
    return found
