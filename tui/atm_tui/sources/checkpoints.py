"""Saves on disk what was read from transcripts, so that the next command reads only what is new.

One file for each session, which can be deleted at any time. A file has two parts: the checkpoint, with how far each
transcript was read and the resulting facts, and the fold, which is needed only to go on reading. A file of another
version, for another path, or with a wrong checksum is ignored. Files are replaced as a whole: of two readers that write at
once, the last one's file stays, and what it lacks is read again.
"""

import contextlib
import os
import time
import zlib
from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from atm_hooks.regular_file import read_regular, read_start
from atm_tui.cost.pricing import PriceTable
from atm_tui.model.decoding import make_msgpack_decoder
from atm_tui.model.transcript import TranscriptFacts
from atm_tui.sources.exists import exists
from atm_tui.sources.new_file import write_new_file
from atm_tui.sources.transcript_agents import AgentMeta
from atm_tui.sources.transcript_tail import TailState

if TYPE_CHECKING:
    from atm_tui.sources.transcript_fold import TranscriptFold

VERSION = 3
"""Increases when the stored fields or their meanings change."""
LARGEST = 32 << 20
"""Largest size of a session's file in bytes; a session that needs more gets none."""
MOST_BYTES = 256 << 20
"""Largest size of all files together in bytes; beyond it the oldest are removed."""
CHECKED_EVERY = 32 << 20
"""Bytes that one process writes before that size is checked again; otherwise it is checked once a day."""
OLDEST = 90 * 86400.0
"""Seconds after which a file that was not written again is removed."""
TRANSCRIPTS = "transcripts"
"""Folder of the checkpoints in the cache folder."""
SUFFIX = ".checkpoint"
"""End of their names."""
_TEMPORARY = ".tmp"
_CLEANED = "cleaned"
"""Name of the file whose modification time says when old files were last removed."""
_CLEAN_INTERVAL = 86400.0
"""Seconds between two removals of old files."""
_HEAD = 20
"""Bytes at the start of a file: the length of the transcript's path, then length and checksum of each part."""
_LONGEST_PATH = 4096
"""Most bytes of a path in a checkpoint."""
_FIRST_READ = 64 << 10
"""Bytes of a file's first read: most checkpoints are shorter."""

T = TypeVar("T")


class SavedAgent(msgspec.Struct, array_like=True):
    """The files of an agent, as of the last read."""

    path: str
    tail: TailState
    meta_stamp: tuple[int, int, int] | None
    meta: AgentMeta


class Checkpoint(msgspec.Struct, array_like=True):
    """How far the files of a session were read, and the resulting facts."""

    version: int
    path: str
    """The session's own transcript."""
    serial: int
    """Identifies the fold that belongs to it."""
    prices: int
    """Identifies the price table that was used for the facts."""
    tail: TailState | None
    """None if the session has only files of agents."""
    agents: list[SavedAgent]
    shared: bytes
    """Shared keys of its requests, packed."""
    forked: bytes
    """Shared keys of requests in lines that name the session from which they were copied, packed."""
    inherited: bytes
    """Shared keys of requests that count for other sessions in the facts, packed."""
    facts: TranscriptFacts


