"""The one place that knows Claude Code's field names: stdin of a hook in, an event of ours out, or a reason to refuse.

An event is a flat dict of our own words, small (texts are cut), without file contents and without anything of the
environment but the names of terminal variables listed here. Unknown events and fields are kept by name and change nothing.
The standard library's `json` costs as much to import as the whole budget of a hook, so this file imports little.
"""

from _blake2 import blake2b

from atm_hooks.codec import Object, decode, encode_sorted
from atm_hooks.redact import redact

PROMPT = 500
"""Characters kept of a prompt or of the main thread's reply."""
SUMMARY = 200
"""Characters kept of a tool's input, an error, a message or an agent's reply."""
NAME = 128
"""Characters that an id or a name may have."""
LIST = 50
"""Entries kept of a list."""
_MOST_PID = 2**31 - 1
SIZE = 32 * 1024 * 1024
"""Bytes of stdin that are looked at; a larger payload is refused."""

_ID = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")

EVENTS = frozenset(
    "PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit "  # noqa: SIM905
    "UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PreModelSwitch "
    "PostModelSwitch PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult "
    "ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged DirectoryAdded MessageDisplay "
    "PreSkillShellCommand".split()
)
"""All event names of the client's schema (2.1.332)."""

_FIELDS = frozenset(
    "session_id transcript_path cwd hook_event_name prompt_id permission_mode effort agent_id "  # noqa: SIM905
    "agent_type session_title model source reason prompt "
    "tool_name tool_input tool_response tool_use_id error error_details is_interrupt duration_ms "
    "tool_calls message title notification_type last_assistant_message background_tasks session_crons stop_hook_active "
    "agent_transcript_path trigger custom_instructions compact_summary mcp_server mcp_server_name mode requested_schema "
    "action content url elicitation_id teammate_name team_name task_id task_subject task_description old_cwd new_cwd "
    "from_model to_model requested_model permission_suggestions context_tokens seconds_since_last_response "
    "prompt_cache_likely_expired estimated_cache_write_usd prompt_cache_warm cache_ttl pricing expansion_type command_name "
    "command_args command_source file_path memory_type load_reason globs trigger_file_path parent_file_path directory "
    "turn_id message_id index final delta".split()
)

TERMINAL = (
    "TERM_PROGRAM",
    "TMUX",
    "TMUX_PANE",
    "KITTY_WINDOW_ID",
    "KITTY_LISTEN_ON",
    "WEZTERM_PANE",
    "WEZTERM_UNIX_SOCKET",
    "ITERM_SESSION_ID",
    "TERM_SESSION_ID",
    "GHOSTTY_RESOURCES_DIR",
    "ZELLIJ_SESSION_NAME",
    "ZELLIJ_PANE_ID",
    "STY",
    "WINDOW",
    "SSH_TTY",
)
"""The only variables of the client's environment that are kept, besides the client's pid and project folder."""


class RefusedError(Exception):
    """The payload is no event of a session; the text says why, for hook.log."""


def text(value: object, limit: int = SUMMARY) -> str:
    """A short text without secrets and lone surrogates; "" for anything that is no string. "…" marks a cut."""
    if not isinstance(value, str):
        return ""
    # a secret is looked for before the cut, a little past it, so that none is cut in two and missed
    short = redact(value[: limit + 200])
    if len(short) > limit or len(value) > limit + 200:
        short = short[: limit - 1] + "…"
    return _whole(short)


def _whole(given: str) -> str:
    try:
        given.encode()
    except UnicodeEncodeError:
        return given.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return given


def name(value: object) -> str:
    """An id or a name: a short text; "" when it is no string, too long, or holds control characters."""
    if not isinstance(value, str) or len(value) > NAME or not value.isprintable():
        return ""
    return value


def path(value: object) -> str:
    """A file path as it is, at most 4096 characters; "" for anything else."""
    return _whole(value) if isinstance(value, str) and len(value) <= 4096 and "\0" not in value else ""


def number(value: object) -> float | int | None:
    """A finite number, or None; a boolean is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or abs(value) > 1e15 or value != value:  # noqa: PLR0124  NaN
        return None
    return value


def level(effort: object) -> str:
    """The client's level of effort, which older clients gave without an object around it."""
    return name(effort.get("level") if isinstance(effort, dict) else effort)


