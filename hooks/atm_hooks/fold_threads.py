"""The part of fold about threads: starts, steps and ends of the main thread and of agents; prompts and turns. Pure.

Each function changes a state that `apply` has copied, and copies the parts that it changes.
"""

from atm_hooks.codec import Object as Event
from atm_hooks.codec import Object as State
from atm_hooks.threads import EMPTY
from atm_hooks.turns import find_queued_turns
from atm_hooks.updates import KEEP_LIST, add_to_list, copy_part, drop_oldest, move_forward, set_greatest, set_newest

KEEP_TOOLS = 32
"""Number of tools kept for a thread since its last PostToolBatch or the end of its turn."""
KEEP_AGENTS = 64
KEEP_OVER = 40
"""Number of ended agents that are kept, among KEEP_AGENTS."""
KEEP_TURNS = 20
KEEP_QUEUED = 30
"""Number of prompts of a turn that are kept: all but the first were queued while it ran."""


def edit_agent(state: State, agent: str, known: bool, at: float) -> State:
    """Copies an agent's record in the state and returns the copy, to be changed. Agents without a known start are in `strays`."""
    agents, strays = copy_part(state, "agents"), copy_part(state, "strays")
    record: State = {**EMPTY, "first": at, "last": at, **(agents.get(agent) or strays.get(agent) or {})}
    record["first"], record["last"] = min(record["first"], at), max(record["last"], at)
    if record.pop("guessed", False):
        del record["description"], record["parent"]
    if known or agent in agents:
        strays.pop(agent, None)
        agents[agent] = record
    else:
        strays[agent] = record
    if len(agents) > KEEP_OVER:
        _drop_old_agents(agents)
    drop_oldest(strays, KEEP_LIST, "last")
    return record


def _drop_old_agents(agents: State) -> None:
    """Keeps the newest KEEP_OVER of the ended agents, and the newest KEEP_AGENTS of all."""
    over = [
        key for key, each in agents.items() if each.get("ended", 0) > max(each.get("began", 0), each.get("step", 0))
    ]
    over.sort(key=lambda key: (agents[key]["last"], key))
    for key in over[: max(0, len(over) - KEEP_OVER)]:
        del agents[key]
    drop_oldest(agents, KEEP_AGENTS, "last")


def edit_thread(state: State, event: Event, at: float, known: bool = True) -> State:
    """Copies the record of the event's thread (its agent, else the main thread) and returns the copy, to be changed."""
    agent = event.get("agent_id")
    if not agent:
        return copy_part(state, "main")
    record = edit_agent(state, agent, known, at)
    set_greatest(record, "type", event.get("agent_type"))
    return record


def mark_begin(thread: State, key: str, event: Event, at: float) -> None:
    """Records that the thread works from this event on, and in which process. `key`: began | step."""
    if at >= max(thread["began"], thread["step"]):
        thread["pid"] = str(event.get("pid", ""))
    move_forward(thread, key, at)


def mark_end(thread: State, outcome: str, error: str, at: float) -> None:
    """Records that the thread's turn ended. `outcome`: finished | failed | interrupted."""
    newest = max((at, outcome, error), (thread["ended"], thread["outcome"], thread["error"]))
    thread["ended"], thread["outcome"], thread["error"] = newest
    # one end can be reported several times: the first and the last five times are kept
    ends = sorted({*thread["ends"], at})
    thread["ends"] = ends if len(ends) <= 6 else [ends[0], *ends[-5:]]


def edit_tool(thread: State, event: Event) -> State:
    """Copies the record of the event's tool call in the thread and returns the copy, to be changed."""
    tools = copy_part(thread, "tools")
    key = event.get("tool_use_id") or f"{event.get('tool', '')} {event.get('summary', '')}"
    record = tools[key] = dict(tools.get(key) or {"began": 0, "ended": 0, "last": 0})
    if event["event"] == "PreToolUse" or "tool" not in record:
        record["tool"], record["summary"] = event.get("tool", ""), event.get("summary", "")
    if event.get("hash"):
        record["hash"] = event["hash"]
    move_forward(record, "last", event["at"])
    return record


def drop_ended_tools(thread: State) -> None:
    """Drops the tools of ended steps; late events of these tools then change nothing."""
    over, ids, tools = max(thread["batch"], thread["ended"]), thread.get("batch_ids", ()), thread["tools"]
    if any(tool["last"] <= over or key in ids for key, tool in tools.items()):
        thread["tools"] = {key: tool for key, tool in tools.items() if tool["last"] > over and key not in ids}
    if len(thread["tools"]) > KEEP_TOOLS:
        drop_oldest(copy_part(thread, "tools"), KEEP_TOOLS, "last")


def begin_agent(state: State, event: Event, at: float) -> None:
    """SubagentStart: an agent begins."""
    if event.get("agent_id"):
        mark_begin(edit_thread(state, event, at), "began", event, at)


