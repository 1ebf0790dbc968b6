"""Keeps what was counted of all sessions of a config folder in one file, so that `usage` need not look into each checkpoint.

A session's part holds as long as its transcripts have the same names, sizes and times. A file that is damaged, of another version,
or for other prices is ignored. It is replaced as a whole: of two commands that write at once, one's file stays.
"""

import os
import time
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from atm_hooks.regular_file import read_regular
from atm_tui.model.decoding import make_msgpack_decoder
from atm_tui.model.tokens import Bucket
from atm_tui.sources.checkpoints import OLDEST, unpack_keys
from atm_tui.sources.new_file import remove_old_files, replace_file

VERSION = 1
"""Increases when the stored fields or their meanings change."""
LARGEST = 32 << 20
"""Largest size of a file in bytes; a larger one is not kept."""
MOST_KEPT = 10
"""Number of files, which is that of config folders; the oldest are removed first."""
KEPT = "usage-"
"""Start of the names of these files in the cache folder."""
_HEAD = 4
"""Bytes of the checksum before the content."""

Stamp = tuple[str, int, int, int, int]
"""A transcript: path, device, inode, size in bytes and modification time in ns."""


class SessionUsage(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What the transcripts of one session hold, as it was counted."""

    path: str
    """The session's own transcript."""
    session_id: str
    changed: float
    """When one of its transcripts last changed, epoch seconds."""
    cwd: str
    """The folder in which it was started; empty when unknown."""
    title: str
    skipped: int
    last_at: float
    """When it last made a request, epoch seconds; 0: unknown."""
    buckets: tuple[Bucket, ...]
    keys: bytes
    """Shared keys of its requests, packed: a request that another session has too counts for only one of them."""


class KeptSession(msgspec.Struct, frozen=True, array_like=True):
    """The usage of a session, and the transcripts of which it was counted."""

    files: tuple[Stamp, ...]
    usage: SessionUsage


class _Content(msgspec.Struct, frozen=True, array_like=True):
    version: int
    prices: int
    """Identifies the price table."""
    projects: str
    """The folder with the folders of all projects."""
    is_apart: bool
    sessions: tuple[KeptSession, ...]


class KeptUsage:
    """The kept usage of one config folder. Raises nothing: a file that can't be read or written counts as missing."""

    def __init__(self, cache_dir: Path, projects: str, prices: int) -> None:
        """`projects`: the folder with the folders of all projects. `prices`: identifies the price table."""
        self._folder = str(cache_dir)
        self._path = f"{cache_dir}/{KEPT}{zlib.crc32(os.fsencode(projects)):08x}"
        self._projects = projects
        self._prices = prices
        self.sessions: Mapping[str, KeptSession] = {}
        """By the path of the session's own transcript, as of the last `load` or `save`."""
        self.is_apart = False
        """Whether it is known that no two of these sessions share a request."""

    def load(self) -> None:
        """Reads the file."""
        self.sessions, self.is_apart = {}, False
        try:
            data = read_regular(self._path, LARGEST)
            if zlib.crc32(memoryview(data)[_HEAD:]) != int.from_bytes(data[:_HEAD], "little"):
                return
            found = make_msgpack_decoder(_Content).decode(memoryview(data)[_HEAD:])
        except (OSError, ValueError, RecursionError):  # errors of msgspec are ValueErrors
            return
        if (found.version, found.prices, found.projects) == (VERSION, self._prices, self._projects):
            self.sessions, self.is_apart = {each.usage.path: each for each in found.sessions}, found.is_apart

    def save(self, sessions: Mapping[str, KeptSession]) -> None:
        """Replaces what is kept, unless it is the same. If that fails, the next reader reads more."""
        if sessions == self.sessions:
            return
        self.sessions, self.is_apart = sessions, not find_sharing(each.usage for each in sessions.values())
        content = _Content(VERSION, self._prices, self._projects, self.is_apart, tuple(sessions.values()))
        try:
            data = msgspec.msgpack.encode(content)
            if len(data) <= LARGEST - _HEAD:
                replace_file(self._path, zlib.crc32(data).to_bytes(_HEAD, "little") + data)
                remove_old_files(self._folder, KEPT, MOST_KEPT, time.time() - OLDEST)
        except (OSError, ValueError, OverflowError):  # a path that is no UTF-8, an impossible number
            pass


def find_sharing(sessions: Iterable[SessionUsage]) -> set[str]:
    """Returns the transcripts that share a request with another one: only these are counted request by request."""
    sessions = list(sessions)
    seen: set[int] = set()
    twice: set[int] = set()
    for each in sessions:
        keys = set(unpack_keys(each.keys))
        twice |= keys & seen
        seen |= keys
    return {each.path for each in sessions if not twice.isdisjoint(unpack_keys(each.keys))} if twice else set()
