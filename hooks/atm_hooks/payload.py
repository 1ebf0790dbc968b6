"""The one place that knows Claude Code's field names: stdin of a hook in, an event of ours out, or a reason to refuse.

An event is a flat dict of our own words, small (texts are cut), without file contents and without anything of the
environment but the names of terminal variables listed here. Unknown events and fields are kept by name and change nothing.
The standard library's `json` costs as much to import as the whole budget of a hook, so this file imports little.
"""

from _blake2 import blake2b

from atm_hooks.codec import decode, encode_sorted

PROMPT = 500
"""Characters kept of a prompt or a reply."""
SUMMARY = 200
"""Characters kept of a tool's input, an error or a message."""
NAME = 128
"""Characters that an id or a name may have."""
LIST = 50
"""Entries kept of a list."""
SIZE = 64 * 1024 * 1024
"""Bytes of stdin that are looked at; a larger payload is refused."""

_ID = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")

EVENTS = frozenset(
    "PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit UserPromptExpansion SessionStart "
    "SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PreModelSwitch PostModelSwitch "
    "PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult "
    "ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged DirectoryAdded MessageDisplay "
    "PreSkillShellCommand".split()
)
"""All event names of the client's schema (2.1.332)."""

_FIELDS = frozenset(
    "session_id transcript_path cwd hook_event_name prompt_id permission_mode effort agent_id agent_type session_title model "
    "source reason prompt tool_name tool_input tool_response tool_use_id error error_details is_interrupt duration_ms "
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

_SECRETS = (
    "sk-ant-", "sk-proj-", "sk-live-", "sk_live_", "rk_live_", "ghp_", "gho_", "ghs_", "ghu_", "github_pat_", "glpat-", "xoxb-",
    "xoxp-", "xapp-", "AKIA", "ASIA", "AIza", "ya29.", "npm_", "pypi-", "hf_", "dop_v1_", "SG.", "eyJhbGciOi", "-----BEGIN ",
)  # fmt: skip
_SECRET_NAMES = (
    "password",
    "passwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "authorization: ",
    "bearer ",
    "://",
)
_ENDS = frozenset(" \t\r\n\"'`;,&|<>)]}")


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
    try:
        short.encode()
    except UnicodeEncodeError:
        short = short.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return short


def redact(given: str) -> str:
    """Replaces what looks like a credential: known prefixes of tokens, `name=value` of telling names, `user:password@`."""
    for prefix in _SECRETS:
        at = given.find(prefix)
        while at >= 0:
            if prefix == "-----BEGIN ":
                return given[:at] + "[redacted]"
            end = at + len(prefix)
            while end < len(given) and given[end] not in _ENDS:
                end += 1
            if end - at - len(prefix) >= 8 and (at == 0 or not given[at - 1].isalnum()):
                given = given[:at] + "[redacted]" + given[end:]
                end = at + 10
            at = given.find(prefix, end)
    low = given.lower()
    for name in _SECRET_NAMES:
        at = low.find(name)
        while at >= 0:
            start = at + len(name)
            end = _value_end(given, name, start)
            if end:
                begin = start if name[-1] in " /" else start + 1
                if name == "authorization: " and low.startswith(("bearer ", "basic "), begin):
                    begin += 7
                    end = begin
                    while end < len(given) and given[end] not in _ENDS:
                        end += 1
                if begin < len(given) and given[begin] in "\"'":
                    begin += 1
                    end = begin
                    while end < len(given) and given[end] not in "\"'\n":
                        end += 1
                if end > begin and not given.startswith("[redacted]", begin) and given[begin] != "$":
                    given = given[:begin] + "[redacted]" + given[end:]
                    low = given.lower()
                    start = begin + 10
            at = low.find(name, start)
    return given


def _value_end(given: str, name: str, start: int) -> int:
    """Where the secret value after a telling name ends; 0 when no value follows."""
    if name == "://":
        sign = given.find("@", start, start + 200)
        word = start
        while word < len(given) and given[word] not in _ENDS and given[word] != "/":
            word += 1
        return sign if start < sign < word and ":" in given[start:sign] else 0
    if name[-1] == " " or (start < len(given) and given[start] in "=:"):
        begin = start if name[-1] == " " else start + 1
        end = begin
        while end < len(given) and given[end] not in _ENDS:
            end += 1
        quoted = begin < len(given) and given[begin] in "\"'"
        return max(end, begin + 1) if quoted or end - begin >= 4 else 0
    return 0


def name(value: object) -> str:
    """An id or a name: a short text; "" when it is no string, too long, or holds control characters."""
    if not isinstance(value, str) or len(value) > NAME or not value.isprintable():
        return ""
    return value


def path(value: object) -> str:
    """A file path, at most 4096 characters; "" for anything else."""
    if not isinstance(value, str) or len(value) > 4096 or "\0" in value:
        return ""
    return text(value, 4096)


def number(value: object) -> float | int | None:
    """A finite number, or None; a boolean is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value or abs(value) > 1e15:
        return None
    return value


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
    return blake2b(encode_sorted(given).encode("ascii", "replace"), digest_size=8).hexdigest()


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


def parse(raw: bytes, at: float, environ: dict[str, str]) -> dict[str, object]:
    """One event from the stdin of a hook that started at `at` (epoch seconds).

    Raises RefusedError when the bytes are no JSON object with a usable session id and event name.
    """
    if not raw.strip():
        raise RefusedError("empty payload")
    if len(raw) > SIZE:
        raise RefusedError("payload over 64 MiB")
    try:
        data = decode(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError, StopIteration) as error:
        raise RefusedError(f"no JSON: {type(error).__name__}") from None
    if not isinstance(data, dict):
        raise RefusedError("no JSON object")
    event: dict[str, object] = {"at": at, "session_id": session_key(data.get("session_id"))}
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


def _common(event: dict[str, object], data: dict[str, object]) -> None:
    for key in ("prompt_id", "permission_mode", "agent_id", "agent_type", "model"):
        event[key] = name(data.get(key))
    for key in ("cwd", "transcript_path"):
        event[key] = path(data.get(key))
    event["title"] = text(data.get("session_title"))
    effort = data.get("effort")
    event["effort"] = name(effort.get("level") if isinstance(effort, dict) else effort)


def _process(event: dict[str, object], kind: str, environ: dict[str, str]) -> None:
    pid = environ.get("CLAUDE_PID", "")
    if pid.isdecimal() and len(pid) < 12:
        event["pid"] = int(pid)
    if kind in ("SessionStart", "UserPromptSubmit"):
        event["project_dir"] = path(environ.get("CLAUDE_PROJECT_DIR"))
        event["entrypoint"] = name(environ.get("CLAUDE_CODE_ENTRYPOINT"))
        terminal = {key: text(environ[key]) for key in TERMINAL if environ.get(key)}
        if terminal:
            event["terminal"] = terminal


def _details(event: dict[str, object], kind: str, data: dict[str, object]) -> None:
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
        event["reply"] = text(data.get("last_assistant_message"), PROMPT)
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


def _tool(event: dict[str, object], kind: str, data: dict[str, object]) -> None:
    tool, given, response = name(data.get("tool_name")), data.get("tool_input"), data.get("tool_response")
    event["tool"] = tool
    event["tool_use_id"] = name(data.get("tool_use_id"))
    event["summary"] = summary(tool, given)
    if kind in ("PreToolUse", "PermissionRequest", "PermissionDenied"):
        event["hash"] = input_hash(given)
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
    elif kind == "PostToolUse" and tool in ("Read", "Write", "Edit", "MultiEdit", "NotebookEdit"):
        event["file"] = path(given.get("file_path") or given.get("notebook_path"))
        if tool == "Write":
            event["created"] = not (isinstance(response, dict) and response.get("type") == "update") or None


def _prompt(event: dict[str, object], prompt: object) -> None:
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


def parse_sample(raw: bytes, at: float, environ: dict[str, str]) -> dict[str, object]:
    """A statusLine sample from the stdin of the statusLine command: cost, context, limits, model, version, lines.

    Raises RefusedError when the bytes are no JSON object with a usable session id.
    """
    try:
        data = decode(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError, StopIteration) as error:
        raise RefusedError(f"statusLine: no JSON: {type(error).__name__}") from None
    if not isinstance(data, dict):
        raise RefusedError("statusLine: no JSON object")
    event: dict[str, object] = {"at": at, "session_id": session_key(data.get("session_id")), "event": "Sample"}
    event["cwd"], event["transcript_path"] = path(data.get("cwd")), path(data.get("transcript_path"))
    event["title"] = text(data.get("session_name"))
    event["version"] = name(data.get("version"))
    model = _object(data.get("model"))
    event["model"] = name(model.get("id"))
    effort = data.get("effort")
    event["effort"] = name(effort.get("level") if isinstance(effort, dict) else effort)
    pid = environ.get("CLAUDE_PID", "")
    if pid.isdecimal() and len(pid) < 12:
        event["pid"] = int(pid)
    cost, window, usage = _object(data.get("cost")), _object(data.get("context_window")), {}
    current = _object(window.get("current_usage"))
    if current:
        usage = {
            key: number(current.get(key))
            for key in ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        }
    metrics = {
        "cost_usd": number(cost.get("total_cost_usd")),
        "lines_added": number(cost.get("total_lines_added")),
        "lines_removed": number(cost.get("total_lines_removed")),
        "duration_ms": number(cost.get("total_duration_ms")),
        "api_duration_ms": number(cost.get("total_api_duration_ms")),
        "window_tokens": number(window.get("context_window_size")),
        "used_percent": number(window.get("used_percentage")),
        "usage": usage or None,
        "model_name": name(model.get("display_name")),
        "limits": _limits(data.get("rate_limits")),
    }
    event["metrics"] = {key: value for key, value in metrics.items() if value not in ("", None)}
    return {key: value for key, value in event.items() if value not in ("", None)}


def _object(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _limits(given: object) -> dict[str, dict[str, float | int]] | None:
    found = {}
    for key in ("five_hour", "seven_day"):
        window = _object(_object(given).get(key))
        percent, resets = number(window.get("used_percentage")), number(window.get("resets_at"))
        if percent is not None:
            found[key] = {"percent": percent} if resets is None else {"percent": percent, "resets_at": resets}
    return found or None
