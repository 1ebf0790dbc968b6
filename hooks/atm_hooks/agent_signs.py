"""The segment of the status line about a session's main thread and its agents, with a sign for the state of each. Pure."""

from atm_hooks.codec import Object
from atm_hooks.line_text import STATES, Part, Style

MOST = 30
"""Largest number of agents that are shown; the others are counted."""
MOST_NARROW = 8
"""The same in a narrow line."""
_MOST_NAMES = 6
"""Largest number of agents that are shown with their names."""
_NAME = 16
"""Largest width of an agent's name in cells."""
_ERROR_MARK = "ERR"


def write_agents(
    state: Object | None, style: Style, most: int, *, names: bool, with_word: bool, unreadable: bool
) -> list[Part]:
    """Returns the sign of the main thread, followed by one for each of up to `most` agents; the others are counted.

    Without a state the session is idle. `names`: whether to show names of a few agents. `with_word`: whether to show what the
    main thread does. `unreadable`: the state can't be read, which gets an error mark.
    """
    parts: list[Part] = []
    if unreadable:
        sign, role = style.get_sign("failed")
        parts = [(f"{sign} {_ERROR_MARK}", role)]
        if state is None:
            return parts
        parts.append((" ", ""))
    key, word = describe_main(state)
    sign, role = style.get_sign(key)
    parts.append((f"{sign} {style.cut(word, _NAME)}" if with_word else sign, role))
    agents = list_agents(state)
    if not agents:
        return parts
    if names and len(agents) <= _MOST_NAMES:
        for each, name in agents:
            sign, role = style.get_sign(each)
            parts += [("  ", ""), (sign, role), (f" {style.cut(name, _NAME)}", "")]
        return parts
    parts.append((" ", ""))
    parts += [style.get_sign(each) for each, _ in agents[:most]]
    if len(agents) > most:
        parts.append((f" +{len(agents) - most}", "muted"))
    return parts


def describe_main(state: Object | None) -> tuple[str, str]:
    """Returns the state of a session, needs_you, working, failed or idle, and a word for it."""
    if state is None:
        return "idle", "idle"
    waits, activity = state.get("waits"), state.get("activity")
    kind = activity.get("kind") if isinstance(activity, dict) else None
    if isinstance(waits, list) and waits:
        reason = waits[0].get("reason") if isinstance(waits[0], dict) else ""
        return "needs_you", str(reason or "dialog")
    if kind == "failed":
        return "failed", "failed"
    if kind in ("thinking", "tool", "compacting", "setup"):
        return "working", "working" if kind in ("thinking", "tool") else str(kind)
    if any(each == "working" for each, _ in list_agents(state)):
        return "working", "working"
    return "idle", "idle"


def list_agents(state: Object | None) -> list[tuple[str, str]]:
    """Returns the state and the name of each agent, most urgent first.

    Ended agents are listed until the user's next prompt.
    """
    agents, prompts = (state or {}).get("agents"), (state or {}).get("prompts")
    newest = prompts[-1] if isinstance(prompts, list) and prompts else None
    asked = newest.get("at") if isinstance(newest, dict) else None
    found = []
    for agent in agents.values() if isinstance(agents, dict) else ():
        if not isinstance(agent, dict):
            continue
        ended = agent.get("ended_at")
        if isinstance(ended, (int, float)) and isinstance(asked, (int, float)) and ended < asked:
            continue
        name = agent.get("name") or agent.get("type") or "agent"
        key = agent.get("state")
        found.append((key if key in STATES else "idle", str(name)))
    return sorted(found, key=lambda each: STATES.index(each[0]))
