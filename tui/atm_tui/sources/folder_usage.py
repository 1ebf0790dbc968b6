"""Reads the usage of all sessions of one config folder, from their transcripts."""

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from atm_tui.cost.report import Progress
from atm_tui.cost.usage import ApiRequest
from atm_tui.sources.exists import is_folder
from atm_tui.sources.folders import encode_folder
from atm_tui.sources.transcript_agents import parse_agent_id
from atm_tui.sources.transcript_lines import Line, decode_line, read_request, read_text
from atm_tui.sources.transcript_tail import FileChange, Tail
from atm_tui.sources.transcript_thread import is_typed
from atm_tui.sources.usage_cache import FileRecord, MemoryCache, UsageCache, open_cache

_STEP = 8 << 20
"""Bytes of a file after which progress is reported."""
_TITLE = 80
"""Characters of the first prompt that are used as a title."""


class TranscriptFile(msgspec.Struct, frozen=True):
    """A transcript of a session, or of one of its agents."""

    path: str
    session_id: str
    agent_id: str
    size: int
    changed: float


class SessionUsage(msgspec.Struct, frozen=True):
    """What one transcript holds, as it was counted."""

    file: TranscriptFile
    record: FileRecord
    cwd: str
    """The folder in which its session was started; empty when nothing tells."""


class FolderUsageReader:
    """Reads `<config folder>/projects`, each transcript once.

    Run `read()` to its end in a worker thread; each step yields the progress, and then `files` is complete. Reading again
    reads only what is new. Errors of the disk are not raised.
    """

    def __init__(self, config_dir: Path, cache_dir: Path | None) -> None:
        """`cache_dir`: the app's cache folder; None: counts are only kept in memory."""
        self._projects = config_dir / "projects"
        self._cache: UsageCache | MemoryCache = open_cache(cache_dir, self._projects) if cache_dir else MemoryCache()
        self.files: list[SessionUsage] = []
        self.unreadable: dict[str, str] = {}
        """Why files and folders could not be read, by path."""

    def read(self, since: float | None = None) -> Iterator[Progress]:
        """Reads everything, or only the files that changed after `since` (epoch seconds): no other holds anything newer."""
        problems: dict[str, str] = {}
        folders = _list_folders(self._projects, problems)
        files = {
            folder: [f for f in _list_transcripts(folder, problems) if since is None or f.changed >= since]
            for folder in folders
        }
        whole = sum(f.size for found in files.values() for f in found)
        count = sum(len(found) for found in files.values())
        usage: list[SessionUsage] = []
        done = number = 0
        for folder, found in files.items():
            known = self._cache.load(folder)
            kept: dict[str, FileRecord] = {} if since is None else dict(known)
            save = False
            for file in found:
                record = known.get(file.path)
                before = record.tail if record else None
                tail = Tail(file.path, state=before)
                change = tail.check()
                if record is None or change in (FileChange.REPLACED, FileChange.GONE):
                    record = FileRecord(tail=tail.state) if tail.state else None
                if record and change in (FileChange.GREW, FileChange.REPLACED):
                    save = True
                    for position in _read_new_lines(tail, record, file):
                        yield Progress(
                            done_bytes=done + position, total_bytes=whole, done_files=number, total_files=count
                        )
                    record.tail = tail.state or record.tail
                if tail.problem:  # what is unread must not count as read
                    problems[file.path] = tail.problem
                    if record and before:
                        record.tail = before
                        kept[file.path] = record
                elif record:
                    kept[file.path] = record
                done += file.size
                number += 1
                yield Progress(done_bytes=done, total_bytes=whole, done_files=number, total_files=count)
            if save or len(kept) != len(known):
                self._cache.save(folder, kept)
            usage += _list_usage(folder, found, kept)
        if folders:  # an empty list can mean that the folder can't be listed now
            self._cache.keep_only(folders)
        self.files, self.unreadable = usage, problems


