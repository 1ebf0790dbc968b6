"""How a person's answer gets from the app to a waiting hook: lease, request, verdict. The one piece of code for both sides.

    answers/lease                 the armed app, by the id that it drew; its mtime is the heartbeat
    answers/requests/NONCE.json   what a hook waits for, with a secret of its own; who removes it ends the wait
    answers/wake/NONCE            the hook's FIFO: a byte says "look now"; without a reader the hook is dead
    answers/verdicts/NONCE.json   one person's answer, created once, sealed with the secret of the request
    answers/log.jsonl             what became of each verdict, written by the hooks

Nothing here decides anything: a verdict is made by `give` alone, for one request, and `check` takes none that differs in
any point from what the hook asked. Each file is checked as private.py says.
"""

import posix
from errno import ENXIO

from atm_hooks.codec import Object, encode
from atm_hooks.journal import UnsafeError
from atm_hooks.lease import LEASE_SECONDS, arm, beat, disarm, find_lease, prepare
from atm_hooks.private import (
    FOLDER,
    open_fifo,
    open_file,
    open_folder,
    read_private,
    remove,
    write_in,
    write_new,
)
from atm_hooks.verdict import (
    LONGEST,
    VERSION,
    VoidError,
    check,
    decide,
    digest,
    is_id,
    is_number,
    is_too_deep,
    make_request,
    new_id,
    parsed,
    seal,
)

__all__ = [
    "LEASE_SECONDS",
    "LONGEST",
    "VERSION",
    "UnsafeError",
    "VoidError",
    "arm",
    "beat",
    "check",
    "decide",
    "digest",
    "disarm",
    "find_lease",
    "give",
    "is_alive",
    "make_request",
    "new_id",
    "prepare",
    "read_private",
    "read_request",
    "request_path",
    "seal",
    "withdraw",
    "write_new",
]

REQUEST_SIZE = 1 << 20
"""Bytes of a request; what is longer is left to the client's own dialog."""
VERDICT_SIZE = 256 << 10
"""Bytes of a verdict."""


def request_path(root: str, nonce: str) -> str:
    """Where a request is."""
    return f"{root}/{FOLDER}/requests/{nonce}.json"


# --- what is asked


def read_request(root: str, nonce: str) -> Object:
    """A request as its hook wrote it.

    Raises FileNotFoundError; UnsafeError; VoidError when it is damaged or its digest is not that of its input; OSError.
    """
    found = parsed(read_private(request_path(root, nonce), REQUEST_SIZE))
    texts = ("session_id", "agent_type", "key", "tool", "cwd", "permission_mode", "transcript_path")
    if not (
        type(found.get("version")) is int
        and found["version"] == VERSION
        and is_id(nonce)
        and found.get("nonce") == nonce
        and is_id(found.get("secret"), 64)
        and is_id(found.get("lease"))
        and all(is_number(found.get(key)) for key in ("at", "until"))
        and all(isinstance(found.get(key), str) for key in texts)
        and (found.get("agent_id") is None or isinstance(found["agent_id"], str))
        and isinstance(found.get("input"), dict)
        and isinstance(found.get("suggestions"), list)
        and not is_too_deep(found["input"])
        and not is_too_deep(found["suggestions"])
        and found.get("digest") == digest(found["input"])
    ):
        raise VoidError("a damaged request")
    return found


# --- what is answered


def give(root: str, request: Object, decision: Object, by: str, at: float) -> bool:
    """Writes the verdict and wakes the hook; `by` is "app" or "shell", `at` epoch seconds.

    `request` has the input and the suggestions that the person SAW, and the secret of its file. False: someone was
    first, or the hook has ended, and nothing is left of ours. True: a living hook has it; what became of it stands in the
    log. Raises VoidError when the decision does not fit the request; UnsafeError; OSError.
    """
    nonce = request["nonce"]
    decide(decision, request["tool"], request["input"], request["suggestions"])
    verdict = {
        "version": VERSION,
        **{key: request[key] for key in ("nonce", "session_id", "agent_id", "tool")},
        "digest": digest(request["input"]),
        "request": digest(request),
        "by": by,
        "at": at,
        "decision": decision,
    }
    data = encode({**verdict, "seal": seal(request["secret"], verdict)}).encode("ascii")
    if len(data) > VERDICT_SIZE or not is_id(nonce):
        raise VoidError("too long")
    wake = _wake(root, nonce)
    if wake is None:
        return False
    try:
        return _exists(root, "requests", f"{nonce}.json") and _once(root, nonce, data) and _sent(root, nonce, wake)
    finally:
        posix.close(wake)


def _once(root: str, nonce: str, data: bytes) -> bool:
    """Creates the verdict, whole; False when there is one."""
    folder = open_folder(root, "verdicts")
    temp = f"{nonce}.{new_id(8)}.new"
    try:
        write_in(folder, temp, data)
        try:
            posix.link(temp, f"{nonce}.json", src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except FileExistsError:
            return False
        finally:
            posix.unlink(temp, dir_fd=folder)
    finally:
        posix.close(folder)
    return True


def _sent(root: str, nonce: str, wake: int) -> bool:
    """Whether the hook still reads; if not, the verdict is taken back, unless the hook had taken it."""
    try:
        posix.write(wake, b"v")
    except BlockingIOError:  # it has enough to wake up from
        pass
    except BrokenPipeError:
        return not remove(root, "verdicts", f"{nonce}.json")
    return True


def withdraw(root: str, nonce: str) -> None:
    """Removes a request that was settled elsewhere: its hook ends in silence. Raises UnsafeError, OSError."""
    try:
        remove(root, "requests", f"{nonce}.json")
    except FileNotFoundError:
        return
    wake = _wake(root, nonce)
    if wake is not None:
        try:
            posix.write(wake, b"w")
        except (BlockingIOError, BrokenPipeError):
            pass
        finally:
            posix.close(wake)


def is_alive(root: str, nonce: str) -> bool:
    """Whether the request's hook still waits. Raises UnsafeError, OSError."""
    wake = _wake(root, nonce)
    if wake is None:
        return False
    posix.close(wake)
    return True


def _wake(root: str, nonce: str) -> int | None:
    """The FIFO of a hook that lives, to be written; None when it is dead."""
    try:
        folder = open_folder(root, "wake")
    except FileNotFoundError:
        return None
    try:
        return open_fifo(folder, nonce, posix.O_WRONLY)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == ENXIO:
            return None
        raise
    finally:
        posix.close(folder)


def _exists(root: str, part: str, name: str) -> bool:
    folder = open_folder(root, part)
    try:
        posix.close(open_file(folder, name))
    except FileNotFoundError:
        return False
    finally:
        posix.close(folder)
    return True
