"""Combines the registries of all config folders: which process serves which session, by the client's own files."""

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from atm_tui.model.facts import RegistryEntry
from atm_tui.model.pid_domain import Place, find_place
from atm_tui.sources.registry import RegistrySource


class Registries:
    """One RegistrySource for each config folder. Folders that sessions name are added, and stay."""

    def __init__(self, config_dirs: Iterable[str], pid_domain: str = "", *, lists_new: bool = True) -> None:
        """`pid_domain`: our own. `lists_new`: whether all files of a folder are read at first, whatever `refresh` is given."""
        self._pid_domain = pid_domain
        self._lists_new = lists_new
        self._sources: dict[str, RegistrySource] = {}
        self._new: set[str] = set()
        """Config folders that were added since the last `refresh`."""
        self._spellings: dict[str, str] = {}
        """By each known spelling of a config folder, and by its real path: the path under which it is read."""
        self.add(str(Path(folder).absolute()) for folder in config_dirs)
        self.entries: dict[str, tuple[RegistryEntry, ...]] = {}
        """By session id: all its entries, also those of dead processes."""
        self.serving: Mapping[int, str] = {}
        """By our pids: the session that the process serves now. Replaced when it changes."""

    @property
    def config_dirs(self) -> tuple[str, ...]:
        """All config folders, those that were given first."""
        return tuple(self._sources)

    @property
    def problems(self) -> list[str]:
        """Files in them that can't be read, each with the reason."""
        return [problem for source in self._sources.values() for problem in source.problems]

    def find_spelling(self, folder: str) -> str:
        """Returns the path under which a config folder is read: the first one seen of all links and spellings that lead to
        it. Sessions that share a folder share one account.
        """
        if not folder or "\0" in folder:
            return folder
        if folder not in self._spellings:
            self._spellings[folder] = self._spellings.setdefault(os.path.realpath(folder), folder)
        return self._spellings[folder]

    def add(self, config_dirs: Iterable[str]) -> None:
        """Adds config folders for all further reads; ignores a path with a NUL, which no folder can have."""
        for folder in map(self.find_spelling, config_dirs):
            if folder not in self._sources and "\0" not in folder:
                self._sources[folder] = RegistrySource(Path(folder))
                self._new.add(folder)

    def list_names(self) -> dict[str, list[str]]:
        """Returns the names of the files by folder. A link may lead elsewhere later, so each spelling of a folder is listed."""
        sources = self._sources
        return {
            f"{folder}/sessions": sources[known].listing.names
            for folder, known in self._spellings.items()
            if known in sources
        }

    def list_files(self) -> dict[str, RegistryEntry | None]:
        """Returns the entries by the path of their file; None for one that can't be read."""
        return {
            f"{source.listing.folder}/{name}": source.entries.get(name)
            for source in self._sources.values()
            for name in source.listing.names
        }

    def refresh(self, paths: Collection[str] | None = None) -> set[str]:
        """Reads what changed; returns the ids of the sessions whose entries differ. `paths`: as in Listing.scan."""
        added, self._new = self._new, set()
        changes = [
            change
            for folder, source in self._sources.items()
            for change in source.refresh(None if folder in added and self._lists_new else paths)
        ]
        if any(_identify(old) != _identify(new) for old, new in changes):
            return self._join_sources()
        touched = set()
        for old, new in changes:
            if new is not None:
                key = new.session_id
                self.entries[key] = tuple(new if each is old else each for each in self.entries[key])
                touched.add(key)
        return touched

    def _join_sources(self) -> set[str]:
        """Sorts the entries of all folders by session; returns the ids of the sessions whose entries differ."""
        entries: dict[str, list[RegistryEntry]] = {}
        serving: dict[int, str] = {}
        for source in self._sources.values():
            for entry in source.entries.values():
                entries.setdefault(entry.session_id, []).append(entry)
                if find_place(entry.pid_domain, self._pid_domain) is Place.HERE:
                    serving[entry.pid] = entry.session_id
        if serving != self.serving:
            self.serving = serving
        before, self.entries = self.entries, {key: tuple(found) for key, found in entries.items()}
        return {key for key in {**before, **self.entries} if before.get(key) != self.entries.get(key)}


def _identify(entry: RegistryEntry | None) -> tuple[int, str, str | None] | None:
    """Returns which process serves which session; None without an entry."""
    return (entry.pid, entry.session_id, entry.pid_domain) if entry is not None else None
