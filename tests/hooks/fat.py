"""The state of a session that has gone on for months, for tests and figures."""

import itertools
from typing import Any

from atm_hooks.fold import fold_all

LONG = "x" * 200


def make_fat_state(number: int, session: str = "s1") -> dict[str, Any]:
    """What a very long session leaves: everything that can be many, `number` times, and 24 agents at work."""
    times = itertools.count(17_000_000_001_234)

    def make(kind: str, **fields: Any) -> dict[str, Any]:
        return {"at": next(times) / 10_000, "session_id": session, "event": kind, **fields}

    events: list[dict[str, Any]] = []
    for n in range(number):
        agent = {"agent_id": f"a{n:017}", "agent_type": "general-purpose"}
        call = {
            "tool": "Agent",
            "tool_use_id": f"toolu_{n:024}",
            "description": "Find all callers of the parser",
            "subagent_type": "general-purpose",
        }
        bash = {
            "tool": f"mcp__server__tool{n % 100}",
            "tool_use_id": f"toolu_b{n:023}",
            "summary": LONG,
            "hash": f"{n:016}",
        }
        events += [
            make("UserPromptSubmit", prompt_kind="human", prompt="p" * 500, prompt_id=f"{n:036}", pid=n),
            make("PreToolUse", **call, pid=n),
            make("SubagentStart", **agent, pid=n),
            make("PostToolUse", **call, child=agent["agent_id"], child_model="claude-opus-5-5", pid=n),
            make("PreToolUse", **bash, **agent, pid=n),
            make("PermissionRequest", **bash, **agent, pid=n),
            make(
                "Answered",
                **agent,
                key=f"{agent['agent_id']}|{bash['tool']}|{n:016}",
                tool=bash["tool"],
                after=n,
                pid=n,
            ),
            make("Notification", notification_type="permission_prompt", message=LONG, pid=n),
            make("PostToolUseFailure", **(bash | {"tool_use_id": f"toolu_c{n:023}"}), error=LONG, pid=n),
            make(
                "PostToolUse",
                tool="Write",
                tool_use_id=f"w{n}",
                file=f"/home/user/work/project/source/package/module{n}.py",
                created=True,
                pid=n,
            ),
            make(
                "PostToolUse",
                tool="Read",
                tool_use_id=f"r{n}",
                file=f"/home/user/work/project/source/package/module{n}.py",
                pid=n,
            ),
            make("PostToolUse", tool="Bash", tool_use_id=f"s{n}", shell=f"b{n}", pid=n),
            make("Elicitation", server=f"server{n}", message=LONG, pid=n),
            make("ElicitationResult", server=f"server{n}", pid=n),
            make("TaskCreated", task_id=f"{n}", subject=LONG, pid=n),
            make("SubagentStop", agent_id=f"ghost{n}", pid=n),
            make("SubagentStop", **agent, reply="r" * 200, pid=n),
            make(f"Event{n}", other_fields=[f"field{n}"], pid=n),
        ]
    for n in range(24):
        agent = {"agent_id": f"b{n:017}", "agent_type": "Explore"}
        events.append(make("SubagentStart", **agent))
        events.append(
            make("PreToolUse", tool="Bash", tool_use_id=f"toolu_d{n:023}", summary=LONG, hash="0" * 16, **agent)
        )
    state = fold_all(None, events)
    assert state is not None
    return state
