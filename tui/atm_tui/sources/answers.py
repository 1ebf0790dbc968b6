"""Lists the requests for which hooks wait, and answers them. Only atm_hooks.answers reads and writes the files themselves.

A refused file (another user's, a link, damaged) is never a request; it is reported with the reason.
"""

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from atm_hooks import answer_log, answer_sweep, answers
from atm_hooks.private import FOLDER, remove
from atm_tui.model.decoding import convert
from atm_tui.model.request import AnswerOutcome, Decision, Request
from atm_tui.model.status import GRACE
from atm_tui.model.wait import Wait
from atm_tui.sources.exists import exists
from atm_tui.sources.listing import Listing

WAIT_DELAY = 5.0
"""Seconds that a request can precede its wait in the state file, when hooks queue for the lock."""
_WRITING = 1.0
"""Seconds for which a request file may be empty, since its hook is about to write it."""
_SWEEP_INTERVAL = 1.0
"""Seconds between two removals of what dead hooks left."""
_ANSWER_TIMEOUT = 2.5
"""Seconds to wait for a hook to take its answer; it checks at least once a second."""
_POLL_INTERVAL = 0.015
"""Seconds between two looks at whether it has."""

Waits = Mapping[str, tuple[Wait, ...]]
"""The open waits by session id."""


class AnswerSource:
    """All requests in the state folder."""

    def __init__(self, state_dir: Path) -> None:
        self.requests: dict[str, Request] = {}
        """The requests for which a hook still waits, by nonce."""
        self.refused: dict[str, str] = {}
        """By the name of a file: why it is no valid request."""
        self.root = str(state_dir)
        self._listing = Listing(state_dir / FOLDER / "requests", lambda name: name.endswith(".json"))
        self._valid: dict[str, Request] = {}
        """All valid requests by nonce, also those of dead hooks."""
        self._had_wait: set[str] = set()
        """Nonces of requests whose wait has been in a state file."""
        self._without_wait: dict[str, float] = {}
        """By nonce: since when the wait is in no state file."""
        self._swept_at = float("-inf")

    @property
    def folder(self) -> Path:
        """The folder of the request files."""
        return self._listing.folder

    @property
    def error(self) -> str | None:
        """Why the folder can't be listed; None when it can."""
        return self._listing.error

    @property
    def is_empty(self) -> bool:
        """Whether the folder has no request, not even one that is refused."""
        return not self._valid and not self.refused and not self.error

    def refresh(self) -> None:
        """Reads new and changed files, and drops requests whose file or hook is gone."""
        changed, gone = self._listing.scan()
        for name in (*changed, *gone):
            self._valid.pop(name.removesuffix(".json"), None)
            self.refused.pop(name, None)
        for name in changed:
            self._read(name)
        # checked each time: a FIFO that can't be opened now may belong to a living hook
        self.requests = {nonce: request for nonce, request in self._valid.items() if _is_hook_waiting(self.root, nonce)}
        self._had_wait &= self._valid.keys()
        self._without_wait = {nonce: at for nonce, at in self._without_wait.items() if nonce in self._valid}

    def _read(self, name: str) -> None:
        nonce = name.removesuffix(".json")
        try:
            self._valid[nonce] = _make_request(answers.read_request(self.root, nonce))
        except FileNotFoundError:
            return
        except OSError as error:
            self.refused[name] = error.strerror or str(error)
            self._listing.retry(name)
        except answers.VoidError as error:
            if self._is_being_written(name):
                self._listing.retry(name)
            else:
                self.refused[name] = str(error)
        except answers.UnsafeError as error:
            self.refused[name] = str(error)

    def _is_being_written(self, name: str) -> bool:
        """Whether a hook may be about to write this file: it creates it empty, then writes it at once."""
        try:
            found = os.stat(self.folder / name)  # noqa: PTH116
        except OSError:
            return False
        return found.st_size == 0 and time.time() - found.st_mtime < _WRITING

    def remove_leftovers(self, now: float) -> None:
        """Removes what dead hooks left, at most once a second. `now`: epoch seconds."""
        if abs(now - self._swept_at) < _SWEEP_INTERVAL:
            return
        self._swept_at = now
        try:
            answer_sweep.remove_leftovers(self.root, time.time())
        except (OSError, answers.UnsafeError):  # it is tried again next time
            return

    def list_open_requests(self, waits: Waits, now: float, *, withdraws: bool) -> tuple[list[Request], float | None]:
        """Returns the open requests, and when (epoch seconds) another one may count as settled without any change; None: never.

        A request was settled elsewhere when its wait was in the state file and no longer is; `withdraws` then ends its hook,
        after the time that waits may be late. A newer wait with the same key belongs to another request.
        """
        found, due = [], None
        for nonce, request in self.requests.items():
            # wait and request have the time of the same event
            if any(
                each.key == request.key and each.since <= request.at + GRACE
                for each in waits.get(request.session_id, ())
            ):
                self._had_wait.add(nonce)
                self._without_wait.pop(nonce, None)
                found.append(request)
                continue
            had_wait = nonce in self._had_wait
            at = self._without_wait.setdefault(nonce, now) + (GRACE if had_wait else WAIT_DELAY)
            if now < at:
                due = min(at, due or at)
                if not had_wait:
                    found.append(request)
            elif withdraws:
                self._withdraw(nonce)
        return found, due

    def _withdraw(self, nonce: str) -> None:
        """Ends the hook of a request without an answer."""
        try:
            answers.withdraw_request(self.root, nonce)
        except (OSError, answers.UnsafeError):
            return


