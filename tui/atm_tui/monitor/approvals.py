"""Answers requests from this process: holds the lease, lists the open requests, and finds their risks."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from atm_hooks import answers
from atm_tui import paths
from atm_tui.config import Config
from atm_tui.model.request import AnswerOutcome, Arming, Decision, Request
from atm_tui.model.session import Session
from atm_tui.monitor.caller import Attempt
from atm_tui.monitor.lease_keeper import LeaseKeeper
from atm_tui.monitor.risk_checker import Check, RiskChecker, Risks
from atm_tui.risk.rules import Rules
from atm_tui.settings.hook_report import may_answer
from atm_tui.sources.answers import AnswerSource, give_answer

_READ_ONLY = "Read-only: start without --read-only and without read_only in the configuration to answer from here."
_NOT_INSTALLED = "The hooks don't wait for answers: run `atm-tui install --answers` to switch that on."


class Approvals:
    """Gives a person's answers. Off until a person arms it; never answers by itself."""

    def __init__(
        self,
        state_dir: Path,
        config: Config,
        now: Callable[[], float],
        *,
        on_change: Callable[[], object] | None = None,
        refusal: str | None = None,
        refuse_caller: Callable[[Attempt], str | None],
    ) -> None:
        """`on_change`: called from another thread when pending risks are known, or the lease is lost: it is time to refresh.

        None, for a command that refreshes once: `list_open_requests` then waits for all risks.

        `refuse_caller`: as CallerCheck.refuse. `refusal`: why nothing can be answered here, as in a demo; None: it can.
        """
        self.arming = Arming.OFF
        self.waiting: dict[str, frozenset[str]] = {}
        """By session id: the keys of the waits for which a hook waits for an answer from here."""
        self.sweeps = False
        """Whether to remove what dead hooks and apps left, as an open app does."""
        self._source = AnswerSource(state_dir)
        own = (str(state_dir), str(paths.find_data_dir()))
        self._risk_checker = RiskChecker(make_check(config.build_danger_rules(), own), on_change)
        self._risks: dict[str, Risks] = {}
        self._root = str(state_dir)
        self._config = config
        self._now = now
        self._refusal = refusal
        self._refuse_caller = refuse_caller
        self._lease = LeaseKeeper(self._root, on_change)

    @property
    def folder(self) -> Path:
        """The folder of requests."""
        return self._source.folder

    @property
    def is_empty(self) -> bool:
        """Whether there is no request at all, not even one that is refused."""
        return self._source.is_empty

    @property
    def dangers(self) -> dict[str, tuple[str, ...]]:
        """By nonce: the reasons to confirm a yes to the request; empty where nothing looks dangerous."""
        return {nonce: risks.request for nonce, risks in self._risks.items()}

    @property
    def risks(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """By nonce: the same for each of its suggestions."""
        return {nonce: risks.suggestions for nonce, risks in self._risks.items()}

    @property
    def notices(self) -> list[str]:
        """Problems with the files of answers, each with the next step."""
        found = [
            f"{self.folder / name}: {why}. It is not shown as a request: remove it."
            for name, why in self._source.refused.items()
        ]
        if self._source.error:
            found.append(f"{self._source.error}. Requests are not shown: make the folder yours alone, or remove it.")
        return found + ([self._lease.problem] if self._lease.problem else [])

    def refresh(self, config_dirs: Iterable[Path]) -> None:
        """Reads the open requests, and finds out whether answers can be taken now."""
        self.arming = self._find_arming(config_dirs)
        if self._refusal:
            return
        self._source.refresh()
        waiting: dict[str, set[str]] = {}
        for request in self._source.requests.values():
            waiting.setdefault(request.session_id, set()).add(request.key)
        self.waiting = {session_id: frozenset(keys) for session_id, keys in waiting.items()}

    # --- the lease

    def _find_arming(self, config_dirs: Iterable[Path]) -> Arming:
        if self._refusal:
            return Arming.RECORDING
        if self._config.read_only:
            return Arming.READ_ONLY
        if self._lease.is_held:
            return Arming.ON
        if answers.find_lease(self._root, self._now()):
            return Arming.ELSEWHERE
        return Arming.OFF if any(map(may_answer, config_dirs)) else Arming.NOT_INSTALLED

    def arm(self, *, on: bool, config_dirs: Iterable[Path]) -> str | None:
        """Takes or releases the lease; returns why it can't, with the next step, or None."""
        if not on:
            return self._disarm()
        if self._refusal:
            return self._refusal
        if self._config.read_only:
            return _READ_ONLY
        if not any(map(may_answer, config_dirs)):
            return _NOT_INSTALLED
        if refused := self._refuse_caller("arm"):
            return refused[:1].upper() + refused[1:]
        try:
            self._lease.take(self._config.answer_wait)
        except (OSError, answers.UnsafeError) as error:
            return f"{self.folder.parent} can't be used: {error}. Make it yours alone (chmod -R go= …), or remove it."
        self.sweeps = True
        self.arming = Arming.ON
        return None

    def _disarm(self) -> str | None:
        if not self._lease.is_held:
            return None
        self.arming = Arming.OFF
        try:
            self._lease.give_back()
        except (OSError, answers.UnsafeError) as error:
            return f"The lease can't be removed: {error}. It ends by itself within {answers.LEASE_SECONDS:.0f} s."
        return None

    def note_alive(self) -> None:
        """As in Monitor."""
        self._lease.note_alive()

    # --- the requests

    def list_open_requests(
        self, sessions: Mapping[str, Session], roots: Mapping[str, Sequence[str]]
    ) -> tuple[list[Request], float | None]:
        """As AnswerSource.list_open_requests. `sessions`: by id. `roots`: by session id the folders that count as its project."""
        now = self._now()
        if self.sweeps and not self._config.read_only and not self._refusal:
            self._source.remove_leftovers(now)
        found: list[Request] = []
        due = None
        if self._source.requests:
            waits = {key: session.waits for key, session in sessions.items()}
            found, due = self._source.list_open_requests(waits, now, withdraws=self.arming is Arming.ON)
        self._risks = self._risk_checker.check({each.nonce: (each, roots.get(each.session_id, ())) for each in found})
        return found, due

    def answer(self, request: Request, decision: Decision, by: str) -> AnswerOutcome:
        """As in Monitor."""
        if self._config.read_only or self._refusal:
            return AnswerOutcome.VOID
        if self._refuse_caller("answer"):
            return AnswerOutcome.REFUSED
        return give_answer(self._root, request, decision, by, self._now)


def make_check(rules: Rules, own: tuple[str, ...] = ()) -> Check:
    """Makes the check of requests against the built-in list and the user's own patterns. It follows links on disk.

    `own`: our own folders.
    """
    home = str(paths.find_home())

    def check(request: Request, roots: Sequence[str]) -> Risks:
        # Loaded with the first request: the tables take longer to load than the rest of the monitor.
        from atm_tui.risk.requests import find_dangers  # noqa: PLC0415
        from atm_tui.risk.suggestions import find_suggestion_dangers  # noqa: PLC0415

        return Risks(
            find_dangers(request, roots, home, rules, os.path.realpath, own),
            find_suggestion_dangers(request, roots, home, rules, own),
        )

    return check
