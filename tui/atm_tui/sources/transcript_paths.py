"""Finds the transcripts of sessions that left nothing else."""

import os
from collections.abc import Iterable
from typing import NamedTuple

from atm_tui.sources.exists import is_folder

_AGENT = "agent-"
"""Beginning of the names of subagents' transcripts, which older clients put beside those of sessions."""


class FoundTranscript(NamedTuple):
    """The main transcript of a session, on disk."""

    changed_at: float
    """When it last changed, in epoch seconds."""
    path: str
    projects: str
    """The folder `projects` in which it is."""


def find_transcripts(projects: Iterable[str], since: float = float("-inf")) -> dict[str, FoundTranscript]:
    """Returns the main transcripts under `projects` (folders like ~/.claude/projects) by session id.

    Only those that changed after `since` (epoch seconds); of two with the same id, the one that changed last. Folders that
    can't be read are skipped.
    """
    found: dict[str, FoundTranscript] = {}
    for root in projects:
        for folder in _list_entries(root):
            for entry in _list_entries(folder.path) if is_folder(folder.path) else ():
                if not entry.name.endswith(".jsonl") or entry.name.startswith(_AGENT):
                    continue
                try:
                    changed_at = entry.stat().st_mtime
                except OSError:
                    continue
                key = entry.name.removesuffix(".jsonl")
                if changed_at >= since and (key not in found or changed_at > found[key].changed_at):
                    found[key] = FoundTranscript(changed_at, entry.path, root)
    return found


def _list_entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (OSError, ValueError):
        return []
