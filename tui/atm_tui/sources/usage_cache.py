"""Keeps on disk what was counted in a folder of transcripts, so that the next start reads only what is new.

It can be deleted at any time, and is not believed when its checksum or its shape is wrong.
"""

import contextlib
import hashlib
import os
import tempfile
import zlib
from pathlib import Path

import msgspec

from atm_tui.cost.usage import ApiRequest
from atm_tui.sources.transcript_tail import TailState

_VERSION = 2
_CHECK = 4


class FileRecord(msgspec.Struct, array_like=True):
    """One transcript: how far it is read, and what was found."""

    tail: TailState
    cwd: str = ""
    title: str = ""
    """The name that its user gave the session."""
    prompt: str = ""
    """The start of its first prompt."""
    skipped: int = 0
    requests: list[ApiRequest] = []


class _CacheFile(msgspec.Struct, array_like=True):
    version: int
    folder: str
    files: dict[str, FileRecord]


class UsageCache:
    """Records of transcripts by path, in one file per project folder."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def load(self, folder: Path) -> dict[str, FileRecord]:
        """What is known of the transcripts of a project folder; nothing when that is missing, damaged or outdated."""
        try:
            data = self._file(folder).read_bytes()
            if zlib.crc32(data[_CHECK:]) != int.from_bytes(data[:_CHECK], "big"):
                return {}
            saved = msgspec.msgpack.decode(data[_CHECK:], type=_CacheFile)
        except (OSError, ValueError):
            return {}
        return saved.files if saved.version == _VERSION and saved.folder == str(folder) else {}

    def save(self, folder: Path, files: dict[str, FileRecord]) -> None:
        """Keep the records of a project folder. A disk that can't take them costs only time at the next start."""
        target = self._file(folder)
        data = msgspec.msgpack.encode(_CacheFile(_VERSION, str(folder), files))
        temporary = None
        try:
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=target.parent)
            with os.fdopen(descriptor, "wb") as out:
                out.write(zlib.crc32(data).to_bytes(_CHECK, "big"))
                out.write(data)
            Path(temporary).replace(target)
        except OSError:
            if temporary:
                with contextlib.suppress(OSError):
                    Path(temporary).unlink()

    def keep_only(self, folders: list[Path]) -> None:
        """Remove what belongs to project folders that are gone."""
        kept = {self._file(folder).name for folder in folders}
        with contextlib.suppress(OSError):
            for file in self._root.iterdir():
                if file.name not in kept:
                    file.unlink()

    def _file(self, folder: Path) -> Path:
        return self._root / (hashlib.sha256(os.fsencode(folder)).hexdigest()[:32] + ".msgpack")


class MemoryCache:
    """The same, for as long as the app runs."""

    def __init__(self) -> None:
        self._known: dict[Path, dict[str, FileRecord]] = {}

    def load(self, folder: Path) -> dict[str, FileRecord]:
        """What is known of the transcripts of a project folder."""
        return self._known.get(folder, {})

    def save(self, folder: Path, files: dict[str, FileRecord]) -> None:
        """Remember the records of a project folder."""
        self._known[folder] = files

    def keep_only(self, folders: list[Path]) -> None:
        """Forget what belongs to project folders that are gone."""
        self._known = {folder: files for folder, files in self._known.items() if folder in folders}


def open_cache(base: Path, projects: Path) -> UsageCache:
    """The cache of one config folder's projects under `base`, the app's cache folder."""
    return UsageCache(base / "usage" / hashlib.sha256(os.fsencode(projects)).hexdigest()[:16])
