"""Reads the new lines of a growing file, in bounded memory."""

import _blake2
import contextlib
import os
import stat
from collections.abc import Generator, Iterator
from enum import Enum
from typing import TYPE_CHECKING

import msgspec

from atm_hooks.regular_file import open_regular

if TYPE_CHECKING:
    from mmap import mmap

_CHUNK = 2 << 20
"""Number of bytes read at once."""
LARGEST = 4 << 30
"""Largest size of a transcript in bytes: reading a larger one would take minutes."""
_KNOWN = 256
"""Bytes at the start of a file, and before the offset reached, that identify it."""
_LONG = 4 << 20
"""Least size of the memory for a line that is longer than a chunk: the next ones use it, too."""
_USAGE = b'"usage"'
_UNREAD_SIZE = -1
"""An impossible size, for a file that could not be read."""


def _digest(data: bytes) -> bytes:
    return _blake2.blake2b(data, digest_size=16).digest()


_EMPTY = bytes.fromhex("cae66941d9efbd404e4d88758ea67670")
"""Digest of no bytes. Computed, it would make each command load the code of digests."""


class FileChange(Enum):
    """What happened to a file since the last check."""

    SAME = "same"
    GREW = "grew"
    REPLACED = "replaced"
    """It is another file, shorter or rewritten: everything read from it is invalid."""
    GONE = "gone"


class TailState(msgspec.Struct, frozen=True, array_like=True):
    """Where reading stopped, and how to recognize the file."""

    identity: tuple[int, int]
    stamp: tuple[int, int]
    offset: int
    head_size: int
    head: bytes
    """Digest of that many bytes at the start of the file; not the text itself, since this is stored."""
    end: bytes
    """Digest of the bytes before `offset`."""
    overlong: int = 0


