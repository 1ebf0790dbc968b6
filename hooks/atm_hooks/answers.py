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

from atm_hooks import journal
from atm_hooks.codec import Object, encode
from atm_hooks.journal import UnsafeError
from atm_hooks.private import (
    FOLDER,
    make_folder,
    open_fifo,
    open_file,
    open_folder,
    read_open,
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
    "give",
    "is_alive",
    "lease",
    "make_request",
    "new_id",
    "prepare",
    "read_private",
    "read_request",
    "request_path",
    "seal",
    "sweep",
    "withdraw",
    "write_new",
]

LEASE_SECONDS = 5.0
"""Seconds without a heartbeat after which a lease is dead."""
AHEAD = 2.0
"""Seconds that a heartbeat may lie in the future: clocks of a shared folder."""
REQUEST_SIZE = 1 << 20
"""Bytes of a request; what is longer is left to the client's own dialog."""
VERDICT_SIZE = 256 << 10
LEASE_SIZE = 4096
LEFT = 10.0
"""Seconds after which what has no living hook was left by a dead process, and is not about to be finished."""

PARTS = ("requests", "wake", "verdicts")


# --- the folder


def prepare(root: str) -> str:
    """Makes STATE/answers and its parts; its path. Raises UnsafeError when one of them is not the user's alone; OSError."""
    journal.prepare(root)
    make_folder(root)
    for part in PARTS:
        make_folder(root, part)
    return f"{root}/{FOLDER}"


def request_path(root: str, nonce: str) -> str:
    """Where a request is."""
    return f"{root}/{FOLDER}/requests/{nonce}.json"


# --- the lease


def lease(root: str, now: float) -> Object | None:
    """The lease of an armed app that lives; None for every other. `now` is epoch seconds."""
    try:
        folder = open_folder(root)
        try:
            held = _held(folder)
        finally:
            posix.close(folder)
    except (OSError, UnsafeError):
        return None
    if held is None:
        return None
    posix.close(held[0])
    return held[1] if -AHEAD <= now - held[2] <= LEASE_SECONDS else None


def _held(folder: int) -> tuple[int, Object, float] | None:
    """The open file of the lease, its content, its heartbeat; None when there is none that an app could have written."""
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
    """Takes the lease, over from another app too. held: {"version": 1, "id", "pid", "wait"}. Raises UnsafeError, OSError."""
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
    """The heartbeat: False when the lease is not ours any more. Raises UnsafeError, OSError."""
    folder = open_folder(root)
    try:
        held = _held(folder)
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
    """Gives the lease back, unless another app has it by now. Raises UnsafeError, OSError."""
    try:
        folder = open_folder(root)
    except FileNotFoundError:
        return
    try:
        held = _held(folder)
        if held is not None:
            posix.close(held[0])
            if held[1]["id"] == lease_id:
                posix.unlink("lease", dir_fd=folder)
    except FileNotFoundError:
        pass
    finally:
        posix.close(folder)


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


def sweep(root: str, now: float) -> list[str]:
    """Removes what dead hooks and apps left; the nonces of requests that were among it. `now` is epoch seconds.

    A request without a living hook goes at once; anything else, when it is old enough that nobody is just making it. What
    can't be removed stays. Raises UnsafeError, OSError.
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
    """The lease of an app that was killed makes every hook look twice."""
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
    """Whether the app of the lease runs: after a sleep of the machine it beats again."""
    try:
        held = _held(folder)
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
    """is_alive; what stands in the place of a FIFO reads nothing."""
    try:
        return is_alive(root, nonce)
    except UnsafeError:
        return False
