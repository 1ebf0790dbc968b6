"""In which directory a session goes on, and the command that resumes it there."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from atm_hooks.regular_file import read_start
from atm_tui import paths
from atm_tui.jump.values import Command
from atm_tui.model.session import Session
from atm_tui.sources.exists import is_folder
from atm_tui.sources.folders import decode_folder, encode_folder
from atm_tui.sources.transcript_lines import decode_line

_HEAD = 1 << 20
"""Bytes at the start of a transcript in which its own directories are looked for."""


class SessionDirectory(msgspec.Struct, frozen=True, kw_only=True):
    """The directory of a session."""

    path: str
    source: str
    """state | transcript | folder name: what says so."""
    exists: bool
    """Whether it still exists."""
    transcript_directory: str | None = None
    """The directory that the transcript's folder stands for, where that is another one."""


def find_directory_of(session: Session, project_dir: str = "") -> SessionDirectory | None:
    """The directory in which a session was started: by `project_dir` and the session's own fields, else by its transcript.

    `project_dir` is that of the state file: the session's `cwd` may be one that a tool changed to since.
    """
    return find_session_directory(session.transcript_path, project_dir, session.cwd)


def find_session_directory(transcript: str | None, project_dir: str = "", cwd: str = "") -> SessionDirectory | None:
    """The directory by the state file (`project_dir`, `cwd`), else by the transcript's lines, else by its folder's name."""
    folder = Path(transcript).parent.name if transcript else ""
    stated = [each for each in (project_dir, cwd) if each]
    if not folder:
        return _directory(stated[0], "state") if stated else None
    # a tool may have changed to a folder below the one in which the client was started
    parents = [str(each) for each in Path(cwd).parents] if cwd else []
    if found := _first_kept_under(folder, [*stated, *parents]):
        return _directory(found, "state")
    written = list(_read_directories(transcript)) if transcript else []
    recorded = _first_kept_under(folder, written)
    likely = recorded or _decode_folder_name(folder)
    if stated:
        return _directory(stated[0], "state", likely)
    if likely:
        return _directory(likely, "transcript" if recorded else "folder name")
    return _directory(written[0], "transcript") if written else None


def _first_kept_under(folder: str, directories: Iterable[str]) -> str | None:
    """The first directory whose transcripts the client keeps in this folder under `projects/`."""
    return next((each for each in directories if encode_folder(each) == folder), None)


def _directory(path: str, source: str, transcript_directory: str | None = None) -> SessionDirectory:
    return SessionDirectory(path=path, source=source, exists=is_folder(path), transcript_directory=transcript_directory)


def _decode_folder_name(folder: str) -> str | None:
    found = decode_folder(folder, current=Path.cwd())
    return str(found) if found else None


def _read_directories(transcript: str) -> Iterator[str]:
    """The working directories that the first lines of a transcript name."""
    try:
        head = read_start(transcript, _HEAD)
    except OSError:
        return
    seen = set()
    # the last piece may be cut off
    for line in head.split(b"\n")[:-1]:
        for record in decode_line(line)[0]:
            if record.cwd and record.cwd not in seen:
                seen.add(record.cwd)
                yield record.cwd


def client_command(config_dir: str | None) -> Command:
    """The client, told which config folder to use where it is not the one that this shell means. ATM_CLAUDE names another."""
    program = paths.read_variable("ATM_CLAUDE") or "claude"
    if config_dir and Path(config_dir) != paths.find_claude_config_dir():
        return ("env", f"CLAUDE_CONFIG_DIR={config_dir}", program)
    return (program,)


def resume_command(session_id: str, config_dir: str | None) -> Command:
    """The client's own command that lets a session go on."""
    return (*client_command(config_dir), "--resume", session_id)
