"""hooks/README.md must describe what is really written."""

import re
from pathlib import Path
from typing import Any

from hypothesis import given, settings

import atm_hooks
from atm_hooks import fold, fold_threads, fold_tools, journal, payload, updates
from tests.hooks.fat import make_fat_state
from tests.hooks.recordings import read_hooks
from tests.support.effort import examples
from tests.support.timelines import NAMES
from tests.support.turns import turns

README = (Path(__file__).parents[2] / "hooks" / "README.md").read_text()
NAMED = set(re.findall(r"`([a-z_]+)`", README))


def state_section(title: str) -> str:
    return README.split(f"## {title}")[1].split("\n## ")[0]


def test_each_key_of_a_state_is_described() -> None:
    described = set(re.findall(r"`([a-z_]+)`", state_section("The state file")))
    written: set[str] = {"journal"}
    agents: set[str] = set()
    for name in NAMES:
        states: dict[str, Any] = {}
        for hook in read_hooks(name):
            event = payload.parse_event(hook.raw, hook.t, hook.environ)
            states[hook.session] = fold.fold(states.get(hook.session), event)
        for state in states.values():
            written |= set(state) | set(state["main"])
            agents |= {key for agent in state["agents"].values() for key in agent}
    written |= set(make_fat_state(2))
    assert written - described == set()
    assert agents - described == set()
    rows = {
        key
        for row in re.findall(r"^\| (`[^|]*) \|", state_section("The state file"), re.MULTILINE)
        for key in re.findall(r"`([a-z_]+)`", row)
    }
    never = rows - written
    assert never <= {"version", "metrics", "setup_at", "entrypoint", "project_dir"}, "described, but never written"


@settings(deadline=None, max_examples=examples(100))
@given(turns())
def test_each_key_of_a_made_up_turn_is_described(events: list[dict[str, Any]]) -> None:
    state = fold.fold_all(None, events)
    assert state is not None
    assert {*state, *state["main"], *(key for agent in state["agents"].values() for key in agent)} <= NAMED


def test_each_key_of_an_event_is_described() -> None:
    described = set(re.findall(r"`([a-z_]+)`", state_section("The journal")))
    for name in NAMES:
        for hook in read_hooks(name):
            assert set(payload.parse_event(hook.raw, hook.t, hook.environ)) <= described


def test_the_bounds_are_those_of_the_code() -> None:
    cells = dict(
        re.findall(r"^\| `(\w+)`(?:, `\w+`)? \|.*\| ([^|]*) \|$", state_section("The state file"), re.MULTILINE)
    )
    assert cells["agents"] == f"{fold_threads.KEEP_AGENTS}, {fold_threads.KEEP_OVER} of them over"
    assert cells["main"] == f"{fold_threads.KEEP_TOOLS} tools"
    assert cells["processes"] == str(fold.KEEP_PROCESSES)
    assert cells["requests"] == str(fold_tools.KEEP_REQUESTS)
    assert cells["files"] == f"{fold_tools.KEEP_FILES} each"
    assert cells["tasks"] == str(fold.KEEP_TASKS)
    assert cells["tools_used"] == f"{fold_tools.KEEP_NAMES} names"
    assert cells["counted"] == f"{fold_tools.KEEP_COUNTED}, {fold_threads.KEEP_TURNS}"
    assert {
        cells[key]
        for key in ("shells", "prompts", "errors", "notifications", "answers", "launches", "strays", "elicited")
    } == {str(updates.KEEP_LIST)}
    assert cells["last_reply"] == f"{payload.PROMPT} characters"
    assert cells["background"] == f"{payload.LIST} tasks"
    assert f"{journal.ROTATE_SIZE // 1024} KiB" in README
    assert f"{journal.LOG_SIZE // 1024} KiB" in README


def test_the_variables_and_files_are_those_of_the_code() -> None:
    for name in payload.TERMINAL:
        assert re.search(rf"\b{name}\b", README)
    modules = {path.name for path in Path(atm_hooks.__file__).parent.glob("*.py")} - {"__init__.py"}
    assert set(re.findall(r"`(\w+\.py)`", README.split("## ")[0])) == modules
