"""Reads files that can be replayed: our own journals, and recordings of the client.

A journal holds events (`{"at": …, "event": …}`). A recording holds what the client did (`{"t": …, "kind": …}`), in lines for
hooks, the statusLine and the registry; its times count from 0.
"""

import time
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from atm_hooks import payload, sample
from atm_hooks.regular_file import read_regular
from atm_tui.model.checked import LATEST
from atm_tui.model.decoding import convert
from atm_tui.timeline.event import Event
from atm_tui.timeline.journals import decode_event

_MAX_SIZE = 256 << 20
"""Largest size of a recording in bytes; a larger one would take minutes to replay."""
_EPOCH_TIMES = 1e9
"""Times above this are epoch seconds; below, they count from the start of a recording."""


class RecordingError(Exception):
    """The file can't be replayed; the message names it, and what is wrong."""


class RegistryLine(msgspec.Struct, frozen=True):
    """A registry file of the client, as it was at some time."""

    path: str
    data: dict[str, Any] | None
    """Its content; None: the file was removed."""


class Entry(NamedTuple):
    """One line of a journal or a recording."""

    at: float
    """Epoch seconds, or seconds since the start of the recording."""
    recorded: Event | RegistryLine


def read_entries(path: Path) -> list[Entry]:
    """Returns the entries of a journal or a recording, oldest first.

    Damaged lines are skipped, as in the hook. Raises RecordingError for a file that can't be read or has no entry.
    """
    try:
        content = read_regular(str(path), _MAX_SIZE)
    except OSError as error:
        raise RecordingError(f"{path}: {error.strerror}") from error
    entries: list[Entry] = []
    damaged = 0
    for line in content.split(b"\n"):
        if not line.strip():
            continue
        if (event := decode_event(line)) is not None:
            entries.append(Entry(event.at, event))
            continue
        try:
            given = msgspec.json.decode(line)
        except (ValueError, RecursionError):  # errors of msgspec are ValueErrors
            damaged += 1
            continue
        entry = _read_entry(given) if isinstance(given, dict) else None
        if entry:
            entries.append(entry)
        elif not (isinstance(given, dict) and ("journal" in given or "kind" in given)):
            damaged += 1
    if not entries:
        raise RecordingError(
            f"{path}: no event in it ({damaged} other lines). A journal is in the state folder under journal/, one file a session."
        )
    return sorted(entries, key=lambda entry: entry.at)


def _read_entry(given: dict[str, Any]) -> Entry | None:
    """Decodes a line of a recording, or an event with its fields in another order; None for anything else."""
    try:
        if "event" in given:
            event = convert(given, Event)
            return Entry(event.at, event)
        at, kind, data = given.get("t"), given.get("kind"), given.get("data")
        if (
            not isinstance(at, (int, float))
            or not -LATEST < at < LATEST
            or not (isinstance(data, dict) or data is None)
        ):
            return None
        if kind == "registry":
            return Entry(float(at), RegistryLine(str(given.get("path", "")), data))
        parse = {"hook": payload.parse_event, "statusline": sample.parse_sample}.get(str(kind))
        if parse is None or data is None:
            return None
        event = convert(parse(msgspec.json.encode(data), float(at), {}), Event)
    except (payload.RefusedError, msgspec.ValidationError, OverflowError):
        return None
    return Entry(event.at, event) if event.event != "MessageDisplay" else None


def shift_to_epoch(entries: list[Entry]) -> list[Entry]:
    """Returns the entries with epoch times: those of a recording are shifted to match the times in its registry lines."""
    if entries[0].at > _EPOCH_TIMES:
        return entries
    offsets = [
        line.data["statusUpdatedAt"] / 1000 - at
        for at, line in entries
        if isinstance(line, RegistryLine) and line.data and _is_time(line.data.get("statusUpdatedAt"))
    ]
    start = max(offsets, default=time.time() - entries[-1].at)
    return [
        Entry(start + at, msgspec.structs.replace(each, at=start + at) if isinstance(each, Event) else each)
        for at, each in entries
    ]


def _is_time(milliseconds: object) -> bool:
    return isinstance(milliseconds, int) and 0 <= milliseconds < LATEST * 1000


def describe_entry(entry: Entry) -> str:
    """Describes an entry in a few words: the event and its tool, or the status in the registry."""
    recorded = entry.recorded
    if isinstance(recorded, Event):
        return f"{recorded.event} {recorded.tool}".strip()
    data = recorded.data
    if not data:
        return "registry gone"
    return f"registry {data.get('status') or 'no status'} {data.get('waitingFor', '')}".strip()
