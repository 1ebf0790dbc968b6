"""A wait with its end: who answered, and when. Times are epoch seconds."""

from enum import StrEnum

import msgspec

from atm_tui.model.wait import Wait

RULE_SECONDS = 0.4
"""Seconds too short for a person to answer: another hook, a permission rule or the client's mode did."""


class AnsweredBy(StrEnum):
    """Who answered."""

    HERE = "here"
    """A person, in atm-tui or by `atm-tui answer`."""
    THERE = "there"
    """A person, in the session's own pane."""
    RULE = "rule"
    UNKNOWN = ""
    """Nobody, as far as known: the session or the agent ended, or the wait is still open."""


class WaitRecord(msgspec.Struct, frozen=True, kw_only=True):
    """An open or ended wait."""

    wait: Wait
    agent: str = ""
    """Name or type of the subagent that asks; empty: the main thread."""
    until: float | None = None
    """When it ended; None: it is open."""
    by: AnsweredBy = AnsweredBy.UNKNOWN
    decision: str = ""
    """What was decided here: allow | deny | always | answer | approve; empty where it was answered elsewhere."""
    through: str = ""
    """Where it was answered here: app | shell; else empty."""

    @property
    def name(self) -> tuple[str, float]:
        """Identifies the wait within its session: key, and when it began."""
        return self.wait.key, self.wait.since

    @property
    def seconds(self) -> float | None:
        """Its duration in seconds; None while it is open."""
        return None if self.until is None else max(0.0, self.until - self.wait.since)
