"""Sets options of the tmux pane in which the client runs, `@meta.claude.*`, for the user's tmux status line and scripts.

Only with --tmux in the command. The pane is $TMUX_PANE, never the one that has the focus. The hook doesn't wait for tmux.
The last options are stored in STATE/panes/ID, so that a tool event which changes nothing does not start tmux.
"""

import posix

from atm_hooks import journal
from atm_hooks.codec import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Event = dict[str, Any]

PREFIX = "@meta.claude."
_STOPS = (
    *("SessionStart", "Stop", "StopFailure", "PermissionRequest", "Elicitation"),
    *("permission_prompt", "elicitation_dialog", "idle_prompt"),
)


_TOOL_EVENTS = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch")
FOLDER = "panes"
_LOCK_SECONDS = 0.2
_SIZE = 64 * 1024


def build_options(event: "Event", state: "Event | None" = None) -> "dict[str, str | None]":
    """Returns the options that an event sets, by their name after PREFIX; None removes an option.

    session_id, session_id_set_on, session_dir, status (running | stopped), latest_hook_event, latest_hook_time. An event of a
    subagent does not change the session's status. Of `state`, the session's state with this event: state, reason and since.
    """
    kind, at = event["event"], f"{event['at']:.0f}"
    options: dict[str, str | None] = {"latest_hook_event": kind, "latest_hook_time": at}
    if kind in ("SessionStart", "UserPromptSubmit", "Stop", "StopFailure", "SessionEnd", "SubagentStop"):
        options["session_id"], options["session_id_set_on"] = event["session_id"], at
    if kind == "Notification":
        options["latest_hook_event"] = f"Notification-{event.get('notification_type', '')}"
    if kind == "SessionStart" and event.get("cwd"):
        options["session_dir"] = event["cwd"]
    if state is not None:
        options.update(describe_state(state))
    if event.get("agent_id"):
        return options
    if kind in ("UserPromptSubmit", "PostToolUse"):
        options["status"] = "running"
    elif kind in _STOPS or event.get("notification_type") in _STOPS:
        options["status"] = "stopped"
    elif kind == "SessionEnd":
        options["status"] = None
    return options


def describe_state(state: "Event") -> "dict[str, str | None]":
    """Returns state (needs_you | working | idle), reason (why it needs you, or interrupted) and since (epoch seconds).

    Each is None if there is none; all are None when the session has ended.
    """
    activity: Event = state.get("activity") or {}
    kind, since, reason, name = activity.get("kind"), activity.get("since"), None, "idle"
    waits = state.get("waits")
    if not state.get("session_active", True):
        return {"state": None, "reason": None, "since": None}
    if waits:
        name, reason, since = "needs_you", waits[0].get("reason") or "dialog", waits[0].get("since")
    elif kind == "failed":
        name, reason = "needs_you", "failed"
    elif kind in ("thinking", "tool", "compacting", "setup"):
        name, since = "working", activity.get("began") or since
    elif any(agent.get("state") == "working" for agent in (state.get("agents") or {}).values()):
        name = "working"
    elif kind == "interrupted":
        reason = "interrupted"
    return {"state": name, "reason": reason, "since": f"{since:.0f}" if since else None}


def set_options(root: str, event: "Event", state: "Event | None", environ: dict[str, str]) -> None:
    """Starts tmux to set the options of the client's pane; does nothing outside tmux. Its result is not waited for.

    `state`: the session's state with this event, as far as it is known. Raises OSError when there is no tmux to start.
    """
    socket, pane = environ.get("TMUX", "").partition(",")[0], environ.get("TMUX_PANE", "")
    if not socket or not pane:
        return
    path = f"{root}/{FOLDER}/{event['session_id']}"
    journal.make_folder(f"{root}/{FOLDER}")
    file = journal.take_lock(path, _LOCK_SECONDS)
    kept = _read_kept(file) if file is not None else {}
    if kept.get("place") != [socket, pane]:
        kept = {"place": [socket, pane], "options": {}}
    options = build_options(event, state)
    if "status" in options:
        if event["at"] < kept.get("status_at", 0):  # too late: a newer event has set the status
            del options["status"]
        else:
            kept["status_at"] = event["at"]
    lasting = {key: value for key, value in options.items() if not key.startswith("latest_")}
    changes = any(kept["options"].get(key, "") != value for key, value in lasting.items())
    if changes or event["event"] not in _TOOL_EVENTS:
        _start_tmux(socket, pane, options, environ)
        kept["options"] = {**kept["options"], **lasting}
    if file is not None:
        text = encode(kept).encode("ascii")
        posix.ftruncate(file, 0)
        posix.pwrite(file, text, 0)
        posix.close(file)


def _read_kept(file: int) -> "Event":
    try:
        kept = decode(posix.pread(file, _SIZE, 0).decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    is_sound = (
        isinstance(kept, dict)
        and isinstance(kept.get("options"), dict)
        and isinstance(kept.get("status_at", 0), (int, float))
    )
    return kept if is_sound else {}  # type: ignore[return-value]


def _start_tmux(socket: str, pane: str, options: "dict[str, str | None]", environ: dict[str, str]) -> None:
    words = ["tmux", "-S", socket]
    for name, value in options.items():
        words += ["set-option", "-pt" if value is not None else "-put", pane, PREFIX + name]
        if value is not None:
            # tmux takes a semicolon at the end of a word for the end of the command
            words.append(value[:-1] + "\\;" if value.endswith(";") else value)
        words.append(";")
    null = [(posix.POSIX_SPAWN_OPEN, fd, "/dev/null", posix.O_RDWR, 0) for fd in (0, 1, 2)]
    posix.posix_spawnp("tmux", words[:-1], environ, file_actions=null)
