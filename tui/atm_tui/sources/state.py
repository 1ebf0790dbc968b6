"""Reads the hooks' state files, one per session. Unreadable ones are reported, and keep their last good value."""

import os
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from atm_hooks.regular_file import read_regular
from atm_tui.model.decoding import make_json_decoder
from atm_tui.model.facts import HookState
from atm_tui.model.session import Unreadable
from atm_tui.sources.listing import NO_AGE, Listing
from atm_tui.sources.state_schema import SCHEMA

if TYPE_CHECKING:
    from atm_tui.sources.closed_states import Closed, ClosedStates

_SUFFIX = ".json"
_MAX_SIZE = 16 << 20
"""Bytes that a state file may have."""

TRIAL_SESSION = "atm-tui-doctor-"
"""The beginning of the ids of `doctor`'s test sessions, which are never shown."""

_decode = make_json_decoder(HookState).decode


class _Versioned(msgspec.Struct):
    """What every version's state file has."""

    schema: int = 0


_decode_version = make_json_decoder(_Versioned).decode


def read_state(path: str) -> HookState:
    """Reads the session in a state file.

    Raises OSError; ValueError that says where the content is wrong, and what to do.
    """
    return _decode_state(read_regular(path, _MAX_SIZE), path)


def _decode_state(data: bytes, path: str) -> HookState:
    """Raises ValueError as `read_state` does."""
    try:
        state = _decode(data)
    except msgspec.ValidationError as error:
        _check_version(data)
        raise ValueError(f"{error}; written by another version? run atm-tui install") from error
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        where = f" at byte {len(data)}" if "truncated" in str(error) else ""
        raise ValueError(f"{str(error).removeprefix('JSON is malformed: ')}{where}") from error
    if state.schema != SCHEMA:
        _check_version(data)
        raise ValueError(f"schema {state.schema}, this app reads {SCHEMA}; run atm-tui install to match hooks and app")
    if not path.endswith(f"/{state.session_id}.json"):
        raise ValueError(f'it says session_id "{state.session_id}", which is not its name')
    return state


def _check_version(data: bytes) -> None:
    """Raises ValueError where a newer version wrote a state file, whatever else is in it."""
    try:
        schema = _decode_version(data).schema
    except (ValueError, RecursionError):
        return
    if schema > SCHEMA:
        raise ValueError(
            f"schema {schema} of a newer atm-tui; this one reads {SCHEMA}, and leaves it as it is: update atm-tui"
        )


def list_state_ids(state_dir: Path) -> list[str]:
    """Returns the ids of all sessions with a state file, from the names alone; none if the folder can't be listed."""
    try:
        names = os.listdir(state_dir / "sessions")  # noqa: PTH208  paths of 100,000 files take longer
    except OSError:
        return []
    return [name.removesuffix(_SUFFIX) for name in names if _is_state(name)]


def _is_state(name: str) -> bool:
    return name.endswith(_SUFFIX) and not name.startswith((".", TRIAL_SESSION))


