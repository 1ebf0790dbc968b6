"""Follows the open requests of one other machine while this app is armed, and sends a person's answers to them.

A thread asks once a second; that also says that a person is there. What a machine says is never trusted: a request
that changes after it came can't be answered from here any more.
"""

import re
import threading
import time
from collections.abc import Callable

import msgspec

from atm_hooks.verdict import VoidError, digest_input, is_id, is_too_deep
from atm_tui.model.elsewhere import LARGEST, LONGEST
from atm_tui.model.request import PLAN, AnswerOutcome, Arming, Decision, Request
from atm_tui.model.stream_answers import MOST_OPEN, AnswersResult, AskedRequest, OutcomeResult
from atm_tui.monitor.asking import AskError, DeclinedError, NotAskedError
from atm_tui.monitor.lease_keeper import STUCK
from atm_tui.monitor.link import Link
from atm_tui.sources.request_digest import digest_request
from atm_tui.text import clean

BEAT = 1.0
"""Seconds between two questions while armed."""
REST = 5.0
"""Seconds between two looks while not armed."""
PATIENCE = 8.0
"""Seconds to wait for a reply: the machine gives one answer at a time, and waits some seconds for its outcome."""
RECLAIM = 20.0
"""Seconds after a cut in which the lease there may still be that of the last connection."""
MOST_REQUESTS = 2000
"""Requests under one lease, after which it is given up: no person answers that many."""
MOST_REASONS = 50
_SESSION = re.compile(r"[A-Za-z0-9][\w.-]{0,127}", re.ASCII)


class OpenRequest(msgspec.Struct, frozen=True):
    """A request as it came, and as one of ours."""

    asked: AskedRequest
    request: Request
    lease: str


