"""The commands of a stream by which a person on another machine answers requests, and what is replied. See docs/stream.md."""

from typing import Annotated

import msgspec

from atm_tui.model.request import AnswerOutcome, Arming, Decision, Request
from atm_tui.model.stream_commands import StreamRequest

MOST_OPEN = 200
"""Requests of one machine that can be answered from another one at the same time."""

Hex = Annotated[str, msgspec.Meta(min_length=32, max_length=64)]


class ArmCommand(StreamRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Takes the lease there, so that hooks wait for answers. It ends soon after the last `requests`."""

    takes_over: bool = False
    """Whether to take it even from another app."""


class JoinCommand(StreamRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Begins to answer under the lease of another atm-tui there, which keeps it. It ends as one of `arm` does."""


class RequestsCommand(StreamRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Says that a person is still there, and asks what is open."""

    lease: str = ""
    """That of the reply to `arm` or `join`; empty: only to learn whether answers are taken there."""
    known: Annotated[tuple[Hex, ...], msgspec.Meta(max_length=MOST_OPEN)] = ()
    """Nonces of the requests that were sent already."""


class DisarmCommand(StreamRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Gives the lease back."""

    lease: Hex


class SentDecision(Decision, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A decision from another machine: one that holds more than is known is no decision."""


class AnswerCommand(StreamRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A person's answer to one request."""

    lease: Hex
    nonce: Hex
    seal: Hex
    """As it came with the request."""
    shown: Hex
    """The digest of the request that was shown, as `digest_request` computes it."""
    decision: SentDecision


class AskedRequest(msgspec.Struct, frozen=True, kw_only=True):
    """An open request, with what a person has to know before a yes."""

    request: Request
    seal: str
    """64 hex digits that only the machine with the request's secret can make: for this request, its plan and this lease."""
    dangers: tuple[str, ...] = ()
    """Why a yes is asked for twice."""
    risks: tuple[tuple[str, ...], ...] = ()
    """The same for each suggestion."""
    plan: str = ""
    """The text of a plan that is in a file there."""
    roots: tuple[str, ...] = ()
    """The folders that count as the project."""
    home: str = ""


class AnswersResult(msgspec.Struct, frozen=True, kw_only=True):
    """Whether answers are taken, and the requests that are open."""

    state: Arming = Arming.OFF
    problem: str = ""
    """Why answers are not taken, with the next step."""
    lease: str = ""
    """Empty: the lease of the command has ended, or there was none."""
    open: tuple[str, ...] = ()
    """Nonces."""
    asked: tuple[AskedRequest, ...] = ()
    """Those that were not known; not always all at once."""


class OutcomeResult(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of an answer."""

    outcome: AnswerOutcome
