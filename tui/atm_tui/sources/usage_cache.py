"""Caches the counts of a folder of transcripts on disk, so that the next start reads only what is new.

The cache can be deleted at any time. It is ignored when its checksum or its format is wrong.
"""

import contextlib
import hashlib
import os
import tempfile
import zlib
from pathlib import Path

import msgspec

from atm_hooks.regular_file import read_regular
from atm_tui.cost.usage import ApiRequest
from atm_tui.sources.exists import list_folder
from atm_tui.sources.transcript_tail import TailState

_VERSION = 3
_MAX_SIZE = 256 << 20
"""Bytes that the cache of a project folder may have."""
_CHECKSUM = 4
"""Bytes of the checksum at the start of a file."""


class FileRecord(msgspec.Struct, array_like=True):
    """A transcript: how far it was read, and what was found."""

    tail: TailState
    cwd: str = ""
    title: str = ""
    """The name that the user gave the session."""
    prompt: str = ""
    """The beginning of its first prompt."""
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
        """Returns the records of a project folder's transcripts by path; none when the file is missing, damaged or outdated."""
        try:
            data = read_regular(str(self._locate_file(folder)), _MAX_SIZE)
            if zlib.crc32(data[_CHECKSUM:]) != int.from_bytes(data[:_CHECKSUM], "big"):
                return {}
            saved = msgspec.msgpack.decode(data[_CHECKSUM:], type=_CacheFile)
        except (OSError, ValueError):
            return {}
        return saved.files if saved.version == _VERSION and saved.folder == str(folder) else {}

    def save(self, folder: Path, files: dict[str, FileRecord]) -> None:
        """Saves the records of a project folder. If that fails, the next start reads more."""
        target = self._locate_file(folder)
        data = msgspec.msgpack.encode(_CacheFile(_VERSION, str(folder), files))
        temporary = None
        try:
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=target.parent)
            with os.fdopen(descriptor, "wb") as out:
                out.write(zlib.crc32(data).to_bytes(_CHECKSUM, "big"))
                out.write(data)
            Path(temporary).replace(target)
        except OSError:
            if temporary:
                with contextlib.suppress(OSError):
                    Path(temporary).unlink()

    def keep_only(self, folders: list[Path]) -> None:
        """Removes the records of all other project folders."""
        kept = {self._locate_file(folder).name for folder in folders}
        for file in list_folder(self._root):
            if file.name not in kept:
                with contextlib.suppress(OSError):
                    file.unlink()

    def _locate_file(self, folder: Path) -> Path:
        return self._root / (hashlib.sha256(os.fsencode(folder)).hexdigest()[:32] + ".msgpack")


class MemoryCache:
    """The same in memory, as long as the app runs."""

    def __init__(self) -> None:
        self._known: dict[Path, dict[str, FileRecord]] = {}

    def load(self, folder: Path) -> dict[str, FileRecord]:
        """Returns the records of a project folder's transcripts by path."""
        return self._known.get(folder, {})

    def save(self, folder: Path, files: dict[str, FileRecord]) -> None:
        """Keeps the records of a project folder."""
        self._known[folder] = files

    def keep_only(self, folders: list[Path]) -> None:
        """Forgets the records of all other project folders."""
        self._known = {folder: files for folder, files in self._known.items() if folder in folders}


def open_cache(base: Path, projects: Path) -> UsageCache:
    """Returns the cache for the folder `projects` of a config folder. `base`: the app's cache folder; None: in memory."""
    return UsageCache(base / "usage" / hashlib.sha256(os.fsencode(projects)).hexdigest()[:16])
