"""Locates states and journals, and is the only code that writes them: lock, append, fold, replace.

Events are only ever appended to the journal of a session; its state file can be made from it at any time. Each journal
begins with a header that counts its generations. The state file holds the generation and the offset up to which it was
folded, so that the next hook also folds an event that was appended without the lock, or by a process that then died.
"""

import fcntl
import posix
import time

from atm_hooks import fold, statefile
from atm_hooks.codec import Object, decode, encode
from atm_hooks.regular_file import LIMIT, open_regular, read_range, read_regular

LOCK_SECONDS = 2.0
"""Seconds that a hook waits for another hook of its session before it appends without folding."""
LATE_SECONDS = 60.0
"""Seconds that an event can be older than the newest one. When it is more, the clock was set back: the event then gets a
time just after the newest, since the fold believes the newest, and would ignore all events until the clock has caught up."""
ROTATE_SIZE = 512 * 1024
"""Size in bytes from which a fully folded journal is rotated: a new generation begins, and one old one is kept."""
MOST_UNFOLDED = 128 * 1024
"""Bytes above ROTATE_SIZE from which on any journal is rotated: nothing folds it, since its state can't be written, or is a
newer version's. The oldest events are lost then. Twice as many where even the lock can't be had."""
LOG_SIZE = 64 * 1024
"""Size in bytes from which hook.log is moved to hook.log.1."""

_APPEND = posix.O_APPEND | posix.O_CREAT | posix.O_NONBLOCK | posix.O_CLOEXEC
_REPLACE = posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC | posix.O_NOFOLLOW | posix.O_NONBLOCK | posix.O_CLOEXEC
_SEEK_CUR = 1
"""As in `os`."""

FOLDERS = ("sessions", "journal", "locks", "tmp")
"""Folders in the state folder."""


TYPE_CHECKING = False


class UnsafeError(Exception):
    """The state folder belongs to someone else, is open to others, or is no folder."""


def prepare_folders(root: str) -> None:
    """Creates the state folder and its parts, private to the user.

    Raises UnsafeError when the folder, or a link in its place, is another user's, or when everybody may write there;
    OSError when it can't be made.
    """
    try:
        link = posix.lstat(root)
    except FileNotFoundError:
        make_folder(root)
        link = posix.lstat(root)
    found, user = posix.stat(root), posix.geteuid()
    if link.st_uid != user or found.st_uid != user:
        raise UnsafeError(f"{root} belongs to another user")
    if found.st_mode & 0o002:
        raise UnsafeError(f"everybody may write to {root}: make it private (chmod 700)")
    for part in FOLDERS:
        if not posix.access(f"{root}/{part}", posix.F_OK):
            make_folder(f"{root}/{part}")


def make_folder(folder: str) -> None:
    """Creates a folder that only the user can enter, and those above it, unless it exists. Raises OSError."""
    try:
        posix.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    except FileNotFoundError:
        above = folder.rstrip("/").rpartition("/")[0]
        if not above:
            raise
        make_folder(above)
        try:
            posix.mkdir(folder, 0o700)  # fails again below a link to nothing
        except FileExistsError:
            pass


def read_environ() -> dict[str, str]:
    """Returns the environment as text. `os` is not imported: it would slow down every hook."""
    return {key.decode("utf-8", "replace"): value.decode("utf-8", "replace") for key, value in posix.environ.items()}


def locate_state(root: str, session: str) -> str:
    """Returns the path of a session's state file."""
    return f"{root}/sessions/{session}.json"


def locate_journal(root: str, session: str) -> str:
    """Returns the path of a session's journal. The generation before has the same path with ".1" appended."""
    return f"{root}/journal/{session}.jsonl"


def locate_lock(root: str, session: str) -> str:
    """Returns the path of a session's lock."""
    return f"{root}/locks/{session}.lock"


def load_state(root: str, session: str) -> Object | None:
    """Reads the state of a session; None when there is none of this schema, so that the journal has to be folded anew."""
    return _load_with_lines(root, session)[0]


def has_damaged_state(root: str, session: str) -> bool:
    """Whether a session has a state file that can't be read, or that is no JSON object."""
    try:
        return not isinstance(decode(read_regular(locate_state(root, session)).decode("utf-8", "replace")), dict)
    except FileNotFoundError:
        return False
    except (OSError, ValueError, RecursionError):
        return True


