"""Reads Claude Code's own record of its running processes: `<config>/sessions/<pid>.json`. Every field is optional.

The `.key` files beside them hold secrets and are never opened.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import msgspec

from atm_hooks.regular_file import read_regular
from atm_tui.model.checked import LATEST, read_text
from atm_tui.model.facts import RegistryEntry
from atm_tui.sources.listing import Listing

EntryChange = tuple[RegistryEntry | None, RegistryEntry | None]
"""An entry before and after a change; None: there was none, or there is none any more."""
_MAX_PID = 1 << 31
_MAX_SIZE = 1 << 20
"""Bytes that a registry entry may have."""


def _to_seconds(milliseconds: object) -> float:
    good = isinstance(milliseconds, (int, float)) and not isinstance(milliseconds, bool)
    is_possible = good and 0 <= milliseconds < LATEST * 1000  # type: ignore[operator]
    return float(milliseconds) / 1000 if is_possible else 0.0  # type: ignore[arg-type]


def parse_entry(data: bytes, config_dir: str = "") -> RegistryEntry | None:
    """Decodes a registry file; None when it names no process or no session."""
    try:
        given: Any = msgspec.json.decode(data)
    except (ValueError, RecursionError):  # errors of msgspec are ValueErrors
        return None
    if not isinstance(given, dict):
        return None
    pid, session = given.get("pid"), read_text(given.get("sessionId"))
    if type(pid) is not int or not 0 < pid < _MAX_PID or not session:
        return None
    start = given.get("procStart")
    entrypoint = read_text(given.get("entrypoint"))
    background = read_text(given.get("kind")) in ("bg", "background")
    headless = entrypoint.startswith("sdk")
    return RegistryEntry(
        pid=pid,
        session_id=session,
        config_dir=config_dir,
        pid_domain=read_text(given.get("pidDomain")) or None,
        proc_start=str(start) if isinstance(start, (str, int)) and not isinstance(start, bool) else None,
        cwd=read_text(given.get("cwd")),
        started_at=_to_seconds(given.get("startedAt")),
        version=read_text(given.get("version")) or None,
        kind="background" if background else "headless" if headless else "interactive",
        tmux=read_text(given.get("tmux")) or None,
        name=read_text(given.get("name")),
        name_by_user=given.get("nameSource") == "user",
        status=read_text(given.get("status")) or None,
        waiting_for=read_text(given.get("waitingFor")),
        status_at=_to_seconds(given.get("statusUpdatedAt"))
        or _to_seconds(given.get("updatedAt"))
        or _to_seconds(given.get("startedAt")),
        updated_at=_to_seconds(given.get("updatedAt")),
    )


class RegistrySource:
    """The registry of one config folder, read again when it changes."""

    def __init__(self, config_dir: Path) -> None:
        self.config_dir = config_dir
        self.entries: dict[str, RegistryEntry] = {}
        """Entries by the name of their file."""
        self.unreadable: dict[str, str] = {}
        """By the name of a file: why it can't be read."""
        self.listing = Listing(config_dir / "sessions", lambda name: name.endswith(".json"))
        """The files, as of the last `refresh`."""

    @property
    def problems(self) -> list[str]:
        """Files that can't be read, each with the reason."""
        found = [f"{self.listing.folder / name} can't be read: {why}" for name, why in self.unreadable.items()]
        return found + ([f"{self.listing.error}: its sessions are not seen"] if self.listing.error else [])

    def refresh(self, paths: Collection[str] | None = None) -> list[EntryChange]:
        """Reads what changed; returns the entries that differ. `paths`: as in Listing.scan."""
        changed, gone = self.listing.scan(paths)
        found: list[EntryChange] = []
        for name in changed:
            try:
                entry = parse_entry(read_regular(f"{self.listing.folder}/{name}", _MAX_SIZE), str(self.config_dir))
            except FileNotFoundError:
                continue
            except OSError as error:  # the old entry is better than none
                self.unreadable[name] = error.strerror or str(error)
                self.listing.retry(name)
                continue
            self.unreadable.pop(name, None)
            if entry is None:
                # the client is still writing it
                self.listing.retry(name)
            elif (old := self.entries.get(name)) != entry:
                self.entries[name] = entry
                found.append((old, entry))
        for name in gone:
            if (old := self.entries.pop(name, None)) is not None:
                found.append((old, None))
            self.unreadable.pop(name, None)
        return found