def _list_usage(folder: Path, files: list[TranscriptFile], records: dict[str, FileRecord]) -> list[SessionUsage]:
    """The transcripts of a project folder that were read, each with the folder in which its session worked."""
    started = {f.session_id: records[f.path].cwd for f in files if not f.agent_id and f.path in records}
    # A session without any may be in the only folder that has this name among the client's.
    named = {cwd for cwd in started.values() if cwd and encode_folder(cwd) == folder.name}
    only = next(iter(named)) if len(named) == 1 else ""
    return [
        SessionUsage(f, records[f.path], started.get(f.session_id) or records[f.path].cwd or only)
        for f in files
        if f.path in records
    ]


def _read_new_lines(tail: Tail, record: FileRecord, file: TranscriptFile) -> Iterator[int]:
    """Reads new lines of a file into its record; yields the position in bytes now and then."""
    reported = tail.offset
    for raw in tail.read_lines():
        lines, damaged = decode_line(raw)
        record.skipped += damaged
        for line in lines:
            _record_description(record, line, file)
            if request := _make_request(line, file):
                last = record.requests[-1] if record.requests else None
                if last and last.request_id and _is_same_request(last, request):
                    record.requests[-1] = request
                else:
                    record.requests.append(request)
        if tail.offset - reported > _STEP:
            reported = tail.offset
            yield reported


def _record_description(record: FileRecord, line: Line, file: TranscriptFile) -> None:
    if line.cwd and line.cwd != record.cwd and (not record.cwd or _names_folder(line.cwd, file)):
        record.cwd = line.cwd
    record.title = line.custom_title or record.title
    if record.prompt or line.type != "user" or line.message is None or line.is_meta or line.is_compact_summary:
        return
    text = read_text(line.message)
    if text and is_typed(line, text):
        record.prompt = text[:_TITLE]


def _names_folder(cwd: str, file: TranscriptFile) -> bool:
    """Whether the client keeps the transcripts of sessions that it starts in this folder where this one is."""
    return not file.agent_id and encode_folder(cwd) == os.path.basename(os.path.dirname(file.path))  # noqa: PTH119, PTH120


def _make_request(line: Line, file: TranscriptFile) -> ApiRequest | None:
    request = read_request(line, session_id=file.session_id, agent_id=file.agent_id)
    if request is None:
        return None
    if line.is_sidechain and not file.agent_id:
        request = msgspec.structs.replace(request, agent_id=line.agent_id or "sidechain")
    if request.message_id and request.request_id:
        request = msgspec.structs.replace(request, line_id="")
    return request


def _is_same_request(old: ApiRequest, new: ApiRequest) -> bool:
    return (old.message_id, old.request_id) == (new.message_id, new.request_id)


def _list_folders(projects: Path, problems: dict[str, str]) -> list[Path]:
    """The project folders. What can't be listed is added to `problems`."""
    try:
        with os.scandir(projects) as entries:
            return sorted(Path(e.path) for e in entries if is_folder(e.path))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        problems[str(projects)] = error.strerror or str(error)
        return []


def _list_transcripts(folder: Path, problems: dict[str, str]) -> list[TranscriptFile]:
    """The transcripts of a project folder. What can't be listed or examined is added to `problems`."""

    def note(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            problems[str(error.filename or folder)] = error.strerror or str(error)

    found: list[TranscriptFile] = []
    for base, _, names in os.walk(folder, onerror=note):
        inside = Path(base).relative_to(folder).parts
        for name in names:
            path = os.path.join(base, name)  # noqa: PTH118  there are thousands of them
            agent = ""
            if not name.endswith(".jsonl"):
                continue
            if inside:
                if len(inside) < 2 or inside[1] != "subagents" or not name.startswith("agent-"):
                    continue
                agent = parse_agent_id(path)
            try:
                stat = os.stat(path)  # noqa: PTH116
            except OSError as error:
                note(error)
                continue
            session = inside[0] if inside else name.removesuffix(".jsonl")
            found.append(TranscriptFile(path, session, agent, stat.st_size, stat.st_mtime))
    return sorted(found, key=lambda f: (f.changed, f.path))
