"""Makes an event from a hook's stdin. With sample.py the only place that knows Claude Code's field names.

An event is a small flat dict with keys of our own and shortened texts. It holds no contents of files, and of the
environment only the variables listed here. Unknown events and fields are kept by their name and change nothing.
This file imports little: `json` alone would take as long as a hook may.
"""

from atm_hooks.codec import Object, decode, encode_sorted
from atm_hooks.secret_signs import may_contain_secret

PROMPT = 500
"""Largest length of a prompt or of the main thread's reply."""
SUMMARY = 200
"""Largest length of a tool's input, an error, a message or an agent's reply."""
NAME = 128
"""Largest length of an id or a name."""
LIST = 50
"""Largest number of items of a list."""
_MAX_PID = 2**31 - 1
SIZE = 32 * 1024 * 1024
"""Largest size of stdin in bytes; a larger payload is refused."""

_ID = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")

EVENTS = frozenset(
    "PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit "  # noqa: SIM905
    "UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PreModelSwitch "
    "PostModelSwitch PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult "
    "ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged DirectoryAdded MessageDisplay "
    "PreSkillShellCommand".split()
)
"""All events of the client (2.1.332)."""

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
    """The payload is no event of a session; the message gives the reason, for hook.log."""


def read_text(value: object, limit: int = SUMMARY) -> str:
    """Returns a string in at most `limit` characters, without secrets and lone surrogates; "" if the value is no string.

    "…" at its end marks a cut.
    """
    if not isinstance(value, str):
        return ""
    # secrets are removed before the cut, and a little after it, so that none is cut in two and missed
    short = value[: limit + 200]
    if may_contain_secret(short):
        from atm_hooks.redact import redact  # few texts need it

        short = redact(short)
    if len(short) > limit or len(value) > limit + 200:
        short = short[: limit - 1] + "…"
    return _replace_surrogates(short)


def _replace_surrogates(given: str) -> str:
    try:
        given.encode()
    except UnicodeEncodeError:
        return given.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return given


def read_name(value: object) -> str:
    """Returns an id or a name; "" when the value is no string, too long, or holds control characters."""
    if not isinstance(value, str) or len(value) > NAME or not value.isprintable():
        return ""
    return value


def read_path(value: object) -> str:
    """Returns a file path of at most 4096 characters; "" for anything else."""
    return _replace_surrogates(value) if isinstance(value, str) and len(value) <= 4096 and "\0" not in value else ""


def read_number(value: object) -> float | int | None:
    """Returns a finite number; None for anything else, booleans included."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or abs(value) > 1e15 or value != value:  # noqa: PLR0124  NaN
        return None
    return value


def read_effort(effort: object) -> str:
    """Returns the level of effort, from an object, or from the string that older clients send."""
    return read_name(effort.get("level") if isinstance(effort, dict) else effort)


def read_client_pid(environ: dict[str, str]) -> int | None:
    """Returns the client's process id, which it gives to its hooks since 2.1.214; None for what can't be a process id."""
    pid = environ.get("CLAUDE_PID", "")
    return int(pid) if pid.isascii() and pid.isdigit() and len(pid) < 11 and 0 < int(pid) <= _MAX_PID else None


def read_session_id(value: object) -> str:
    """Returns a session id that is safe as a file name.

    Raises RefusedError for anything but 1 to 128 characters of a-z A-Z 0-9 _ and -.
    """
    if not isinstance(value, str):
        raise RefusedError("session_id is missing or no string")
    if not 0 < len(value) <= NAME or not _ID.issuperset(value):
        raise RefusedError("session_id is not 1 to 128 characters of a-z A-Z 0-9 _ -")
    return value


def hash_input(given: object) -> str:
    """Returns 16 hex digits, equal for tool inputs that are equal but for the order of their keys."""
    from _blake2 import blake2b  # most events need no hash

    try:
        text_form = encode_sorted(given)
    except RecursionError:
        text_form = ""
    return blake2b(text_form.encode("ascii", "replace"), digest_size=8).hexdigest()


def summarize_input(tool: str, given: object) -> str:
    """Returns a short line about a tool's input: its command, file, URL, pattern, question or description."""
    if not isinstance(given, dict):
        return ""
    if tool == "AskUserQuestion":
        questions = given.get("questions")
        first = questions[0] if isinstance(questions, list) and questions else None
        return read_text(first.get("question") if isinstance(first, dict) else given.get("question"))
    for key in ("command", "pattern", "url", "query", "description", "skill", "subject", "task_id"):
        if isinstance(given.get(key), str) and (key != "pattern" or tool in ("Grep", "Glob")):
            return read_text(" ".join(given[key].split()) if key == "command" else given[key])
    for key in ("file_path", "notebook_path", "path"):
        if isinstance(given.get(key), str):
            return read_text(given[key].rstrip("/").rpartition("/")[2])
    return ""


