"""Lists the sessions that the client can resume: the transcripts under `projects/`, and their names."""

import os
from collections.abc import Iterable

import msgspec

from atm_hooks.regular_file import open_regular, read_range
from atm_tui.sources.transcript_lines import Line, decode_line
from atm_tui.sources.transcript_paths import find_transcripts
from atm_tui.sources.transcript_thread import ThreadState

_PART = 64 * 1024
"""Bytes that are read of each end of a transcript."""


class TranscriptFile(msgspec.Struct, frozen=True, kw_only=True):
    """A transcript on disk: a session that the client can resume."""

    session_id: str
    path: str
    config_dir: str
    at: float
    """Epoch seconds at which it was last written."""


class TranscriptLabel(msgspec.Struct, frozen=True, kw_only=True):
    """How to call an ended session."""

    name: str = ""
    """The name that the user gave it."""
    prompt: str = ""
    """The newest prompt in the first and last lines."""
    cwd: str = ""
    is_empty: bool = False
    """Whether it holds no message, as files do that only have a summary or snapshots: the client resumes no such session."""


def list_transcripts(config_dirs: Iterable[str]) -> list[TranscriptFile]:
    """Returns all sessions with a transcript, newest first. Folders that can't be read are skipped."""
    folders = {f"{folder}/projects": folder for folder in config_dirs}
    found = [
        TranscriptFile(session_id=key, path=each.path, config_dir=folders[each.projects], at=each.changed_at)
        for key, each in find_transcripts(folders).items()
    ]
    return sorted(found, key=lambda file: -file.at)


def read_label(path: str) -> TranscriptLabel:
    """Reads name, newest prompt and directory from both ends of a transcript; empty where they are not there."""
    thread, name, cwd = ThreadState(), "", ""
    records, is_whole = _read_ends(path)
    for record in records:
        name, cwd = record.custom_title or name, cwd or record.cwd or ""
        if not record.is_sidechain:
            thread.add(record, None)
    is_empty = is_whole and not any(record.type in ("user", "assistant") for record in records)
    return TranscriptLabel(name=name, prompt=thread.last_prompt or "", cwd=cwd, is_empty=is_empty)


def _read_ends(path: str) -> tuple[list[Line], bool]:
    """Reads the lines at both ends, and whether these are all."""
    try:
        file = open_regular(path)
        try:
            head = read_range(file, 0, _PART)
            size = os.fstat(file).st_size
            tail = read_range(file, max(len(head), size - _PART), _PART)
        finally:
            os.close(file)
    except OSError:
        return [], False
    is_whole = size <= len(head) + len(tail)
    if not is_whole:
        # the lines at the gap between them are cut
        head, tail = head.rpartition(b"\n")[0] + b"\n", tail.partition(b"\n")[2]
    return [record for line in (head + tail).split(b"\n") if line for record in decode_line(line)[0]], is_whole
