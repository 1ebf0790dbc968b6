"""Finds the files of a session's subagents: their transcripts, and the .meta.json beside each."""

import os
from collections.abc import Iterator

import msgspec

from atm_hooks.regular_file import read_start
from atm_tui.model.decoding import convert, decode_json
from atm_tui.sources.listing import FolderEntries

_META = ".meta.json"


class AgentMeta(msgspec.Struct, frozen=True, rename="camel"):
    """An agent's .meta.json; every field is optional."""

    agent_type: str | None = None
    name: str | None = None
    description: str | None = None
    tool_use_id: str | None = None
    parent_agent_id: str | None = None
    task_kind: str | None = None
    team_name: str | None = None
    color: str | None = None
    model: str | None = None
    finished: bool | None = None
    stopped_by_user: bool | None = None


def locate_agents(transcript: str) -> str:
    """Returns the folder with the transcripts of a session's agents, by the path of its own."""
    return transcript.removesuffix(".jsonl") + "/subagents"


class AgentFolder:
    """Lists `agent-*.jsonl` in a folder and all folders below; reads a folder again only when it changed."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.metas: frozenset[str] = frozenset()
        """The paths of the agents' .meta.json, as of the last `list_files`."""
        self._files: list[str] = []
        self._listed: dict[str, FolderEntries] = {}

    def list_files(self) -> list[str]:
        """Returns the paths of the agents' transcripts, sorted by name in each folder."""
        if self._listed and not any(each.refresh() for each in self._listed.values()):
            return self._files
        found: list[str] = []
        metas: list[str] = []
        waiting = [self.path]
        while waiting:
            folder = waiting.pop()
            for name, is_folder in self._list(folder):
                if is_folder:
                    waiting.append(f"{folder}/{name}")
                if name.startswith("agent-"):
                    if name.endswith(".jsonl"):
                        found.append(f"{folder}/{name}")
                    elif name.endswith(_META):
                        metas.append(f"{folder}/{name}")
        self._files, self.metas = found, frozenset(metas)
        return found

    def list_folders(self) -> list[str]:
        """Returns all folders that were checked, including missing ones."""
        return [self.path, *(folder for folder in self._listed if folder != self.path)]

    def _list(self, folder: str) -> tuple[tuple[str, bool], ...]:
        listed = self._listed.get(folder) or FolderEntries(folder)
        listed.refresh()
        if listed.changed_at:
            self._listed[folder] = listed
        else:
            self._listed.pop(folder, None)
        return listed.entries


class AgentMetaFile:
    """The .meta.json beside an agent's transcript, read again only when it changed."""

    def __init__(self, transcript: str) -> None:
        self.path = transcript.removesuffix(".jsonl") + _META
        self.stamp: tuple[int, int, int] | None = None
        """Inode, size and modification time in ns when it was last read."""
        self.meta = AgentMeta()

    def read(self) -> bool:
        """Reads the file if it changed; returns whether `meta` did. An unreadable or half-written file changes nothing."""
        try:
            stat = os.stat(self.path)  # noqa: PTH116
            stamp = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
            if stamp == self.stamp:
                return False
            data = read_start(self.path, 1 << 20)
        except (OSError, ValueError):
            return False
        self.stamp = stamp
        old, self.meta = self.meta, _decode_meta(data) or self.meta
        return self.meta != old


def _decode_meta(data: bytes) -> AgentMeta | None:
    try:
        return decode_json(data, AgentMeta)
    except msgspec.ValidationError:
        return convert(dict(_list_valid_fields(data)), AgentMeta)
    except (ValueError, RecursionError):
        return None


def _list_valid_fields(data: bytes) -> Iterator[tuple[str, object]]:
    try:
        given = msgspec.json.decode(data)
    except (ValueError, RecursionError):  # the first error was a wrong type, but the text after it is damaged too
        return
    for field in msgspec.structs.fields(AgentMeta):
        value = given.get(field.encode_name) if isinstance(given, dict) else None
        if isinstance(value, bool if "bool" in str(field.type) else str):
            yield field.encode_name, value


def parse_agent_id(path: str) -> str:
    """Returns the agent's id from the name of its transcript."""
    return path.rpartition("/")[2].removeprefix("agent-").removesuffix(".jsonl")
