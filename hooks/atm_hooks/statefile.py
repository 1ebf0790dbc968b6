"""The text of a state file: JSON with a line for each part and each agent, so that only what changed is encoded again.

Most agents and lists of a long session are the same after an event, and encoding them again would take as long as all the
rest of a hook.
"""

from atm_hooks.codec import Object, decode, encode

AGENTS = "agents"
Lines = dict[object, str]
"""The text of each part by its key, and of each agent by ("agents", its id)."""


def parse(text: str, schema: int) -> tuple[Object, Lines] | None:
    """Returns the state and the lines of its text.

    None when the text is not a state of this schema. A text not written by `dump` has no lines.
    """
    try:
        state = decode(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(state, dict) or state.get("schema") != schema or not isinstance(state.get("journal"), dict):
        return None
    if not isinstance(state.get(AGENTS, {}), dict):
        return None
    keys: list[object] = []
    for key, value in state.items():
        keys += [AGENTS, *((AGENTS, each) for each in value), None] if key == AGENTS else [key]
    lines = text.split("\n")[1:]
    if len(lines) != len(keys) + 2:
        return state, {}
    found = {}
    for key, line in zip(keys, lines, strict=False):
        name = key[1] if isinstance(key, tuple) else key
        # a damaged text can have the right number of lines, but with other keys
        if name is not None and not line.startswith(f'"{name}":'):
            return state, {}
        found[key] = line.rstrip(",")
    return state, found


def dump(state: Object, before: Object, lines: Lines) -> str:
    """Returns the text of a state. Parts that are equal in the old state `before` take their text from `lines`."""
    parts = []
    for key, value in state.items():
        if key == AGENTS:
            old = before.get(AGENTS) or {}
            each = [
                lines[AGENTS, agent]
                if (AGENTS, agent) in lines and (old[agent] is record or old[agent] == record)
                else f"{encode(str(agent))}:{encode(record)}"
                for agent, record in value.items()
            ]
            inner = ",\n".join(each)
            parts.append(f'"{AGENTS}":{{\n{inner}\n}}' if inner else f'"{AGENTS}":{{\n}}')
        elif key in lines and (before[key] is value or before[key] == value):
            parts.append(lines[key])
        else:
            parts.append(f"{encode(key)}:{encode(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
