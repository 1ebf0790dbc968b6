"""Caches a small result computed from many files and processes until any of them changes.

Only stamps are compared, so that a command with nothing new to read need not load the code that reads. A result is only kept
when no file changed shortly before or while it was read: two changes in one tick of the file system's clock could have the
same stamp. A file that is damaged, of another version or for other places is ignored.
"""

import contextlib
import os
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from atm_hooks.proc import read_pid_domain
from atm_hooks.regular_file import read_regular
from atm_tui import __version__
from atm_tui.sources.new_file import replace_file
from atm_tui.sources.process_start import find_boot_time, read_running_start

MARGIN = 3.0
"""Seconds for which files must not have changed before they were read: more than a tick of any file system's clock."""
LONGEST = 60.0
"""Seconds after which a result expires by default."""
LARGEST = 4 << 20
"""Largest size of a result's file in bytes; a larger one is not kept."""
_FORMAT = f"1 {__version__}".encode()
MISSING = "-"


class Sources:
    """The sources of a result."""

    def __init__(self, paths: Iterable[str], processes: Mapping[int, str], until: float | None) -> None:
        """`paths`: files and folders that were checked, also those that do not exist. `processes`: by pid the start of the
        process in clock ticks, "" for one that does not run. `until`: when the passing of time alone may change the result, in
        epoch seconds; None: never.
        """
        self.paths = paths
        self.processes = processes
        self.until = until


class KeptResult:
    """One result in the app's cache folder. Raises nothing: a file that can't be read or written counts as missing."""

    def __init__(self, cache_dir: Path, name: str, key: Sequence[str], longest: float = LONGEST) -> None:
        """`key`: everything else that the result depends on, such as the given folders.

        `longest`: seconds after which it expires in any case.
        """
        self._path = f"{cache_dir}/{name}"
        self._key = list(key)
        self._longest = longest

    def load(self, now: float) -> list[str] | None:
        """Returns the texts of the result when they are still what a new reading would give; `now`: epoch seconds."""
        try:
            fields = iter(unpack(read_regular(self._path, LARGEST)))
            made_at, until = float(next(fields)), float(next(fields))
            if not made_at <= now < until or take(fields) != self._key:
                return None
            texts, machine, processes = take(fields), take(fields), take(fields)
            if machine != (describe_machine() if processes else []):
                return None
            if not are_unchanged(take(fields), processes):
                return None
        except (OSError, ValueError, StopIteration):
            return None
        return texts

    def save(self, texts: Sequence[str], sources: Sources, made_at: float) -> None:
        """Saves a result that was started at `made_at` (epoch seconds), unless a source changed shortly before.

        If it can't be kept, the next command reads everything.
        """
        if (
            sources.processes and sys.platform != "linux"
        ):  # elsewhere a process can't be recognized without loading psutil
            return
        stamps = read_stamps(sources.paths, made_at - MARGIN)
        if stamps is None:
            return
        until = min(made_at + self._longest, float("inf") if sources.until is None else sources.until)
        processes = {str(pid): start for pid, start in sources.processes.items()}
        lists = (self._key, texts, describe_machine() if processes else [], flatten(processes), flatten(stamps))
        fields = [repr(made_at), repr(until), *give(lists)]
        with contextlib.suppress(OSError, ValueError):
            data = pack(fields)
            if len(data) <= LARGEST:
                replace_file(self._path, data)


def describe_machine() -> list[str]:
    """Returns the pid domain and the boot time, which together identify pids."""
    return [read_pid_domain(), repr(find_boot_time())]


def read_stamp(path: str) -> tuple[str, float]:
    """Returns a text that changes with a file or folder, and when it last changed (epoch seconds).

    Raises OSError if unknown.
    """
    try:
        found = os.stat(path)  # noqa: PTH116  for hundreds of files in each command
    except (FileNotFoundError, NotADirectoryError):
        return MISSING, 0.0
    return _format_stamp(found), max(found.st_mtime_ns, found.st_ctime_ns) / 1e9


def _format_stamp(found: os.stat_result) -> str:
    return f"{found.st_dev} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


def are_unchanged(stamps: list[str], processes: list[str]) -> bool:
    """Whether files and processes are as before: paths and their stamps in turn, and pids and their starts.

    Raises OSError if unknown, ValueError for anything else.
    """
    for path, stamp in pair(stamps):
        try:
            if _format_stamp(os.stat(path)) != stamp:  # noqa: PTH116  as above
                return False
        except (FileNotFoundError, NotADirectoryError):
            if stamp != MISSING:
                return False
    return all(read_running_start(int(pid)) == start for pid, start in pair(processes))


def read_stamps(paths: Iterable[str], settled: float) -> dict[str, str] | None:
    """Returns the stamps by path; None if one is unknown, or something changed after `settled` (epoch seconds).

    In place of a missing file it has the folder, which changes when the file appears, and when one was there before.
    """
    from atm_tui.sources.exists import is_link  # noqa: PLC0415  while nothing changes, it is not needed

    stamps: dict[str, str] = {}
    for given in paths:
        path = given
        while path not in stamps:
            try:
                stamp, changed = read_stamp(path)
            except (OSError, ValueError):
                return None
            if changed > settled:
                return None
            if stamp != MISSING or is_link(path):  # the target of a link may appear elsewhere
                stamps[path] = stamp
            if stamp != MISSING:
                break
            path = os.path.dirname(path)  # noqa: PTH120
    return stamps


def pair(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yields two words at a time. Raises ValueError for an odd number of them."""
    return zip(words[::2], words[1::2], strict=True)


def flatten(words: Mapping[str, str]) -> list[str]:
    """Returns the texts that `pair` yields again as two at a time."""
    return [word for each in words.items() for word in each]


def give(lists: Iterable[Sequence[str]]) -> list[str]:
    """Returns lists of texts as the texts that `take` makes them of again."""
    return [word for each in lists for word in (str(len(each)), *each)]


def take(fields: Iterator[str]) -> list[str]:
    """Returns the next list: its length, then its texts. Raises StopIteration or ValueError for anything else."""
    count = int(next(fields))
    found = list(islice(fields, count))
    if len(found) != count:
        raise ValueError("cut off")
    return found


def pack(fields: Iterable[str]) -> bytes:
    """Returns texts as bytes. Raises ValueError when a text holds a NUL, which separates them, or can't be encoded."""
    texts = list(fields)
    if any("\0" in text for text in texts):
        raise ValueError("a text holds a NUL")
    body = os.fsencode("\0".join(texts))
    return b"\0".join((_FORMAT, b"%08x" % zlib.crc32(body), body))


def unpack(data: bytes) -> list[str]:
    """Returns the texts of `_pack`. Raises ValueError for anything else."""
    head, checksum, body = data.split(b"\0", 2)
    if head != _FORMAT or checksum != b"%08x" % zlib.crc32(body):
        raise ValueError("another version, or damaged")
    return os.fsdecode(body).split("\0")
