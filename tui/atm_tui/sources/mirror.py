"""The conversation of a session on another machine: its transcripts, fetched piece by piece into files here.

The end comes first, older lines when they are asked for, and new ones as they come. What was not fetched is a hole in the file.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from atm_hooks.journal import make_folder
from atm_tui.model.stream_commands import PAGE, ConversationFile
from atm_tui.sources.conversation import Conversation
from atm_tui.sources.conversation_files import MAIN
from atm_tui.sources.new_file import write_new_file
from atm_tui.sources.thread_index import ThreadIndex

MOST = 32 << 20
"""Bytes that are fetched of each transcript before its end; older lines stay where they are."""
HEAD = 4096
"""Bytes at the start of a transcript that are fetched at once: they identify the file."""
AT_ONCE = 8
"""Transcripts of subagents that one check begins to fetch, so that the session's own is shown soon."""
STEP = 1 << 16
"""Bytes that are fetched at once before those that are known."""

Fetch = Callable[[str, int, int], bytes]
"""Returns bytes of a file, by its name, offset and size. Raises OSError."""


class Mirror:
    """A file here with parts of one that is elsewhere."""

    def __init__(self, path: Path, name: str, fetch: Fetch) -> None:
        self.path = path
        self._name = name
        self._fetch = fetch
        self._size = self._begin = self._first = 0
        """Its size, from where on it is known, and the size when it was first seen."""
        self._inode = -1
        self.problem: str | None = None
        """Why the last fetch failed."""

    @property
    def is_used_up(self) -> bool:
        """Whether no more is fetched of what is before the known bytes."""
        return self._first - self._begin >= MOST

    def grow(self, there: ConversationFile) -> None:
        """Fetches what was appended; begins anew when it is another file. Raises OSError."""
        if there.inode != self._inode or there.size < self._size:
            with suppress(FileNotFoundError):
                self.path.unlink()
            make_folder(str(self.path.parent))
            write_new_file(str(self.path), b"")
            self._inode, self._size, self._begin = there.inode, 0, 0
        if self._size == there.size:
            return
        if self._size == 0:
            self._begin = self._first = max(0, there.size - STEP)
            head = self._get(0, min(HEAD, self._begin))
            self._write(0, head)
            self._size = self._begin
        while self._size < there.size:
            data = self._get(self._size, min(PAGE, there.size - self._size))
            self._write(self._size, data)
            self._size += len(data)

    def reach(self, start: int) -> None:
        """Fetches what is before the known bytes, from `start` on. Raises OSError."""
        while self._begin > start:
            at = max(0, min(start, self._begin - STEP), self._begin - PAGE)
            stamp = self.path.stat().st_mtime_ns
            self._write(at, self._get(at, self._begin - at))
            os.utime(self.path, ns=(stamp, stamp))  # else it would count as rewritten
            self._begin = at

    def _get(self, begin: int, size: int) -> bytes:
        data = self._fetch(self._name, begin, size) if size else b""
        if len(data) < size:
            raise OSError(0, "it was cut meanwhile")
        return data[:size]

    def _write(self, at: int, data: bytes) -> None:
        file = os.open(self.path, os.O_WRONLY | os.O_NOFOLLOW)
        try:
            while data:
                written = os.pwrite(file, data, at)
                at, data = at + written, data[written:]
        finally:
            os.close(file)


class MirroredIndex(ThreadIndex):
    """Indexes a mirror; what it reads is fetched first."""

    _step = STEP

    def __init__(self, mirror: Mirror, thread: str = "") -> None:
        super().__init__(str(mirror.path), thread)
        self._mirror = mirror

    @property
    def is_behind(self) -> bool:
        """Whether older lines are fetched yet."""
        return self.begin > 0 and not self._mirror.is_used_up

    def _read(self, file: int, start: int, size: int) -> bytes:
        self._mirror.reach(start)
        return super()._read(file, start, size)

    def read_older(self, size: int) -> None:
        """As the base; a link that is cut leaves the rest for later."""
        begin = self.begin
        super().read_older(min(size, PAGE))
        if problem := self._tail.problem:
            self.begin, self._tail.problem = begin, None
            raise OSError(0, problem)


class MirroredConversation(Conversation):
    """Follows the conversation of a session elsewhere. `close` removes the files."""

    def __init__(self, list_files: Callable[[], Sequence[ConversationFile]], fetch: Fetch) -> None:
        """Both raise OSError, with words for a person."""
        self._folder_here = tempfile.TemporaryDirectory(prefix="atm-tui-", ignore_cleanup_errors=True)
        self._root = Path(self._folder_here.name)
        self._list_files = list_files
        self._fetch = fetch
        self._mirrors: dict[str, Mirror] = {}
        self._link_problem: str | None = None
        self._metas: dict[str, bytes] = {}
        self._is_closed = False
        super().__init__(str(self._root / "main.jsonl"))

    @property
    def problem(self) -> str | None:
        """Why nothing can be shown, or nothing new."""
        return self._link_problem or super().problem

    def close(self) -> None:
        """Removes the files; those that another thread is about to write go when it has done so."""
        self._is_closed = True
        self._folder_here.cleanup()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Notes why files can't be fetched; leaves none behind if the conversation was closed meanwhile."""
        try:
            yield
        except OSError as error:
            self._link_problem = error.strerror or str(error)
        finally:
            if self._is_closed:
                self._folder_here.cleanup()

    def _make_index(self, path: str, thread: str) -> ThreadIndex:
        name = path.removeprefix(f"{self._root / 'main' / 'subagents'}/") if thread else MAIN
        return MirroredIndex(self._find_mirror(name), thread)

    def _find_mirror(self, name: str) -> Mirror:
        path = self._root / "main.jsonl" if name == MAIN else self._root / "main" / "subagents" / name
        return self._mirrors.setdefault(name, Mirror(path, name, self._fetch))

    def check(self) -> bool:
        """Fetches and indexes what is new; returns whether anything is."""
        before, is_new = self._link_problem, False
        with self._writing():
            self._update()
            self._link_problem = None
            is_new = super().check()
        return is_new or before != self._link_problem

    def _update(self) -> None:
        new = 0
        for there in self._list_files():
            if there.name == MAIN:
                self._find_mirror(MAIN).grow(there)
                continue
            if not _is_transcript(there.name):
                continue
            mirror = self._find_mirror(there.name)
            if self._metas.get(there.name) != there.meta:
                make_folder(str(mirror.path.parent))
                meta = Path(str(mirror.path).removesuffix(".jsonl") + ".meta.json")
                meta.unlink(missing_ok=True)
                write_new_file(str(meta), there.meta)
                self._metas[there.name] = there.meta
            agent = self._by_path.get(str(mirror.path))
            new += agent is None
            if agent.is_open if agent else new <= AT_ONCE:  # of a new one, the start tells where it belongs
                mirror.grow(there)

    def read_older(self, size: int = PAGE) -> None:
        """Fetches and indexes older lines."""
        with self._writing():
            super().read_older(size)


def _is_transcript(name: str) -> bool:
    """Whether a name from elsewhere is one that a transcript of a subagent can have, below its folder."""
    parts = name.split("/")
    is_plain = all(part and not part.startswith(".") and "\0" not in part for part in parts)
    return is_plain and len(parts) <= 4 and parts[-1].startswith("agent-") and name.endswith(".jsonl")
