"""Where a hook's files live, and the only way they are written: lock, append, fold, replace.

The journal of a session is the truth and only grows; its state file can be made again from it at any time. Each journal
begins with a header that counts its generations; the state file remembers generation and offset up to which it has
folded, so that an event that was appended without the lock, or by a process that died before it folded, is picked up by
the next one.
"""

import fcntl
import posix
import time

from atm_hooks import statefile
from atm_hooks.codec import Object, decode, encode
from atm_hooks.fold import SCHEMA, fold_all, fold_possible
from atm_hooks.regular_file import LIMIT, open_regular, read_range, read_regular

LOCK_SECONDS = 2.0
"""How long a hook waits for another one of its session before it appends without folding."""
LATEST = 2e10
"""Epoch seconds beyond which a time is nonsense: such an event counts as damaged."""
LATE = 60.0
"""Seconds by which an event can be older than the newest; one that is older still shows that the clock was set back. It
counts as the newest, or nothing would be believed until the clock has caught up."""
ROTATE = 512 * 1024
"""Bytes after which a journal that is folded to its end begins a new generation; one older one is kept."""
STDIN_SECONDS = 5
"""Seconds without a byte on stdin after which no more is expected: the client writes at once and closes it."""
LOG = 64 * 1024
"""Bytes after which hook.log is moved to hook.log.1."""

_APPEND = posix.O_APPEND | posix.O_CREAT | posix.O_NONBLOCK | posix.O_CLOEXEC
_REPLACE = posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC | posix.O_NOFOLLOW | posix.O_NONBLOCK | posix.O_CLOEXEC

FOLDERS = ("sessions", "journal", "locks", "tmp")
"""Parts of the state folder."""


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class UnsafeError(Exception):
    """The state folder belongs to someone else or is no folder."""


def prepare(root: str) -> None:
    """Makes the state folder and its parts, private to the user.

    Raises UnsafeError when the folder, or the link that stands in its place, is another user's, or when everybody may
    write there; OSError when it can't be made.
    """
    try:
        link = posix.lstat(root)
    except FileNotFoundError:
        _make(root)
        link = posix.lstat(root)
    found, user = posix.stat(root), posix.geteuid()
    if link.st_uid != user or found.st_uid != user:
        raise UnsafeError(f"{root} belongs to another user")
    if found.st_mode & 0o002:
        raise UnsafeError(f"everybody may write to {root}: make it private (chmod 700)")
    for part in FOLDERS:
        if not posix.access(f"{root}/{part}", posix.F_OK):
            _make(f"{root}/{part}")


