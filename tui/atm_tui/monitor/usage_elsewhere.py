"""The usage of this machine and of others together, as one: each session and project of another machine has its name before."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence

import msgspec

from atm_tui.cost.report import Progress, UsageHistory, UsageSource
from atm_tui.cost.usage import sort_buckets
from atm_tui.model.decoding import convert
from atm_tui.model.elsewhere import bound
from atm_tui.model.machine import LinkState, Machine
from atm_tui.model.session import Unreadable
from atm_tui.model.stream_commands import UsageResult
from atm_tui.model.tokens import SLOT, Bucket
from atm_tui.monitor.asking import AskError
from atm_tui.monitor.elsewhere import Ask

LONGEST = 120.0
"""Seconds for which a machine is asked in total."""
MOST = 200_000
"""Sums that are taken from one machine."""
_LOOK = 0.1
"""Seconds between two looks at what the machines have sent."""


class _UsageThere:
    """What one machine has sent so far."""

    def __init__(self, machine: Machine, ask: Ask, since: float | None) -> None:
        self.machine = machine
        self._ask = ask
        self._since = None if since is None else max(0.0, since + machine.ahead)
        self.progress = Progress()
        self.buckets: list[Bucket] = []
        self.titles: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.unreadable: list[Unreadable] = []
        self.thread = threading.Thread(target=self._run, name=f"usage of {machine.name}", daemon=True)

    def _run(self) -> None:
        name = self.machine.name
        try:
            self._read()
        except AskError as error:
            self.unreadable.append(Unreadable(path=name, problem=str(error)))

    def _read(self) -> None:
        """Asks until all pages are here. Raises AskError."""
        prefix, begin, until = f"{self.machine.name}:", 0, time.monotonic() + LONGEST
        while True:
            found: UsageResult = self._ask(self.machine.name, "usage", UsageResult, since=self._since, begin=begin)
            self.progress = Progress(done_bytes=found.done_bytes, total_bytes=found.total_bytes)
            if time.monotonic() > until:
                raise AskError("it takes too long")
            if not found.is_complete:
                time.sleep(_LOOK)
                continue
            self.buckets += (bucket for each in found.buckets if (bucket := self._adopt(each, prefix)) is not None)
            self.titles |= {prefix + key: title for key, title in bound(found.titles).items()}
            self.names |= {prefix + root: prefix + each for root, each in bound(found.project_names).items()}
            self.unreadable += (
                Unreadable(path=prefix + each.path, problem=each.problem) for each in bound(found.unreadable)
            )
            begin += len(found.buckets)
            if not found.buckets or begin >= min(found.total, MOST):
                return

    def _adopt(self, raw: object, prefix: str) -> Bucket | None:
        try:
            given = bound(convert(raw, Bucket))
        except (msgspec.ValidationError, ValueError, RecursionError):
            return None
        slot = None if given.slot is None else (given.slot - self.machine.ahead) // SLOT * SLOT
        return msgspec.structs.replace(
            given, project=prefix + given.project, session_id=prefix + given.session_id, slot=slot
        )


class UsageOfMachines:
    """Reads the usage here, and asks the other machines for theirs at the same time."""

    def __init__(self, own: UsageSource, machines: Callable[[], Sequence[Machine]], ask: Ask) -> None:
        self._own = own
        self._machines = machines
        self._ask = ask
        self.table = own.table
        self.folders = own.folders
        self.result = UsageHistory()

    def read(self, since: float | None = None) -> Iterator[Progress]:
        """As in UsageSource. A machine that can't be asked is in `unreadable`."""
        asked: list[_UsageThere] = []
        missing: list[Unreadable] = []
        for machine in self._machines():
            if machine.link is LinkState.LIVE:
                asked.append(_UsageThere(machine, self._ask, since))
                asked[-1].thread.start()
            else:
                missing.append(Unreadable(path=machine.name, problem=machine.problem or "there is no link"))
        own = Progress()
        for own in self._own.read(since):
            yield sum((each.progress for each in asked), own)
        while any(each.thread.is_alive() for each in asked):
            time.sleep(_LOOK)
            yield sum((each.progress for each in asked), own)
        here = self._own.result
        buckets = [*here.buckets, *(bucket for each in asked for bucket in each.buckets)]
        self.result = msgspec.structs.replace(
            here,
            buckets=tuple(sorted(buckets, key=sort_buckets)),
            titles={**here.titles, **{key: title for each in asked for key, title in each.titles.items()}},
            project_names={**here.project_names, **{key: name for each in asked for key, name in each.names.items()}},
            unreadable=(*here.unreadable, *missing, *(found for each in asked for found in each.unreadable)),
        )
