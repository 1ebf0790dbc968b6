"""Finds the transcripts of all sessions and reads them in portions."""

from collections.abc import Iterable, Mapping

from atm_tui.cost.pricing import PriceTable
from atm_tui.model.facts import HookState, RegistryEntry
from atm_tui.model.transcript import TranscriptFacts
from atm_tui.monitor.schedule import ReadBudget
from atm_tui.monitor.shared_requests import SharedRequests
from atm_tui.sources.checkpoints import CheckpointStore
from atm_tui.sources.exists import exists
from atm_tui.sources.folders import encode_folder
from atm_tui.sources.transcript import TranscriptReader


class Transcripts:
    """Has one TranscriptReader for each file."""

    def __init__(self, table: PriceTable, budget: ReadBudget, checkpoints: CheckpointStore | None = None) -> None:
        """`budget`: limits the bytes of all files in one refresh. `checkpoints`: where reading goes on from; None: nowhere."""
        self._table = table
        self._checkpoints = checkpoints
        self._budget = budget
        self._readers: dict[str, TranscriptReader] = {}
        self._shared = SharedRequests()

    @property
    def is_behind(self) -> bool:
        """Whether there is more to read at once."""
        return any(reader.is_behind for reader in self._readers.values())

    def keep_only(self, paths: Iterable[str | None]) -> None:
        """Forgets all other files."""
        for path in self._readers.keys() - set(paths):
            del self._readers[path]

    def is_new(self, path: str | None) -> bool:
        """Whether the first reading of this file has not ended yet."""
        if path is None:
            return False
        reader = self._readers.get(path)
        return reader is None or reader.is_behind

    def is_pending(self, path: str | None) -> bool:
        """Whether there are no facts of this file yet, since it is still being read for the first time."""
        reader = self._readers.get(path) if path else None
        return reader is not None and reader.is_behind and not reader.facts.exists

    @property
    def problems(self) -> list[str]:
        """The transcripts that can't be read, each with the reason."""
        return [
            f"{path} can't be read, its cost is in no sum: {reader.problem}"
            for path, reader in self._readers.items()
            if reader.problem
        ]

    def list_paths(self) -> list[str]:
        """Returns all files and folders that are looked at."""
        return [path for reader in self._readers.values() for path in reader.list_paths()]

    def set_owners(self, began: Mapping[str, float]) -> set[str]:
        """Counts each request for one session only; returns the files whose facts changed by that.

        `began`: when the session of a file began, epoch seconds.
        """
        keys = {path: reader.shared_keys for path, reader in self._readers.items()}
        inherited = self._shared.find_inherited(keys, began)
        return {
            path for path, reader in self._readers.items() if reader.set_inherited(inherited.get(path, frozenset()))
        }

    def save(self) -> None:
        """Writes the checkpoints of the transcripts of which enough was read since."""
        for reader in self._readers.values():
            reader.save()

    def read(self, path: str | None, *, check: bool) -> TranscriptFacts | None:
        """Returns the facts of a file; None without a path. `check`: whether to look for changes and read them."""
        if path is None:
            return None
        check = check or self.is_new(path)
        reader = self._readers.get(path)
        if reader is None:
            reader = self._readers[path] = TranscriptReader(path, self._table, self._checkpoints)
        if check:
            reader.read(self._budget.left)
            self._budget.spend(reader.bytes_read)
        return reader.facts


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
