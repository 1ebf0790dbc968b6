"""Requests that wait in our hooks, and the way of an answer to them. Files are read and written by atm_hooks.answers alone.

What is refused there (another's file, a link, damage) is never a request here: it is told once, with the reason.
"""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from atm_hooks import answer_log, answers
from atm_hooks.private import FOLDER, remove
from atm_tui.model.request import Answered, Decision, Request
from atm_tui.model.session import Wait
from atm_tui.model.status import GRACE
from atm_tui.sources.listing import Listing

UNSEEN = 5.0
"""Seconds for which a request may be older than its wait in the state file, which is folded later when hooks queue."""
_SWEEP = 1.0
"""Seconds between two looks for what dead hooks left."""
_PATIENCE = 2.5
"""Seconds after which a hook that did not take its answer is given up: it looks once a second, woken or not."""
_LOOK = 0.015

Waits = Mapping[str, tuple[Wait, ...]]
"""The open waits by session id."""


class AnswerSource:
    """All requests in the state folder."""

    def __init__(self, state_dir: Path) -> None:
        self.requests: dict[str, Request] = {}
        """Those that can be answered, by nonce."""
        self.refused: dict[str, str] = {}
        """Why a file among them is none, by its name."""
        self.root = str(state_dir)
        self._listing = Listing(state_dir / FOLDER / "requests", lambda name: name.endswith(".json"))
        self._seen: set[str] = set()
        self._gone: dict[str, float] = {}
        self._swept_at = float("-inf")

    @property
    def folder(self) -> Path:
        """Where requests appear."""
        return self._listing.folder

    def refresh(self) -> None:
        """Reads what is new, and leaves out what has no living hook any more."""
        changed, gone = self._listing.look()
        for name in (*changed, *gone):
            self.requests.pop(name.removesuffix(".json"), None)
            self.refused.pop(name, None)
        for name in changed:
            nonce = name.removesuffix(".json")
            try:
                self.requests[nonce] = _request(answers.read_request(self.root, nonce))
            except FileNotFoundError:
                continue
            except OSError as error:
                self.refused[name] = error.strerror or str(error)
            except (answers.UnsafeError, answers.VoidError) as error:
                self.refused[name] = str(error)
        for nonce in [nonce for nonce in self.requests if not self._alive(nonce)]:
            del self.requests[nonce]
        for nonce in self._seen.difference(self.requests):
            self._seen.discard(nonce)
        for nonce in set(self._gone).difference(self.requests):
            del self._gone[nonce]

    def _alive(self, nonce: str) -> bool:
        try:
            return answers.is_alive(self.root, nonce)
        except (OSError, answers.UnsafeError):
            return False

    def sweep(self, now: float) -> None:
        """Removes what dead hooks left, now and then. `now`: epoch seconds."""
        if abs(now - self._swept_at) < _SWEEP:
            return
        self._swept_at = now
        try:
            answers.sweep(self.root, time.time())
        except (OSError, answers.UnsafeError):  # it is left, and told of as refused or not at all
            return

    def open(self, waits: Waits, now: float, *, withdraws: bool) -> tuple[list[Request], float | None]:
        """The requests that still wait, and when the mere passing of time may settle another.

        One is settled elsewhere when its wait was there and went; its hook is then told to end, where `withdraws`, after
        the time for which the waits themselves may be late. Of two waits with one key, the newer one is another request.
        """
        found, due = [], None
        for nonce, request in self.requests.items():
            # a wait begins with the very event that its request was made for
            if any(
                each.key == request.key and each.since <= request.at + GRACE
                for each in waits.get(request.session_id, ())
            ):
                self._seen.add(nonce)
                self._gone.pop(nonce, None)
                found.append(request)
                continue
            seen = nonce in self._seen
            gone = self._gone.setdefault(nonce, now)
            at = gone + (GRACE if seen else UNSEEN)
            if now < at:
                due = min(at, due or at)
                if not seen:
                    found.append(request)
            elif withdraws:
                self._withdraw(nonce)
        return found, due

    def _withdraw(self, nonce: str) -> None:
        try:
            answers.withdraw(self.root, nonce)
        except (OSError, answers.UnsafeError):
            return


def _request(raw: Mapping[str, Any]) -> Request:
    """A request for the app, without its secret."""
    known = {key: value for key, value in raw.items() if key in Request.__struct_fields__}
    offered = [each if isinstance(each, dict) else {"unknown": each} for each in raw["suggestions"]]
    return msgspec.convert({**known, "suggestions": offered}, Request)


def give(
    root: str,
    request: Request,
    decision: Decision,
    by: str,
    now: Callable[[], float],
    sleep: Callable[[float], None] = time.sleep,
) -> Answered:
    """Gives an answer to a request as it was SHOWN, and waits until it is known what became of it.

    The file is read again and must say the same; the answer names the digest of the input that was shown. Raises OSError
    when it can't be written; nothing of it is left then.
    """
    try:
        raw = answers.read_request(root, request.nonce)
    except FileNotFoundError:
        return _settled(root, request, now())
    except (answers.UnsafeError, answers.VoidError):
        return Answered.VOID
    if _request(raw) != request:
        return Answered.VOID
    shown = {**raw, "input": request.input}
    try:
        told = msgspec.json.decode(msgspec.json.encode(decision))
        if not answers.give(root, shown, told, by, now()):
            return _settled(root, request, now())
    except (answers.UnsafeError, answers.VoidError, UnicodeEncodeError):
        return Answered.VOID
    begin = time.monotonic()
    while time.monotonic() - begin < _PATIENCE:
        if outcome := _outcome(root, request.nonce):
            return _named(outcome, request, now())
        sleep(_LOOK)
    try:
        if remove(root, "verdicts", f"{request.nonce}.json"):  # taken back: it can't become a yes later
            return Answered.GONE
    except (OSError, answers.UnsafeError):
        return Answered.VOID
    sleep(1.0)
    outcome = _outcome(root, request.nonce)
    if outcome is None and not _waits(root, request.nonce):  # taken, and nothing could be written down
        return Answered.GONE
    return _named(outcome or "void", request, now())


def _outcome(root: str, nonce: str) -> str | None:
    """What the hook wrote of the last answer to a request; None: nothing yet."""
    for line in reversed(read_log(root)):
        if line.get("nonce") == nonce:
            return str(line.get("outcome"))
    return None


def _named(outcome: str, request: Request, now: float) -> Answered:
    if outcome == "given":
        return Answered.GIVEN
    if "too late" in outcome:
        return Answered.GONE if now >= request.until else Answered.ELSEWHERE
    return Answered.VOID


def _settled(root: str, request: Request, now: float) -> Answered:
    """Why a request takes no answer any more: someone was first, or nobody hears it."""
    if _outcome(root, request.nonce) == "given":
        return Answered.ELSEWHERE
    waits = _waits(root, request.nonce)
    # a hook ends before its time when it is withdrawn, or when the client ends it; one that was killed leaves its file
    left = Path(answers.request_path(root, request.nonce)).exists()
    ended = not left and now < request.until and answers.lease(root, now) is not None
    return Answered.ELSEWHERE if waits or ended else Answered.GONE


def _waits(root: str, nonce: str) -> bool:
    try:
        return answers.is_alive(root, nonce)
    except (OSError, answers.UnsafeError):
        return False


def read_log(root: str) -> list[dict[str, Any]]:
    """All answers that are still recorded, oldest first; none where the log can't be read."""
    try:
        return answer_log.read(root)
    except (OSError, answers.UnsafeError):
        return []
