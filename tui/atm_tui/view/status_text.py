"""Describes what a session or an agent does or waits for: the table of reasons, and the function for a wait."""

import msgspec

from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.session import Liveness, Note, NoteKind, Session
from atm_tui.model.wait import Reason, Wait
from atm_tui.text import clean, format_count


class ReasonWords(msgspec.Struct, frozen=True):
    """The words for one reason, short and long."""

    name: str
    spoken: str
    """The object of "the session needs you for …"."""
    sentence: str = ""
    """A sentence without its subject, which is who asks."""
    sentence_with_tool: str = ""
    """The same with the name of the tool; if empty, `sentence` is used."""


REASONS = {
    Reason.PERMISSION: ReasonWords("permission", "permission", "asks for permission", "wants to run {tool}"),
    Reason.QUESTION: ReasonWords("question", "question", "asks"),
    Reason.PLAN: ReasonWords("plan", "a plan to approve", "has a plan to approve"),
    Reason.MCP: ReasonWords("MCP input", "MCP input", "needs input for an MCP server", "needs input for {tool}"),
    Reason.DIALOG: ReasonWords("dialog", "a dialog", "shows a dialog"),
    Reason.FAILED: ReasonWords("failed", "failed"),
    Reason.INTERRUPTED: ReasonWords("interrupted", "interrupted"),
}


class WaitText(msgspec.Struct, frozen=True):
    """The words of a wait; each view shows those that it has room for. All text is clean."""

    reason: str
    """permission | question | plan | MCP input | dialog"""
    tool: str
    """The tool of a permission; else empty, since the reason names it already."""
    summary: str
    spoken: str
    """Reason, tool and summary for a screen reader."""
    sentence: str
    """What is asked, without who asks: "wants to run Bash"."""

    @property
    def title(self) -> str:
        """Reason and tool: "permission Bash"."""
        return _join(self.reason, self.tool)

    @property
    def text(self) -> str:
        """Reason, tool and summary: "permission Bash npm test"."""
        return _join(self.reason, self.tool, self.summary)


def describe_wait(wait: Wait) -> WaitText:
    """Returns the words for what a session or an agent waits for."""
    words = REASONS[wait.reason]
    given = clean(wait.tool)
    tool = given if wait.reason is Reason.PERMISSION else ""
    summary = clean(wait.summary)
    sentence = (given and words.sentence_with_tool.format(tool=given)) or words.sentence
    return WaitText(words.name, tool, summary, _join(words.spoken, tool, summary), sentence)


_NAMES = {
    ActivityKind.UNKNOWN: "",
    ActivityKind.SETUP: "setting up",
    ActivityKind.COMPACTING: "compacting",
    ActivityKind.THINKING: "thinking",
    ActivityKind.NEW: "new",
    ActivityKind.FINISHED: "finished",
    ActivityKind.INTERRUPTED: "interrupted",
}


def describe_activity(activity: Activity) -> str:
    """Returns an activity in clean words: "Bash npm test", "2 agents", "permission Bash +1", "failed: rate limit"."""
    match activity.kind:
        case ActivityKind.TOOL:
            return _join(clean(activity.tool), clean(activity.what))
        case ActivityKind.AGENTS:
            return format_count(activity.count, "agent") if activity.count else "background agents"
        case ActivityKind.WORKFLOWS:
            return format_count(activity.count, "workflow") if activity.count else "background workflows"
        case ActivityKind.FAILED:
            return f"{REASONS[Reason.FAILED].name}: {clean(activity.what).replace('_', ' ') or 'unknown'}"
        case ActivityKind.SLEEPING:
            return f"sleeping until {clean(activity.what)}"
    if activity.kind in _NAMES:
        return _NAMES[activity.kind]
    asked = Wait(reason=activity.reason or Reason.DIALOG, tool=activity.tool)
    return describe_wait(asked).title + (f" +{activity.count - 1}" if activity.count > 1 else "")


def name_state(session: Session) -> str:
    """Returns the word for the state: needs you, working or idle; lost or ended when no process serves the session."""
    return get_state(session).replace("_", " ")


def get_state(session: Session) -> str:
    """Returns the same as one word, as scripts write it: needs_you."""
    return (session.state if session.liveness is Liveness.LIVE else session.liveness).value


def describe_queue(queued: int) -> str:
    """Describes how many prompts are queued: "+1 queued"; empty for none."""
    return f"+{queued} queued" if queued else ""


def describe_note(note: Note) -> str:
    """Returns what a source reports that was overruled."""
    match note.kind:
        case NoteKind.HOOKS:
            return f"hooks say {describe_activity(note.activity)}"
        case NoteKind.REGISTRY:
            return f"the registry says {clean(note.status)} since {note.at:.3f}"
        case NoteKind.LAST_KNOWN:
            return f"last known: {describe_activity(note.activity)}"
    return "no process serves it"


def _join(*parts: str) -> str:
    return " ".join(part for part in parts if part)
