"""Counts the usage of all sessions of one config folder, from their transcripts."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from atm_tui.cost.pricing import PriceTable, load_default_table
from atm_tui.cost.report import Progress, UsageHistory
from atm_tui.cost.usage import ApiRequest, UsageLedger
from atm_tui.sources.exists import is_folder
from atm_tui.sources.transcript_agents import parse_agent_id
from atm_tui.sources.transcript_lines import Line, decode_line, read_request, read_text
from atm_tui.sources.transcript_tail import FileChange, Tail
from atm_tui.sources.transcript_thread import is_typed
from atm_tui.sources.usage_cache import FileRecord, MemoryCache, UsageCache, open_cache

_STEP = 8 << 20
"""Bytes of a file after which progress is reported."""
_TITLE = 80
"""Characters of the first prompt that serve as a title."""
_REPLACED = re.compile(r"[^A-Za-z0-9]")


class _Transcript(msgspec.Struct, frozen=True):
    path: str
    session_id: str
    agent_id: str
    size: int
    changed: float


class FolderUsageReader:
    """Reads `<config folder>/projects`. Copies of a request in several sessions count once, for the oldest file.

    Run `read()` to its end in a worker thread; each step yields the progress, and then `result` is complete. Reading again
    reads only what is new. Errors of the disk are not raised.
    """

    def __init__(self, config_dir: Path, cache_dir: Path | None, table: PriceTable | None = None) -> None:
        """`cache_dir`: the app's cache folder; None: what was counted is kept in memory only."""
        self._projects = config_dir / "projects"
        self._cache: UsageCache | MemoryCache = open_cache(cache_dir, self._projects) if cache_dir else MemoryCache()
        self._table = table or load_default_table()
        self.result = UsageHistory()

    def read(self, since: float | None = None) -> Iterator[Progress]:
        """Counts everything, or only the files that changed after `since` (epoch seconds): no other holds anything newer."""
        folders = _list_folders(self._projects)
        files = {
            folder: [f for f in _list_transcripts(folder) if since is None or f.changed >= since] for folder in folders
        }
        whole = sum(f.size for found in files.values() for f in found)
        count = sum(len(found) for found in files.values())
        ledger = UsageLedger(self._table)
        titles: dict[str, str] = {}
        last_at: dict[str, float] = {}
        skipped = done = number = 0
        for folder, found in files.items():
            known = self._cache.load(folder)
            kept: dict[str, FileRecord] = {} if since is None else dict(known)
            save = False
            for file in found:
                record = known.get(file.path)
                tail = Tail(file.path, state=record.tail if record else None)
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
                if record:
                    kept[file.path] = record
                done += file.size
                number += 1
                yield Progress(done_bytes=done, total_bytes=whole, done_files=number, total_files=count)
            if save or len(kept) != len(known):
                self._cache.save(folder, kept)
            project = _find_project(folder, [kept[f.path].cwd for f in found if f.path in kept])
            for file in found:
                if record := kept.get(file.path):
                    if not file.agent_id and (title := record.title or record.prompt):
                        titles[file.session_id] = title
                    skipped += record.skipped + record.tail.overlong
                    for request in record.requests:
                        if request.at:
                            last_at[file.session_id] = max(last_at.get(file.session_id, 0.0), request.at)
                        ledger.add(msgspec.structs.replace(request, project=project))
        if folders:  # none may mean that they can't be listed now
            self._cache.keep_only(folders)
        self.result = UsageHistory(buckets=ledger.list_buckets(), titles=titles, last_at=last_at, skipped_lines=skipped)


def _read_new_lines(tail: Tail, record: FileRecord, file: _Transcript) -> Iterator[int]:
    """Reads new lines of a file into its record; yields the position in bytes now and then."""
    reported = tail.offset
    for raw in tail.read_lines():
        lines, damaged = decode_line(raw)
        record.skipped += damaged
        for line in lines:
            _note_description(record, line)
            if request := _make_request(line, file):
                last = record.requests[-1] if record.requests else None
                if last and last.request_id and _is_same_request(last, request):
                    record.requests[-1] = request
                else:
                    record.requests.append(request)
        if tail.offset - reported > _STEP:
            reported = tail.offset
            yield reported


def _note_description(record: FileRecord, line: Line) -> None:
    record.cwd = record.cwd or line.cwd or ""
    record.title = line.custom_title or record.title
    if record.prompt or line.type != "user" or line.message is None or line.is_meta or line.is_compact_summary:
        return
    text = read_text(line.message)
    if text and is_typed(line, text):
        record.prompt = text[:_TITLE]


def _make_request(line: Line, file: _Transcript) -> ApiRequest | None:
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


def _list_folders(projects: Path) -> list[Path]:
    try:
        with os.scandir(projects) as entries:
            return sorted(Path(e.path) for e in entries if is_folder(e.path))
    except OSError:
        return []


def _list_transcripts(folder: Path) -> list[_Transcript]:
    """The transcripts of a project folder, the one that changed last at the end."""
    found: list[_Transcript] = []
    for base, _, names in os.walk(folder):
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
            except OSError:
                continue
            session = inside[0] if inside else name.removesuffix(".jsonl")
            found.append(_Transcript(path, session, agent, stat.st_size, stat.st_mtime))
    return sorted(found, key=lambda f: (f.changed, f.path))


def _find_project(folder: Path, cwds: list[str]) -> str:
    """The working directory that a project folder stands for: the one of those its sessions name that is spelled like it."""
    named = [cwd for cwd in cwds if cwd]
    spelled = (cwd for cwd in named if _REPLACED.sub("-", cwd) == folder.name)
    return next(spelled, named[0] if named else folder.name)
