"""Sets options of the tmux pane in which the client runs, `@meta.claude.*`, for the user's tmux status line and scripts.

Only with --tmux in the command. The pane is $TMUX_PANE, never the one that has the focus. The hook doesn't wait for tmux.
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


def build_options(event: "Event") -> "dict[str, str | None]":
    """Returns the options that an event sets, by their name after PREFIX; None removes an option.

    session_id, session_id_set_on, session_dir, status (running | stopped), latest_hook_event, latest_hook_time. An event of a
    subagent does not change the session's status.
    """
    kind, at = event["event"], f"{event['at']:.0f}"
    options: dict[str, str | None] = {"latest_hook_event": kind, "latest_hook_time": at}
    if kind in ("SessionStart", "UserPromptSubmit", "Stop", "StopFailure", "SessionEnd", "SubagentStop"):
        options["session_id"], options["session_id_set_on"] = event["session_id"], at
    if kind == "Notification":
        options["latest_hook_event"] = f"Notification-{event.get('notification_type', '')}"
    if kind == "SessionStart" and event.get("cwd"):
        options["session_dir"] = event["cwd"]
    if event.get("agent_id"):
        return options
    if kind in ("UserPromptSubmit", "PostToolUse"):
        options["status"] = "running"
    elif kind in _STOPS or event.get("notification_type") in _STOPS:
        options["status"] = "stopped"
    elif kind == "SessionEnd":
        options["status"] = None
    return options


def set_options(event: "Event", environ: dict[str, str]) -> None:
    """Starts tmux to set the options of the client's pane; does nothing outside tmux. Its result is not waited for.

    Raises OSError when there is no tmux to start.
    """
    socket, pane = environ.get("TMUX", "").partition(",")[0], environ.get("TMUX_PANE", "")
    if not socket or not pane:
        return
    words = ["tmux", "-S", socket]
    for name, value in build_options(event).items():
        words += ["set-option", "-pt" if value is not None else "-put", pane, PREFIX + name]
        if value is not None:
            # tmux takes a semicolon at the end of a word for the end of the command
            words.append(value[:-1] + "\\;" if value.endswith(";") else value)
        words.append(";")
    import posix

    null = [(posix.POSIX_SPAWN_OPEN, fd, "/dev/null", posix.O_RDWR, 0) for fd in (0, 1, 2)]
    posix.posix_spawnp("tmux", words[:-1], environ, file_actions=null)