def _make_request(raw: Mapping[str, Any]) -> Request:
    """Makes the request for the app, without its secret."""
    known = {key: value for key, value in raw.items() if key in Request.__struct_fields__}
    offered = [each if isinstance(each, dict) else {"unknown": each} for each in raw["suggestions"]]
    return convert({**known, "suggestions": offered}, Request)


def give_answer(
    root: str,
    request: Request,
    decision: Decision,
    by: str,
    now: Callable[[], float],
    sleep: Callable[[float], None] = time.sleep,
) -> AnswerOutcome:
    """Answers a request as it was SHOWN, and waits at most about 4 s for the outcome.

    The request file is read again and must be the same; the answer contains the digest of the input that was shown.
    Raises OSError when the answer can't be written; then nothing of it is left.
    """
    try:
        raw = answers.read_request(root, request.nonce)
    except FileNotFoundError:
        return _explain_refusal(root, request, now())
    except (answers.UnsafeError, answers.VoidError):
        return AnswerOutcome.VOID
    if _make_request(raw) != request:
        return AnswerOutcome.VOID
    shown = {**raw, "input": request.input}
    try:
        plain = msgspec.json.decode(msgspec.json.encode(decision))
        if not answers.give_verdict(root, shown, plain, by, now()):
            return _explain_refusal(root, request, now())
    except (answers.UnsafeError, answers.VoidError, UnicodeEncodeError):
        return AnswerOutcome.VOID
    begin = time.monotonic()
    while time.monotonic() - begin < _ANSWER_TIMEOUT:
        if outcome := _find_outcome(root, request.nonce):
            return _make_outcome(outcome, request, now())
        sleep(_POLL_INTERVAL)
    try:
        if remove(root, "verdicts", f"{request.nonce}.json"):  # taken back, so that it can't count later
            return AnswerOutcome.GONE
    except (OSError, answers.UnsafeError):
        return AnswerOutcome.VOID
    sleep(1.0)
    outcome = _find_outcome(root, request.nonce)
    if outcome is None and not _is_hook_waiting(
        root, request.nonce
    ):  # the hook took the answer, but could not write its log
        return AnswerOutcome.GONE
    return _make_outcome(outcome or "void", request, now())


def _find_outcome(root: str, nonce: str) -> str | None:
    """Returns the outcome of the last answer in the hook's log; None: nothing yet."""
    for line in reversed(read_log(root)):
        if line.get("nonce") == nonce:
            return str(line.get("outcome"))
    return None


def _make_outcome(outcome: str, request: Request, now: float) -> AnswerOutcome:
    if outcome == "given":
        return AnswerOutcome.GIVEN
    if "too late" in outcome:
        return AnswerOutcome.GONE if now >= request.until else AnswerOutcome.ELSEWHERE
    return AnswerOutcome.VOID


def _explain_refusal(root: str, request: Request, now: float) -> AnswerOutcome:
    """Finds out why a request can't be answered any more: it was answered elsewhere, or its hook is gone."""
    if _find_outcome(root, request.nonce) == "given":
        return AnswerOutcome.ELSEWHERE
    # a hook ends early when the request is withdrawn, or when the client ends it; a killed one leaves its file
    left = exists(answers.locate_request(root, request.nonce))
    ended = not left and now < request.until and answers.find_lease(root, now) is not None
    return AnswerOutcome.ELSEWHERE if ended or _is_hook_waiting(root, request.nonce) else AnswerOutcome.GONE


def _is_hook_waiting(root: str, nonce: str) -> bool:
    """Whether the hook of a request lives and waits; False when that can't be found out."""
    try:
        return answers.is_hook_alive(root, nonce)
    except (OSError, answers.UnsafeError):
        return False


def read_log(root: str) -> list[dict[str, Any]]:
    """Returns all answers in the log, oldest first; none when it can't be read."""
    try:
        return answer_log.read_lines(root)
    except (OSError, answers.UnsafeError):
        return []
