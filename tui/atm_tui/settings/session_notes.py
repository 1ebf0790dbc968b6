"""Removes entries about given sessions from the app's notes and the log of answers."""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from atm_hooks import answer_log, journal
from atm_tui.sources.app_file import AppFile
from atm_tui.sources.exists import list_folder

_SESSION = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""The pattern of Claude Code's session ids."""


def list_noted_sessions(state_dir: Path) -> set[str]:
    """Returns the ids of the sessions in the app's notes and the log of answers."""
    found: set[str] = set()
    for path in list_folder(state_dir / "app", "*.json"):
        found.update(_find_names(AppFile(state_dir, path.name, Any).read()))
    with contextlib.suppress(OSError, journal.UnsafeError):
        found.update(str(line.get("session_id")) for line in answer_log.read_lines(str(state_dir)))
    return {name for name in found if _SESSION.fullmatch(name)}


def _find_names(value: Any) -> Iterator[str]:
    """Yields the parts of all keys and first items."""
    children: list[Any] = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    names = list(value) if isinstance(value, dict) else children[:1]
    for name in names:
        if isinstance(name, str):
            yield from _split_name(name)
    for child in children:
        yield from _find_names(child)


def _split_name(name: str) -> list[str]:
    return re.split(r"[^\w-]", name)


def remove_session_notes(state_dir: Path, ids: frozenset[str], roots: frozenset[str]) -> list[OSError]:
    """Removes the entries of notes and logs about these sessions, and about the folders of a project.

    Returns the errors of files that could not be changed.
    """
    for path in list_folder(state_dir / "app", "*.json"):
        file = AppFile(state_dir, path.name, Any)
        if (value := file.read()) is not None and (left := _drop(value, ids, roots)) != value:
            file.write(left)
    try:
        answer_log.remove_lines(str(state_dir), ids)
    except OSError as error:
        return [error]
    except journal.UnsafeError as error:
        return [OSError(0, str(error), f"{state_dir}/answers")]
    return []


def _drop(value: Any, ids: frozenset[str], roots: frozenset[str]) -> Any:
    """Returns a value without the entries whose key, or first item, names one of the sessions or folders."""
    if isinstance(value, dict):
        return {key: _drop(each, ids, roots) for key, each in value.items() if not _is_about(key, ids, roots)}
    if isinstance(value, list):
        return [
            _drop(each, ids, roots)
            for each in value
            if not (isinstance(each, list) and each and _is_about(each[0], ids, roots))
        ]
    return value


def _is_about(name: Any, ids: frozenset[str], roots: frozenset[str]) -> bool:
    if not isinstance(name, str):
        return False
    return bool(ids & set(_split_name(name))) or any(name == root or name.startswith(f"{root}/") for root in roots)
