"""Checks requests for dangers in a thread, so that a slow pattern or disk doesn't delay a refresh."""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from atm_tui import paths
from atm_tui.model.request import Request

if TYPE_CHECKING:  # loaded with the first request
    from concurrent.futures import Future
    from queue import SimpleQueue

    from atm_tui.risk.rules import Rules

PATIENCE = 0.05
"""Seconds that a refresh waits for results; nearly all are known by then, so that the screen doesn't flicker."""
PENDING = "is still being checked"
"""The reason to ask twice until the result is known."""
FAILED = "could not be checked"
"""The reason to ask twice when the check itself failed."""


class Risks(NamedTuple):
    """The reasons to ask twice before a yes."""

    request: tuple[str, ...]
    """For the request itself; empty: nothing looks dangerous."""
    suggestions: tuple[tuple[str, ...], ...]
    """For each of its suggestions."""


Check = Callable[[Request, Sequence[str]], Risks]
"""Finds the risks of a request, given the folders that count as its session's project. May be slow."""

_Job = tuple[Request, Sequence[str], "Future[Risks]"]


class RiskChecker:
    """Checks each request once, and keeps the result as long as the request is open."""

    def __init__(
        self, check: Check, on_result: Callable[[], object] | None = None, patience: float | None = None
    ) -> None:
        """`on_result`: called from another thread when a result is known that `check` returned as pending.

        None: no thread; `check` then takes as long as all results need. `patience`: seconds that `check` waits at most for
        results of a thread; None: PATIENCE.
        """
        self._check = check
        self._on_result = on_result
        self._patience = patience
        self._known: dict[str, _Job] = {}
        self._jobs: SimpleQueue[_Job] | None = None
        """For the thread that checks them; None until there is one."""

    def check(self, requests: Mapping[str, tuple[Request, Sequence[str]]]) -> dict[str, Risks]:
        """Returns the risks of these requests by nonce, and forgets all others. Requests come with their project folders."""
        if not requests and not self._known:
            return {}
        from concurrent.futures import Future, wait  # noqa: PLC0415

        known, self._known = self._known, {}
        fresh: list[_Job] = []
        for nonce, (request, roots) in requests.items():
            job = known.pop(nonce, None)
            if job is None or job[:2] != (request, roots):
                fresh.append(job := (request, roots, Future()))
            self._known[nonce] = job
        for _, _, result in known.values():
            result.cancel()
        for job in fresh:
            self._start(job)
        pending = [result for _, _, result in fresh if not result.done()]
        if pending:
            wait(pending, PATIENCE if self._patience is None else self._patience)
        for result in pending:
            if self._on_result is not None and not result.done():
                result.add_done_callback(self._report)
        return {
            nonce: result.result() if result.done() else _assume_risky(request, PENDING)
            for nonce, (request, _, result) in self._known.items()
        }

    def _start(self, job: _Job) -> None:
        if self._on_result is None:
            self._run(job)
            return
        if self._jobs is None:
            from queue import SimpleQueue  # noqa: PLC0415

            self._jobs = SimpleQueue()
            # a daemon thread, so that the app can exit during a pattern that never ends
            threading.Thread(target=self._work, args=(self._jobs,), name="risks", daemon=True).start()
        self._jobs.put(job)

    def _work(self, jobs: "SimpleQueue[_Job]") -> None:
        while True:
            self._run(jobs.get())

    def _run(self, job: _Job) -> None:
        request, roots, result = job
        if not result.set_running_or_notify_cancel():
            return
        try:
            risks = self._check(request, roots)
        except Exception:  # noqa: BLE001  whatever goes wrong, a yes is asked for twice
            risks = _assume_risky(request, FAILED)
        result.set_result(risks)

    def _report(self, _: "Future[Risks]") -> None:
        if self._on_result is not None:
            self._on_result()


def _assume_risky(request: Request, reason: str) -> Risks:
    return Risks((reason,), ((reason,),) * len(request.suggestions))


def make_check(
    rules: "Rules", own: tuple[str, ...] = (), home: str = "", follow: Callable[[str], str] = os.path.realpath
) -> Check:
    """Makes the check of requests against the built-in list and the user's own patterns. It follows links on disk.

    `own`: our own folders. `home`: where another machine asks, that of the user there. `follow`: follows links in a path.
    """
    home = home or str(paths.find_home())

    def check(request: Request, roots: Sequence[str]) -> Risks:
        # Loaded with the first request: the tables take longer to load than the rest of the monitor.
        from atm_tui.risk.requests import find_dangers  # noqa: PLC0415
        from atm_tui.risk.suggestions import find_suggestion_dangers  # noqa: PLC0415

        return Risks(
            find_dangers(request, roots, home, rules, follow, own),
            find_suggestion_dangers(request, roots, home, rules, own),
        )

    return check
