"""Pane options for tmux: `@meta.claude.*` of the pane in which the client runs, for status lines and scripts of others.

Only with --tmux in the command. Set on $TMUX_PANE by its id, never on the pane that has the focus; nobody waits for tmux.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Event = dict[str, Any]

PREFIX = "@meta.claude."
_STOPS = (
    *("SessionStart", "Stop", "StopFailure", "PermissionRequest", "Elicitation"),
    *("permission_prompt", "elicitation_dialog", "idle_prompt"),
)


def options(event: "Event") -> "dict[str, str | None]":
    """The options that an event sets, by their name behind PREFIX; None takes one away.

    session_id, session_id_set_on, session_dir, status (running | stopped), latest_hook_event, latest_hook_time. An event of a
    subagent says nothing of the session's status.
    """
    kind, at = event["event"], f"{event['at']:.0f}"
    told: dict[str, str | None] = {"latest_hook_event": kind, "latest_hook_time": at}
    if kind in ("SessionStart", "UserPromptSubmit", "Stop", "StopFailure", "SessionEnd", "SubagentStop"):
        told["session_id"], told["session_id_set_on"] = event["session_id"], at
    if kind == "Notification":
        told["latest_hook_event"] = f"Notification-{event.get('notification_type', '')}"
    if kind == "SessionStart" and event.get("cwd"):
        told["session_dir"] = event["cwd"]
    if event.get("agent_id"):
        return told
    if kind in ("UserPromptSubmit", "PostToolUse"):
        told["status"] = "running"
    elif kind in _STOPS or event.get("notification_type") in _STOPS:
        told["status"] = "stopped"
    elif kind == "SessionEnd":
        told["status"] = None
    return told


def mark(event: "Event", environ: dict[str, str]) -> None:
    """Has tmux set the options of the client's pane. Nothing outside tmux; what tmux says or fails at is not waited for.

    Raises OSError when there is no tmux to start.
    """
    socket, pane = environ.get("TMUX", "").partition(",")[0], environ.get("TMUX_PANE", "")
    if not socket or not pane:
        return
    words = ["tmux", "-S", socket]
    for name, value in options(event).items():
        words += ["set-option", "-pt" if value is not None else "-put", pane, PREFIX + name]
        if value is not None:
            # a semicolon at the end of a word would end the command
            words.append(value[:-1] + "\\;" if value.endswith(";") else value)
        words.append(";")
    import posix

    null = [(posix.POSIX_SPAWN_OPEN, fd, "/dev/null", posix.O_RDWR, 0) for fd in (0, 1, 2)]
    posix.posix_spawnp("tmux", words[:-1], environ, file_actions=null)
