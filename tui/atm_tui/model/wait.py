"""A wait: an open request for a person's answer. State file, resolve and screen use the same struct."""

from enum import StrEnum

import msgspec

from atm_tui.model.checked import Time


class Reason(StrEnum):
    """Why a session needs you, or how its last turn broke off."""

    PERMISSION = "permission"
    QUESTION = "question"
    PLAN = "plan"
    MCP = "mcp"
    DIALOG = ""
    """The client shows a dialog that no hook describes."""
    FAILED = "failed"
    INTERRUPTED = "interrupted"

    @classmethod
    def _missing_(cls, value: object) -> "Reason":  # noqa: ARG003  whatever another version wrote
        return cls.DIALOG


class Wait(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One open request for a person's answer; a session can have several at once."""

    key: str = ""
    """Identifies the request within its session: thread, tool and hash of the input."""
    agent_id: str = ""
    """The subagent that asks; empty: the main thread."""
    reason: Reason = Reason.DIALOG
    tool: str = ""
    summary: str = ""
    """The command, file, URL or question, at most 200 characters."""
    since: Time = 0.0
    """When the wait began, epoch seconds."""
