"""Finds the directory of a session, and makes the command that resumes it there."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from atm_hooks.regular_file import read_start
from atm_tui import paths
from atm_tui.jump.values import Command
from atm_tui.model.session import Session
from atm_tui.sources.exists import is_folder
from atm_tui.sources.folders import decode_folder, has_name
from atm_tui.sources.transcript_lines import decode_line

_HEAD = 1 << 20
"""Bytes at the start of a transcript that are searched for its directories."""


class SessionDirectory(msgspec.Struct, frozen=True, kw_only=True):
    """The directory of a session."""

    path: str
    source: str
    """Its source: state | transcript | folder name."""
    exists: bool
    """Whether it still exists."""
    transcript_directory: str | None = None
    """The directory that the name of the transcript's folder stands for, if that is another one."""


def find_start_directory(session: Session, project_dir: str = "") -> SessionDirectory | None:
    """Returns the directory in which a session was started: by `project_dir` and the session's fields, else by its transcript.

    `project_dir`: from the state file. The session's `cwd` may have been changed by a tool.
    """
    return find_session_directory(session.transcript_path, project_dir, session.cwd)


def find_session_directory(transcript: str | None, project_dir: str = "", cwd: str = "") -> SessionDirectory | None:
    """Returns the directory by the state file (`project_dir`, `cwd`), else by the transcript's lines, else by its folder's name."""
    folder = Path(transcript).parent.name if transcript else ""
    stated = [each for each in (project_dir, cwd) if each]
    if not folder:
        return _make_directory(stated[0], "state") if stated else None
    # a tool may have changed to a folder below that in which the client was started
    parents = [str(each) for each in Path(cwd).parents] if cwd else []
    if found := _find_kept_directory(folder, [*stated, *parents]):
        return _make_directory(found, "state")
    written = list(_read_directories(transcript)) if transcript else []
    recorded = _find_kept_directory(folder, written)
    likely = recorded or _decode_folder_name(folder)
    if stated:
        return _make_directory(stated[0], "state", likely)
    if likely:
        return _make_directory(likely, "transcript" if recorded else "folder name")
    return _make_directory(written[0], "transcript") if written else None


def _find_kept_directory(folder: str, directories: Iterable[str]) -> str | None:
    """Returns the first of the directories whose transcripts the client writes to this folder under `projects/`."""
    return next((each for each in directories if has_name(each, folder)), None)


def _make_directory(path: str, source: str, transcript_directory: str | None = None) -> SessionDirectory:
    return SessionDirectory(path=path, source=source, exists=is_folder(path), transcript_directory=transcript_directory)


def _decode_folder_name(folder: str) -> str | None:
    found = decode_folder(folder, current=Path.cwd())
    return str(found) if found else None


def _read_directories(transcript: str) -> Iterator[str]:
    """Returns the working directories in the first lines of a transcript."""
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


def make_client_command(config_dir: str | None) -> Command:
    """Makes the command that starts the client: ATM_CLAUDE or `claude`, with CLAUDE_CONFIG_DIR if it differs from this shell's."""
    program = paths.read_variable("ATM_CLAUDE") or "claude"
    if config_dir and Path(config_dir) != paths.find_claude_config_dir():
        return ("env", f"CLAUDE_CONFIG_DIR={config_dir}", program)
    return (program,)


def make_resume_command(session_id: str, config_dir: str | None) -> Command:
    """Makes the client's command that resumes a session."""
    return (*make_client_command(config_dir), "--resume", session_id)
