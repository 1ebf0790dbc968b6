"""Reads what the demo plays: one file per session, with a head and lines in order of time, made from recordings of the client.

Times are seconds after the opening. Lines before 0 are played once, all others in every round of PERIOD seconds. "@n@" stands for
the number of the round, so that ids differ between rounds, and "/home/user" for the folder of the demo.
"""

from pathlib import Path
from typing import Any

import msgspec

from atm_hooks.regular_file import read_regular
from atm_tui.model.decoding import decode_json
from atm_tui.sources.exists import list_folder

PERIOD = 96.0
"""Seconds of a round. Lines with later times are played during the next round, and end what is still open."""
ROUND = "@n@"
HOME = "/home/user"
FOLDER = Path(__file__).parent


class ScenarioError(Exception):
    """A scenario file can't be played; the message names file and line."""


class Head(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The session of a file: its first line."""

    session: str
    cwd: str
    model: str
    window: int
    """Tokens of the context window."""
    started: float
    """When the session began, in seconds after the opening."""
    name: str
    """The client's own name for the session."""
    entrypoint: str
    """cli | sdk-cli"""
    terminal: dict[str, str] = {}
    """Variables of the client's environment that identify its terminal."""
    tmux: str | None = None
    """The terminal, as the registry has it."""


class Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that happens in a session, and when."""

    t: float
    kind: str
    """hook | statusline | registry | transcript | agent (its .meta.json) | forget (removes the session's files)"""
    agent: str | None = None
    """The agent of the transcript or .meta.json; None: the main thread."""
    data: dict[str, Any] | None = None
    """What the client wrote, without the fields of the head; None removes a registry file."""


class Track(msgspec.Struct, frozen=True, kw_only=True):
    """A session of the demo."""

    head: Head
    lines: tuple[Line, ...]


KINDS = frozenset({"hook", "statusline", "registry", "transcript", "agent", "forget"})


def read_track(path: Path) -> Track:
    """Reads one file. Raises ScenarioError, also for a file that can't be read or is too large."""
    try:
        rows = read_regular(str(path)).splitlines()
    except OSError as error:
        raise ScenarioError(f"{path}: {error.strerror}; reinstall atm-tui") from error
    if not rows:
        raise ScenarioError(f"{path}: empty; reinstall atm-tui")
    head: Head | None = None
    lines: list[Line] = []
    for number, row in enumerate(rows, 1):
        try:
            if head is None:
                head = decode_json(row, Head)
                continue
            line = decode_json(row, Line)
        except (ValueError, RecursionError) as error:  # errors of msgspec are ValueErrors
            raise ScenarioError(f"{path}:{number}: {error}; reinstall atm-tui") from error
        if line.kind not in KINDS or (lines and line.t < lines[-1].t) or line.t >= 2 * PERIOD:
            raise ScenarioError(f"{path}:{number}: unknown kind, or out of time order; reinstall atm-tui")
        lines.append(line)
    assert head is not None  # noqa: S101
    return Track(head=head, lines=tuple(lines))


def read_scenario(folder: Path = FOLDER) -> tuple[Track, ...]:
    """Reads all files of a folder. Raises ScenarioError."""
    tracks = tuple(read_track(path) for path in list_folder(folder, "*.jsonl"))
    if not tracks:
        raise ScenarioError(f"{folder}: no scenario there; reinstall atm-tui")
    return tracks
