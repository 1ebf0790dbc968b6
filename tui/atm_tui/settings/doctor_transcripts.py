"""Checks whether all transcripts can be read, so that no cost is missing."""

import os
from collections.abc import Iterator
from pathlib import Path

from atm_tui.settings.check import Check, Level
from atm_tui.sources.exists import is_folder
from atm_tui.text import clean, format_count

EXAMINED = 20_000
"""Most files and folders that are examined; more would take long."""
NAMED = 3
"""Most files that the finding names."""


def check_transcripts(config_dir: Path) -> Iterator[Check]:
    """Names the transcripts and folders that this user can't read."""
    projects = config_dir / "projects"
    where = str(projects)
    unreadable = list(_find_unreadable(projects))
    if not unreadable:
        if is_folder(projects):
            yield Check("transcripts", Level.OK, where, "all transcripts can be read")
        return
    listed = ", ".join(map(clean, unreadable[:NAMED])) + (", …" if len(unreadable) > NAMED else "")
    text = f"{format_count(len(unreadable), 'transcript')} can't be read, so costs and the history lack what they hold: {listed}"
    yield Check("transcripts", Level.WARNING, where, text, f'Make them yours: sudo chown -R "$USER" {where}')


def _find_unreadable(projects: Path) -> Iterator[str]:
    """Returns the paths of unreadable files and folders among the first EXAMINED ones."""
    denied: list[str] = []
    number = 0

    def note(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            denied.append(str(error.filename))

    for base, folders, names in os.walk(projects, onerror=note):
        yield from denied
        denied.clear()
        for name in names:
            path = os.path.join(base, name)  # noqa: PTH118
            if name.endswith(".jsonl") and not os.access(path, os.R_OK):
                yield path
        number += len(names) + len(folders)
        if number > EXAMINED:
            break
    yield from denied