def load_newer_state(root: str, session: str) -> Object | None:
    """Reads a session's state if it has the schema of a newer version, which this one leaves as it is."""
    try:
        state = decode(read_regular(locate_state(root, session)).decode("utf-8", "replace"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(state, dict) or type(schema := state.get("schema")) is not int:
        return None
    return state if schema > fold.SCHEMA else None


def _load_with_lines(root: str, session: str) -> tuple[Object | None, statefile.Lines]:
    """Reads the state of a session, and the lines of its file."""
    try:
        text = read_regular(locate_state(root, session)).decode("utf-8", "replace")
    except OSError:
        return None, {}
    found = statefile.parse(text, fold.SCHEMA)
    return found if found and _is_sound(found[0]) else (None, {})


def _is_sound(state: Object) -> bool:
    """Whether the parts of a state that hooks use without a fold have values that a hook can have written."""
    place, heard = state["journal"], state.get("heard_at", 0)
    is_placed = all(type(place.get(key, 0)) is int for key in ("generation", "offset"))
    has_parts = isinstance(state.get("metrics") or {}, dict) and all(
        isinstance(agent, dict) and "state" in agent for agent in state.get("agents", {}).values()
    )
    return is_placed and has_parts and isinstance(heard, (int, float)) and 0 <= heard < fold.LATEST_TIME


def decode_events(data: bytes) -> list[Object]:
    """Decodes the events of a journal, in its order; headers, cut lines and everything else is skipped."""
    found = []
    for line in data.split(b"\n"):
        if line.startswith(b'{"at":'):
            try:
                event = decode(line.decode("utf-8", "replace"))
            except (ValueError, RecursionError):
                continue
            if isinstance(event, dict) and fold.is_event(event):
                found.append(event)
    return found


def record_event(root: str, event: Object, patience: float = LOCK_SECONDS) -> bool:
    """Appends an event to its session's journal and folds what is new there into its state file.

    Returns True when it was folded, False when it was only appended: the lock was not free within `patience` seconds, or
    the state is a newer version's.
    Raises OSError when it can't be written.
    """
    return record_and_load(root, event, patience)[0]


def record_and_load(root: str, event: Object, patience: float = LOCK_SECONDS) -> tuple[bool, Object | None]:
    """Does the same, and returns also the session's state after it, which is read only when the event was not folded."""
    session = str(event["session_id"])
    lock = take_lock(locate_lock(root, session), patience)
    if lock is None:
        _append_without_lock(locate_journal(root, session), _encode_line(event))
        return False, load_state(root, session)
    try:
        old_state, lines = _load_with_lines(root, session)
        newest = old_state.get("heard_at", 0) if old_state else 0
        if event["at"] < newest - LATE_SECONDS:
            event = {**event, "at": round(newest + 0.001, 4), "clock": event["at"]}
        line = _encode_line(event)
        if old_state is None and (newer := load_newer_state(root, session)):
            _append(root, session, newer, line)
            return False, None
        generation, offset, new = _append(root, session, old_state, line)
        state, end = _fold_new(root, session, old_state, offset, new)
        if state is not None:
            try:
                text = statefile.dump(
                    {**state, "journal": {"generation": generation, "offset": end}}, old_state or {}, lines
                )
            except (ValueError, RecursionError, LookupError, TypeError, AttributeError):  # the old state is damaged
                state, end = _fold_new(root, session, None, 0)
                text = statefile.dump({**(state or {}), "journal": {"generation": generation, "offset": end}}, {}, {})
            _replace_state(root, session, text)
    finally:
        posix.close(lock)
    return True, state


def _encode_line(event: Object) -> bytes:
    return encode({"at": event["at"], **event}).encode("ascii") + b"\n"


def _append(root: str, session: str, state: Object | None, line: bytes) -> tuple[int, int, bytes | None]:
    """Appends a line, under the lock.

    Returns the journal's generation, the offset up to which `state` has folded it (-1: events behind it were lost), and what
    stands behind that: None when this has to be read, since it is more than what was just written.
    """
    path = locate_journal(root, session)
    known = _find_place(state)
    file = posix.open(path, _APPEND | posix.O_RDWR, 0o600)
    try:
        size = posix.fstat(file).st_size
        generation = _read_generation(posix.pread(file, 64, 0))
        offset = known.get("offset", 0) if known.get("generation") == generation else 0
        offset = offset if 0 <= offset <= size else 0
        is_cut = False
        if size > ROTATE_SIZE and (offset == size or size > ROTATE_SIZE + MOST_UNFOLDED):
            posix.replace(path, path + ".1")
            # carries over lines appended without the lock until now; later writers notice the rotation
            tail = posix.pread(file, posix.fstat(file).st_size - size, size)
            line = (tail + b"\n" if tail else b"") + line
            posix.close(file)
            file = posix.open(path, _APPEND | posix.O_RDWR, 0o600)
            is_cut, size, offset = offset != size, 0, 0
        if size == 0:
            generation = max(generation, known.get("generation", 0)) + 1
            line = b'{"journal":1,"generation":%d}\n' % generation + line
        elif posix.pread(file, 1, size - 1) != b"\n":
            line = b"\n" + line
        _write_all(file, line)
        # others can append without the lock at any time: then the line does not end where it would end alone
        is_alone = state is not None and posix.lseek(file, 0, _SEEK_CUR) == offset + len(line)
    finally:
        posix.close(file)
    return generation, -1 if is_cut else offset, line if is_alone else None


def _find_place(state: Object | None) -> dict[str, int]:
    """Returns generation and offset up to which the journal is folded into a state, also one of a newer version."""
    place = state.get("journal") if state else None
    return {key: each for key, each in place.items() if type(each) is int} if isinstance(place, dict) else {}


def _read_generation(head: bytes) -> int:
    mark = b'{"journal":1,"generation":'
    digits = head[len(mark) : head.find(b"}")] if head.startswith(mark) else b""
    return int(digits) if digits.isdigit() else 0


def _fold_new(
    root: str, session: str, state: Object | None, offset: int, data: bytes | None = None
) -> tuple[Object | None, int]:
    """Folds the events behind the offset, `data` where it is known; returns the state and the new offset.

    Without a state, or with one that can't be folded any further, folds all events that the journal still has.
    """
    if state is not None and offset >= 0:
        if data is None:
            data = _read_lines(locate_journal(root, session), offset)
        try:
            return fold.fold_all(state, decode_events(data)), offset + len(data)
        except Exception as error:
            write_log(root, time.time(), f"the state of {session} is made anew: {type(error).__name__}: {error}")
    data = _read_lines(locate_journal(root, session), 0)
    try:
        old = decode_events(read_regular(locate_journal(root, session) + ".1"))
    except FileNotFoundError:
        old = []
    return fold.fold_possible(old + decode_events(data)), len(data)


def _read_lines(path: str, offset: int) -> bytes:
    """Reads the complete lines of a journal from an offset on. Raises OSError, also when it is longer than any hook writes."""
    file = open_regular(path, offset + LIMIT)
    try:
        data = read_range(file, offset, LIMIT)
    finally:
        posix.close(file)
    return data[: data.rfind(b"\n") + 1]


def _append_without_lock(path: str, line: bytes) -> None:
    """Appends a line without the lock, and again when the journal was rotated meanwhile and the line is not in the new one."""
    try:
        if posix.stat(path).st_size > ROTATE_SIZE + 2 * MOST_UNFOLDED:
            posix.replace(path, path + ".1")
    except FileNotFoundError:
        pass
    for _ in range(3):
        file = posix.open(path, _APPEND | posix.O_WRONLY, 0o600)
        try:
            _wait_for_header(file)
            # the newline in front ends a line that a dead process has left incomplete
            _write_all(file, b"\n" + line)
            mine = posix.fstat(file)
        finally:
            posix.close(file)
        for _ in range(30):
            try:
                if posix.stat(path).st_ino == mine.st_ino or line in read_regular(path):
                    return
                if posix.stat(path + ".1").st_ino != mine.st_ino and line in read_regular(path + ".1"):
                    return  # carried over, and rotated once more since
            except OSError:
                pass
            # The process that rotates may carry the line over a moment later; without this wait it would be there twice.
            time.sleep(0.005)


def _wait_for_header(file: int) -> None:
    """Waits until a journal is not empty, at most 0.1 s: the holder of the lock is about to write its header, and an
    event in front of the header would hide the generation.
    """
    for _ in range(20):
        if posix.fstat(file).st_size:
            return
        time.sleep(0.005)


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[posix.write(file, data) :]


def _replace_state(root: str, session: str, text: str) -> None:
    temp = f"{root}/tmp/{session}"  # noqa: S108  always the same name, so that leftovers of a dead process are overwritten
    file = posix.open(temp, _REPLACE, 0o600)
    try:
        try:
            _write_all(file, text.encode("ascii"))
        finally:
            posix.close(file)
        posix.replace(temp, locate_state(root, session))
    except OSError:
        posix.unlink(temp)
        raise


def take_lock(path: str, patience: float) -> int | None:
    """Takes the session's lock and returns its open file; None when it was not free within `patience` seconds."""
    pause, until = 0.0005, time.monotonic() + patience
    while True:
        file = posix.open(path, posix.O_RDWR | posix.O_CREAT | posix.O_NOFOLLOW | posix.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if posix.stat(path).st_ino == posix.fstat(file).st_ino:
                return file
        except OSError:  # held by another process, or just removed by `remove_session`
            pass
        posix.close(file)
        if time.monotonic() > until:
            return None
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)


def write_log(root: str, at: float, message: str) -> None:
    """Adds a line to hook.log about a refusal or an error. At most two files of LOG_SIZE bytes are kept."""
    path = f"{root}/hook.log"
    try:
        if posix.stat(path).st_size > LOG_SIZE:
            posix.replace(path, path + ".1")
    except FileNotFoundError:
        pass
    file = posix.open(path, _APPEND | posix.O_WRONLY | posix.O_NOFOLLOW, 0o600)
    try:
        _write_all(file, f"{at:.3f} {' '.join(message[:300].split())}\n".encode("ascii", "backslashreplace"))
    finally:
        posix.close(file)


def remove_session(root: str, session: str) -> None:
    """Removes all files of a session, under its lock; nothing when the lock is not free. Raises OSError."""
    lock = take_lock(locate_lock(root, session), LOCK_SECONDS)
    if lock is None:
        return
    try:
        for path in (
            locate_state(root, session),
            locate_journal(root, session),
            locate_journal(root, session) + ".1",
            locate_lock(root, session),
            f"{root}/panes/{session}",
        ):
            try:
                posix.unlink(path)
            except FileNotFoundError:
                continue
    finally:
        posix.close(lock)
