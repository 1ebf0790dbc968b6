"""The text of a state file: what did not change keeps its line, and whatever is kept says what is true."""

import json
from typing import Any

from hypothesis import given, settings

from atm_hooks import statefile
from atm_hooks.fold import SCHEMA, fold
from tests.hooks.fat import make_fat_state
from tests.support.effort import examples
from tests.support.turns import turns

PLACE = {"journal": {"generation": 1, "offset": 5}}


@settings(deadline=None, max_examples=examples(150))
@given(turns())
def test_a_text_built_from_cached_lines_equals_a_new_one(events: list[dict[str, Any]]) -> None:
    text = ""
    for event in events:
        before, lines = statefile.parse(text, SCHEMA) or ({}, {})
        state = fold(before or None, event) | PLACE
        text = statefile.dump(state, before, lines)
        assert json.loads(text) == json.loads(statefile.dump(state, {}, {}))
        assert json.loads(text) == json.loads(json.dumps(state))


def test_only_changed_parts_are_encoded_again() -> None:
    text = statefile.dump(make_fat_state(60) | PLACE, {}, {})
    found = statefile.parse(text, SCHEMA)
    assert found is not None
    before, lines = found
    assert len(lines) == text.count("\n") - 2
    marked = {key: f"{line} " for key, line in lines.items()}
    state = fold(before, {"at": 2e9, "session_id": "s1", "event": "Stop", "reply": "done"}) | PLACE
    anew = statefile.dump(state, before, marked).split("\n")
    assert sum(line.rstrip(",").endswith(" ") for line in anew) > 0.9 * len(before["agents"])


def test_a_text_in_another_layout_is_read_and_rewritten() -> None:
    state = make_fat_state(3) | PLACE
    for text in (json.dumps(state), json.dumps(state, indent=2), "\n" * (len(state) + 70) + json.dumps(state)):
        found = statefile.parse(text, SCHEMA)
        assert found is not None
        before, lines = found
        assert before == json.loads(text)
        assert json.loads(statefile.dump(before, before, lines)) == before


def test_ids_with_unusual_characters() -> None:
    agents = {'a":{}, "x': {"n": 1}, "b\\": {"n": 2}, "ä,": {"n": 3}}
    text = statefile.dump({"schema": SCHEMA, "agents": agents, **PLACE}, {}, {})
    found = statefile.parse(text, SCHEMA)
    assert found is not None
    assert found[0]["agents"] == agents
    assert statefile.dump(found[0], found[0], found[1]) == text


def test_a_foreign_state_is_refused() -> None:
    for text in ("", "{", "[]", "null", "{}", '{"schema":1}', '{"schema":2,"journal":{}}', '{"schema":1,"journal":3}'):
        assert statefile.parse(text, SCHEMA) is None