def client_pid(environ: dict[str, str]) -> int | None:
    """The client's process, as it tells its hooks since 2.1.214; None for what can be no process id."""
    pid = environ.get("CLAUDE_PID", "")
    return int(pid) if pid.isascii() and pid.isdigit() and len(pid) < 11 and 0 < int(pid) <= _MOST_PID else None


def session_key(value: object) -> str:
    """A session id that is safe as a file name.

    Raises RefusedError for anything but 1 to 128 characters of a-z A-Z 0-9 _ and -.
    """
    if not isinstance(value, str):
        raise RefusedError("session_id is missing or no string")
    if not 0 < len(value) <= NAME or not _ID.issuperset(value):
        raise RefusedError("session_id is not 1 to 128 characters of a-z A-Z 0-9 _ -")
    return value


def input_hash(given: object) -> str:
    """16 hex digits that are equal for equal tool inputs, whatever the order of their keys."""
    try:
        text_form = encode_sorted(given)
    except RecursionError:
        text_form = ""
    return blake2b(text_form.encode("ascii", "replace"), digest_size=8).hexdigest()


def summary(tool: str, given: object) -> str:
    """What a tool is asked to do, in one short line: its command, file, URL, pattern, question or description."""
    if not isinstance(given, dict):
        return ""
    if tool == "AskUserQuestion":
        questions = given.get("questions")
        first = questions[0] if isinstance(questions, list) and questions else None
        return text(first.get("question") if isinstance(first, dict) else given.get("question"))
    for key in ("command", "pattern", "url", "query", "description", "skill", "subject", "task_id"):
        if isinstance(given.get(key), str) and (key != "pattern" or tool in ("Grep", "Glob")):
            return text(" ".join(given[key].split()) if key == "command" else given[key])
    for key in ("file_path", "notebook_path", "path"):
        if isinstance(given.get(key), str):
            return text(given[key].rstrip("/").rpartition("/")[2])
    return ""


def parse(raw: bytes, at: float, environ: dict[str, str]) -> Object:
    """One event from the stdin of a hook that started at `at` (epoch seconds).

    Raises RefusedError when the bytes are no JSON object with a usable session id and event name.
    """
    if not raw.strip():
        raise RefusedError("empty payload")
    if len(raw) > SIZE:
        raise RefusedError("payload over 32 MiB")
    try:
        data = decode(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"no JSON: {type(error).__name__}") from None
    if not isinstance(data, dict):
        raise RefusedError("no JSON object")
    event: Object = {"at": at, "session_id": session_key(data.get("session_id"))}
    kind = name(data.get("hook_event_name"))
    if not kind:
        raise RefusedError("hook_event_name is missing or no name")
    event["event"] = kind
    _common(event, data)
    if kind in EVENTS:
        _details(event, kind, data)
    strange = [key for key in data if key not in _FIELDS]
    if strange:
        event["other_fields"] = [name(key) for key in strange[:20] if name(key)]
    _process(event, kind, environ)
    return {key: value for key, value in event.items() if value not in ("", None)}


def _common(event: Object, data: Object) -> None:
    for key in ("prompt_id", "permission_mode", "agent_id", "agent_type", "model"):
        event[key] = name(data.get(key))
    for key in ("cwd", "transcript_path"):
        event[key] = path(data.get(key))
    event["title"] = text(data.get("session_title"))
    event["effort"] = level(data.get("effort"))


def _process(event: Object, kind: str, environ: dict[str, str]) -> None:
    event["pid"] = client_pid(environ)
    if kind in ("SessionStart", "UserPromptSubmit"):
        event["project_dir"] = path(environ.get("CLAUDE_PROJECT_DIR"))
        event["entrypoint"] = name(environ.get("CLAUDE_CODE_ENTRYPOINT"))
        terminal = {key: text(environ[key]) for key in TERMINAL if environ.get(key)}
        if terminal:
            event["terminal"] = terminal


