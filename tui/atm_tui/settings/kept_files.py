"""Finds the files that atm-tui stores: those of hooks, app and installer.

The state and data folders can be anywhere, even among other files. A file counts as ours only if it has one of our
names, belongs to the user, and is not readable by others, as all files that we write.
"""

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path

import msgspec

from atm_hooks import journal
from atm_tui.sources.exists import exists, is_folder, is_link

_ID = r"[A-Za-z0-9_-]{1,128}"


class Kind(StrEnum):
    """The purpose of a file."""

    SESSIONS = "sessions"
    ANSWERS = "answers"
    NOTES = "the app's notes"
    LOGS = "logs and settings of hooks"
    CACHE = "cache"
    COPIES = "copied hooks, receipts"
    BACKUPS = "backups of settings"


STATE_FILES = (
    (Kind.SESSIONS, "sessions", rf"({_ID})\.json"),
    (Kind.SESSIONS, "journal", rf"({_ID})\.jsonl(?:\.1)?"),
    (Kind.SESSIONS, "locks", rf"({_ID})\.lock"),
    (Kind.SESSIONS, "panes", rf"({_ID})"),
    (Kind.SESSIONS, "tmp", rf"({_ID})"),
    (Kind.LOGS, "tmp", r"statusline\.json"),
    (Kind.ANSWERS, "answers", r"lease|log\.jsonl(?:\.1)?|[.\w-]+\.tmp"),
    (Kind.ANSWERS, "answers/requests", r"[.\w-]+"),
    (Kind.ANSWERS, "answers/verdicts", r"[.\w-]+"),
    (Kind.ANSWERS, "answers/wake", r"[0-9a-f]{32}"),
    (Kind.NOTES, "app", r"[\w-]+(?:\.[0-9]+)?\.(?:json|tmp|lock)"),
    (Kind.LOGS, "notify", r"(?:app|front|notifier)\.lock|mark"),
    (Kind.LOGS, "", r"hook\.log(?:\.1)?|statusline\.json|schema(?:\.[0-9]+)?"),
)
"""Files in the state folder: purpose, folder, and a pattern of names whose group is the id of a session."""

CACHE_FILES = (
    ("", r"(?:status-line|(?:hooks|usage)-[0-9a-f]{8})(?:\.[\w.-]+)?"),
    ("transcripts", r".+\.checkpoint(?:\.[0-9a-f]{8}\.tmp)?|\.?cleaned"),
)
"""Files in a cache folder that a link leads to, which can have content of others: folder, and a pattern of names."""

DATA_TREES = ("hooks/versions", "marketplace")
"""Our folders in the data folder."""
RECEIPT = re.compile(r"[0-9a-f]{16}\.(?:json|new)|lock")
"""The names in its folder `settings`."""


class KeptFile(msgspec.Struct, frozen=True, kw_only=True):
    """One of our files."""

    path: str
    kind: Kind
    size: int
    """Bytes."""
    changed: float
    """Epoch seconds."""
    session_id: str = ""
    """The session that it belongs to; empty for none."""


def list_state_files(root: Path) -> list[KeptFile]:
    """Returns our files in the state folder. Raises OSError if a folder can't be listed."""
    found = []
    for kind, folder, pattern in STATE_FILES:
        for entry in _scan(root / folder, follows=True):
            if match := re.fullmatch(pattern, entry.name):
                found += _describe(entry.path, kind, match[1] if match.groups() else "")
    return found


def list_cache_files(root: Path) -> list[KeptFile]:
    """Returns our files in the cache folder: all, or those with our names where a link leads to it. Raises OSError."""
    if not is_link(root):
        return list_tree_files(root, Kind.CACHE)
    return [
        file
        for folder, pattern in CACHE_FILES
        for entry in _scan(root / folder, follows=True)
        if re.fullmatch(pattern, entry.name)
        for file in _describe(entry.path, Kind.CACHE)
    ]


