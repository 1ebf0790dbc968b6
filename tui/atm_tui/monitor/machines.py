"""The sessions of other machines: a link to each, and the sessions of all of them, as ours."""

import atexit
import sys
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from atm_tui.model.elsewhere import adopt
from atm_tui.model.fleet_server import FleetServer
from atm_tui.model.host import Host
from atm_tui.model.machine import LinkState, Machine
from atm_tui.model.session import Session, Unreadable
from atm_tui.monitor.answers_elsewhere import AnswersElsewhere
from atm_tui.monitor.asking import AskError
from atm_tui.monitor.elsewhere import ElsewhereReader
from atm_tui.monitor.link import Link, LinkUpdate

if TYPE_CHECKING:
    from atm_tui.cost.report import UsageSource
    from atm_tui.monitor.nats_link import NatsLink

T = TypeVar("T")

COUNTED = 1.0
"""Seconds between two looks while a machine is silent: its age is shown."""


class Machines:
    """Follows other machines, which may become others. Links begin with `start`."""

    def __init__(
        self,
        hosts: Mapping[str, Host],
        now: Callable[[], float],
        *,
        make_fleet: "Callable[[Callable[[], None]], NatsLink] | None" = None,
        reached: Mapping[str, Host] = MappingProxyType({}),
        keeps_fleet: bool = False,
    ) -> None:
        """`hosts`: by name; `now`: the wall clock in epoch seconds.

        `make_fleet`: makes the link to a server with a whole fleet, and calls what it is given on each change; what
        a link to one host sends takes precedence. `reached`: how machines of that fleet are reached, by name. `keeps_fleet`:
        whether it is that of the command line, which the configuration does not change.
        """
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
        self._fleet = make_fleet(self._on_change) if make_fleet else None
        self._keeps_fleet = keeps_fleet
        self._reached = reached
        self._updates: dict[str, LinkUpdate] = {}
        """The last of each machine, by name."""
        self._of_fleet: dict[str, LinkUpdate] = {}
        """The same of the fleet, also of machines that have a link of their own."""
        self._unlinked: set[str] = set()
        """Names of machines that had a link of their own, or were of another fleet, until the last `refresh`."""
        self._has_started = self._has_settled = False

    def follow(self, hosts: Mapping[str, Host]) -> None:
        """Follows these machines from now on: links to others end, new ones begin with `start`."""
        kept = {each.name: each for each in self._links if hosts.get(each.name) == each.host}
        for link in self._links:
            if link.name not in kept:
                link.stop()
                self._unlinked.add(link.name)
        added = {name: Link(name, host, self._now, self._on_change) for name, host in hosts.items() if name not in kept}
        self._links = [{**kept, **added}[name] for name in hosts]
        self._waiting = [each for each in (*self._waiting, *added.values()) if each in self._links]
        self.hosts = dict(hosts)
        self.answers.follow(self._links)

    def follow_config(self, hosts: Mapping[str, Host], before: Mapping[str, Host]) -> None:
        """Follows the machines of a configuration in place of those `before`; what the command line named besides goes on."""
        given = {name: host for name, host in self.hosts.items() if name not in before and name not in hosts}
        self.follow({**hosts, **given})

    def follow_server(self, server: FleetServer, state_dir: Path) -> None:
        """Follows the fleet of this server from now on, or of none; `state_dir`: the user's, whose sessions are here already."""
        if self._keeps_fleet:
            return
        if self._fleet:
            self._fleet.stop()
        self._unlinked |= self._of_fleet.keys()
        self._of_fleet, self._fleet = {}, None
        if server.nats:
            from atm_tui.monitor.nats_link import make_link  # noqa: PLC0415  most users have no fleet

            self._fleet = make_link(server, state_dir, self._now, self._on_change)
            if self._has_started:
                self._fleet.start()

    def start(self) -> None:
        """Begins to connect where that has not begun."""
        if not self._has_started:
            self._has_started = True
            atexit.register(self.stop)
            if self._fleet:
                self._fleet.start()
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
        if (fleet := self._fleet) is not None:
            return fleet.ask(name, command, kind, **fields)
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
        """Waits until each machine has sent everything, or its first try has failed; at most `timeout` seconds in total."""
        until = time.monotonic() + timeout
        for each in (*self._links, *([self._fleet] if self._fleet else ())):
            each.wait_settled(max(0.0, until - time.monotonic()))

    def join_usage(self, own: "UsageSource") -> "UsageSource":
        """Returns the usage of this machine, and of all others that can be asked, as one."""
        from atm_tui.monitor.usage_elsewhere import UsageOfMachines  # noqa: PLC0415  rarely needed

        asked = {link.name for link in self._links}
        return UsageOfMachines(own, lambda: tuple(each for each in self.machines if each.name in asked), self._ask)

    def stop(self) -> None:
        """Ends all links."""
        self.reader.stop()
        self.answers.stop()
        for each in (*self._links, *([self._fleet] if self._fleet else ())):
            each.stop()

    def mark_seen(self, session_id: str, at: float) -> None:
        """Records that the user looked at a session at `at` (epoch seconds)."""
        self._seen[session_id] = at
        self._looked.add(session_id)

    def refresh(self, settle: float = 0.0) -> set[str]:
        """Takes what the links have read; returns the ids of the sessions that differ, came or went.

        `settle`: seconds for which the first call waits until all is known; without any, a large fleet comes in portions.
        """
        if settle and not self._has_settled:
            self.wait_settled(settle)
        self._has_settled = True
        looked, self._looked = self._looked, set()
        links, hosts = self._links, self.hosts
        updates = [link.take() for link in links]
        updates += [each for each in self._take_fleet(whole=settle > 0) if each.machine.name not in hosts]
        changed: set[str] = set()
        for each in updates:
            self.reader.others.extend({"machine": each.machine.name, **other} for other in each.others)
            self.has_news |= bool(each.others)
            changed |= self._take_in(each, looked)
        for key in looked - changed:
            name, _, there = key.partition(":")
            if (last := self._updates.get(name)) is not None and there in last.sessions:
                changed |= self._take_in(msgspec.structs.replace(last, changed=frozenset()), looked)
        names = [*hosts, *sorted(self._updates.keys() - hosts.keys())]
        known = [self._updates[name] for name in names if name in self._updates]
        self.machines = tuple(self.answers.describe(each.machine) for each in known)
        self.unreadable = tuple(
            msgspec.structs.replace(file, path=f"{each.machine.name}:{file.path}")
            for each in known
            for file in each.unreadable
        )
        self.answers.hurry({key.partition(":")[0] for key in changed})
        return changed

    def _take_fleet(self, *, whole: bool) -> list[LinkUpdate]:
        """Returns what is new of the fleet, and of machines that have no link of their own any more."""
        found: list[LinkUpdate] = []
        if self._fleet:
            found = self._fleet.take(sys.maxsize) if whole else self._fleet.take()
        for each in found:
            if each.is_gone:
                self._of_fleet.pop(each.machine.name, None)
            else:
                self._of_fleet[each.machine.name] = each
        unlinked, self._unlinked = self._unlinked, set()
        for name in unlinked - self.hosts.keys():
            gone = LinkUpdate(Machine(name=name), {}, None, is_gone=True)
            found.append(msgspec.structs.replace(self._of_fleet.get(name, gone), changed=None))
        return found

    def _take_in(self, update: LinkUpdate, looked: Collection[str]) -> set[str]:
        """Takes in what is new of one machine; returns the ids here of the sessions that differ, came or went."""
        machine = update.machine
        host = self.hosts.get(machine.name) or self._reached.get(machine.name) or Host()
        prefix = f"{machine.name}:"
        last = self._updates.get(machine.name)
        before = last.sessions if last else {}
        if update.is_gone:
            self._updates.pop(machine.name, None)
        else:
            self._updates[machine.name] = update
        differing = set(update.sessions.keys() | before.keys() if update.changed is None else update.changed)
        differing |= {key.removeprefix(prefix) for key in looked if key.startswith(prefix)}
        is_same_clock = last is not None and last.machine.ahead == machine.ahead
        for there in differing:
            key, given = prefix + there, update.sessions.get(there)
            if given is None:
                self.sessions.pop(key, None)
                continue
            old, ours = before.get(there), self.sessions.get(key)
            self.sessions[key] = adopt(
                given,
                machine.name,
                host,
                ahead=machine.ahead,
                silent_since=machine.silent_since,
                seen_at=self._seen.get(key, 0.0),
                unknown=update.unknown.get(there),
                before=(old, ours) if is_same_clock and old is not None and ours is not None else None,
            )
        if last is not None and last.machine.silent_since != machine.silent_since:
            for there in update.sessions.keys() - differing:  # nothing else of these is new
                known = self.sessions.get(prefix + there)
                if known is not None and known.elsewhere is not None:
                    where = msgspec.structs.replace(known.elsewhere, silent_since=machine.silent_since)
                    self.sessions[prefix + there] = msgspec.structs.replace(known, elsewhere=where)
                differing.add(there)
        return {prefix + there for there in differing}

    @property
    def alarms(self) -> tuple[str, ...]:
        """What is wrong with the server of a fleet."""
        return self._fleet.notices if self._fleet else ()

    @property
    def notices(self) -> tuple[str, ...]:
        """What has to be changed on a machine, and what atm-tui warns of there."""
        refused = [f"{each.name}: {each.problem}." for each in self.machines if each.link is LinkState.REFUSED]
        return (*refused, *(f"{each.name}: {notice}" for each in self.machines for notice in each.notices))
