"""Compares, ten times a second, what atm-tui says of a client with the client's own registry and with what a script knows."""

import asyncio
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from atm_tui.config import Config
from atm_tui.model.session import Liveness, Session, State
from atm_tui.model.wait import Reason
from atm_tui.monitor.live import LiveMonitor
from atm_tui.view.status_text import describe_activity, describe_note, describe_wait
from tests.client.client import Client
from tests.client.sandbox import Sandbox

TICK = 0.1
"""Seconds between two samples."""
LIMIT = 1.0
"""Seconds for which two parties may differ on a machine that does nothing else."""
STARTS = 50
"""The same as a number of bare starts of Python, for a machine that is busy."""
_WORDS = {"busy": State.WORKING, "waiting": State.NEEDS_YOU, "idle": State.IDLE, "shell": State.IDLE}


@dataclass(frozen=True)
class KnownState:
    """What the script knows to be so of one session from `at` (epoch seconds) on."""

    at: float
    step: str
    session_id: str
    facts: dict[str, Any]
    """state, liveness: a word, or several that will do. detail, name: a regular expression of it all. waits: their words, with
    the asking agent's description before. agents: states by description; those that are not named may be anything.
    shells: a number."""


@dataclass
class Difference:
    """A stretch of samples in which atm-tui and another party did not say the same. Times are epoch seconds."""

    party: str
    step: str
    began: float
    ended: float
    words: str

    @property
    def seconds(self) -> float:
        return self.ended - self.began

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s against the {self.party} in {self.step}: {self.words}"


def compare_with_registry(record: dict[str, Any], session: Session | None) -> list[str]:
    """Describes how the session differs from the client's registry."""
    said = record.get("status")
    if said not in _WORDS:
        return []
    if session is None or session.liveness is not Liveness.LIVE:
        return [f"the registry has {said}, atm-tui {session.liveness if session else 'no such session'}"]
    failed = session.reason is Reason.FAILED and _WORDS[said] is State.IDLE  # the registry knows no failure
    if session.state is _WORDS[said] or failed:
        return []
    return [f"the registry says {said} {record.get('waitingFor') or ''}, atm-tui {describe_session(session)}"]


def describe_session(session: Session) -> str:
    """Describes a session in one line, with its evidence."""
    evidence = session.evidence
    reason = f"{evidence.source} {evidence.event} {describe_note(evidence.note) if evidence.note else ''}".strip()
    return f"{session.state} {describe_activity(session.activity)!r} since {session.since:.2f} ({reason} at {evidence.at:.2f})"


def describe_waits(session: Session) -> list[str]:
    """Describes the open waits."""
    names = {agent.agent_id: agent.description for agent in session.agents}
    return sorted(f"{names.get(wait.agent_id, '')} {describe_wait(wait).title}".strip() for wait in session.waits)


def compare_with_script(known: KnownState, session: Session | None) -> list[str]:
    """Describes how the session differs from what the script knows."""
    if session is None:
        return ["atm-tui shows no such session"]
    found = []
    for field, want in known.facts.items():
        have: Any
        if field in ("state", "liveness"):
            have, same = (session.state if field == "state" else session.liveness).value, None
            same = have in ((want,) if isinstance(want, str) else want)
        elif field in ("detail", "name"):
            have = describe_activity(session.activity) if field == "detail" else session.name
            same = bool(re.fullmatch(want, have))
        elif field == "waits":
            have = describe_waits(session)
            same = have == sorted(want)
        elif field == "agents":
            have = {agent.description: agent.state.value for agent in session.agents}
            same = all(have.get(key) in ((state,) if isinstance(state, str) else state) for key, state in want.items())
        else:
            have = session.background.shells
            same = have == want
        if not same:
            found.append(f"{field} is {want!r}, atm-tui says {have!r}; {describe_session(session)}")
    return found


