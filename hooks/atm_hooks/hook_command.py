"""What a hook does: reads one event from stdin and records it; where answering is switched on, waits for a person's answer."""

import posix

from atm_hooks import journal, payload
from atm_hooks.stdin import read_stdin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_EDGES = ("PermissionRequest", "Elicitation", "Stop", "StopFailure")
_ASKING_TOOLS = ("AskUserQuestion", "ExitPlanMode", "EnterPlanMode")
_ASKING_NOTIFICATIONS = ("permission_prompt", "worker_permission_prompt", "elicitation_dialog")


def run(arguments: list[str], started: float) -> None:
    """Records the event on stdin. `started`: when the hook started, in epoch seconds.

    `arguments`: the name of the program, the state folder, and options. Raises UnsafeError or OSError when the folder can't
    be used, LookupError without one; all other errors are written to hook.log.
    """
    root, options, started = arguments[1].rstrip("/"), arguments[2:], round(started, 4)
    journal.prepare_folders(root)
    posix.umask(0o077)
    try:
        raw = read_stdin(payload.SIZE)
        event = payload.parse_event(raw, started, journal.read_environ())
        if event["event"] in ("SessionStart", "UserPromptSubmit"):
            from atm_hooks import proc

            event.update(proc.read_facts(event, journal.load_state(root, event["session_id"])))
        is_folded, state = journal.record_and_load(root, event)
        if not is_folded and journal.load_newer_state(root, event["session_id"]) is None:
            late = f"the lock of {event['session_id']} was not free in time"
            journal.write_log(root, started, f"{late}; {event['event']} is folded with the next event")
        if "--tmux" in options:
            from atm_hooks import panes

            panes.set_options(root, event, state, journal.read_environ())
        if "--notify" in options and _may_notify(event):
            from atm_hooks import notifier

            notifier.start_notifier(root, options[options.index("--notify") + 1], event, posix.environ)
        if (
            event["event"] == "PermissionRequest"
            and "--answers" in options
            and posix.access(f"{root}/answers/lease", posix.F_OK)
        ):
            from atm_hooks import answer_wait

            answer_wait.ask_app(root, raw, event)
    except payload.RefusedError as error:
        journal.write_log(root, started, f"refused: {error}")
    except Exception as error:
        journal.write_log(root, started, f"{type(error).__name__}: {error}")


def _may_notify(event: "dict[str, Any]") -> bool:
    """Returns whether something that is worth a notification may begin with this event."""
    kind = event["event"]
    if kind == "PreToolUse":
        return event.get("tool") in _ASKING_TOOLS
    if kind == "Notification":
        return event.get("notification_type") in _ASKING_NOTIFICATIONS
    return kind in _EDGES
