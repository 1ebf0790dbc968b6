"""Hooks alone, replayed from the recordings, must tell what a person at that terminal saw, but where a `gap:` line says not."""

import re
from typing import Any

import pytest

from atm_hooks import payload
from atm_hooks.fold import fold
from tests.hooks.recordings import Hook, read_hooks
from tests.support.timelines import DATA, NAMES, SLACK, label_agents, list_gaps, read_timeline

BRIEF = 0.1
SUMMED = ("Bash", "Read", "Write", "Edit", "NotebookEdit", "Grep", "Glob", "WebFetch", "WebSearch", "Agent", "Task")
"""Tools whose summary the timelines name."""
REASONS = {"question": "question", "plan": "plan", "mcp": "MCP input"}

Row = tuple[float, list[str]]
COLUMNS = ("liveness", "state", "detail", "waits", "agents")


def group_rows(name: str) -> dict[str, list[Row]]:
    """The lines of a timeline by session."""
    rows: dict[str, list[Row]] = {}
    for line in read_timeline(name):
        columns = [line.liveness, line.state, line.detail, "; ".join(line.waits), "; ".join(line.agents)]
        rows.setdefault(line.session, []).append((line.t, columns))
    return rows


def find_silences(name: str) -> list[tuple[float, float]]:
    """The spans that no hook tells of."""
    found = [re.findall(r"(\d+\.\d+)-(\d+\.\d+)", line) for line in list_gaps(name)]
    assert all(found)
    return [(float(start), float(end)) for each in found for start, end in each]


def describe_activity(activity: dict[str, Any]) -> str:
    if activity["kind"] != "tool":
        return str(activity["kind"])
    return f"{activity['tool']} {activity['summary'] if activity['tool'] in SUMMED else ''}".strip()


def describe_agent(activity: dict[str, Any]) -> str:
    kind = activity.get("kind", "")
    if kind == "agents":
        return f"{activity['count']} agent{'s' if activity['count'] > 1 else ''}"
    if kind == "tool":
        return f"{activity['tool']} {activity['summary']}".strip()
    return f"{kind} {activity.get('tool', '')}".strip()


def describe_wait(wait: dict[str, Any], bare: bool = False) -> str:
    reason = REASONS.get(wait["reason"], wait["reason"])
    return f"{reason} {wait['tool']}".strip() if reason == "permission" and not bare else reason


def describe_state(state: dict[str, Any]) -> list[str]:
    """A folded state in the timeline's words."""
    agents, waits, activity = state["agents"], state["waits"], state["activity"]
    labels = label_agents([(key, agent["parent"], agent.get("name") or agent["type"]) for key, agent in agents.items()])
    running = [agent for agent in agents.values() if agent["state"] in ("working", "needs_you")]
    if waits:
        status, detail = "needs_you", describe_wait(waits[0])
    elif activity["kind"] == "failed" and state["session_active"]:
        status, detail = "needs_you", f"failed: {activity['error'].replace('_', ' ')}"
    elif activity["kind"] in ("tool", "thinking", "compacting", "setup"):
        status, detail = "working", describe_activity(activity)
    elif running:
        status, detail = "working", f"{len(running)} agent{'s' if len(running) > 1 else ''}"
    else:
        status, detail = "idle", activity["kind"]
    liveness = "live" if state["session_active"] else f"ended:{state['ended']['reason']}"
    who = {"": "main", **labels}
    open_waits = [
        f"{who[wait['agent_id']]} {describe_wait(wait, bare=True)} {wait['tool']} "
        f"{wait['summary'] if wait['reason'] == 'permission' else ''}".strip()
        for wait in waits
    ]
    shown = [f"{labels[key]}:{agents[key]['state']}:{describe_agent(agents[key]['activity'])}" for key in labels]
    return [liveness, status, detail, "; ".join(open_waits), "; ".join(shown)]


def find_allowed(rows: list[Row], at: float, column: int) -> set[str]:
    """What stands in a column at some moment near `at`."""
    current = [columns for start, columns in rows if start <= at - SLACK][-1:]
    near = [columns for start, columns in rows if at - SLACK < start <= at + SLACK]
    return {columns[column] for columns in current + near}


def replay(name: str) -> list[tuple[Hook, dict[str, Any]]]:
    """Each hook of a recording with its session's state after it."""
    states: dict[str, dict[str, Any]] = {}
    told = []
    for hook in read_hooks(name):
        event = payload.parse_event(hook.raw, hook.t, hook.environ)
        states[hook.session] = fold(states.get(hook.session), event)
        told.append((hook, states[hook.session]))
    return told


@pytest.mark.parametrize("name", NAMES)
def test_the_timeline_is_complete_from_hooks_alone(name: str) -> None:
    rows, silent_spans = group_rows(name), find_silences(name)
    told = [(hook, describe_state(state)) for hook, state in replay(name)]
    wrong = []
    for index, (hook, columns) in enumerate(told):
        session = next(key for key in rows if hook.session.startswith(key))
        # what lasts less than this a timeline may leave out
        soon = [later for each, later in told[index + 1 :] if each.session == hook.session and each.t - hook.t < BRIEF]
        silent = any(start <= hook.t < end for start, end in silent_spans)
        for column, title in enumerate(COLUMNS):
            expected = find_allowed(rows[session], hook.t, column)
            if (column and silent) or any(each.endswith("?") for each in expected):
                continue
            if not expected.intersection(each[column] for each in (columns, *soon)):
                wrong.append(
                    f"{hook.t:.3f} {session} {hook.event} {title}: {columns[column]!r}, not {sorted(expected)}"
                )
    assert not wrong, "\n" + "\n".join(wrong)


def test_every_recording_has_a_timeline() -> None:
    assert sorted(path.stem for path in (DATA / "recordings").glob("*.jsonl")) == NAMES
