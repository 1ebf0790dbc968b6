"""Finds the transcripts of sessions of which nothing else is left."""

import os
from collections.abc import Iterable

from atm_tui.sources.exists import is_folder


def find_transcript_paths(projects: Iterable[str], since: float) -> dict[str, str]:
    """Paths by session id of the main transcripts under `projects` (folders like ~/.claude/projects).

    Only those that changed after `since` (epoch seconds); of two with the same id, the one that changed last. Folders that
    can't be read are passed over.
    """
    found: dict[str, tuple[float, str]] = {}
    for root in projects:
        for folder in _list_entries(root):
            for entry in _list_entries(folder.path) if is_folder(folder.path) else ():
                if not entry.name.endswith(".jsonl"):
                    continue
                try:
                    changed = entry.stat().st_mtime
                except OSError:
                    continue
                key = entry.name.removesuffix(".jsonl")
                if changed >= since and changed > found.get(key, (0.0, ""))[0]:
                    found[key] = (changed, entry.path)
    return {key: path for key, (_, path) in found.items()}


def _list_entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (OSError, ValueError):
        return []
