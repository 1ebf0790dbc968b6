"""The log of answers: a line for each verdict that a hook took or refused, and for each attempt of an agent to answer.

Lines are only ever appended. A file that has become too long is kept beside the new one, as log.jsonl.1.
"""

import fcntl
import posix
import time

from atm_hooks.codec import Object, encode
from atm_hooks.private import open_file, open_folder, read_open, write_new_in
from atm_hooks.verdict import VoidError, parse_object

NAME = "log.jsonl"
REFUSED = "refused: only a person answers"
"""The outcome in the log when anyone but a person tried to answer."""
ROTATE_SIZE = 1 << 20
"""Bytes after which the log is moved to log.jsonl.1."""
LOCK_SECONDS = 1.0
"""Seconds to wait for another hook that is about to rotate."""
_FLAGS = posix.O_RDWR | posix.O_APPEND | posix.O_CREAT | posix.O_NOFOLLOW | posix.O_NONBLOCK | posix.O_CLOEXEC


def append_line(root: str, line: Object) -> None:
    """Appends a line. Raises UnsafeError when the log is not the user's alone; OSError."""
    data = encode(line).encode("ascii") + b"\n"
    folder = open_folder(root)
    try:
        file = _open_locked(folder)
        try:
            if posix.fstat(file).st_size + len(data) > ROTATE_SIZE:
                posix.rename(NAME, f"{NAME}.1", src_dir_fd=folder, dst_dir_fd=folder)
                posix.close(file)
                file = _open_locked(folder)
            size = posix.fstat(file).st_size
            if size and posix.pread(file, 1, size - 1) != b"\n":  # the last line was cut by a crash
                data = b"\n" + data
            while data:
                data = data[posix.write(file, data) :]
        finally:
            posix.close(file)
    finally:
        posix.close(folder)


def make_refusal(at: float, session_id: str, attempt: str, sign: str) -> Object:
    """Makes the log line of a refused `attempt`: to "answer" a request, or to "arm" an app.

    `session_id`: the session whose agent tried, "" if unknown; `sign`: how the agent was recognized.
    """
    return {
        "at": round(at, 3),
        "session_id": session_id,
        "attempt": attempt,
        "sign": sign,
        "outcome": REFUSED,
    }


def _open_locked(folder: int) -> int:
    """Opens the log and locks it. Gives up the lock after LOCK_SECONDS, so that no line is lost to a process that hangs."""
    until = time.monotonic() + LOCK_SECONDS
    while True:
        posix.close(posix.open(NAME, _FLAGS, 0o600, dir_fd=folder))
        posix.close(open_file(folder, NAME))
        file = posix.open(NAME, _FLAGS, 0o600, dir_fd=folder)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if posix.stat(NAME, dir_fd=folder, follow_symlinks=False).st_ino == posix.fstat(file).st_ino:
                return file
        except OSError:  # locked by another process, or just moved away
            if time.monotonic() > until:
                return file
        posix.close(file)
        time.sleep(0.005)


def read_lines(root: str) -> list[Object]:
    """Returns all lines that are kept, oldest first; damaged ones are skipped. Raises UnsafeError, OSError."""
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
                data = read_open(file, 2 * ROTATE_SIZE)
            finally:
                posix.close(file)
            for line in data.split(b"\n"):
                try:
                    found.append(parse_object(line))
                except VoidError:
                    continue
    finally:
        posix.close(folder)
    return found


def remove_lines(root: str, sessions: "frozenset[str]") -> int:
    """Removes the lines about these sessions; returns how many. Raises UnsafeError, OSError."""
    try:
        folder = open_folder(root)
    except FileNotFoundError:
        return 0
    removed = 0
    try:
        lock = _open_locked(folder)  # of the newer file: whoever rotates holds it
        try:
            for name in (f"{NAME}.1", NAME):
                removed += _remove_from(folder, name, sessions)
        finally:
            posix.close(lock)
    finally:
        posix.close(folder)
    return removed


def _remove_from(folder: int, name: str, sessions: "frozenset[str]") -> int:
    try:
        file = open_file(folder, name)
    except FileNotFoundError:
        return 0
    try:
        lines = read_open(file, 2 * ROTATE_SIZE).splitlines(keepends=True)
    finally:
        posix.close(file)
    kept = [line for line in lines if not _is_about(line, sessions)]
    if len(kept) < len(lines):
        temporary = f"{name}.tmp"
        try:
            posix.unlink(temporary, dir_fd=folder)  # of a process that was killed
        except FileNotFoundError:
            pass
        write_new_in(folder, temporary, b"".join(kept))
        posix.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    return len(lines) - len(kept)


def _is_about(line: bytes, sessions: "frozenset[str]") -> bool:
    try:
        session = parse_object(line).get("session_id")
    except VoidError:
        return False
    return isinstance(session, str) and session in sessions
