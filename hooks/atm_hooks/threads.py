"""What a thread (the main one, or an agent) does, from its facts: since when, which tool runs, when it was left. Pure."""

from atm_hooks.codec import Object as State

EMPTY: State = {
    "began": 0, "step": 0, "batch": 0, "ended": 0, "ends": (), "outcome": "", "error": "", "pid": "", "tools": {},
}  # fmt: skip
"""A thread without any event. Agents, of which there can be many, are stored without the keys that have these values."""


def find_boundary(state: State, thread: State, fresh: State) -> float:
    """Returns when the client last started or left this session: what the thread did before that no longer runs.

    A start in another process (the session is opened twice) doesn't count while the thread's own process lives.
    """
    process = state["processes"].get(thread["pid"]) or {"ended": 0, "gone": 0}
    left = max(process["ended"], process["gone"], state["ended"]["at"] if state["ended"] else 0)
    same = not thread["pid"] or not fresh["pid"] or thread["pid"] == str(fresh["pid"])
    return float(max(left, fresh["at"] if same else 0))


def find_begin(thread: State) -> float:
    """Returns when a thread last began a turn or a step."""
    return float(max(thread["began"], thread["step"]))


def find_tool(thread: State, after: float) -> State | None:
    """Returns the newest of the tools of a thread that began after a time and still run; None without any."""
    after = max(after, thread["batch"], thread["ended"])
    tools: State = thread["tools"]
    running = [(each["began"], key) for key, each in tools.items() if each["began"] > after and is_running(key, each)]
    if not running:
        return None
    since, key = max(running)
    activity = {"kind": "tool", "tool": tools[key]["tool"], "summary": tools[key]["summary"]}
    return {**activity, "tool_use_id": key, "since": since}


def find_work(thread: State, after: float) -> tuple[State, str]:
    """Returns the activity of a running thread, a tool or else thinking, and the event that tells so."""
    tool = find_tool(thread, after)
    if tool:
        return tool, "PreToolUse"
    begin = "SubagentStart" if "first" in thread else "UserPromptSubmit"
    signs = [
        (thread["began"], begin),
        (thread["step"], "PreToolUse"),
        *((each["ended"], each.get("ended_by", "PostToolUse")) for each in thread["tools"].values()),
        (thread["batch"], "PostToolBatch"),
    ]
    since, event = max(signs, key=lambda each: each[0])
    return {"kind": "thinking", "since": since}, event


def is_running(key: str, tool: State) -> bool:
    """Whether a tool runs. One without an id (a blank is in its key) can begin again after its end."""
    return not tool["ended"] or (" " in key and bool(tool["began"] > tool["ended"]))