def rest_teammate(state: State, event: Event, at: float) -> None:
    """TeammateIdle: it waits for its next task."""
    if event.get("agent_id"):
        record = edit_thread(state, event, at)
        set_greatest(record, "kind", "teammate")
        set_greatest(record, "name", event.get("teammate"))
        move_forward(record, "idle", at)


def begin_turn(state: State, event: Event, at: float) -> None:
    """UserPromptSubmit: a prompt that a person typed, or one that the client wrote itself.

    A prompt that is queued while a turn runs has the id of that turn. When it gets a turn of its own, that has another
    id, which its Stop is the first event to name.
    """
    thread = edit_thread(state, event, at)
    mark_begin(thread, "began", event, at)
    if event.get("agent_id"):
        return
    kind, key = event.get("prompt_kind"), event.get("prompt_id") or repr(at)
    if kind in ("stopped", "notification", "unknown"):
        notices = copy_part(state, "notice_ids")
        notices[key] = min(notices.get(key, at), at)
        drop_oldest(notices, KEEP_TURNS, "")
    if kind == "stopped":
        move_forward(thread, "killed", at)
    elif kind == "notification":
        if event.get("child"):
            record, status = edit_agent(state, event["child"], known=False, at=at), event.get("child_status", "")
            if (at, status) > (record.get("notified", 0), record.get("notified_status", "")):
                record["notified"], record["notified_status"] = at, status
    elif kind != "unknown":
        turns = copy_part(state, "turn_ids")
        state["begun_turns"] += key not in turns
        turns[key] = min(turns.get(key, at), at)
        drop_oldest(turns, KEEP_TURNS, "")
        if event.get("prompt_id"):
            from _blake2 import blake2b  # most events need no hash

            queued = copy_part(state, "queued_prompts")
            text = f"{key} {blake2b(event.get('prompt', '').encode(), digest_size=4).hexdigest()}"
            queued[text] = min(queued.get(text, at), at)
            drop_oldest(queued, KEEP_QUEUED, "")
        add_to_list(state, "prompts", {"at": at, "id": key, "text": event.get("prompt", "")}, ("id", "text"))


def end_agent_turn(state: State, event: Event, at: float) -> None:
    """SubagentStop. Without an agent's id it ends nothing: the main thread's turn is not over."""
    if event.get("agent_id"):
        end_turn(state, event, at)


def _note_turn_end(state: State, event: Event, at: float) -> None:
    """Notes the id of a turn that ended. An old turn that began without an event is counted when it is dropped."""
    if event.get("agent_id") or not event.get("prompt_id"):
        return
    ended = copy_part(state, "ended_ids")
    ended[event["prompt_id"]] = min(ended.get(event["prompt_id"], at), at)
    while len(ended) > KEEP_TURNS:
        oldest = min(ended, key=lambda key: (ended[key], key))
        state["begun_turns"] += oldest in find_queued_turns(state)
        del ended[oldest]


def end_turn(state: State, event: Event, at: float) -> None:
    """Stop: the turn ended; also lists the background tasks that still run."""
    _note_turn_end(state, event, at)
    thread = edit_thread(state, event, at, known=False)
    mark_end(thread, "finished", "", at)
    _set_reply(state, thread, event, at)
    drop_ended_tools(thread)
    if event.get("agent_id") or "background_tasks" not in event:
        return
    tasks = event["background_tasks"]
    listing = {"at": at, "tasks": tasks, "crons": event.get("crons", 0)}
    if event.get("background_partial"):
        listing["partial"] = True
    set_newest(state, "background", listing, at)
    for task in tasks:
        if task.get("type") == "subagent" and task.get("status", "running") == "running":
            record = edit_agent(state, task["id"], known=True, at=at)
            set_greatest(record, "type", task.get("agent_type"))
            set_greatest(record, "description", task.get("description"))
            move_forward(record, "listed", at)


def fail_turn(state: State, event: Event, at: float) -> None:
    """StopFailure: the turn ended with an API error."""
    _note_turn_end(state, event, at)
    thread = edit_thread(state, event, at, known=False)
    mark_end(thread, "failed", event.get("error", ""), at)
    _set_reply(state, thread, event, at)
    drop_ended_tools(thread)
    if not event.get("agent_id") or event.get("agent_type"):  # the client's own helpers fail without a type
        describe_failure = {"at": at, "kind": event.get("error", ""), "message": event.get("reply", "")}
        describe_failure |= {"agent_id": event.get("agent_id", ""), "id": event.get("prompt_id", "")}
        add_to_list(state, "errors", describe_failure, ("id", "kind", "message", "agent_id"))


def _set_reply(state: State, thread: State, event: Event, at: float) -> None:
    if not event.get("agent_id"):
        set_newest(state, "last_reply", event.get("reply"), at)
    elif event.get("reply") and (at, event["reply"]) > (thread.get("reply_at", 0), thread.get("last_reply", "")):
        thread["reply_at"], thread["last_reply"] = at, event["reply"]