def _make(folder: str) -> None:
    try:
        posix.mkdir(folder, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        _make(folder.rstrip("/").rpartition("/")[0])
        _make(folder)


class _TimeUpError(Exception):
    """Nothing more came on stdin for too long."""


def read_stdin(limit: int, copy: "Callable[[bytes], None] | None" = None, patience: int = STDIN_SECONDS) -> bytes:
    """What stands on stdin: to its end, or to the end of its JSON object when its writer never closes it.

    Of more than `limit` bytes the rest is read, so that its writer does not fail, and dropped. A wait of `patience`
    seconds without a byte counts as the end. `copy` gets each chunk as it comes, also what follows the object.
    """
    import _signal  # type: ignore[import-not-found]  # `signal` pulls in enum

    data, is_open = bytearray(), False
    before = _signal.signal(_signal.SIGALRM, _end_wait)
    try:
        while True:
            _signal.alarm(patience)
            try:
                chunk = posix.read(0, 65536)
            except BlockingIOError:
                if _is_object(data):
                    break
                posix.set_blocking(0, True)
                continue
            _signal.alarm(0)
            if not chunk:
                break
            if len(data) <= limit:
                data += chunk
            if copy is not None:
                copy(chunk)
            elif chunk.rstrip().endswith(b"}") and not posix.isatty(0):
                # most often the end is there already; where it is not, the object tells
                posix.set_blocking(0, False)
                is_open = True
    except _TimeUpError:
        pass
    finally:
        _signal.alarm(0)
        _signal.signal(_signal.SIGALRM, before)
        if is_open:
            posix.set_blocking(0, True)
    return bytes(data)


def _end_wait(*_: object) -> None:
    raise _TimeUpError


def _is_object(data: bytearray) -> bool:
    """Whether these bytes are a whole JSON object."""
    try:
        return isinstance(decode(data.decode("utf-8", "replace")), dict)
    except (ValueError, RecursionError):
        return False


def environ() -> dict[str, str]:
    """The environment as text; `os` would cost every hook its import."""
    return {key.decode("utf-8", "replace"): value.decode("utf-8", "replace") for key, value in posix.environ.items()}


def state_path(root: str, session: str) -> str:
    """The state file of a session."""
    return f"{root}/sessions/{session}.json"


def journal_path(root: str, session: str) -> str:
    """The journal of a session; the generation before is beside it, with ".1" at its end."""
    return f"{root}/journal/{session}.jsonl"


def load(root: str, session: str) -> Object | None:
    """The folded state of a session; None when none of this schema can be read, so that the journal is folded anew."""
    return _load(root, session)[0]


def _load(root: str, session: str) -> tuple[Object | None, statefile.Lines]:
    """The state, and the lines of its file."""
    try:
        text = read_regular(state_path(root, session)).decode("utf-8", "replace")
    except OSError:
        return None, {}
    found = statefile.parse(text, SCHEMA)
    return found if found and _is_sound(found[0]) else (None, {})


def _is_sound(state: Object) -> bool:
    """Whether the parts of a state that this module reads itself have a type and value that a hook can have written."""
    place, heard = state["journal"], state.get("heard_at", 0)
    is_placed = all(type(place.get(key, 0)) is int for key in ("generation", "offset"))
    return is_placed and isinstance(heard, (int, float)) and 0 <= heard < LATEST


def _is_finite(value: object) -> bool:
    """Whether no number in a value is infinite or NaN: JSON has no form for these, so no state could hold them."""
    if isinstance(value, float):
        return value - value == 0
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    return all(map(_is_finite, value)) if isinstance(value, list) else True


def events(data: bytes) -> list[Object]:
    """The events in the bytes of a journal, in its order; headers, cut lines and what is no event are passed over."""
    found = []
    for line in data.split(b"\n"):
        if line.startswith(b'{"at":'):
            try:
                event = decode(line.decode("utf-8", "replace"))
            except (ValueError, RecursionError):
                continue
            if (
                isinstance(event, dict)
                and isinstance(event.get("event"), str)
                and isinstance(event.get("at"), (int, float))
                and 0 <= event["at"] < LATEST
                and _is_finite(event)
            ):
                found.append(event)
    return found


def record(root: str, event: Object, patience: float = LOCK_SECONDS) -> bool:
    """Appends an event to its session's journal and folds what is new there into its state file.

    True when it was folded, False when the lock could not be had within `patience` seconds and it was appended only.
    Raises OSError when the disk does not take it.
    """
    session = str(event["session_id"])
    lock = _lock(f"{root}/locks/{session}.lock", patience)
    if lock is None:
        _append_alone(journal_path(root, session), _line(event))
        return False
    try:
        before, lines = _load(root, session)
        newest = before.get("heard_at", 0) if before else 0
        if event["at"] < newest - LATE:
            event = {**event, "at": round(newest + 0.001, 4), "clock": event["at"]}
        line = _line(event)
        generation, offset = _append(root, session, before, line)
        state, end = _fold_new(root, session, before, offset)
        if state is not None:
            try:
                text = statefile.dump(
                    {**state, "journal": {"generation": generation, "offset": end}}, before or {}, lines
                )
            except (
                ValueError,
                RecursionError,
                LookupError,
                TypeError,
                AttributeError,
            ):  # what was there before is damaged
                state, end = _fold_new(root, session, None, 0)
                text = statefile.dump({**(state or {}), "journal": {"generation": generation, "offset": end}}, {}, {})
            _replace(root, session, text)
    finally:
        posix.close(lock)
    return True


def _line(event: Object) -> bytes:
    return encode({"at": event["at"], **event}).encode("ascii") + b"\n"


def _append(root: str, session: str, state: Object | None, line: bytes) -> tuple[int, int]:
    """Appends under the lock; the journal's generation, and the offset up to which `state` has folded it."""
    path = journal_path(root, session)
    known: dict[str, int] = state["journal"] if state else {}
    file = posix.open(path, _APPEND | posix.O_RDWR, 0o600)
    try:
        size = posix.fstat(file).st_size
        generation = _generation(posix.pread(file, 64, 0))
        offset = known.get("offset", 0) if known.get("generation") == generation else 0
        offset = offset if 0 <= offset <= size else 0
        if size > ROTATE and offset == size:
            posix.replace(path, path + ".1")
            # whoever appended without the lock until now believes that it was in time; later ones look again
            tail = posix.pread(file, posix.fstat(file).st_size - size, size)
            line = (tail + b"\n" if tail else b"") + line
            posix.close(file)
            file = posix.open(path, _APPEND | posix.O_RDWR, 0o600)
            size = offset = 0
        if size == 0:
            generation = known.get("generation", 0) + 1
            line = b'{"journal":1,"generation":%d}\n' % generation + line
        elif posix.pread(file, 1, size - 1) != b"\n":
            line = b"\n" + line
        _write(file, line)
    finally:
        posix.close(file)
    return generation, offset


def _generation(head: bytes) -> int:
    mark = b'{"journal":1,"generation":'
    digits = head[len(mark) : head.find(b"}")] if head.startswith(mark) else b""
    return int(digits) if digits.isdigit() else 0


def _fold_new(root: str, session: str, state: Object | None, offset: int) -> tuple[Object | None, int]:
    """Folds what lies behind the offset; the state, and the offset up to which it has folded now.

    Without a state, or with one that can't be folded on, all is folded that the journal still has.
    """
    if state is not None:
        data = _read_lines(journal_path(root, session), offset)
        try:
            return fold_all(state, events(data)), offset + len(data)
        except Exception as error:
            log(root, time.time(), f"the state of {session} is made anew: {type(error).__name__}: {error}")
    data = _read_lines(journal_path(root, session), 0)
    try:
        old = events(read_regular(journal_path(root, session) + ".1"))
    except FileNotFoundError:
        old = []
    return fold_possible(old + events(data)), len(data)


def _read_lines(path: str, offset: int) -> bytes:
    """The complete lines of a journal from an offset on. Raises OSError, also for a journal that no hook can have written."""
    file = open_regular(path, offset + LIMIT)
    try:
        data = read_range(file, offset, LIMIT)
    finally:
        posix.close(file)
    return data[: data.rfind(b"\n") + 1]


def _append_alone(path: str, line: bytes) -> None:
    """Appends without the lock: one write, and once more when the journal was rotated away meanwhile."""
    for _ in range(3):
        file = posix.open(path, _APPEND | posix.O_WRONLY, 0o600)
        try:
            # the newline in front ends a line that a dead process left cut
            _write(file, b"\n" + line)
            mine = posix.fstat(file)
        finally:
            posix.close(file)
        for _ in range(10):
            try:
                if posix.stat(path).st_ino == mine.st_ino or line in read_regular(path):
                    return
            except OSError:
                pass
            # Who rotates carries over what came in time, a moment later: without the wait it would be there twice.
            time.sleep(0.005)


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[posix.write(file, data) :]


def _replace(root: str, session: str, text: str) -> None:
    temp = f"{root}/tmp/{session}"  # noqa: S108  one name, so that what a dead process left is written over
    file = posix.open(temp, _REPLACE, 0o600)
    try:
        try:
            _write(file, text.encode("ascii"))
        finally:
            posix.close(file)
        posix.replace(temp, state_path(root, session))
    except OSError:
        posix.unlink(temp)
        raise


def _lock(path: str, patience: float) -> int | None:
    """An open file that holds the session's lock; None when another holds it for longer than `patience` seconds."""
    pause, until = 0.0005, time.monotonic() + patience
    while True:
        file = posix.open(path, posix.O_RDWR | posix.O_CREAT | posix.O_NOFOLLOW | posix.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if posix.stat(path).st_ino == posix.fstat(file).st_ino:
                return file
        except OSError:  # held by another, or removed by `forget` meanwhile
            pass
        posix.close(file)
        if time.monotonic() > until:
            return None
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)


def log(root: str, at: float, message: str) -> None:
    """One line in hook.log: what was refused or went wrong, and why. Bounded to twice LOG."""
    path = f"{root}/hook.log"
    try:
        if posix.stat(path).st_size > LOG:
            posix.replace(path, path + ".1")
    except FileNotFoundError:
        pass
    file = posix.open(path, _APPEND | posix.O_WRONLY | posix.O_NOFOLLOW, 0o600)
    try:
        _write(file, f"{at:.3f} {' '.join(message[:300].split())}\n".encode("ascii", "backslashreplace"))
    finally:
        posix.close(file)


def forget(root: str, session: str) -> None:
    """Removes all files of a session, under its lock. Raises OSError when one can't be removed."""
    lock = _lock(f"{root}/locks/{session}.lock", LOCK_SECONDS)
    if lock is None:
        return
    try:
        for path in (
            state_path(root, session),
            journal_path(root, session),
            journal_path(root, session) + ".1",
            f"{root}/locks/{session}.lock",
        ):
            try:
                posix.unlink(path)
            except FileNotFoundError:
                continue
    finally:
        posix.close(lock)