class CheckpointStore:
    """The checkpoints in the app's cache folder. Raises nothing: a file that can't be read or written counts as missing."""

    def __init__(self, cache_dir: Path, table: PriceTable) -> None:
        """`table`: the prices for the facts."""
        self._root = f"{cache_dir}/{TRANSCRIPTS}"
        self.prices = zlib.crc32(msgspec.msgpack.encode(table))
        """Identifies the price table."""
        self._is_clean = False
        self._written = 0
        """Bytes written since the last check of the size of all files."""

    def has(self, path: str) -> bool:
        """Whether there is a checkpoint of the session with this transcript, of whatever version."""
        return exists(self._locate(path))

    def load(self, path: str) -> Checkpoint | None:
        """Returns the checkpoint of a session by the path of its transcript; None without a usable one."""
        try:
            place = self._locate(path)
            data = read_start(place, _FIRST_READ)
            begin, end, _ = _find_parts(data)
            if end > len(data):
                data = read_start(place, min(end, LARGEST))
        except OSError:
            return None
        found = _decode_part(data[begin:end], data[8:12], _decode_checkpoint)
        good = found is not None and (found.version, found.path) == (VERSION, path) and _is_possible(found)
        return found if good else None

    def load_fold(self, checkpoint: Checkpoint) -> "TranscriptFold | None":
        """Returns the fold that belongs to a checkpoint; None when its file was replaced or removed since, or is damaged."""
        try:
            data = read_regular(self._locate(checkpoint.path), LARGEST)
        except OSError:
            return None
        begin, middle, end = _find_parts(data)
        now = _decode_part(data[begin:middle], data[8:12], _decode_checkpoint)
        if now is None or now.serial != checkpoint.serial:
            return None
        return _decode_part(data[middle:end], data[16:20], _make_fold_decoder().decode)

    def save(self, checkpoint: Checkpoint, fold: "TranscriptFold") -> None:
        """Replaces the checkpoint of a session. If that fails, the next reader reads more."""
        try:
            parts = (msgspec.msgpack.encode(checkpoint), msgspec.msgpack.encode(fold))
        except (ValueError, OverflowError):  # a path that is no UTF-8, an impossible number
            return
        path = os.fsencode(checkpoint.path)
        data = b"".join((_pack(len(path)), *(each for part in parts for each in _describe(part)), path, *parts))
        if len(data) > LARGEST:
            return
        place = self._locate(checkpoint.path)
        temporary = f"{place}.{os.urandom(4).hex()}{_TEMPORARY}"
        try:
            self._write(temporary, data)
            os.replace(temporary, place)  # noqa: PTH105
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108
        self._written += len(data)
        if self._written < CHECKED_EVERY:
            self._clean_up_daily()
        else:
            self.clean_up(time.time())

    def _write(self, path: str, data: bytes) -> None:
        try:
            write_new_file(path, data)
        except FileNotFoundError:
            Path(self._root).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            Path(self._root).mkdir(mode=0o700, exist_ok=True)
            write_new_file(path, data)

    def _locate(self, path: str) -> str:
        """Returns the path of a checkpoint. Sessions with the same path replace each other's file, and are read again."""
        name = path.rpartition("/")[2].removesuffix(".jsonl")[:80]
        return f"{self._root}/{name}.{zlib.crc32(os.fsencode(path)):08x}{SUFFIX}"

    def _clean_up_daily(self) -> None:
        if self._is_clean:
            return
        self._is_clean = True
        mark = f"{self._root}/{_CLEANED}"
        with contextlib.suppress(OSError):
            try:
                if time.time() - os.stat(mark).st_mtime < _CLEAN_INTERVAL:  # noqa: PTH116
                    return
                os.utime(mark)
            except FileNotFoundError:
                self._write(mark, b"")
            self.clean_up(time.time())

    def clean_up(self, now: float) -> None:
        """Removes files without a transcript, old ones, and the oldest beyond the size limit. `now`: epoch seconds."""
        self._written = 0
        found: list[tuple[float, int, str]] = []
        with contextlib.suppress(OSError), os.scandir(self._root) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    info = entry.stat(follow_symlinks=False)
                    if entry.name.endswith(SUFFIX) and _has_transcript(entry.path):
                        found.append((info.st_mtime, info.st_size, entry.path))
                    elif entry.name.endswith(SUFFIX) or now - info.st_mtime > _CLEAN_INTERVAL:
                        os.unlink(entry.path)  # noqa: PTH108
        room = MOST_BYTES
        for changed, size, path in sorted(found, reverse=True):
            room -= size
            if room < 0 or now - changed > OLDEST:
                with contextlib.suppress(OSError):
                    os.unlink(path)  # noqa: PTH108


_decode_checkpoint = make_msgpack_decoder(Checkpoint).decode


@cache
def _make_fold_decoder() -> "msgspec.msgpack.Decoder[TranscriptFold]":
    from atm_tui.sources.transcript_fold import TranscriptFold  # noqa: PLC0415  needed only to go on reading

    return make_msgpack_decoder(TranscriptFold)


def _pack(number: int) -> bytes:
    return number.to_bytes(4, "little")


def _describe(part: bytes) -> tuple[bytes, bytes]:
    return _pack(len(part)), _pack(zlib.crc32(part))


def _find_parts(data: bytes) -> tuple[int, int, int]:
    """Returns where the first part of a file begins, and where each of both ends."""
    path, first, second = (int.from_bytes(data[at : at + 4], "little") for at in (0, 4, 12))
    return _HEAD + path, _HEAD + path + first, _HEAD + path + first + second


def _decode_part(data: bytes, checksum: bytes, decode: Callable[[bytes], T]) -> T | None:
    if zlib.crc32(data) != int.from_bytes(checksum, "little"):
        return None
    try:
        return decode(data)
    except (ValueError, RecursionError):  # errors of msgspec are ValueErrors
        return None


def _is_possible(found: Checkpoint) -> bool:
    """Returns whether a reader can go on from these offsets."""
    tails = (found.tail, *(each.tail for each in found.agents))
    return all(0 <= tail.offset <= tail.stamp[0] and 0 <= tail.head_size <= tail.stamp[0] for tail in tails if tail)


def read_transcript_path(place: str) -> str:
    """Returns the path of the transcript whose checkpoint a file is. Raises OSError."""
    data = read_start(place, _HEAD + _LONGEST_PATH)
    return os.fsdecode(data[_HEAD : _HEAD + int.from_bytes(data[:4], "little")])


def _has_transcript(place: str) -> bool:
    """Whether the transcript exists, or an agent's beside it, whose checkpoint a file is."""
    path = read_transcript_path(place)
    return exists(path) or exists(path.removesuffix(".jsonl"))


def pack_keys(keys: Collection[int]) -> bytes:
    """Returns shared keys of requests as bytes."""
    from array import array  # noqa: PLC0415  only for what was read anew

    return array("Q", keys).tobytes()


def unpack_keys(data: bytes) -> Collection[int]:
    """Returns the keys in data from `pack_keys`; none for other data."""
    return memoryview(data if len(data) % 8 == 0 else b"").cast("Q")