def list_tree_files(root: Path, kind: Kind) -> list[KeptFile]:
    """Returns all files in a folder that is ours alone, and in the folders in it. Raises OSError if one can't be listed."""
    found = []
    for entry in _scan(root):
        if _is_real_folder(entry.path):
            found += list_tree_files(Path(entry.path), kind)
        else:
            found += _describe(entry.path, kind, is_private=False)
    return found


def list_data_files(root: Path) -> list[KeptFile]:
    """Returns the installer's files in the data folder. Raises OSError if a folder can't be listed."""
    trees = [file for part in DATA_TREES for file in list_tree_files(root / part, Kind.COPIES)]
    receipts = [Path(entry.path) for entry in _scan(root / "settings") if RECEIPT.fullmatch(entry.name)]
    return trees + list_given_files([root / "hooks/atm_hooks", *receipts], Kind.COPIES)


def list_given_files(paths: Iterable[Path], kind: Kind) -> list[KeptFile]:
    """Returns those of the given files that exist."""
    return [file for path in paths for file in _describe(str(path), kind, is_private=False)]


def is_config_folder(root: Path) -> bool:
    """Whether a folder is a config folder of Claude Code: its own files have names like some of ours."""
    return exists(root / "settings.json") or exists(root / "projects")


def remove_files(files: Iterable[KeptFile], state_dir: Path) -> list[OSError]:
    """Removes files; returns the errors of those that stay.

    The files of a session are removed together, under the lock of its hooks.
    """
    errors: list[OSError] = []
    done: set[str] = set()
    for file in files:
        try:
            if file.session_id and file.session_id not in done:
                done.add(file.session_id)
                journal.remove_session(str(state_dir), file.session_id)
            Path(file.path).unlink(missing_ok=True)
        except OSError as error:
            errors.append(error)
    return errors


def remove_empty_folders(state_dir: Path, data_dir: Path, cache_dir: Path, shared: Iterable[Path] = ()) -> None:
    """Removes our folders that are empty now; the others stay, and so do links and what they lead to.

    `shared`: folders above them that are removed as well if nothing else is in them, inner ones first.
    """
    cache = [cache_dir / folder for folder, _ in CACHE_FILES if folder] if is_link(cache_dir) else [cache_dir]
    for root in (*(data_dir / part for part in DATA_TREES), *cache):
        _remove_empty_tree(root)
    state = sorted({folder for _, folder, _ in STATE_FILES}, reverse=True)
    for folder in (*(state_dir / part for part in state), data_dir / "hooks", data_dir / "settings", data_dir, *shared):
        with contextlib.suppress(OSError):  # it has other content
            folder.rmdir()


def _remove_empty_tree(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for entry in _scan(folder):
            if _is_real_folder(entry.path):
                _remove_empty_tree(Path(entry.path))
        folder.rmdir()


def _is_real_folder(path: str) -> bool:
    return is_folder(path) and not is_link(path)


def _scan(folder: Path, *, follows: bool = False) -> Iterator["os.DirEntry[str]"]:
    """Yields the entries of a folder that belongs to the user; none for a missing one.

    For a link none either, unless it `follows` one that is the user's own.
    """
    try:
        info = folder.lstat()
        if follows and stat.S_ISLNK(info.st_mode) and info.st_uid == os.geteuid():
            info = folder.stat()
        if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid():
            return
        with os.scandir(folder) as entries:
            yield from entries
    except FileNotFoundError:
        return


def _describe(path: str, kind: Kind, session_id: str = "", *, is_private: bool = True) -> list[KeptFile]:
    """Returns the file in a list, empty if it is gone or not ours."""
    try:
        info = os.lstat(path)
    except FileNotFoundError:
        return []
    is_ours = info.st_uid == os.geteuid() and not (is_private and info.st_mode & 0o077)
    if not is_ours or stat.S_ISDIR(info.st_mode) or (is_private and stat.S_ISLNK(info.st_mode)):
        return []
    return [KeptFile(path=path, kind=kind, size=info.st_size, changed=info.st_mtime, session_id=session_id)]
