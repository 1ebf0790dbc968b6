"""Takes the answers of a person on another machine, over one stream. The checks are those of answers given here.

Off unless `remote_answers` is set in the configuration here. The lease lives as long as the other side asks for requests.
"""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from atm_hooks import answers
from atm_tui.model.request import PLAN, AnswerOutcome, Arming, Decision, Request
from atm_tui.model.stream_answers import MOST_OPEN, AnswersResult, AskedRequest
from atm_tui.sources.plan import find_plan
from atm_tui.sources.request_digest import digest_request

if TYPE_CHECKING:
    from atm_tui.monitor.live import LiveMonitor

LINK_LOST = 6.0
"""Seconds without a command after which nobody counts as being there: the lease ends, and what comes later counts no more."""
LARGEST = 900 << 10
"""Bytes of a request that is sent; a longer one can't be allowed from elsewhere anyway, nor shown whole."""
_NOT_ALLOWED = "it takes no answers from other machines: set `remote_answers = true` in its configuration"
_READ_ONLY = "atm-tui is read-only there"
_NOT_INSTALLED = "its hooks don't wait for answers: run `atm-tui install --answers` there"


class AnswerDesk:
    """The answers of one stream."""

    def __init__(
        self, monitor: "LiveMonitor", *, clocks: Sequence[Callable[[], float]] = (time.monotonic, time.time)
    ) -> None:
        """`clocks`: in seconds. Several, since one stands still while the machine sleeps, and another can be set back."""
        self._monitor = monitor
        self._clocks = clocks
        self._heard = self._read_clocks()
        self._lease = ""
        self._is_guest = False
        """Whether the lease is that of another atm-tui here, which keeps it; `_lease` then only names what was asked for here."""
        self._sent: dict[str, AskedRequest] = {}
        """The requests that were sent under this lease, and are still open, by nonce."""

    def arm(self, *, takes_over: bool) -> AnswersResult:
        """Takes the lease for a person who is not here."""
        self._hear()
        self._end()
        if not self._monitor.config.remote_answers:
            return self._describe()
        problem = self._monitor.arm(True, takes_over=takes_over, patience=LINK_LOST)
        if problem is None:
            self._lease = answers.make_id()
        return self._describe(problem or "")

    def join(self) -> AnswersResult:
        """Lets a person who is not here answer while another atm-tui here is armed, as `atm-tui answer` does here."""
        self._hear()
        self._end()
        if not self._monitor.config.remote_answers or not self._is_armed_elsewhere:
            return self._describe()
        if refusal := self._monitor.refuse_caller("answer", from_elsewhere=True):
            return self._describe(refusal)
        self._lease, self._is_guest = answers.make_id(), True
        return self._describe()

    def disarm(self, lease: str) -> AnswersResult:
        """Gives the lease back, if it is this one."""
        self._hear()
        if lease == self._lease:
            self._end()
        return self._describe()

    def close(self) -> None:
        """Gives the lease back: the stream has ended."""
        self._end()

    def list_requests(self, lease: str, known: Sequence[str]) -> AnswersResult:
        """Returns what is open, with all about requests that are not `known`, and renews the lease."""
        self._hear()
        if not self._holds(lease):
            return self._describe()
        self._monitor.note_alive()
        sent = {}
        asked: list[AskedRequest] = []
        size = 0
        for nonce, request in list(self._monitor.fleet.requests.items())[:MOST_OPEN]:
            found = self._sent.get(nonce) or self._seal(request)
            if found is None:
                continue
            length = 0 if nonce in known else len(msgspec.json.encode(found))
            if length and asked and size + length > LARGEST:
                continue
            sent[nonce] = found
            if length:
                asked.append(found)
                size += length
        self._sent = sent
        return self._describe(open=tuple(sent), asked=tuple(asked))

    def answer(self, lease: str, nonce: str, seal: str, shown: str, decision: Decision) -> AnswerOutcome:
        """Gives the answer to exactly the request that was sent with this seal, and was shown like that.

        Raises OSError when it can't be written.
        """
        self._hear()
        if not self._holds(lease):
            return AnswerOutcome.GONE
        sent = self._sent.get(nonce)
        if sent is None:
            return AnswerOutcome.GONE
        if seal != sent.seal or shown != digest_request(sent.request):
            return AnswerOutcome.VOID
        fresh = self._seal(sent.request)
        if fresh is not None and fresh.seal != seal:  # its file has changed, or the plan's
            return AnswerOutcome.VOID
        asks_twice = bool(self._monitor.fleet.list_dangers(sent.request, decision))
        if self._monitor.refuse_caller("answer", asks_twice=asks_twice, from_elsewhere=True):
            return AnswerOutcome.REFUSED
        try:
            return self._monitor.answer(sent.request, decision, "stream")
        finally:
            self._heard = self._read_clocks()  # what came meanwhile has only waited

    # The lease

    def _read_clocks(self) -> list[float]:
        return [clock() for clock in self._clocks]

    def _hear(self) -> None:
        """Notes that a command came. After too long a silence, what was sent before counts no more."""
        before, self._heard = self._heard, self._read_clocks()
        silence = max(abs(now - then) for now, then in zip(self._heard, before, strict=True))
        if silence > LINK_LOST:
            self._end()

    def _holds(self, lease: str) -> bool:
        """Whether this is the lease, and neither expired nor was taken over; of a guest: whether any stands."""
        if self._lease and not (self._is_armed_elsewhere if self._is_guest else self._monitor.approvals.renew()):
            self._end()
        return bool(lease) and lease == self._lease

    @property
    def _is_armed_elsewhere(self) -> bool:
        return self._find_arming() is Arming.ELSEWHERE

    def _find_arming(self) -> Arming:
        return self._monitor.approvals.find_arming(self._monitor.reader.config_dirs)

    def _end(self) -> None:
        is_own = self._lease and not self._is_guest
        self._lease, self._is_guest, self._sent = "", False, {}
        if is_own:
            self._monitor.arm(False)

    def _describe(self, problem: str = "", **fields: Any) -> AnswersResult:
        if not self._monitor.config.remote_answers:
            return AnswersResult(state=Arming.NOT_ALLOWED, problem=_NOT_ALLOWED)
        if self._lease:
            state = Arming.ELSEWHERE if self._is_guest else Arming.ON
            return AnswersResult(state=state, lease=self._lease, **fields)
        state = self._find_arming()
        if state is Arming.ON:  # given back a moment ago
            state = Arming.OFF
        known = {Arming.READ_ONLY: _READ_ONLY, Arming.NOT_INSTALLED: _NOT_INSTALLED}.get(state)
        return AnswersResult(state=state, problem=known or problem)

    # Requests

    def _seal(self, request: Request) -> AskedRequest | None:
        """Returns what is sent of a request, sealed; None when its file is gone, or can't be sent whole."""
        monitor = self._monitor
        try:
            raw = answers.read_request(str(monitor.state_dir), request.nonce)
            plan = find_plan(request) if request.tool == PLAN else None
            made = AskedRequest(
                request=request,
                seal="",
                dangers=monitor.fleet.dangers.get(request.nonce, ()),
                risks=monitor.fleet.risks.get(request.nonce, ()),
                plan=plan[0] if plan else "",
                roots=tuple(monitor.approvals.roots.get(request.session_id, ())),
                home=monitor.home,
            )
            sealed = {"lease": self._lease, "request": raw, "shown": digest_request(request), "plan": made.plan}
            found = msgspec.structs.replace(made, seal=answers.seal_verdict(raw["secret"], sealed))
            return found if len(msgspec.json.encode(found)) <= LARGEST else None
        except (OSError, answers.UnsafeError, answers.VoidError, UnicodeEncodeError):
            return None