class MachineAnswers:
    """The answers to requests of one machine."""

    def __init__(self, link: Link, now: Callable[[], float], on_change: Callable[[], None]) -> None:
        """`now`: epoch seconds. `on_change` is called in the thread of this object."""
        self.name = link.name
        self.link = link
        self._now = now
        self._on_change = on_change
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._is_known = threading.Event()
        self._has_begun = self._ended = False
        self._arming: Arming | None = None
        self._problem = ""
        self._wanted = False
        """Whether the person has armed this app."""
        self._takes_over = self._joins = False
        """Whether to take the lease even from another app there; whether to answer under that app's, and take none."""
        self._given_up = False
        """Whether to try no more until the person arms again, or the link is made anew."""
        self._reclaim_until = 0.0
        self._alive_at = time.monotonic()
        self._lease = ""
        self._unused = ""
        """A lease to give back."""
        self._open: dict[str, OpenRequest] = {}
        """The open requests by their nonces there."""
        self._seen: dict[str, tuple[str, str]] = {}
        """Seal and digest of each request that came under this lease, by nonce."""
        self._sealed: dict[str, str] = {}
        """Their nonces by seal."""
        self._void: set[str] = set()
        """Nonces of requests that were answered, or have changed after they came."""
        self._thread = threading.Thread(target=self._run, name=f"answers of {self.name}", daemon=True)

    def start(self) -> None:
        """Begins to ask; does nothing when it has begun."""
        if not self._has_begun:
            self._has_begun = True
            self._thread.start()

    def join(self) -> None:
        """Begins, once started, to answer under the lease of another atm-tui there: as a command does, which takes none itself."""
        self._is_known.clear()
        with self._lock:
            self._wanted = self._joins = True
        self._wake.set()

    def wait_known(self, timeout: float) -> None:
        """Waits, after `join`, until all that is open is known, or why nothing can be answered; at most `timeout` seconds."""
        self._is_known.wait(timeout)

    def ask_state(self, patience: float) -> None:
        """Asks whether answers are taken there, and waits for the reply. Not after `start`."""
        if self.link.is_live:
            try:
                self._note_state(self.link.asker.ask("requests", AnswersResult, patience))
            except AskError as error:
                self._arming, self._problem = Arming.NOT_ALLOWED, str(error)

    def stop(self) -> None:
        """Ends; sends nothing more."""
        self._ended = True
        self._wake.set()

    def want(self, on: bool) -> None:
        """Arms or disarms: from now on, at once where it disarms."""
        with self._lock:
            self._wanted = self._takes_over = on
            self._given_up = False
            if not on:
                self._drop_lease()
        self.note_alive()
        self._wake.set()

    def hurry(self) -> None:
        """Asks at once, if it is armed."""
        if self._lease:
            self._wake.set()

    def note_alive(self) -> None:
        """Records that the app's event loop runs."""
        self._alive_at = time.monotonic()

    @property
    def state(self) -> tuple[Arming | None, str]:
        """Whether answers are taken there, and why not."""
        if not self.link.is_live:
            return None, ""
        arming = Arming.OFF if self._arming is Arming.ON and not self._lease else self._arming
        return arming, self._problem

    def list_requests(self) -> list[OpenRequest]:
        """Returns the open requests; none while there is no link."""
        with self._lock:
            return [each for each in self._open.values() if self._lease] if self.link.is_live else []

    def answer(self, request: Request, decision: Decision) -> AnswerOutcome:
        """Sends the answer to a request as it was shown, and waits for its outcome."""
        nonce = request.own_nonce
        with self._lock:
            found, lease = self._open.get(nonce), self._lease
            if not self.link.is_live:
                return AnswerOutcome.NOT_SENT
            if found is None and self._was_settled(request):
                return AnswerOutcome.ELSEWHERE
            if found is None or nonce in self._void or found.lease != lease:
                return AnswerOutcome.GONE
            if found.request != request:
                return AnswerOutcome.VOID
            self._void.add(nonce)
        shown = digest_request(found.asked.request)
        fields = {"lease": lease, "nonce": nonce, "seal": found.asked.seal, "shown": shown, "decision": decision}
        try:
            outcome = self.link.asker.ask("answer", OutcomeResult, PATIENCE, **fields).outcome
        except NotAskedError:
            outcome = AnswerOutcome.NOT_SENT
        except (DeclinedError, UnicodeEncodeError):
            outcome = AnswerOutcome.VOID
        except AskError:
            outcome = AnswerOutcome.UNKNOWN
        if outcome is AnswerOutcome.REFUSED:
            outcome = AnswerOutcome.REFUSED_THERE
        if outcome in (
            AnswerOutcome.VOID,
            AnswerOutcome.REFUSED_THERE,
            AnswerOutcome.NOT_SENT,
        ):  # it may be answered again
            self._void.discard(nonce)
        self._wake.set()
        return outcome

    def _was_settled(self, request: Request) -> bool:
        """Whether a request that was open under this lease is so no more, though its hook would still wait."""
        nonce, lease = request.own_nonce, self._lease
        is_ours = bool(lease) and request.nonce == self._name(nonce) and nonce in self._seen
        return is_ours and nonce not in self._void and self._now() < request.until

    # The thread

    def _run(self) -> None:
        while not self._ended:
            before = self.state, self.list_requests()
            try:
                self._step()
            except AskError as error:
                self._lose(None, str(error) if self.link.is_live else "")
            except Exception as error:  # noqa: BLE001  whatever a machine sends, nothing of it counts then
                self._lose(None, f"a fault in atm-tui: {type(error).__name__}")
            if (self.state, self.list_requests()) != before:
                self._on_change()
            self._wake.wait(BEAT if self._wanted or self._arming is None else REST)
            self._wake.clear()

    def _step(self) -> None:
        if not self.link.is_live:
            self._lose(None, "")
            return
        with self._lock:
            unused, self._unused = self._unused, ""
            lease, known = self._lease, [each for each in self._open if each not in self._void]
            arms = self._wanted and not lease and not self._given_up
            takes_over, self._takes_over = self._takes_over and arms, False
        if unused:
            self._note_state(self._ask("disarm", lease=unused))
        if arms:
            self._take_lease(self._ask("join") if self._joins else self._ask("arm", takes_over=takes_over))
        elif lease and (self._joins or time.monotonic() - self._alive_at <= STUCK):
            self._take_requests(lease, self._ask("requests", lease=lease, known=known[:MOST_OPEN]))
        elif not lease:
            self._note_state(self._ask("requests"))

    def _ask(self, command: str, **fields: object) -> AnswersResult:
        return self.link.asker.ask(command, AnswersResult, PATIENCE, **fields)

    def _note_state(self, result: AnswersResult) -> None:
        self._arming, self._problem = result.state, clean(result.problem)[:300]

    def _take_lease(self, result: AnswersResult) -> None:
        with self._lock:
            self._note_state(result)
            if not is_id(result.lease):
                waits = result.state is Arming.ELSEWHERE and time.monotonic() < self._reclaim_until
                self._given_up = not waits
                self._is_known.set()
                return
            if not self._wanted:  # disarmed meanwhile
                self._unused = result.lease
                return
            self._lease, self._open, self._seen, self._sealed, self._void = result.lease, {}, {}, {}, set()
        self._wake.set()

    def _take_requests(self, lease: str, result: AnswersResult) -> None:
        with self._lock:
            if self._lease != lease:
                return
            self._note_state(result)
            if result.lease != lease:  # expired, or taken over
                self._given_up = result.state is Arming.ELSEWHERE
                self._reclaim_until = time.monotonic() + RECLAIM
                self._lease, self._open = "", {}
                self._is_known.set()
                return
            still, seen = set(result.open[:MOST_OPEN]), len(self._seen)
            self._open = {nonce: each for nonce, each in self._open.items() if nonce in still}
            for asked in result.asked[:MOST_OPEN]:
                self._take_request(asked)
            if len(self._seen) > MOST_REQUESTS:
                self._drop_lease()
                self._given_up, self._problem = True, f"it sent more than {MOST_REQUESTS:,} requests"
            if self._given_up or len(self._seen) == seen:
                self._is_known.set()
            elif not self._is_known.is_set():  # there may be more than one reply holds
                self._wake.set()

    def _take_request(self, asked: AskedRequest) -> None:
        """Takes one that is new. One that changed after it came is void, and so is another one with the same seal."""
        nonce = asked.request.nonce
        if not _is_sound(asked):
            return
        mark = (asked.seal, digest_request(asked.request) + asked.plan)
        before = self._seen.setdefault(nonce, mark)
        twin = self._sealed.setdefault(asked.seal, nonce)
        if before != mark or twin != nonce:
            for each in (nonce, twin):
                self._void.add(each)
                self._open.pop(each, None)
            self._problem = "it changed a request after it was shown: answer that one there"
            return
        if nonce not in self._void and len(self._open) < MOST_OPEN:
            self._open[nonce] = OpenRequest(asked, self._adopt(asked), self._lease)

    def _adopt(self, asked: AskedRequest) -> Request:
        """Returns a request as one of ours: with names that no other machine can take, by our clock, without a path to read."""
        given, ahead = asked.request, self.link.ahead
        adds_plan = given.tool == PLAN and asked.plan and not given.input.get("plan")
        return msgspec.structs.replace(
            given,
            nonce=self._name(given.nonce),
            session_id=f"{self.name}:{given.session_id}",
            at=given.at - ahead,
            until=given.until - ahead,
            input={**given.input, "plan": asked.plan} if adds_plan else given.input,
            transcript_path="",
        )

    def _name(self, nonce: str) -> str:
        """Returns the nonce here of a request there."""
        return f"{self.name}:{self._lease[:8]}:{nonce}"

    def _lose(self, arming: Arming | None, problem: str) -> None:
        """There is no link any more: nothing that came counts."""
        with self._lock:
            if self._lease:
                self._reclaim_until = time.monotonic() + RECLAIM
            self._arming, self._problem, self._lease, self._unused, self._open = arming, problem, "", "", {}
            self._given_up = False
        self._is_known.set()

    def _drop_lease(self) -> None:
        if self._lease:
            self._unused = self._lease
        self._lease, self._open = "", {}


def _is_sound(asked: AskedRequest) -> bool:
    """Whether a request is one that can be shown and named."""
    given = asked.request
    try:
        return (
            is_id(given.nonce)
            and is_id(asked.seal, 64)
            and bool(_SESSION.fullmatch(given.session_id))
            and not is_too_deep(given.input)
            and not is_too_deep(list(given.suggestions))
            and given.digest == digest_input(given.input)
            and all(abs(at) < LARGEST for at in (given.at, given.until))
            and len(asked.dangers) <= MOST_REASONS
            and all(len(each) <= MOST_REASONS for each in asked.risks)
            and all(len(text) <= LONGEST for text in (given.key, given.tool, given.cwd, *asked.dangers))
        )
    except VoidError:
        return False