class Oracle:
    """Follows the sandbox in one thread, as the app does, and samples in another. Use as a context manager."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.monitor = LiveMonitor(sandbox.state_dir, [sandbox.config_dir], Config())
        self.client: Client | None = None
        """The client that is looked at now."""
        self.differences: list[Difference] = []
        self.samples: dict[str, list[int]] = {"registry": [0, 0], "script": [0, 0]}
        """By party: samples, and those of them that agree."""
        self.refreshes: list[float] = []
        """Seconds that each took."""
        self.sessions: dict[str, Session] = {}
        self.error: BaseException | None = None
        self._known: KnownState | None = None
        self._agreed: KnownState | None = None
        self._open: dict[str, Difference] = {}
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._guard, args=[run], daemon=True)
            for run in (self._follow, self._watch, self._measure)
        ]
        self._starts: list[float] = []
        """Seconds that bare starts of Python took meanwhile."""

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        self.differences += self._open.values()
        if kind is None and self.error:
            raise self.error

    @property
    def limit(self) -> float:
        """Seconds for which two parties may differ on this machine as busy as it was."""
        return max(LIMIT, STARTS * max(self._starts, default=0.0))

    def expect_nothing(self) -> None:
        """Stops comparing with the script: a key was pressed, and its effect is not known yet."""
        self._known = None

    def expect(self, step: str, session_id: str, **facts: Any) -> None:
        """Sets the facts that hold from now on; returns once atm-tui agrees, or the time limit is over."""
        known = self._known = KnownState(time.time(), step, session_id, facts)
        while self._agreed is not known and time.time() < known.at + self.limit + 3 * TICK and not self.error:
            time.sleep(TICK / 4)

    def _guard(self, run: Callable[[], None]) -> None:
        try:
            run()
        except BaseException as error:  # noqa: BLE001 - raised in the test's thread
            self.error = error

    def _follow(self) -> None:
        async def loop() -> None:
            async for _ in self.monitor.watch(self._stop):
                began = time.monotonic()
                await asyncio.to_thread(self.monitor.refresh)
                self.refreshes.append(time.monotonic() - began)

        asyncio.run(loop())

    def _measure(self) -> None:
        while not self._stop.wait(1.0):
            began = time.monotonic()
            subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
            self._starts.append(time.monotonic() - began)

    def _watch(self) -> None:
        while not self._stop.is_set():
            began = time.monotonic()
            self._sample()
            self._stop.wait(max(0.0, began + TICK - time.monotonic()))

    def _sample(self) -> None:
        known, client = self._known, self.client
        record = client.read_registry() if client and client.alive else None
        self.sessions = dict(self.monitor.fleet.sessions)
        at, step = time.time(), known.step if known else "a step"
        if record and record.get("status"):
            self._note("registry", at, step, compare_with_registry(record, self.sessions.get(record["sessionId"])))
        else:
            self._close_difference("registry", at)
        if known and known is self._known:
            found = compare_with_script(known, self.sessions.get(known.session_id))
            if self._open.get("script") and self._open["script"].began < known.at:
                self._close_difference("script", at)
            self._note("script", at, known.step, found)
            if not found:
                self._agreed = known
        else:
            self._close_difference("script", at)

    def _note(self, party: str, at: float, step: str, found: list[str]) -> None:
        count = self.samples[party]
        count[0] += 1
        if not found:
            count[1] += 1
            return self._close_difference(party, at)
        difference = self._open.setdefault(party, Difference(party, step, at, at, "; ".join(found)))
        difference.ended = at
        return None

    def _close_difference(self, party: str, at: float) -> None:
        difference = self._open.pop(party, None)
        if difference:
            difference.ended = at
            self.differences.append(difference)

    def report(self) -> Iterator[str]:
        """Shares of samples that agree, and the longest differences, line by line."""
        for party, (samples, same) in self.samples.items():
            yield f"{same / max(1, samples):.2%} of {samples} samples agree with the {party}"
        took = sorted(1000 * seconds for seconds in self.refreshes)
        yield f"the limit was {self.limit:.1f} s"
        yield f"{len(took)} refreshes of {took[len(took) // 2]:.1f} ms (median), {took[-1]:.0f} ms at most"
        for difference in sorted(self.differences, key=lambda each: -each.seconds)[:6]:
            yield str(difference)
