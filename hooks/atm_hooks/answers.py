"""How a person's answer gets from the app to a waiting hook: lease, request, verdict. Hook and app both use this code.

    answers/lease                 the armed app, by a random id of its own; its mtime is the heartbeat
    answers/requests/NONCE.json   what a hook waits for, with a secret of its own; removing it ends the wait
    answers/wake/NONCE            the hook's FIFO: a byte wakes the hook; without a reader the hook is dead
    answers/verdicts/NONCE.json   one person's answer, created once, sealed with the secret of the request
    answers/log.jsonl             what became of each verdict, written by the hooks

Nothing here decides anything: only `give_verdict` makes a verdict, for one request, and `check_verdict` refuses any that
differs from what the hook asked. Each file is checked by private.py.
"""

import posix
from errno import ENXIO

from atm_hooks.codec import Object, encode
from atm_hooks.journal import UnsafeError
from atm_hooks.lease import LEASE_SECONDS, arm, find_lease, prepare_answers, remove_lease, renew
from atm_hooks.private import (
    FOLDER,
    open_fifo,
    open_file,
    open_folder,
    read_private,
    remove,
    write_new,
    write_new_in,
)
from atm_hooks.verdict import (
    LONGEST,
    VERSION,
    VoidError,
    check_verdict,
    digest_input,
    is_id,
    is_number,
    is_too_deep,
    make_decision,
    make_id,
    make_request,
    parse_object,
    seal_verdict,
)

__all__ = [
    "LEASE_SECONDS",
    "LONGEST",
    "VERSION",
    "UnsafeError",
    "VoidError",
    "arm",
    "check_verdict",
    "digest_input",
    "disarm",
    "find_lease",
    "give_verdict",
    "is_hook_alive",
    "locate_request",
    "make_decision",
    "make_id",
    "make_request",
    "prepare_answers",
    "read_private",
    "read_request",
    "renew",
    "seal_verdict",
    "withdraw_request",
    "write_new",
]

REQUEST_SIZE = 1 << 20
"""Largest size of a request in bytes; a longer one is left to the client's own dialog."""
VERDICT_SIZE = 256 << 10
"""Largest size of a verdict in bytes."""


def locate_request(root: str, nonce: str) -> str:
    """Returns the path of a request's file."""
    return f"{root}/{FOLDER}/requests/{nonce}.json"


# --- requests


def read_request(root: str, nonce: str) -> Object:
    """Reads a request as its hook wrote it.

    Raises FileNotFoundError; UnsafeError; VoidError when it is damaged or its digest is not that of its input; OSError.
    """
    found = parse_object(read_private(locate_request(root, nonce), REQUEST_SIZE))
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
        and found.get("digest") == digest_input(found["input"])
    ):
        raise VoidError("a damaged request")
    return found


# --- verdicts


def give_verdict(root: str, request: Object, decision: Object, by: str, at: float) -> bool:
    """Writes a verdict and wakes the hook; `by` is one of SIDES, `at` is in epoch seconds.

    `request` holds the input and the suggestions that the person SAW, and the secret of its file. Returns True when a
    living hook has got the verdict; the log then tells its outcome. Returns False when there was one already or the hook
    has ended; nothing is left on the disk then. Raises VoidError when the decision does not fit the request; UnsafeError;
    OSError.
    """
    nonce = request["nonce"]
    make_decision(decision, request["tool"], request["input"], request["suggestions"])
    verdict = {
        "version": VERSION,
        **{key: request[key] for key in ("nonce", "session_id", "agent_id", "tool")},
        "digest": digest_input(request["input"]),
        "request": digest_input(request),
        "by": by,
        "at": at,
        "decision": decision,
    }
    data = encode({**verdict, "seal": seal_verdict(request["secret"], verdict)}).encode("ascii")
    if len(data) > VERDICT_SIZE or not is_id(nonce):
        raise VoidError("too long")
    wake = _open_fifo(root, nonce)
    if wake is None:
        return False
    try:
        if not _exists(root, "requests", f"{nonce}.json"):
            return False
        return _create_verdict(root, nonce, data) and _wake_or_take_back(root, nonce, wake)
    finally:
        posix.close(wake)


def _create_verdict(root: str, nonce: str, data: bytes) -> bool:
    """Creates the verdict's file in one step; returns False when there is one already."""
    folder = open_folder(root, "verdicts")
    temp = f"{nonce}.{make_id(8)}.new"
    try:
        write_new_in(folder, temp, data)
        try:
            posix.link(temp, f"{nonce}.json", src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except FileExistsError:
            return False
        finally:
            posix.unlink(temp, dir_fd=folder)
    finally:
        posix.close(folder)
    return True


def _wake_or_take_back(root: str, nonce: str, wake: int) -> bool:
    """Wakes the hook; if it has ended, removes the verdict again. Returns whether the hook has it."""
    try:
        posix.write(wake, b"v")
    except BlockingIOError:  # the FIFO is full: the hook wakes up anyway
        pass
    except BrokenPipeError:
        return not remove(root, "verdicts", f"{nonce}.json")
    return True


def withdraw_request(root: str, nonce: str) -> None:
    """Removes a request that was settled elsewhere; its hook then ends without output. Raises UnsafeError, OSError."""
    try:
        remove(root, "requests", f"{nonce}.json")
    except FileNotFoundError:
        return
    _wake_hook(root, nonce)


def disarm(root: str, lease_id: str) -> None:
    """Removes the lease, unless another app has taken it, and wakes the hooks that wait: they end. Raises UnsafeError, OSError."""
    if remove_lease(root, lease_id):
        for nonce in posix.listdir(f"{root}/{FOLDER}/wake"):
            _wake_hook(root, nonce)


def _wake_hook(root: str, nonce: str) -> None:
    wake = _open_fifo(root, nonce)
    if wake is not None:
        try:
            posix.write(wake, b"w")
        except (BlockingIOError, BrokenPipeError):
            pass
        finally:
            posix.close(wake)


def is_hook_alive(root: str, nonce: str) -> bool:
    """Whether the request's hook still waits. Raises UnsafeError, OSError."""
    wake = _open_fifo(root, nonce)
    if wake is None:
        return False
    posix.close(wake)
    return True


def _open_fifo(root: str, nonce: str) -> int | None:
    """Opens the FIFO of a living hook for writing; None when the hook is dead."""
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