def _details(event: Object, kind: str, data: Object) -> None:
    if "ToolUse" in kind or kind in ("PermissionRequest", "PermissionDenied"):
        _tool(event, kind, data)
    elif kind == "PostToolBatch":
        calls = data.get("tool_calls")
        event["tool_use_ids"] = [
            name(call.get("tool_use_id"))
            for call in (calls if isinstance(calls, list) else [])[:LIST]
            if isinstance(call, dict)
        ]
    elif kind == "UserPromptSubmit":
        _prompt(event, data.get("prompt"))
    elif kind in ("Stop", "SubagentStop", "StopFailure"):
        event["reply"] = text(data.get("last_assistant_message"), SUMMARY if event["agent_id"] else PROMPT)
        event["error"] = name(data.get("error"))
        if "background_tasks" in data:
            event["background_tasks"] = _background(data["background_tasks"])
        crons = data.get("session_crons")
        if isinstance(crons, list) and kind == "Stop":
            event["crons"] = len(crons)
    elif kind == "Notification":
        event["notification_type"] = name(data.get("notification_type"))
        event["message"] = text(data.get("message"))
    elif kind in ("SessionStart", "SessionEnd", "PreCompact", "PostCompact", "Setup"):
        event["source"] = name(data.get("source"))
        event["reason"] = name(data.get("reason"))
        event["trigger"] = name(data.get("trigger"))
    elif kind in ("Elicitation", "ElicitationResult"):
        event["server"] = name(data.get("mcp_server_name"))
        event["message"] = text(data.get("message"))
        event["action"] = name(data.get("action"))
    elif kind in ("TaskCreated", "TaskCompleted"):
        event["task_id"] = name(data.get("task_id"))
        event["subject"] = text(data.get("task_subject"))
    elif kind == "TeammateIdle":
        event["teammate"] = name(data.get("teammate_name"))
    elif kind == "CwdChanged":
        event["cwd"] = path(data.get("new_cwd")) or event["cwd"]
    elif kind == "PostModelSwitch":
        event["model"] = name(data.get("to_model"))


def _tool(event: Object, kind: str, data: Object) -> None:
    tool, given, response = name(data.get("tool_name")), data.get("tool_input"), data.get("tool_response")
    event["tool"] = tool
    event["tool_use_id"] = name(data.get("tool_use_id"))
    event["summary"] = summary(tool, given)
    if kind in ("PreToolUse", "PermissionRequest", "PermissionDenied"):
        event["hash"] = input_hash(given)
    milliseconds = number(data.get("duration_ms"))
    if milliseconds is not None:
        event["ran"] = milliseconds / 1000
    if kind == "PostToolUseFailure":
        event["error"] = text(data.get("error"))
        event["is_interrupt"] = data.get("is_interrupt") is True or None
    if not isinstance(given, dict):
        return
    if tool in ("Agent", "Task"):
        event["description"] = text(given.get("description"))
        event["subagent_type"] = name(given.get("subagent_type"))
        event["teammate"] = name(given.get("name"))
        if isinstance(response, dict):
            event["child"] = name(response.get("agentId"))
            event["child_status"] = name(response.get("status"))
            event["child_model"] = name(response.get("resolvedModel"))
    elif tool == "Bash" and isinstance(response, dict):
        event["shell"] = name(response.get("backgroundTaskId"))
    elif kind == "PostToolUse" and tool in ("Read", "Write", "Edit", "MultiEdit", "NotebookEdit"):
        event["file"] = path(given.get("file_path") or given.get("notebook_path"))
        if tool == "Write":
            event["created"] = not (isinstance(response, dict) and response.get("type") == "update") or None


def _prompt(event: Object, prompt: object) -> None:
    """A person's prompt, or one that the client writes itself when background agents end."""
    given = prompt.lstrip() if isinstance(prompt, str) else ""
    if given.startswith("<task-notification>"):
        event["prompt_kind"] = "notification"
        event["child"] = name(_tag(given, "task-id"))
        event["child_status"] = name(_tag(given, "status"))
        return
    head, _, rest = given.partition(" ")
    if head.isdecimal() and rest.startswith(("background agent was stopped by", "background agents were stopped by")):
        event["prompt_kind"] = "stopped"
        return
    event["prompt_kind"] = "human"
    event["prompt"] = text(given, PROMPT)


def _tag(given: str, tag: str) -> str:
    start = given.find(f"<{tag}>")
    end = given.find(f"</{tag}>", start)
    return given[start + len(tag) + 2 : end].strip() if 0 <= start < end else ""


def _background(tasks: object) -> list[dict[str, str]]:
    found = []
    for task in (tasks if isinstance(tasks, list) else [])[:LIST]:
        if isinstance(task, dict) and name(task.get("id")):
            item = {key: name(task.get(key)) for key in ("id", "type", "status", "agent_type")}
            item["description"] = text(task.get("description"))
            found.append({key: value for key, value in item.items() if value})
    return found