class StateSource:
    """All state files of a state folder, read again when they change."""

    def __init__(
        self,
        state_dir: Path,
        find_spelling: Callable[[str], str] = str,
        *,
        most_whole: int | None = None,
        only: Collection[str] | None = None,
    ) -> None:
        """`find_spelling`: from any path of a config folder to the one by which it is known.

        `most_whole`: how many of the newest files are kept whatever they say; of the others, only the sessions that may not be
        over. None: all are kept. `only`: ids of the sessions that are read; None: all.
        """
        self._most_whole = most_whole
        self._only = only
        self._oldest_whole = NO_AGE
        """The age of the oldest of these; NO_AGE as long as all are kept."""
        self._fewest = 0
        """The smallest number of states since that was last decided."""
        self._closed: ClosedStates | None = None
        """The sessions that are not kept; None as long as all are."""
        self._find_spelling = find_spelling
        self.states: dict[str, HookState] = {}
        """The last good state by session id."""
        self.unreadable: dict[str, Unreadable] = {}
        """By session id: why its file can't be read now."""
        self.found: list[str] = []
        """The paths of the files that the last look at them found to be new or changed."""
        self._unread: list[str] = []
        """The files that are still to be read, the next one last."""
        self.listing = Listing(state_dir / "sessions", self._is_wanted)
        """The files, as of the last `refresh`."""

    def _is_wanted(self, name: str) -> bool:
        return _is_state(name) and (self._only is None or name.removesuffix(_SUFFIX) in self._only)

    @property
    def is_partial(self) -> bool:
        """Whether there may be sessions of which nothing is kept."""
        return self._only is not None or bool(self.closed)

    @property
    def error(self) -> str | None:
        """Why the folder can't be listed; None when it can."""
        return self.listing.error

    @property
    def unread(self) -> int:
        """Number of files that are still to be read."""
        return len(self._unread)

    @property
    def closed(self) -> "Mapping[str, Closed]":
        """By session id: the sessions that are over, and whose state is not kept."""
        return self._closed.known if self._closed is not None else {}

    @property
    def config_dirs(self) -> Collection[str]:
        """The config folders that those name."""
        return self._closed.config_dirs if self._closed is not None else ()

    def locate(self, session_id: str) -> str:
        """Returns the path of a session's file."""
        return f"{self.listing.folder}/{session_id}{_SUFFIX}"

    def refresh(
        self,
        paths: Collection[str] | None = None,
        most: int | None = None,
        first: Collection[str] = (),
        now: float | None = None,
    ) -> set[str]:
        """Reads what changed; returns the ids of the sessions whose file changed. `paths`: as in Listing.scan.

        `most`: number of files to read; the next call goes on. None: all. Those of the sessions `first` are read first, then
        those that changed last. `now`: epoch seconds; None: by the system's clock.
        """
        changed, gone = self.listing.scan(paths)
        again = {f"{key}{_SUFFIX}" for key in self.unreadable}  # looked at without a change
        self.found = [f"{self.listing.folder}/{name}" for name in changed if name not in again]
        changed += self._choose_whole(len(changed), time.time() if now is None else now)
        if most is not None and (self._unread or len(changed) > most):
            changed = self._choose(changed, gone, most, first)
        touched = set()
        for name in changed:
            key = name.removesuffix(_SUFFIX)
            may_close = self.listing.find_age(name) < self._oldest_whole and key not in first
            if self._read(key, may_close=may_close):
                touched.add(key)
        for name in gone:
            key = name.removesuffix(_SUFFIX)
            self.states.pop(key, None)
            self.unreadable.pop(key, None)
            if self._closed is None or self._closed.known.pop(key, None) is None:
                touched.add(key)
        return touched

    def keep_all(self) -> None:
        """Makes the next `refresh` read the sessions that were not kept, and keep all from then on."""
        self._most_whole, self._oldest_whole, self._only = None, NO_AGE, None

    def recall(self, session_ids: Collection[str]) -> set[str]:
        """Reads the states of these sessions if they were not kept; returns the ids of those."""
        found = self._closed.find(session_ids) if self._closed is not None else set()
        return {key for key in found if self._read(key, may_close=False)}

    def _choose_whole(self, changed: int, now: float) -> list[str]:
        """Decides which files are kept, where there are many; returns those that have to be read again for it.

        `changed`: how many changed.
        """
        most = self._most_whole
        if most is None:
            return [f"{key}{_SUFFIX}" for key in self.closed]
        again = [f"{key}{_SUFFIX}" for key in self._closed.begin(now)] if self._closed is not None else []
        self._fewest = min(self._fewest, len(self.states))
        if max(changed, len(self.states) - max(most, self._fewest)) <= most:
            return again
        self._oldest_whole, self._fewest = self.listing.find_newest(most), len(self.states)
        if self._closed is None:
            from atm_tui.sources.closed_states import ClosedStates  # noqa: PLC0415  most folders have few files

            self._closed = ClosedStates()
            self._closed.begin(now)
        names = (f"{key}{_SUFFIX}" for key in self.states)
        return again + [name for name in names if self.listing.find_age(name) < self._oldest_whole]

    def _read(self, key: str, *, may_close: bool) -> bool:
        """Reads the file of a session; returns whether its state, or that it has none, differs from before.

        `may_close`: whether the state is not kept if the session is over.
        """
        path = self.locate(key)
        closed = self._closed
        try:
            data = read_regular(path, _MAX_SIZE)
            if may_close and closed is not None and closed.add(key, data):
                was_unreadable = self.unreadable.pop(key, None) is not None
                return self.states.pop(key, None) is not None or was_unreadable
            state = _decode_state(data, path)
        except FileNotFoundError:
            return False
        except (OSError, ValueError) as error:
            problem = error.strerror or str(error) if isinstance(error, OSError) else str(error)
            if isinstance(error, OSError):  # an error of the system: the file may be readable at the next refresh
                self.listing.retry(f"{key}{_SUFFIX}")
            since = self.unreadable[key].since if key in self.unreadable else time.time()
            self.unreadable[key] = Unreadable(path=path, problem=problem, since=since)
        else:
            self.unreadable.pop(key, None)
            self.states[key] = self._respell_folder(state)
        if closed is not None:
            closed.known.pop(key, None)
        return True

    def _choose(self, changed: Collection[str], gone: Collection[str], most: int, first: Collection[str]) -> list[str]:
        """Returns the files to read now; the others stay for later."""
        if changed or gone:
            known = {*self._unread, *changed}.difference(gone)
            wanted = {f"{key}{_SUFFIX}" for key in first}
            self._unread = sorted(known, key=lambda name: (name in wanted, self.listing.find_time(name)))
        chosen = self._unread[: -most - 1 : -1]
        del self._unread[-most:]
        return chosen

    def _respell_folder(self, state: HookState) -> HookState:
        known = self._find_spelling(state.config_dir)
        return state if known == state.config_dir else msgspec.structs.replace(state, config_dir=known)
