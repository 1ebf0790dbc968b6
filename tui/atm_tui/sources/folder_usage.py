"""Reads the usage of all sessions of one config folder, from their transcripts."""

import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import msgspec

from atm_tui.cost.pricing import PriceTable
from atm_tui.cost.report import Progress
from atm_tui.sources.checkpoints import CheckpointStore
from atm_tui.sources.exists import is_folder
from atm_tui.sources.folders import encode_folder
from atm_tui.sources.kept_usage import KeptSession, KeptUsage, SessionUsage, Stamp
from atm_tui.sources.read_ahead import read_ahead
from atm_tui.sources.transcript import TranscriptReader
from atm_tui.sources.transcript_agents import parse_agent_id

_STEP = 8 << 20
"""Bytes of a session after which progress is reported."""
MUCH = 32 << 20
"""Bytes of new transcripts from which several processes read them."""
_AGENTS = "subagents"
"""Folder of a session below which its agents have their transcripts."""
_TITLE = 80
"""Characters of the first prompt that are used as a title."""


class TranscriptFile(msgspec.Struct, frozen=True):
    """A transcript of a session, or of one of its agents."""

    path: str
    session_id: str
    agent_id: str
    size: int
    changed: float
    """When it last changed, epoch seconds."""
    stamp: Stamp | None = None
    """None where it does not matter."""


class FolderUsageReader:
    """Reads `<config folder>/projects`, each transcript once.

    Run `read()` to its end in a worker thread; each step yields the progress, and then `sessions` is complete. Reading again
    reads only what is new. Raises no errors of the file system.
    """

    def __init__(
        self, config_dir: Path, checkpoints: CheckpointStore | None, table: PriceTable, processes: int = 1
    ) -> None:
        """`checkpoints`: where reading goes on from; None: what was read is only kept in memory.

        `processes`: how many read at once where much is new; more than one only where there are no other threads.
        """
        self.projects = config_dir / "projects"
        """The folder with the folders of all projects."""
        self._checkpoints = checkpoints
        self._table = table
        self._processes = processes if checkpoints else 1
        self._open: dict[str, TranscriptReader] = {}
        """Without checkpoints: the readers by path."""
        self.kept: KeptUsage | None = None
        """Where the usage of all sessions is stored together; None: nowhere."""
        self.is_apart = False
        """Whether it is known that no two of the sessions share a request."""
        self.sessions: list[SessionUsage] = []
        self.unreadable: dict[str, str] = {}
        """Why files and folders could not be read, by path."""

    def read(self, since: float | None = None) -> Iterator[Progress]:
        """Reads everything, or only the sessions that changed after `since` (epoch seconds): no other holds anything newer."""
        problems: dict[str, str] = {}
        listed = {
            folder: _group_by_session(folder, _list_transcripts(folder, problems))
            for folder in _list_folders(self.projects, problems)
        }
        found = {folder: _pick_changed(sessions, since) for folder, sessions in listed.items()}
        known = self._load_kept(found)
        everything = [file for sessions in found.values() for files in sessions.values() for file in files]
        whole, count = sum(file.size for file in everything), len(everything)
        self._open = {path: self._open[path] for sessions in found.values() for path in sessions if path in self._open}
        ahead = 0
        for ahead in self._read_ahead(
            [mine for each in found.values() for mine in each.items() if mine[0] not in known]
        ):
            yield Progress(done_bytes=ahead, total_bytes=whole, done_files=0, total_files=count)
        usage: list[SessionUsage] = []
        counted = dict(known)
        done = number = 0
        for folder, sessions in found.items():
            mine: list[SessionUsage] = []
            for path, files in sessions.items():
                if path in known:
                    mine.append(known[path])
                    done += sum(file.size for file in files)
                    number += len(files)
                    continue
                reader = self.open(path)
                position = 0
                reader.read(_STEP)
                while reader.is_behind:
                    position += reader.bytes_read
                    shown = max(ahead, done + position)
                    yield Progress(done_bytes=shown, total_bytes=whole, done_files=number, total_files=count)
                    reader.read(_STEP)
                reader.save()
                problems |= reader.problems
                mine.append(_describe_session(reader, files))
                if not reader.problems:
                    counted[path] = mine[-1]
                done += sum(file.size for file in files)
                number += len(files)
                shown = max(ahead, done)
                yield Progress(done_bytes=shown, total_bytes=whole, done_files=number, total_files=count)
            usage += _place_sessions(folder, mine)
        if known:
            yield Progress(done_bytes=whole, total_bytes=whole, done_files=count, total_files=count)
        self.sessions, self.unreadable = usage, problems
        self._save_kept(listed, counted)

    def _load_kept(self, found: Mapping[Path, Mapping[str, list[TranscriptFile]]]) -> dict[str, SessionUsage]:
        """Returns what is kept of sessions whose transcripts are the same as then."""
        if self.kept is None:
            return {}
        self.kept.load()
        kept = self.kept.sessions
        known = {
            path: kept[path].usage
            for sessions in found.values()
            for path, files in sessions.items()
            if path in kept and kept[path].files == _list_stamps(files)
        }
        self.is_apart = self.kept.is_apart and len(known) == sum(map(len, found.values()))
        return known

    def _save_kept(
        self, listed: Mapping[Path, Mapping[str, list[TranscriptFile]]], counted: Mapping[str, SessionUsage]
    ) -> None:
        """Keeps the sessions that were counted, and those that were not looked at."""
        if self.kept is None:
            return
        before, kept = self.kept.sessions, dict[str, KeptSession]()
        for sessions in listed.values():
            for path, files in sessions.items():
                if path in counted:
                    kept[path] = KeptSession(_list_stamps(files), counted[path])
                elif path in before:
                    kept[path] = before[path]
        self.kept.save(kept)
        self.is_apart = self.kept.is_apart and kept.keys() >= {each.path for each in self.sessions}

    def _read_ahead(self, sessions: Collection[tuple[str, list[TranscriptFile]]]) -> Iterator[int]:
        """Reads the sessions without a checkpoint in several processes, which leave checkpoints; yields the bytes read so far."""
        store = self._checkpoints
        if store is None or self._processes == 1:
            return
        sizes = {path: sum(file.size for file in files) for path, files in sessions if not store.has(path)}
        if sum(sizes.values()) < MUCH or len(sizes) == 1:
            return

        def read(path: str) -> int:
            reader = self.open(path)
            reader.read()
            reader.save()
            return sizes[path]

        # the largest first, so that no process has a large one left when the others are done
        yield from read_ahead(sorted(sizes, key=sizes.__getitem__, reverse=True), read, self._processes)

    def describe(self, path: str, changed: float) -> SessionUsage | None:
        """Returns the usage of the session with this transcript, which changed then (epoch seconds); None if much is unread."""
        reader = self.open(path)
        reader.read(_STEP)
        if reader.is_behind:
            return None
        reader.save()
        session_id = os.path.basename(path).removesuffix(".jsonl")  # noqa: PTH119
        return _describe_session(reader, [TranscriptFile(path, session_id, "", 0, changed)])

    def open(self, path: str) -> TranscriptReader:
        """Returns a reader of the session with this transcript, which continues from what was read before."""
        if self._checkpoints is not None:
            return TranscriptReader(path, self._table, self._checkpoints)
        return self._open.setdefault(path, TranscriptReader(path, self._table))


