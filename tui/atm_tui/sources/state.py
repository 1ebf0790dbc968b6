"""Reads the hooks' state files, one per session. Unreadable ones are reported, and keep their last good value."""

import time
from collections.abc import Callable, Collection
from pathlib import Path

import msgspec

from atm_hooks.regular_file import read_regular
from atm_tui.model.decoding import make_json_decoder
from atm_tui.model.facts import HookState
from atm_tui.model.session import Unreadable
from atm_tui.sources.listing import Listing
from atm_tui.sources.state_schema import SCHEMA

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
    data = read_regular(path, _MAX_SIZE)
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


class StateSource:
    """All state files of a state folder, read again when they change."""

    def __init__(self, state_dir: Path, find_spelling: Callable[[str], str] = str) -> None:
        """`find_spelling`: from any path of a config folder to the one by which it is known."""
        self._find_spelling = find_spelling
        self.states: dict[str, HookState] = {}
        """The last good state by session id."""
        self.unreadable: dict[str, Unreadable] = {}
        """By session id: why its file can't be read now."""
        self._unread: list[str] = []
        """The files that are still to be read, the next one last."""
        self._listing = Listing(
            state_dir / "sessions", lambda name: name.endswith(".json") and not name.startswith((".", TRIAL_SESSION))
        )

    @property
    def error(self) -> str | None:
        """Why the folder can't be listed; None when it can."""
        return self._listing.error

    @property
    def unread(self) -> int:
        """Number of files that are still to be read."""
        return len(self._unread)

    def list_paths(self) -> list[str]:
        """Returns the folder and its files, as of the last `refresh`."""
        return self._listing.list_paths()

    def refresh(
        self, paths: Collection[str] | None = None, most: int | None = None, first: Collection[str] = ()
    ) -> set[str]:
        """Reads what changed; returns the ids of the sessions whose file changed. `paths`: as in Listing.scan.

        `most`: number of files to read; the next call goes on. None: all. Those of the sessions `first` are read first, then
        those that changed last.
        """
        changed, gone = self._listing.scan(paths)
        if most is not None and (self._unread or len(changed) > most):
            changed = self._choose(changed, gone, most, first)
        touched = set()
        folder = self._listing.folder
        for name in changed:
            key = name.removesuffix(".json")
            path = f"{folder}/{name}"
            try:
                state = read_state(path)
            except FileNotFoundError:
                continue
            except (OSError, ValueError) as error:
                problem = error.strerror or str(error) if isinstance(error, OSError) else str(error)
                if isinstance(error, OSError):  # an error of the system: the file may be readable at the next refresh
                    self._listing.retry(name)
                since = self.unreadable[key].since if key in self.unreadable else time.time()
                self.unreadable[key] = Unreadable(path=path, problem=problem, since=since)
            else:
                self.unreadable.pop(key, None)
                self.states[key] = self._with_known_folder(state)
            touched.add(key)
        for name in gone:
            key = name.removesuffix(".json")
            self.states.pop(key, None)
            self.unreadable.pop(key, None)
            touched.add(key)
        return touched

    def _choose(self, changed: Collection[str], gone: Collection[str], most: int, first: Collection[str]) -> list[str]:
        """Returns the files to read now; the others stay for later."""
        if changed or gone:
            known = {*self._unread, *changed}.difference(gone)
            wanted = {f"{key}.json" for key in first}
            self._unread = sorted(known, key=lambda name: (name in wanted, self._listing.find_time(name)))
        chosen = self._unread[: -most - 1 : -1]
        del self._unread[-most:]
        return chosen

    def _with_known_folder(self, state: HookState) -> HookState:
        known = self._find_spelling(state.config_dir)
        return state if known == state.config_dir else msgspec.structs.replace(state, config_dir=known)
