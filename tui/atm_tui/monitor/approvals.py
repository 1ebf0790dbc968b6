"""Taking answers in this process: the lease that says so, the requests that wait, and what is dangerous in them."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from atm_hooks import answers
from atm_tui import paths
from atm_tui.config import Config
from atm_tui.model.request import Answered, Arming, Decision, Request
from atm_tui.model.session import Session
from atm_tui.risk import patterns
from atm_tui.risk.rules import dangers
from atm_tui.risk.suggestions import offer_dangers
from atm_tui.settings.answering import accepts_answers
from atm_tui.sources.answers import AnswerSource, give_answer


class Approvals:
    """Opt-in, and off until someone arms it. Nothing here ever answers by itself."""

    def __init__(self, state_dir: Path, config: Config, now: Callable[[], float]) -> None:
        self.source = AnswerSource(state_dir)
        self.arming = Arming.OFF
        self.dangers: dict[str, tuple[str, ...]] = {}
        """By nonce why a request looks dangerous."""
        self.risks: dict[str, tuple[tuple[str, ...], ...]] = {}
        """By nonce, for each suggestion, why it does."""
        self.sweeps = False
        """Whether what dead hooks and apps left is removed: an app does that as long as it is open."""
        self._root = str(state_dir)
        self._config = config
        self._rules = config.danger_rules()
        self._home = str(paths.home())
        self._now = now
        self._lease: str | None = None
        self._problem: str | None = None

    @property
    def notices(self) -> list[str]:
        """What is wrong with the files of answers, each with the next step."""
        folder = self.source.folder
        found = [
            f"{folder / name}: {why}. It is not shown as a request: remove it."
            for name, why in self.source.refused.items()
        ]
        return found + ([self._problem] if self._problem else [])

    # --- the lease

    def look(self, config_dirs: Iterable[Path]) -> None:
        """Finds out whether answers can be taken now."""
        if self._config.read_only:
            self.arming = Arming.READ_ONLY
        elif self._lease:
            self.arming = Arming.ON
        elif answers.lease(self._root, self._now()):
            self.arming = Arming.ELSEWHERE
        elif any(map(accepts_answers, config_dirs)):
            self.arming = Arming.OFF
        else:
            self.arming = Arming.NOT_INSTALLED

    def arm(self, *, on: bool, config_dirs: Iterable[Path]) -> str | None:
        """Takes the lease, or gives it back; why it can't."""
        if not on:
            return self._disarm()
        if self._config.read_only:
            return (
                "Read-only: start without --read-only and without read_only in the configuration to answer from here."
            )
        if not any(map(accepts_answers, config_dirs)):
            return "The hooks don't wait for answers: run `atm-tui install --answers` to switch that on."
        lease = answers.new_id()
        held = {"version": answers.VERSION, "id": lease, "pid": os.getpid(), "wait": self._config.answer_wait}
        try:
            answers.arm(self._root, held)
        except (OSError, answers.UnsafeError) as error:
            return f"{self.source.folder.parent} can't be used: {error}. Make it yours alone (chmod -R go= …), or remove it."
        self._lease, self._problem, self.sweeps = lease, None, True
        self.arming = Arming.ON
        return None

    def _disarm(self) -> str | None:
        lease, self._lease = self._lease, None
        if lease is None:
            return None
        self.arming = Arming.OFF
        try:
            answers.disarm(self._root, lease)
        except (OSError, answers.UnsafeError) as error:
            return f"The lease can't be removed: {error}. It ends by itself within {answers.LEASE_SECONDS:.0f} s."
        return None

    def beat(self) -> bool:
        """The heartbeat; False when the lease was lost by now."""
        if self._lease is None:
            return True
        try:
            ours = answers.beat(self._root, self._lease)
        except (OSError, answers.UnsafeError) as error:
            ours, self._problem = False, f"Not armed any more: {error}."
        if not ours:
            self._lease = None
        return ours

    # --- the requests

    def asking(self) -> dict[str, frozenset[str]]:
        """Reads requests anew; keys of waits whose hook waits for an answer, by session id."""
        self.source.refresh()
        found: dict[str, set[str]] = {}
        for request in self.source.requests.values():
            found.setdefault(request.session_id, set()).add(request.key)
        return {session_id: frozenset(keys) for session_id, keys in found.items()}

    def open(
        self, sessions: Iterable[Session], roots: Mapping[str, tuple[str, ...]]
    ) -> tuple[list[Request], float | None]:
        """As AnswerSource.open_requests. `roots`: by session id the folders that count as its project."""
        now = self._now()
        if self.sweeps and not self._config.read_only:
            self.source.sweep(now)
        if not self.source.requests:
            self.dangers, self.risks = {}, {}
            return [], None
        waits = {session.session_id: session.waits for session in sessions}
        found, due = self.source.open_requests(waits, now, withdraws=self.arming is Arming.ON)
        for each in found:
            if each.nonce not in self.dangers:
                within = roots.get(each.session_id, ())
                self.risks[each.nonce] = offer_dangers(each, within, self._home, self._rules, patterns.fitting)
                self.dangers[each.nonce] = dangers(
                    each, within, self._home, self._rules, patterns.fitting, os.path.realpath
                )
        for nonce in set(self.dangers).difference(each.nonce for each in found):
            del self.dangers[nonce], self.risks[nonce]
        return found, due

    def answer(self, request: Request, decision: Decision, by: str) -> Answered:
        """As in Monitor."""
        if self._config.read_only:
            return Answered.VOID
        return give_answer(self._root, request, decision, by, self._now)
