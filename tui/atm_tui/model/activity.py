"""What a session or an agent does: a typed value. Words are made of it in view/ alone; nothing ever parses them."""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from atm_tui.model.wait import Reason, Wait


class ActivityKind(StrEnum):
    """What it does, waits for, or how its last turn ended."""

    UNKNOWN = ""

    SETUP = "setup"
    COMPACTING = "compacting"
    THINKING = "thinking"
    TOOL = "tool"
    AGENTS = "agents"
    """Its own turn is over; its background agents work."""
    WORKFLOWS = "workflows"

    PERMISSION = "permission"
    QUESTION = "question"
    PLAN = "plan"
    MCP = "mcp"
    DIALOG = "dialog"

    NEW = "new"
    FINISHED = "finished"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    SLEEPING = "sleeping"

    @classmethod
    def _missing_(cls, value: object) -> "ActivityKind":  # noqa: ARG003  whatever another version wrote
        return cls.UNKNOWN


TURN_OVER = frozenset({ActivityKind.NEW, ActivityKind.FINISHED, ActivityKind.FAILED, ActivityKind.INTERRUPTED})
"""What the main thread does while no turn of its own runs."""

_REASONS = {
    ActivityKind.PERMISSION: Reason.PERMISSION,
    ActivityKind.QUESTION: Reason.QUESTION,
    ActivityKind.PLAN: Reason.PLAN,
    ActivityKind.MCP: Reason.MCP,
    ActivityKind.DIALOG: Reason.DIALOG,
    ActivityKind.FAILED: Reason.FAILED,
    ActivityKind.INTERRUPTED: Reason.INTERRUPTED,
}
_KINDS = {reason: kind for kind, reason in _REASONS.items()}


class Activity(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is done, in which tool, with what, and how many do it."""

    kind: ActivityKind = ActivityKind.UNKNOWN
    tool: str = ""
    """The tool that runs, or that a wait is about."""
    what: str = msgspec.field(default="", name="summary")
    """Of a tool or a wait: its command, file, URL or question. FAILED: the client's name of the error. SLEEPING: until when."""
    count: int = 0
    """Agents or workflows that work (0: not known how many), or open waits."""

    @property
    def reason(self) -> Reason | None:
        """Why a person is needed, or how the turn broke off; None where neither is so."""
        return _REASONS.get(self.kind)


def make_wait_activity(waits: Sequence[Wait]) -> Activity:
    """The activity of a thread that waits: of the first wait (there must be one), with the number of all."""
    first = waits[0]
    return Activity(kind=_KINDS[first.reason], tool=first.tool, what=first.summary, count=len(waits))