def _group_by_session(folder: Path, files: list[TranscriptFile]) -> dict[str, list[TranscriptFile]]:
    """Returns the files of each session by the path of its own transcript."""
    sessions: dict[str, list[TranscriptFile]] = {}
    for file in files:
        sessions.setdefault(f"{folder}/{file.session_id}.jsonl", []).append(file)
    return sessions


def _pick_changed(sessions: dict[str, list[TranscriptFile]], since: float | None) -> dict[str, list[TranscriptFile]]:
    """Returns the sessions that changed after `since` (epoch seconds; None: all)."""
    if since is None:
        return sessions
    return {path: mine for path, mine in sessions.items() if any(file.changed >= since for file in mine)}


def _list_stamps(files: list[TranscriptFile]) -> tuple[Stamp, ...]:
    return tuple([file.stamp for file in files if file.stamp is not None])


def _describe_session(reader: TranscriptReader, files: list[TranscriptFile]) -> SessionUsage:
    facts, first = reader.facts, files[0]
    return SessionUsage(
        path=reader.path,
        session_id=first.session_id,
        changed=next((file.changed for file in files if not file.agent_id), first.changed),
        cwd=facts.started_in,
        title=facts.title or (facts.first_prompt or "")[:_TITLE],
        skipped=facts.skipped_lines,
        last_at=facts.last_request_at,
        buckets=facts.buckets + facts.inherited,
        keys=reader.list_keys(),
    )


def _place_sessions(folder: Path, sessions: list[SessionUsage]) -> list[SessionUsage]:
    """Adds the sessions of a project folder. One without a working folder gets the only one with this encoded name."""
    if all(each.cwd for each in sessions):
        return sessions
    named = {each.cwd for each in sessions if each.cwd and encode_folder(each.cwd) == folder.name}
    only = next(iter(named)) if len(named) == 1 else ""
    return [each if each.cwd or not only else msgspec.structs.replace(each, cwd=only) for each in sessions]


def _list_folders(projects: Path, problems: dict[str, str]) -> list[Path]:
    """Returns the project folders. Those that can't be listed are added to `problems`."""
    try:
        with os.scandir(projects) as entries:
            return sorted(Path(e.path) for e in entries if is_folder(e.path))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        problems[str(projects)] = error.strerror or str(error)
        return []


def _list_transcripts(folder: Path, problems: dict[str, str]) -> list[TranscriptFile]:
    """Returns the transcripts of a project folder. Those that can't be listed or examined are added to `problems`."""

    def note(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            problems[str(error.filename or folder)] = error.strerror or str(error)

    found: list[TranscriptFile] = []
    waiting: list[tuple[str, str, bool]] = [(str(folder), "", False)]
    while waiting:
        base, session, has_agents = waiting.pop()
        try:
            with os.scandir(base) as listed:
                entries = list(listed)
        except OSError as error:
            note(error)
            continue
        for entry in entries:
            name, path = entry.name, entry.path
            if _leads_to_folder(entry):
                if not entry.is_symlink() and (not session or has_agents or name == _AGENTS):
                    waiting.append((path, session or name, bool(session)))
                continue
            if not name.endswith(".jsonl") or (session and not (has_agents and name.startswith("agent-"))):
                continue
            try:
                stat = os.stat(path)  # noqa: PTH116  there are thousands of them
            except OSError as error:
                note(error)
                continue
            agent = parse_agent_id(path) if session else ""
            stamp = (path, stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns)
            owner = session or name.removesuffix(".jsonl")
            found.append(TranscriptFile(path, owner, agent, stat.st_size, stat.st_mtime, stamp))
    return sorted(found, key=lambda f: (f.changed, f.path))


def _leads_to_folder(entry: "os.DirEntry[str]") -> bool:
    """Whether an entry of a folder is a folder, or a link to one."""
    try:
        return entry.is_dir()
    except OSError:
        return False
