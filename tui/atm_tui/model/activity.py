"""What a session or an agent does, as a typed value. Only view/ turns it into words, and no code parses these."""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from atm_tui.model.wait import Reason, Wait


class ActivityKind(StrEnum):
    """What a thread does, what it waits for, or how its last turn ended."""

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
"""The kinds of activity without a running turn of the main thread."""

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


class Activity(msgspec.Struct, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """What a thread does, with which tool and input, and how many agents or waits there are."""

    kind: ActivityKind = ActivityKind.UNKNOWN
    tool: str = ""
    """The tool that runs, or that a wait is about."""
    what: str = msgspec.field(default="", name="summary")
    """The command, file, URL or question of a tool or a wait; for FAILED the client's name of the error, for SLEEPING the time."""
    count: int = 0
    """Agents or workflows that work (0: not known how many), or open waits."""

    @property
    def reason(self) -> Reason | None:
        """Why the user is needed, or how the turn was interrupted; None if neither applies."""
        return _REASONS.get(self.kind)


def make_wait_activity(waits: Sequence[Wait]) -> Activity:
    """Makes the activity of a waiting thread: that of the first wait, with the number of all. There must be at least one."""
    first = waits[0]
    return Activity(kind=_KINDS[first.reason], tool=first.tool, what=first.summary, count=len(waits))
