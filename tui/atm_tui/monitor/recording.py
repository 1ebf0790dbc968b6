"""Reads what can be replayed: journals of our own, and recordings of the client.

A journal holds events (`{"at": …, "event": …}`). A recording holds what the client did (`{"t": …, "kind": …}`), in lines for
hooks, the statusLine and the registry; its times count from 0.
"""

import time
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from atm_hooks import payload, sample

_EPOCH_TIMES = 1e9
"""Times above this are epoch seconds; below, they count from the start of a recording."""


class RecordingError(Exception):
    """The file can't be replayed; the text names it, and what is wrong."""


class Entry(NamedTuple):
    """One line of a journal or a recording."""

    at: float
    """Epoch seconds, or seconds since the start of the recording."""
    kind: str
    """event | registry"""
    data: dict[str, Any]
    """The event, or `path` and `data` of a registry file; `data` is None once that is gone."""


def read_entries(path: Path) -> list[Entry]:
    """Returns the entries of a journal or a recording, oldest first.

    Raises RecordingError for a file that can't be read or has no entry. Damaged lines are skipped, as the hook does.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RecordingError(f"{path}: {error.strerror}") from error
    entries: list[Entry] = []
    damaged = 0
    for line in content.split(b"\n"):
        if not line.strip():
            continue
        try:
            given = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError):
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
    if isinstance(given.get("at"), (int, float)) and isinstance(given.get("event"), str) and "session_id" in given:
        return Entry(float(given["at"]), "event", given)
    at, kind, data = given.get("t"), given.get("kind"), given.get("data")
    if not isinstance(at, (int, float)) or not (isinstance(data, dict) or data is None):
        return None
    if kind == "registry":
        return Entry(float(at), "registry", {"path": str(given.get("path", "")), "data": data})
    parse = {"hook": payload.parse, "statusline": sample.parse}.get(str(kind))
    if parse is None or data is None:
        return None
    try:
        event = parse(msgspec.json.encode(data), float(at), {})
    except payload.RefusedError:
        return None
    return Entry(float(at), "event", event) if event["event"] != "MessageDisplay" else None


def shift_to_epoch(entries: list[Entry]) -> list[Entry]:
    """Returns the entries with epoch times: those of a recording are shifted to match the times in its registry lines."""
    if entries[0].at > _EPOCH_TIMES:
        return entries
    offsets = [
        entry.data["data"]["statusUpdatedAt"] / 1000 - entry.at
        for entry in entries
        if entry.kind == "registry"
        and entry.data["data"]
        and isinstance(entry.data["data"].get("statusUpdatedAt"), int)
    ]
    start = max(offsets, default=time.time() - entries[-1].at)
    return [
        Entry(start + at, kind, {**data, "at": start + at} if kind == "event" else data) for at, kind, data in entries
    ]


def describe_entry(entry: Entry) -> str:
    """Describes an entry in a few words: the event and its tool, or the status in the registry."""
    if entry.kind == "event":
        return f"{entry.data['event']} {entry.data.get('tool', '')}".strip()
    data = entry.data["data"]
    if not data:
        return "registry gone"
    return f"registry {data.get('status') or 'no status'} {data.get('waitingFor', '')}".strip()