class Tail:
    r"""Reads the lines of a file as they are written. Only \n ends a line; a line without it is not read yet.

    A file counts as rewritten when its inode, its first bytes or the last bytes that were read changed, when it shrank,
    or when it changed without growing.
    """

    __slots__ = (
        "_end",
        "_head",
        "_head_size",
        "_identity",
        "_longest",
        "_stamp",
        "is_behind",
        "offset",
        "overlong",
        "path",
        "problem",
    )

    def __init__(self, path: str, longest: int = 16 << 20, state: TailState | None = None) -> None:
        self.path = path
        self.offset = 0
        """Offset of the next line, equal to the number of bytes read."""
        self.overlong = 0
        """Number of lines of more than `longest` bytes, which were skipped although they may hold usage."""
        self.is_behind = False
        """Whether the last `read_lines` stopped at its limit: there is more."""
        self.problem: str | None = None
        """Why the file could not be read; None when it could, and when it does not exist."""
        self._longest = longest
        self._identity: tuple[int, int] | None = None
        self._stamp = (0, 0)
        self._head_size = 0
        self._head = self._end = _EMPTY
        if state is not None:
            self.offset, self.overlong = state.offset, state.overlong
            self._identity, self._stamp = state.identity, state.stamp
            self._head_size, self._head, self._end = state.head_size, state.head, state.end

    @property
    def changed_at(self) -> float:
        """When the file last changed as of the last check, epoch seconds; 0 without a file."""
        return self._stamp[1] / 1e9

    @property
    def state(self) -> TailState | None:
        """What another reader needs to continue from here; None before the first check and without a file."""
        if self._identity is None:
            return None
        return TailState(
            self._identity, self._stamp, self.offset, self._head_size, self._head, self._end, self.overlong
        )

    def _reset(self) -> None:
        self.offset = 0
        self.overlong = 0
        self.is_behind = False
        self._identity = None
        self._stamp = (0, 0)
        self._head_size = 0
        self._head = self._end = _EMPTY

    def check(self) -> FileChange:
        """Finds out whether there is something to read. After REPLACED and GONE, reading starts at offset 0."""
        now: os.stat_result | None
        problem: str | None
        try:
            now = os.stat(self.path)  # noqa: PTH116  at every refresh, for every file of every live session
            problem = _find_problem(now)
        except (FileNotFoundError, NotADirectoryError):
            now = self.problem = problem = None
        except (OSError, ValueError) as error:  # ValueError: no file can have this path
            now, problem = None, getattr(error, "strerror", None) or str(error)
        if now is None or problem:
            self.problem = problem
            known = self._identity is not None
            self._reset()
            return FileChange.GONE if known else FileChange.SAME
        identity, stamp = (now.st_dev, now.st_ino), (now.st_size, now.st_mtime_ns)
        if identity == self._identity and stamp == self._stamp:
            return FileChange.GREW if self.is_behind else FileChange.SAME
        first = self._identity is None
        rewritten = not first and (
            identity != self._identity or now.st_size <= self._stamp[0] or not self._holds_what_was_read()
        )
        if rewritten:
            self._reset()
        self._identity, self._stamp = identity, stamp
        return FileChange.REPLACED if rewritten else FileChange.GREW

    def _holds_what_was_read(self) -> bool:
        try:
            file = open_regular(self.path)
            try:
                head = _digest(os.pread(file, self._head_size, 0))
                end = self._read_end(file)
            finally:
                os.close(file)
        except OSError:
            return False
        return head == self._head and end == self._end

    def _read_end(self, file: int) -> bytes:
        """Returns the digest of the bytes before the offset."""
        length = min(_KNOWN, self.offset)
        return _digest(os.pread(file, length, self.offset - length))

    def read_lines(self, limit: int | None = None) -> Iterator[bytes | memoryview]:
        """Yields the complete lines up to the size that the last check found, without their newlines.

        Lines can have megabytes: each is held once, and not while the next one is read.

        `limit`: bytes after which it stops at the end of a line; the next call continues there.
        """
        self.is_behind = False
        if self._identity is None:
            return
        try:
            fd = open_regular(self.path, LARGEST)
        except OSError as error:
            self._note_error(error)
            return
        self.problem = None
        try:
            opened = os.fstat(fd)
            if (opened.st_dev, opened.st_ino) != self._identity:
                return  # replaced since the last check; the next one will notice
            if self._head_size < _KNOWN:
                head = os.pread(fd, min(_KNOWN, self._stamp[0]), 0)
                self._head_size, self._head = len(head), _digest(head)
            begin = seen = self.offset
            spare: list[mmap] = []
            while seen < self._stamp[0]:
                if limit is not None and self.offset - begin >= limit:
                    self.is_behind = True
                    return
                # an incomplete line at the end of a chunk is read again with the next one
                chunk = os.pread(fd, min(_CHUNK, self._stamp[0] - self.offset), self.offset)
                if self.offset + len(chunk) <= seen:
                    break
                seen, at = self.offset + len(chunk), 0
                view = memoryview(chunk)
                while (end := chunk.find(b"\n", at)) >= 0:
                    line, at = view[at:end], end + 1
                    self.offset += len(line) + 1
                    if len(line) <= self._longest:
                        yield line
                    else:
                        self.overlong += _USAGE in bytes(line)
                    del line
                del chunk, view
                if not at and not (yield from self._read_long_line(fd, seen, spare)):
                    return
                seen = max(seen, self.offset)
        except OSError as error:
            self._note_error(error)
        finally:
            try:
                self._end = self._read_end(fd)
            except OSError as error:
                self._note_error(error)
            os.close(fd)

    def _read_long_line(self, fd: int, begin: int, spare: "list[mmap]") -> Generator[memoryview, None, bool]:
        """Yields the line at the offset, whose end is not before `begin`; returns whether it was complete.

        `spare`: memory of earlier lines that nothing refers to any more.
        """
        from mmap import mmap  # noqa: PLC0415  few transcripts have such lines

        end = _find(fd, b"\n", begin, self._stamp[0])
        if end is None:
            return False
        size = end - self.offset
        if size > self._longest:
            self.overlong += _find(fd, _USAGE, self.offset, end) is not None
            self.offset = end + 1
            return True
        line = _read_range(fd, size, self.offset, spare)
        if len(line) < size:
            return False  # cut since the last check; the next one will notice
        self.offset = end + 1
        yield line
        if isinstance(memory := line.obj, mmap):
            del line
            with contextlib.suppress(BufferError, OSError, SystemError, ValueError):
                memory.resize(len(memory))  # fails while anything else refers to it
                spare.append(memory)
        return True

    def _note_error(self, error: OSError) -> None:
        """Stores the reason, and makes the next check report a change: the error may be gone by then."""
        self.problem = error.strerror or str(error)
        self._stamp = (_UNREAD_SIZE, 0)


def _find(file: int, wanted: bytes, start: int, end: int) -> int | None:
    """Returns the offset of the first `wanted` bytes in a part of a file; None without any."""
    while (size := min(_CHUNK, end - start)) >= len(wanted):
        chunk = os.pread(file, size, start)
        if (at := chunk.find(wanted)) >= 0:
            return start + at
        if len(chunk) < size:
            break
        start += size - len(wanted) + 1
    return None


def _read_range(file: int, size: int, offset: int, spare: "list[mmap]") -> memoryview:
    """Reads bytes of a file; less than `size` where it ends.

    Large reads get their own memory mapping, which is returned to the system as soon as it is dropped; malloc would keep it.
    """
    if size < _CHUNK:
        return memoryview(os.pread(file, size, offset))
    from mmap import mmap  # noqa: PLC0415  as above

    found = spare.pop() if spare else None
    memory, end = memoryview(mmap(-1, max(size, _LONG)) if found is None or len(found) < size else found), 0
    while end < size and (length := os.preadv(file, [memory[end:size]], offset + end)):
        end += length
    return memory[:end]


def _find_problem(found: os.stat_result) -> str | None:
    """Returns why a file is not read as a transcript; None when it is."""
    if not stat.S_ISREG(found.st_mode):
        return "Not a regular file"
    return f"Larger than {LARGEST >> 30} GiB" if found.st_size > LARGEST else None
