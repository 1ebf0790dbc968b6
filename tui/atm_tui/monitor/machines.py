"""The sessions of other machines: a link to each, and what all of them tell together, as sessions of ours."""

import atexit
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from atm_tui.model.elsewhere import adopt
from atm_tui.model.host import Host
from atm_tui.model.machine import LinkState, Machine
from atm_tui.model.session import Session, Unreadable
from atm_tui.monitor.answers_elsewhere import AnswersElsewhere
from atm_tui.monitor.asking import AskError
from atm_tui.monitor.elsewhere import ElsewhereReader
from atm_tui.monitor.link import Link

if TYPE_CHECKING:
    from atm_tui.cost.report import UsageSource

T = TypeVar("T")

COUNTED = 1.0
"""Seconds between two looks while a machine is silent: its age is shown."""


class Machines:
    """Follows other machines, which may become others. Links begin with `start`."""

    def __init__(self, hosts: Mapping[str, Host], now: Callable[[], float]) -> None:
        """`hosts`: by name; `now`: the wall clock in epoch seconds."""
        self.hosts: Mapping[str, Host] = {}
        self._now = now
        self.sessions: dict[str, Session] = {}
        """By id, which begins with the name of the machine."""
        self.machines: tuple[Machine, ...] = ()
        self.unreadable: tuple[Unreadable, ...] = ()
        self._seen: dict[str, float] = {}
        """When the user looked at a session, epoch seconds; kept until the app ends."""
        self._looked: set[str] = set()
        self._nudge: Callable[[], None] | None = None
        self._links: list[Link] = []
        self._waiting: list[Link] = []
        """Links that have not begun."""
        self.answers = AnswersElsewhere((), now, self._on_change)
        self.follow(hosts)
        self.machines = tuple(Machine(name=name) for name in hosts)
        self.reader = ElsewhereReader(lambda: self.sessions, self._ask, self._find_ahead, self._note_news)
        self.has_news = False
        """Whether events have come since the last `refresh`."""
        self._has_started = self._has_settled = False

    def follow(self, hosts: Mapping[str, Host]) -> None:
        """Follows these machines from now on: links to others end, new ones begin with `start`."""
        kept = {each.name: each for each in self._links if hosts.get(each.name) == each.host}
        for link in self._links:
            if link.name not in kept:
                link.stop()
        added = {name: Link(name, host, self._now, self._on_change) for name, host in hosts.items() if name not in kept}
        self._links = [{**kept, **added}[name] for name in hosts]
        self._waiting = [each for each in (*self._waiting, *added.values()) if each in self._links]
        self.hosts = dict(hosts)
        self.answers.follow(self._links)

    def follow_config(self, hosts: Mapping[str, Host], before: Mapping[str, Host]) -> None:
        """Follows the machines of a configuration in place of those `before`; what the command line named besides goes on."""
        given = {name: host for name, host in self.hosts.items() if name not in before and name not in hosts}
        self.follow({**hosts, **given})

    def start(self) -> None:
        """Begins to connect where that has not begun."""
        if not self._has_started:
            self._has_started = True
            atexit.register(self.stop)
        begun, self._waiting = self._waiting, []
        for each in begun:
            each.start()
        self.answers.start()

    def hint(self, nudge: Callable[[], None]) -> None:
        """Sets the function that is called, in any thread, when something has changed."""
        self._nudge = nudge

    def _ask(self, name: str, command: str, kind: type[T], **fields: Any) -> T:
        """As Asker.ask, of a machine by its name."""
        for link in self._links:
            if link.name == name:
                return link.asker.ask(command, kind, **fields)
        raise AskError(f"there is no machine {name}")

    def _find_ahead(self, name: str) -> float:
        return next((each.ahead for each in self.machines if each.name == name), 0.0)

    def _note_news(self) -> None:
        self.has_news = True
        self._on_change()

    def _on_change(self) -> None:
        if self._nudge is not None:
            self._nudge()

    def wait_settled(self, timeout: float) -> None:
        """Waits until each machine has told everything, or its first try has failed; at most `timeout` seconds in total."""
        until = time.monotonic() + timeout
        for each in self._links:
            each.wait_settled(max(0.0, until - time.monotonic()))

    def join_usage(self, own: "UsageSource") -> "UsageSource":
        """Returns the usage of this machine and of all others as one."""
        from atm_tui.monitor.usage_elsewhere import UsageOfMachines  # noqa: PLC0415  rarely needed

        return UsageOfMachines(own, lambda: self.machines, self._ask)

    def stop(self) -> None:
        """Ends all links."""
        self.reader.stop()
        self.answers.stop()
        for each in self._links:
            each.stop()

    def mark_seen(self, session_id: str, at: float) -> None:
        """Records that the user looked at a session at `at` (epoch seconds)."""
        self._seen[session_id] = at
        self._looked.add(session_id)

    def refresh(self, settle: float = 0.0) -> set[str]:
        """Takes what the links have told; returns the ids of the sessions that differ, came or went.

        `settle`: seconds for which the first call waits until all is known.
        """
        if settle and not self._has_settled:
            self.wait_settled(settle)
        self._has_settled = True
        looked, self._looked = self._looked, set()
        changed: set[str] = set()
        unreadable: list[Unreadable] = []
        found: list[Machine] = []
        for link in self._links:
            told = link.take()
            machine = told.machine
            found.append(machine)
            prefix = f"{machine.name}:"
            self.reader.others.extend({"machine": machine.name, **each} for each in told.others)
            self.has_news |= bool(told.others)
            unreadable += [msgspec.structs.replace(each, path=prefix + each.path) for each in told.unreadable]
            differing = set(told.sessions if told.changed is None else told.changed)
            differing |= {key.removeprefix(prefix) for key in looked if key.startswith(prefix)}
            ours = {prefix + key for key in differing}
            if told.changed is None:
                ours |= {key for key in self.sessions if key.startswith(prefix)}
            for key in ours:
                given = told.sessions.get(key.removeprefix(prefix))
                if given is None:
                    self.sessions.pop(key, None)
                    continue
                self.sessions[key] = adopt(
                    given,
                    machine.name,
                    link.host,
                    ahead=machine.ahead,
                    silent_since=machine.silent_since,
                    seen_at=self._seen.get(key, 0.0),
                    unknown=told.unknown.get(key.removeprefix(prefix)),
                )
            changed |= ours
        gone = {key for key in self.sessions if key.partition(":")[0] not in self.hosts}
        for key in gone:
            del self.sessions[key]
        changed |= gone
        self.machines, self.unreadable = tuple(map(self.answers.describe, found)), tuple(unreadable)
        self.answers.hurry({key.partition(":")[0] for key in changed})
        return changed

    @property
    def notices(self) -> tuple[str, ...]:
        """What has to be changed on a machine, and what atm-tui warns of there."""
        refused = [f"{each.name}: {each.problem}." for each in self.machines if each.link is LinkState.REFUSED]
        return (*refused, *(f"{each.name}: {notice}" for each in self.machines for notice in each.notices))
