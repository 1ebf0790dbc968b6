"""Finds sessions that are over among many state files, and keeps almost nothing of them: a folder may hold 100,000."""

from collections.abc import Collection, Container

import msgspec

from atm_tui.model.checked import Time, is_pid_key
from atm_tui.model.decoding import make_json_decoder
from atm_tui.model.facts import HookEnd
from atm_tui.model.liveness import SILENT
from atm_tui.sources.process import list_running_pids
from atm_tui.sources.state_schema import SCHEMA

_SLACK = 1.0
"""Seconds by which a clock may go back without a meaning."""


class Closed(msgspec.Struct, frozen=True, gc=False):
    """What is kept of a session that is over."""

    heard_at: float
    """When it was last heard of, epoch seconds."""
    is_ended: bool
    """Whether hooks reported its end; else its processes are gone."""


class _Process(msgspec.Struct, frozen=True, gc=False):
    last: Time = 0.0
    began: Time = 0.0
    ended: Time = 0.0


class _Glance(msgspec.Struct, frozen=True):
    """The few keys of a state file that tell whether the session is over; decoding the others takes longer."""

    schema: int
    session_id: str
    updated_at: Time = 0.0
    config_dir: str = ""
    session_active: bool = True
    ended: HookEnd | None = None
    last_event: str = ""
    processes: dict[str, _Process] = {}


_decode = make_json_decoder(_Glance).decode


class ClosedStates:
    """The sessions that are over, and whose state is not kept."""

    def __init__(self) -> None:
        self.known: dict[str, Closed] = {}
        """By session id."""
        self.config_dirs: set[str] = set()
        """The config folders that they name."""
        self._now = float("-inf")
        self._running: Container[str] | None = None
        """The pids that run; None until they are needed."""

    def begin(self, now: float) -> list[str]:
        """Begins a look at files at `now` (epoch seconds); returns the ids of sessions that may not be over after all.

        Where a pid can't be looked up, silence alone decides, and a clock that was set back makes it shorter.
        """
        is_back, self._now, self._running = now < self._now - _SLACK, now, None
        return [key for key, each in self.known.items() if not each.is_ended] if is_back else []

    def add(self, session_id: str, data: bytes) -> bool:
        """Keeps a session if its state file, `data`, says that it is over; returns whether it does.

        A file that can't be read is not: whoever reads all of it says why.
        """
        self.known.pop(session_id, None)
        try:
            found = _decode(data)
        except (ValueError, RecursionError):
            return False
        if (found.schema, found.session_id) != (SCHEMA, session_id) or not found.last_event or not self._is_over(found):
            return False
        ended_at = found.ended.at if found.ended is not None else 0.0
        self.known[session_id] = Closed(max(found.updated_at, ended_at), is_ended=not found.session_active)
        self.config_dirs.add(found.config_dir)
        return True

    def find(self, session_ids: Collection[str]) -> set[str]:
        """Returns those of these sessions that are among them."""
        return {key for key in session_ids if key in self.known} if self.known else set()

    def _is_over(self, found: _Glance) -> bool:
        """Whether no process can serve the session. Its registry entries are for the caller to check."""
        if not all(map(is_pid_key, found.processes)):
            return False
        if not found.session_active:
            return True
        if max(found.updated_at, *(each.last for each in found.processes.values()), 0.0) > self._now - SILENT:
            return False
        try:
            running = self._running = list_running_pids() if self._running is None else self._running
        except OSError:  # then nobody knows who runs
            return False
        open_pids = (pid for pid, each in found.processes.items() if not (each.ended and each.ended >= each.began))
        return not any(pid and str(int(pid)) in running for pid in open_pids)
