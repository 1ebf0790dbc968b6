"""Where a session that ended goes on, and the command that lets it go on."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from atm_tui import paths
from atm_tui.jump.values import Command
from atm_tui.model.session import Session
from atm_tui.sources.folders import decode_folder, encode_folder
from atm_tui.sources.transcript_lines import decode

_HEAD = 1 << 20
"""Bytes at the start of a transcript in which its own directories are looked for."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """The directory of a session."""

    path: str
    source: str
    """state | transcript | folder name: what says so."""
    there: bool
    """Whether it still exists."""
    differs: str | None = None
    """The directory that the transcript's folder stands for, where that is another one."""


def place_of(session: Session, launched: str = "") -> Place | None:
    """The directory in which a session was started: from `launched` and the session's own fields, else from its transcript.

    `launched` is the state file's project_dir: the session's `cwd` may be one that a tool changed to since.
    """
    return find_place(session.transcript_path, launched, session.cwd)


def find_place(transcript: str | None, launched: str = "", cwd: str = "") -> Place | None:
    """The directory by the state file (`launched`, `cwd`), else by the transcript's lines, else by its folder's name."""
    folder = Path(transcript).parent.name if transcript else ""
    said = [each for each in (launched, cwd) if each]
    if not folder:
        return _place(said[0], "state") if said else None
    # a tool may have changed to a folder below the one in which the client was started
    above = [str(each) for each in Path(cwd).parents] if cwd else []
    if found := _named(folder, [*said, *above]):
        return _place(found, "state")
    written = list(_written(transcript)) if transcript else []
    recorded = _named(folder, written)
    meant = recorded or _decoded(folder)
    if said:
        return _place(said[0], "state", meant)
    if meant:
        return _place(meant, "transcript" if recorded else "folder name")
    return _place(written[0], "transcript") if written else None


def _named(folder: str, known: Iterable[str]) -> str | None:
    """The first directory that has this name under `projects/`."""
    return next((each for each in known if encode_folder(each) == folder), None)


def _place(path: str, source: str, differs: str | None = None) -> Place:
    return Place(path=path, source=source, there=Path(path).is_dir(), differs=differs)


def _decoded(folder: str) -> str | None:
    found = decode_folder(folder, current=Path.cwd())
    return str(found) if found else None


def _written(transcript: str) -> Iterator[str]:
    """The working directories that the first lines of a transcript name."""
    try:
        with Path(transcript).open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return
    seen = set()
    # the last piece may be cut off
    for line in head.split(b"\n")[:-1]:
        for record in decode(line)[0]:
            if record.cwd and record.cwd not in seen:
                seen.add(record.cwd)
                yield record.cwd


def claude(config_dir: str | None) -> Command:
    """The client, told which config folder to use where it is not the one that this shell means. ATM_CLAUDE names another."""
    program = paths.environment("ATM_CLAUDE") or "claude"
    if config_dir and Path(config_dir) != paths.claude_config_dir():
        return ("env", f"CLAUDE_CONFIG_DIR={config_dir}", program)
    return (program,)


def resume_command(session_id: str, config_dir: str | None) -> Command:
    """The client's own command that lets a session go on."""
    return (*claude(config_dir), "--resume", session_id)
