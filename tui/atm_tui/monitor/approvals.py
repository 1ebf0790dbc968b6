"""Answers requests from this process: holds the lease, lists the open requests, and finds their risks.

The code that reads and answers requests is loaded with the first request or lease: most commands need none.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from atm_hooks.journal import UnsafeError
from atm_hooks.private import FOLDER
from atm_tui import paths
from atm_tui.config import Config
from atm_tui.model.request import AnswerOutcome, Arming, Decision, Request
from atm_tui.model.session import Session
from atm_tui.sources.exists import exists, has_entries

if TYPE_CHECKING:
    from atm_tui.monitor.answers_elsewhere import AnswersElsewhere
    from atm_tui.monitor.caller import Attempt
    from atm_tui.monitor.lease_keeper import LeaseKeeper
    from atm_tui.monitor.risk_checker import RiskChecker, Risks
    from atm_tui.settings.kept_reports import HookReports
    from atm_tui.sources.answers import AnswerSource

_READ_ONLY = "Read-only: start without --read-only and without read_only in the configuration to answer from here."
_NOT_INSTALLED = "The hooks don't wait for answers: run `atm-tui install --answers` to switch that on."


class Approvals:
    """Gives the user's answers. Off until the user arms it; never answers by itself."""

    def __init__(
        self,
        state_dir: Path,
        config: Config,
        now: Callable[[], float],
        reports: "HookReports | None",
        *,
        on_change: Callable[[], object] | None = None,
        refusal: str | None = None,
        refuse_caller: "Callable[[Attempt], str | None]",
        elsewhere: "AnswersElsewhere | None" = None,
    ) -> None:
        """`on_change`: called from another thread when pending risks are known, or the lease is lost, so that the caller refreshes.

        None, for a command that refreshes once: `list_open_requests` then waits for all risks.

        `refuse_caller`: as CallerCheck.refuse. `refusal`: why nothing can be answered here, as in a demo; None: it can.

        `elsewhere`: the answers to requests of other machines.
        """
        self.arming = Arming.OFF
        self.waiting: dict[str, frozenset[str]] = {}
        """By session id: the keys of the waits for which a hook waits for an answer from here."""
        self.sweeps = False
        """Whether to remove what dead hooks and apps left, as an open app does."""
        self.folder = state_dir / FOLDER / "requests"
        """The folder of requests."""
        self._source: AnswerSource | None = None
        """None as long as that folder was empty."""
        self._risk_checker: RiskChecker | None = None
        """None before the first open request."""
        self._risks: dict[str, Risks] = {}
        self.roots: Mapping[str, Sequence[str]] = {}
        """By the ids of sessions that ask: the folders that count as the project."""
        self._state_dir = state_dir
        self._root = str(state_dir)
        self._config = config
        self._now = now
        self._reports = reports
        """Of the hooks in each config folder; None where nobody asks whether they wait for answers."""
        self._on_change = on_change
        self._refusal = refusal
        self._refuse_caller = refuse_caller
        self._elsewhere = elsewhere
        if elsewhere is not None:
            elsewhere.apply_config(config)
        self._lease: LeaseKeeper | None = None
        """None as long as this app was not armed."""

    @property
    def is_empty(self) -> bool:
        """Whether there is no request at all, not even one that is refused."""
        return self._source is None or self._source.is_empty

    @property
    def dangers(self) -> dict[str, tuple[str, ...]]:
        """By nonce: the reasons to confirm a yes to the request; empty where nothing looks dangerous."""
        here = {nonce: risks.request for nonce, risks in self._risks.items()}
        return here | self._elsewhere.dangers if self._elsewhere is not None else here

    @property
    def risks(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """By nonce: the same for each of its suggestions."""
        here = {nonce: risks.suggestions for nonce, risks in self._risks.items()}
        return here | self._elsewhere.risks if self._elsewhere is not None else here

    @property
    def notices(self) -> list[str]:
        """Problems with the files of answers, each with the next step."""
        source, found = self._source, []
        if source is not None:
            refused = source.refused.items()
            found = [f"{self.folder / name}: {why}. It is not shown as a request: remove it." for name, why in refused]
            if source.error:
                found.append(f"{source.error}. Requests are not shown: make the folder yours alone, or remove it.")
        return found + ([self._lease.problem] if self._lease and self._lease.problem else [])

    def refresh(self, config_dirs: Iterable[Path] | None) -> None:
        """Reads the open requests, and finds out whether hooks in these folders accept answers now; None: nobody asks that."""
        if config_dirs is not None:
            self.arming = self.find_arming(config_dirs)
        if self._refusal:
            return
        if self._source is None and not has_entries(self.folder):
            return
        source = self._open_source()
        source.refresh()
        waiting: dict[str, set[str]] = {}
        for request in source.requests.values():
            waiting.setdefault(request.session_id, set()).add(request.key)
        self.waiting = {session_id: frozenset(keys) for session_id, keys in waiting.items()}

    def _open_source(self) -> "AnswerSource":
        if self._source is None:
            from atm_tui.sources.answers import AnswerSource  # noqa: PLC0415

            self._source = AnswerSource(self._state_dir)
        return self._source

    # --- the lease

    @property
    def is_armed(self) -> bool:
        """Whether this process has the lease."""
        return self._lease is not None and self._lease.is_held

    def renew(self) -> bool:
        """Renews the lease now; returns whether this process still has it."""
        return self._lease is not None and self._lease.renew()

    def find_arming(self, config_dirs: Iterable[Path]) -> Arming:
        """Finds out whether answers can be accepted now."""
        if self._refusal:
            return Arming.RECORDING
        if self._config.read_only:
            return Arming.READ_ONLY
        if self.is_armed:
            return Arming.ON
        if self._is_leased():
            return Arming.ELSEWHERE
        return Arming.OFF if self._can_answer(config_dirs) else Arming.NOT_INSTALLED

    def _can_answer(self, config_dirs: Iterable[Path]) -> bool:
        """Whether hooks in any of these config folders wait for answers."""
        reports = self._reports
        return reports is not None and any(reports.find(folder).answers for folder in config_dirs)

    def _is_leased(self) -> bool:
        """Whether any app has the lease."""
        if not exists(f"{self._root}/{FOLDER}/lease"):
            return False
        from atm_hooks.lease import find_lease  # noqa: PLC0415

        return find_lease(self._root, self._now()) is not None

    def arm(
        self, *, on: bool, config_dirs: Iterable[Path], takes_over: bool = True, patience: float | None = None
    ) -> str | None:
        """Takes or releases the lease, here and on the other machines; returns why it can't, with the next step, or None.

        `takes_over`: whether to take it even from another app. `patience`: as LeaseKeeper.take.
        """
        problem = self._arm_here(on, config_dirs, takes_over, patience)
        there = self._elsewhere
        if there is None:
            return problem
        if on and problem is not None:
            # a machine without hooks of its own can still answer for others
            if self.find_arming(config_dirs) is not Arming.NOT_INSTALLED or not there.is_open:
                return problem
            if refused := self._refuse_caller("arm"):
                return refused[:1].upper() + refused[1:]
        there.want(on)
        return None if on else problem

    def _arm_here(self, on: bool, config_dirs: Iterable[Path], takes_over: bool, patience: float | None) -> str | None:
        if not on:
            return self._disarm()
        if self._refusal:
            return self._refusal
        if self._config.read_only:
            return _READ_ONLY
        if not self._can_answer(config_dirs):
            return _NOT_INSTALLED
        if refused := self._refuse_caller("arm"):
            return refused[:1].upper() + refused[1:]
        if not takes_over and not self.is_armed and self._is_leased():
            return "Another atm-tui is armed there."
        from atm_tui.monitor.lease_keeper import LeaseKeeper  # noqa: PLC0415

        self._lease = self._lease or LeaseKeeper(self._root, self._on_change)
        try:
            self._lease.take(self._config.answer_wait, patience)
        except (OSError, UnsafeError) as error:
            return f"{self.folder.parent} can't be used: {error}. Make it yours alone (chmod -R go= …), or remove it."
        self.sweeps = True
        self.arming = Arming.ON
        return None

    def _disarm(self) -> str | None:
        if self._lease is None or not self._lease.is_held:
            return None
        self.arming = Arming.OFF
        try:
            self._lease.give_back()
        except (OSError, UnsafeError) as error:
            from atm_hooks.lease import LEASE_SECONDS  # noqa: PLC0415

            return f"The lease can't be removed: {error}. It ends by itself within {LEASE_SECONDS:.0f} s."
        return None

    def apply_config(self, config: Config) -> None:
        """Goes on with another configuration: what is forbidden now ends at once."""
        if config.dangers != self._config.dangers:
            self._risk_checker = None
        self._config = config
        if self._elsewhere is not None:
            self._elsewhere.apply_config(config)
        if config.read_only:
            self._disarm()

    def note_alive(self) -> None:
        """As in Monitor."""
        if self._lease is not None:
            self._lease.note_alive()
        if self._elsewhere is not None:
            self._elsewhere.note_alive()

    # --- the requests

    def list_open_requests(
        self, sessions: Mapping[str, Session], roots: Mapping[str, Sequence[str]]
    ) -> tuple[list[Request], float | None]:
        """As AnswerSource.list_open_requests. `sessions`: by id. `roots`: by session id the folders that count as its project."""
        now, self.roots = self._now(), roots
        if self.sweeps and not self._config.read_only and not self._refusal:
            self._open_source().remove_leftovers(now)
        found: list[Request] = []
        due = None
        if self._source is not None and self._source.requests:
            waits = {key: session.waits for key, session in sessions.items()}
            found, due = self._source.list_open_requests(waits, now, withdraws=self.arming is Arming.ON)
        self._risks = self._find_risks({each.nonce: (each, roots.get(each.session_id, ())) for each in found})
        if self._elsewhere is not None:
            found = [*found, *self._elsewhere.list_requests()]
        return found, due

    def _find_risks(self, requests: Mapping[str, tuple[Request, Sequence[str]]]) -> "dict[str, Risks]":
        if self._risk_checker is None:
            if not requests:
                return {}
            from atm_tui.monitor.risk_checker import RiskChecker, make_check  # noqa: PLC0415

            own = (self._root, str(paths.find_data_dir()))
            self._risk_checker = RiskChecker(make_check(self._config.build_danger_rules(), own), self._on_change)
        return self._risk_checker.check(requests)

    def answer(self, request: Request, decision: Decision, by: str) -> AnswerOutcome:
        """As in Monitor."""
        if self._config.read_only or self._refusal:
            return AnswerOutcome.VOID
        if self._refuse_caller("answer"):
            return AnswerOutcome.REFUSED
        if request.machine:
            return self._elsewhere.answer(request, decision) if self._elsewhere is not None else AnswerOutcome.VOID
        from atm_tui.sources.answers import give_answer  # noqa: PLC0415

        return give_answer(self._root, request, decision, by, self._now)
