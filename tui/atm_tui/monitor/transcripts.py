"""Finds the transcripts of all sessions and reads them in portions."""

from collections.abc import Iterable, Mapping

from atm_tui.cost.pricing import PriceTable
from atm_tui.model.facts import HookState, RegistryEntry
from atm_tui.model.transcript import TranscriptFacts
from atm_tui.monitor.schedule import ReadBudget
from atm_tui.monitor.shared_requests import SharedRequests
from atm_tui.sources.checkpoints import CheckpointStore
from atm_tui.sources.exists import exists, is_missing
from atm_tui.sources.folders import encode_folder
from atm_tui.sources.transcript import TranscriptReader
from atm_tui.sources.transcript_agents import locate_agents


class Transcripts:
    """Has one TranscriptReader for each file."""

    def __init__(self, table: PriceTable, budget: ReadBudget, checkpoints: CheckpointStore | None = None) -> None:
        """`budget`: limits the bytes of all files in one refresh. `checkpoints`: where reading continues from; None: nowhere."""
        self._table = table
        self._checkpoints = checkpoints
        self._budget = budget
        self._readers: dict[str, TranscriptReader] = {}
        self._shared = SharedRequests()
        self._keys: dict[str, set[int]] = {}
        """The shared keys of the requests in each file."""
        self._inheriting: frozenset[str] = frozenset()
        """The files with requests that count for another session."""
        self._behind: set[str] = set()
        """The files that were not read to their end."""
        self._problems: dict[str, str] = {}
        self._touched: set[str] = set()
        """The files that were read, or left out, since the last `save`."""
        self._missing: dict[str, TranscriptFacts] = {}
        """By path, what is known of files that do not exist so far, which need no reader."""

    @property
    def is_behind(self) -> bool:
        """Whether there is more to read at once."""
        return bool(self._behind)

    def keep_only(self, paths: Iterable[str | None]) -> None:
        """Forgets all other files."""
        kept = set(paths)
        self._missing = {path: facts for path, facts in self._missing.items() if path in kept}
        for path in self._readers.keys() - kept:
            del self._readers[path]
            for known in (self._keys, self._problems):
                known.pop(path, None)
            self._behind.discard(path)
            self._touched.add(path)

    def list_behind(self) -> frozenset[str]:
        """Returns the files that were not read to their end."""
        return frozenset(self._behind)

    def is_new(self, path: str | None) -> bool:
        """Whether the first reading of this file has not ended yet."""
        is_known = path in self._readers or path in self._missing
        return path is not None and (not is_known or path in self._behind)

    def is_pending(self, path: str | None) -> bool:
        """Whether this file has no facts yet, since it is still being read for the first time."""
        return path is not None and path in self._behind and not self._readers[path].facts.exists

    @property
    def problems(self) -> list[str]:
        """The transcripts that can't be read, each with the reason."""
        return [
            f"{path} can't be read, its cost is in no sum: {problem}"
            for path, problem in sorted(self._problems.items())
        ]

    def list_paths(self, path: str) -> list[str]:
        """Returns all files and folders that are checked for a transcript."""
        reader = self._readers.get(path)
        return reader.list_paths() if reader is not None else [path, locate_agents(path)]

    def set_owners(self, began: Mapping[str, float], changed: Iterable[str] = ()) -> set[str]:
        """Counts each request for one session only; returns the files whose facts changed by that.

        `began`: when the session of a file began, epoch seconds. `changed`: the files for which that differs from before.
        """
        changed = {*changed, *self._touched}
        if not changed:
            return set()
        inherited = self._shared.find_inherited(self._keys, began, changed)
        recounted = set()
        for path in (changed | self._inheriting | inherited.keys()) & self._readers.keys():
            reader = self._readers[path]
            if reader.set_inherited(inherited.get(path, frozenset())):
                recounted.add(path)
            self._note(path, reader)
        self._inheriting = frozenset(inherited)
        return recounted

    def save(self, now: float) -> None:
        """Writes the checkpoints of the transcripts of which enough was read since; lets those rest that did not change lately.

        `now`: epoch seconds.
        """
        touched, self._touched = self._touched, set()
        for path in touched & self._readers.keys():
            self._readers[path].save()
            self._readers[path].rest(now)

    def read(self, path: str | None, *, check: bool) -> TranscriptFacts | None:
        """Returns the facts of a file; None without a path. `check`: whether to look for changes and read them."""
        if path is None:
            return None
        check = check or self.is_new(path)
        reader = self._readers.get(path)
        if reader is None:
            if not check and path in self._missing:
                return self._missing[path]
            if is_missing(path) and is_missing(locate_agents(path)):
                return self._missing.get(path) or self._missing.setdefault(path, TranscriptFacts(path=path))
            self._missing.pop(path, None)
            reader = self._readers[path] = TranscriptReader(path, self._table, self._checkpoints)
        if check:
            reader.read(self._budget.left)
            self._budget.spend(reader.bytes_read)
            self._touched.add(path)
            self._note(path, reader)
        return reader.facts

    def _note(self, path: str, reader: TranscriptReader) -> None:
        """Notes what is asked of all files together, so that most of them need no look."""
        self._keys[path] = reader.shared_keys
        if reader.is_behind:
            self._behind.add(path)
        else:
            self._behind.discard(path)
        if reader.problem:
            self._problems[path] = reader.problem
        else:
            self._problems.pop(path, None)


def find_transcript(session_id: str, hooks: HookState | None, entries: tuple[RegistryEntry, ...]) -> str | None:
    """Returns the path of a session's transcript: the one that its hooks named, else by the client's rule for folder names.

    After a resume, older clients name the old file; a file beside it with the session's own id is the right one.
    """
    if hooks and hooks.transcript_path:
        folder, _, name = hooks.transcript_path.rpartition("/")
        if name == f"{session_id}.jsonl" or not exists(own := f"{folder}/{session_id}.jsonl"):
            return hooks.transcript_path
        return own
    for entry in entries:
        if entry.cwd and entry.config_dir:
            return f"{entry.config_dir}/projects/{encode_folder(entry.cwd)}/{session_id}.jsonl"
    return None
