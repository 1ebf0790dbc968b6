"""Which transcript and which processes each session has."""

from collections.abc import Iterable, Set

from atm_tui.model.facts import HookState, RegistryEntry
from atm_tui.monitor.registries import Registries
from atm_tui.monitor.transcripts import find_transcript
from atm_tui.sources.state import StateSource


class SessionFiles:
    """Follows the sessions that hooks and the registry name."""

    def __init__(self, states: StateSource, registries: Registries) -> None:
        self.paths: dict[str, str | None] = {}
        """By session id: its transcript."""
        self.pids: dict[str, frozenset[int]] = {}
        """By session id: the processes that may have served it."""
        self.began: dict[str, float] = {}
        """By transcript: when its session began, epoch seconds."""
        self.moved: set[str] = set()
        """Transcripts whose session, or its start, changed in the last `locate`."""
        self._states = states
        self._registries = registries
        self._renamed: set[str] = set()
        """Ids of the sessions whose hooks name a transcript of another id: theirs may appear at any time."""

    def keep_only(self, *keys: Set[str]) -> set[str]:
        """Forgets all sessions but these; returns the ids of those that are gone. New ones have no transcript yet."""
        gone = set(self.paths).difference(*keys)
        for key in gone:
            del self.paths[key], self.pids[key]
            self._renamed.discard(key)
        for each in keys:
            self.paths |= dict.fromkeys(each - self.paths.keys())
        return gone

    def list_transcripts(self) -> set[str | None]:
        """Returns the transcripts of all sessions, and forgets others."""
        found = set(self.paths.values())
        self.began = {path: at for path, at in self.began.items() if path in found}
        return found

    def list_renamed(self) -> set[str]:
        """Returns the ids of the sessions whose own transcript has appeared meanwhile."""
        return {key for key in self._renamed if self._find_transcript(key) != self.paths[key]}

    def locate(self, keys: Iterable[str]) -> bool:
        """Finds transcript and processes of these sessions; returns whether one of them has left a transcript for another."""
        self.moved, has_other = set(), False
        for key in keys:
            hooks, entries = self._states.states.get(key), self._registries.entries.get(key, ())
            named = hooks.processes if hooks else ()
            self.pids[key] = frozenset(
                (*(int(pid) for pid in named if pid.isdecimal()), *(entry.pid for entry in entries))
            )
            path, began = self._find_transcript(key), _find_begin(hooks, entries)
            if hooks and hooks.transcript_path and not hooks.transcript_path.endswith(f"/{key}.jsonl"):
                self._renamed.add(key)
            else:
                self._renamed.discard(key)
            before, self.paths[key] = self.paths[key], path
            has_other |= before not in (path, None)
            if path is not None and (path != before or self.began.get(path) != began):
                self.began[path] = began
                self.moved.add(path)
        return has_other

    def _find_transcript(self, key: str) -> str | None:
        return find_transcript(key, self._states.states.get(key), self._registries.entries.get(key, ()))


def _find_begin(hooks: HookState | None, entries: tuple[RegistryEntry, ...]) -> float:
    """Returns when a session began (epoch seconds) as far as known; a resumed one that no hook saw begins with its process."""
    return (hooks.created_at if hooks else 0.0) or min((each.started_at for each in entries), default=float("inf"))