def parse_event(raw: bytes, at: float, environ: dict[str, str]) -> Object:
    """Makes an event from the stdin of a hook that started at `at` (epoch seconds).

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
    event: Object = {"at": at, "session_id": read_session_id(data.get("session_id"))}
    kind = read_name(data.get("hook_event_name"))
    if not kind:
        raise RefusedError("hook_event_name is missing or no name")
    event["event"] = kind
    _add_common_fields(event, data)
    if kind in EVENTS:
        _add_details(event, kind, data)
    strange = [key for key in data if key not in _FIELDS]
    if strange:
        event["other_fields"] = [read_name(key) for key in strange[:20] if read_name(key)]
    _add_process(event, kind, environ)
    return {key: value for key, value in event.items() if value not in ("", None)}


def _add_common_fields(event: Object, data: Object) -> None:
    for key in ("prompt_id", "permission_mode", "agent_type", "model"):
        event[key] = read_name(data.get(key))
    agent = data.get("agent_id")
    # an agent with an invalid id is still an agent: its events are not the main thread's
    event["agent_id"] = read_name(agent) or ("" if agent in (None, "") else hash_input(agent))
    for key in ("cwd", "transcript_path"):
        event[key] = read_path(data.get(key))
    event["title"] = read_text(data.get("session_title"))
    event["effort"] = read_effort(data.get("effort"))


def _add_process(event: Object, kind: str, environ: dict[str, str]) -> None:
    event["pid"] = read_client_pid(environ)
    if kind in ("SessionStart", "UserPromptSubmit"):
        event["project_dir"] = read_path(environ.get("CLAUDE_PROJECT_DIR"))
        event["entrypoint"] = read_name(environ.get("CLAUDE_CODE_ENTRYPOINT"))
        terminal = {key: read_text(environ[key]) for key in TERMINAL if environ.get(key)}
        if terminal:
            event["terminal"] = terminal


def _add_details(event: Object, kind: str, data: Object) -> None:
    if "ToolUse" in kind or kind in ("PermissionRequest", "PermissionDenied"):
        _add_tool(event, kind, data)
    elif kind == "PostToolBatch":
        calls = data.get("tool_calls")
        event["tool_use_ids"] = [
            read_name(call.get("tool_use_id"))
            for call in (calls if isinstance(calls, list) else [])[:LIST]
            if isinstance(call, dict)
        ]
    elif kind == "UserPromptSubmit":
        _add_prompt(event, data.get("prompt"))
    elif kind in ("Stop", "SubagentStop", "StopFailure"):
        event["reply"] = read_text(data.get("last_assistant_message"), SUMMARY if event["agent_id"] else PROMPT)
        event["error"] = read_name(data.get("error"))
        if isinstance(data.get("background_tasks"), list):
            tasks = data["background_tasks"]
            event["background_tasks"] = _read_background_tasks(tasks)
            if len(tasks) > LIST or any(_is_unnamed_agent(task) for task in tasks):
                event["background_partial"] = True
        crons = data.get("session_crons")
        if isinstance(crons, list) and kind == "Stop":
            event["crons"] = len(crons)
    elif kind == "Notification":
        event["notification_type"] = read_name(data.get("notification_type"))
        event["message"] = read_text(data.get("message"))
    elif kind in ("SessionStart", "SessionEnd", "PreCompact", "PostCompact", "Setup"):
        event["source"] = read_name(data.get("source"))
        event["reason"] = read_name(data.get("reason"))
        event["trigger"] = read_name(data.get("trigger"))
    elif kind in ("Elicitation", "ElicitationResult"):
        event["server"] = read_name(data.get("mcp_server_name"))
        event["message"] = read_text(data.get("message"))
        event["action"] = read_name(data.get("action"))
    elif kind in ("TaskCreated", "TaskCompleted"):
        event["task_id"] = read_name(data.get("task_id"))
        event["subject"] = read_text(data.get("task_subject"))
    elif kind == "TeammateIdle":
        event["teammate"] = read_name(data.get("teammate_name"))
    elif kind == "CwdChanged":
        event["cwd"] = read_path(data.get("new_cwd")) or event["cwd"]
    elif kind == "PostModelSwitch":
        event["model"] = read_name(data.get("to_model"))


def _add_tool(event: Object, kind: str, data: Object) -> None:
    tool, given, response = read_name(data.get("tool_name")), data.get("tool_input"), data.get("tool_response")
    event["tool"] = tool
    event["tool_use_id"] = read_name(data.get("tool_use_id"))
    event["summary"] = summarize_input(tool, given)
    if kind in ("PreToolUse", "PermissionRequest", "PermissionDenied"):
        event["hash"] = hash_input(given)
    milliseconds = read_number(data.get("duration_ms"))
    if milliseconds is not None:
        event["ran"] = milliseconds / 1000
    if kind == "PostToolUseFailure":
        event["error"] = read_text(data.get("error"))
        event["is_interrupt"] = data.get("is_interrupt") is True or None
    if not isinstance(given, dict):
        return
    if tool in ("Agent", "Task"):
        event["description"] = read_text(given.get("description"))
        event["subagent_type"] = read_name(given.get("subagent_type"))
        event["teammate"] = read_name(given.get("name"))
        if isinstance(response, dict):
            event["child"] = read_name(response.get("agentId"))
            event["child_status"] = read_name(response.get("status"))
            event["child_model"] = read_name(response.get("resolvedModel"))
    elif tool == "Bash" and isinstance(response, dict):
        event["shell"] = read_name(response.get("backgroundTaskId"))
    elif kind == "PostToolUse" and tool in ("Read", "Write", "Edit", "MultiEdit", "NotebookEdit"):
        event["file"] = read_path(given.get("file_path") or given.get("notebook_path"))
        if tool == "Write":
            event["created"] = not (isinstance(response, dict) and response.get("type") == "update") or None


def _add_prompt(event: Object, prompt: object) -> None:
    """Adds the prompt and its kind: typed by the user, or written by the client when background agents end."""
    if prompt is None:
        event["prompt_kind"] = "unknown"
        return
    given = prompt.lstrip() if isinstance(prompt, str) else ""
    if given.startswith("<task-notification>"):
        event["prompt_kind"] = "notification"
        event["child"] = read_name(_read_tag(given, "task-id"))
        event["child_status"] = read_name(_read_tag(given, "status"))
        return
    head, _, rest = given.partition(" ")
    if head.isdecimal() and rest.startswith(("background agent was stopped by", "background agents were stopped by")):
        event["prompt_kind"] = "stopped"
        return
    event["prompt_kind"] = "human"
    event["prompt"] = read_text(given, PROMPT)


def _read_tag(given: str, tag: str) -> str:
    start = given.find(f"<{tag}>")
    end = given.find(f"</{tag}>", start)
    return given[start + len(tag) + 2 : end].strip() if 0 <= start < end else ""


def _read_background_tasks(tasks: list[object]) -> list[dict[str, str]]:
    """Returns the first LIST tasks, without those that have no id."""
    found = []
    for task in tasks[:LIST]:
        if isinstance(task, dict) and read_name(task.get("id")):
            item = {key: read_name(task.get(key)) for key in ("id", "type", "status", "agent_type")}
            item["description"] = read_text(task.get("description"))
            found.append({key: value for key, value in item.items() if value})
    return found


def _is_unnamed_agent(task: object) -> bool:
    """Whether a task without an id may be an agent: then a list that does not name an agent does not say that it is over."""
    return (
        isinstance(task, dict) and not read_name(task.get("id")) and task.get("type") in (None, "subagent", "teammate")
    )
