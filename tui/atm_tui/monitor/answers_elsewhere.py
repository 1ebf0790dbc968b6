"""Answers requests on other machines, where both sides allow it: arms them with this app, and sends what a person decides."""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from atm_tui.config import Config
from atm_tui.model.request import AnswerOutcome, Arming, Decision, Request
from atm_tui.monitor.machine_answers import MachineAnswers

if TYPE_CHECKING:
    from atm_tui.model.machine import Machine
    from atm_tui.monitor.link import Link
    from atm_tui.monitor.machine_answers import OpenRequest
    from atm_tui.monitor.risk_checker import RiskChecker, Risks


LONGEST_CHECK = 5.0
"""Seconds that a command waits for the risks of what a machine asks; what is not checked then asks twice."""


class AnswersElsewhere:
    """The answers to requests of all machines whose host has `answers`."""

    def __init__(self, links: Iterable["Link"], now: Callable[[], float], on_change: Callable[[], None]) -> None:
        """`now`: epoch seconds; `on_change` is called in any thread."""
        self._now = now
        self._on_change = on_change
        self._config = Config()
        self._checkers: dict[str, RiskChecker] = {}
        """By machine."""
        self.dangers: dict[str, tuple[str, ...]] = {}
        """By nonce: the reasons to ask twice, as of the last `list_requests`."""
        self.risks: dict[str, tuple[tuple[str, ...], ...]] = {}
        """The same for each suggestion."""
        self._machines: dict[str, MachineAnswers] = {}
        self._is_command = False
        """Whether a command answers, which refreshes once and waits for the risks."""
        self.follow(links)

    @property
    def is_open(self) -> bool:
        """Whether a machine takes answers from here, once it is armed."""
        states = {each.state[0] for each in self._machines.values()}
        return not states.isdisjoint((Arming.ON, Arming.OFF, Arming.ELSEWHERE))

    def follow(self, links: Iterable["Link"]) -> None:
        """Goes on with these links: of new ones, the machine is armed once the person arms again."""
        before, self._machines = self._machines, {}
        for link in links:
            kept = before.get(link.name)
            if link.host.answers:
                if kept is None or kept.link is not link:
                    kept = MachineAnswers(link, self._now, self._on_change)
                self._machines[link.name] = kept
        for each in before.values():
            if each not in self._machines.values():
                each.stop()
                self._checkers.pop(each.name, None)

    def start(self) -> None:
        """Begins to ask the machines whether they take answers, where that has not begun."""
        for each in self._machines.values():
            each.start()

    def ask(self, timeout: float) -> None:
        """Asks all machines once whether they take answers, without `start`; at most `timeout` seconds in total."""
        until = time.monotonic() + timeout
        for each in self._machines.values():
            each.ask_state(max(0.0, until - time.monotonic()))

    def join(self, timeout: float) -> None:
        """Lists what is open where another atm-tui is armed, for a command that answers one of these requests under its lease.

        Returns once all is known, or why nothing can be answered; after `timeout` seconds at most.
        """
        self._is_command = True
        self.start()
        for each in self._machines.values():
            each.join()
        until = time.monotonic() + timeout
        for each in self._machines.values():
            each.wait_known(max(0.0, until - time.monotonic()))

    def stop(self) -> None:
        """Ends all; the machines notice that nobody asks any more."""
        for each in self._machines.values():
            each.stop()

    def apply_config(self, config: Config) -> None:
        """Goes on with another configuration."""
        if config.dangers != self._config.dangers:
            self._checkers = {}
        self._config = config
        if config.read_only:
            self.want(False)

    def describe(self, machine: "Machine") -> "Machine":
        """Returns a machine with what is known of its answers."""
        found = self._machines.get(machine.name)
        if found is None:
            return machine
        arming, problem = found.state
        return msgspec.structs.replace(machine, arming=arming, arming_problem=problem)

    def hurry(self, machines: Iterable[str]) -> None:
        """Asks at once, since something of these machines has changed."""
        for name in machines:
            if name in self._machines:
                self._machines[name].hurry()

    def note_alive(self) -> None:
        """Records that the app's event loop runs."""
        for each in self._machines.values():
            each.note_alive()

    def want(self, on: bool) -> None:
        """Arms the machines, or disarms them."""
        for each in self._machines.values():
            each.want(on)

    # Requests

    def list_requests(self) -> list[Request]:
        """Returns the open requests of all machines, and finds out what is risky in them.

        What looks dangerous to that machine and what does to us count both: a machine can't take away what asks twice here.
        """
        found: list[Request] = []
        dangers: dict[str, tuple[str, ...]] = {}
        risks: dict[str, tuple[tuple[str, ...], ...]] = {}
        for machine in self._machines.values():
            there = machine.list_requests()
            ours = self._find_risks(machine.name, there)
            for each in there:
                nonce, theirs = each.request.nonce, each.asked.risks
                found.append(each.request)
                dangers[nonce] = _unite(each.asked.dangers, ours[nonce].request)
                risks[nonce] = tuple(
                    _unite(theirs[place] if place < len(theirs) else (), reasons)
                    for place, reasons in enumerate(ours[nonce].suggestions)
                )
        self.dangers, self.risks = dangers, risks
        return found

    def _find_risks(self, name: str, there: "Sequence[OpenRequest]") -> "dict[str, Risks]":
        checker = self._checkers.get(name)
        if checker is None:
            if not there:
                return {}
            from atm_tui.monitor.risk_checker import RiskChecker, make_check  # noqa: PLC0415  only once something is asked

            # its links lead nowhere here
            check = make_check(
                self._config.build_danger_rules(), home=there[0].asked.home or "/", follow=lambda path: path
            )
            patience = LONGEST_CHECK if self._is_command else None
            checker = self._checkers[name] = RiskChecker(check, self._on_change, patience)
        return checker.check({each.request.nonce: (each.request, each.asked.roots) for each in there})

    def answer(self, request: Request, decision: Decision) -> AnswerOutcome:
        """Gives a person's answer to a request of another machine."""
        machine = self._machines.get(request.machine)
        return machine.answer(request, decision) if machine is not None else AnswerOutcome.VOID


def _unite(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))
