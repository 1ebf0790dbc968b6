"""The wait ledger: how long sessions waited for a person, and who answered. Pure.

A wait is a request for an answer: permission, question, plan, MCP input, a dialog. A failed or finished turn waits for nobody in
this sense. Times are epoch seconds.
"""

from enum import StrEnum

import msgspec

RULE = 0.4
"""Seconds within which no person can have read and answered: another hook, a permission rule or the client's own mode did."""


class By(StrEnum):
    """Who answered."""

    HERE = "here"
    """A person, in atm-tui or through `atm-tui answer`."""
    THERE = "there"
    """A person, in the session's own pane."""
    RULE = "rule"
    UNKNOWN = ""
    """Nobody, as far as is known: the session or the agent ended, or the wait is still open."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One wait, open or over."""

    key: str
    """As in Wait."""
    since: float
    until: float | None = None
    """None: it is open."""
    by: By = By.UNKNOWN
    decision: str = ""
    """What was decided here: allow | deny | always | answer | approve; empty where it was answered elsewhere."""
    through: str = ""
    """Of an answer given here: app | shell."""
    agent_id: str = ""
    """Empty: the main thread."""
    agent: str = ""
    """The agent's name or type."""
    reason: str = ""
    tool: str = ""
    summary: str = ""

    @property
    def seconds(self) -> float | None:
        """How long it lasted; None while it is open."""
        return None if self.until is None else max(0.0, self.until - self.since)


_DECIDED = {
    "allow": "allowed",
    "deny": "denied",
    "always": "allowed from now on",
    "answer": "answered",
    "approve": "approved",
}


def asked_words(entry: Entry) -> str:
    """What was asked for, in words: "permission Bash npm test", "question Which colour?", "MCP input"."""
    reason = {"mcp": "MCP input", "": "dialog"}.get(entry.reason, entry.reason)
    tool = entry.tool if entry.reason == "permission" else ""
    return " ".join(part for part in (reason, tool, entry.summary) if part)


def answer_words(entry: Entry) -> str:
    """Who answered, in words: "allowed here", "denied from a shell", "answered there", "settled by a rule"."""
    match entry.by:
        case By.HERE:
            where = "from a shell" if entry.through == "shell" else "here"
            return f"{_DECIDED.get(entry.decision, 'answered')} {where}"
        case By.THERE:
            return "answered there"
        case By.RULE:
            return "settled by a rule"
    return "still open" if entry.until is None else "not answered"


def answer_word(entry: Entry) -> str:
    """The same in at most 14 cells: "allowed", "denied" where it was given here; else where it came from; empty: not answered."""
    if entry.by is By.HERE:
        return _DECIDED.get(entry.decision, "answered").split()[0]
    return {By.THERE: "answered there", By.RULE: "by a rule"}.get(entry.by, "")
