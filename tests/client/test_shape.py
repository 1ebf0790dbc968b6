"""What a version of the client does, as lines: each kind of difference between two versions is found, chance is not."""

from pathlib import Path

import pytest

from atm_hooks.payload import EVENTS
from atm_tui.settings.known_clients import COMPARED, RECORDED, read_version, write_version
from tests.client.compare import SHAPES, find_shape, pair_values, summarize
from tests.client.scenarios import SCENARIOS
from tests.client.shape import (
    add_scenarios,
    compare_shapes,
    describe_events,
    describe_scenario,
    find_events,
    merge_runs,
    read_shape,
    write_shape,
)
from tests.support.needs import CLIENT_VERSION, need_client

KNOWN = read_shape(find_shape(CLIENT_VERSION))


def make_line(kind: str, **data: object) -> dict[str, object]:
    return {"t": 0.0, "kind": kind, "data": data}


def describe(*lines: dict[str, object]) -> set[str]:
    return set(describe_scenario("some", lines))


def test_each_part_of_a_recording_has_its_lines() -> None:
    tool = make_line(
        "hook", hook_event_name="PreToolUse", tool_name="Bash", tool_input={"command": "ls"}, duration_ms=3
    )
    assert describe(tool) == {
        "event some: PreToolUse(Bash)",
        "hook PreToolUse(Bash): hook_event_name text",
        "hook PreToolUse(Bash): tool_name text",
        "hook PreToolUse(Bash): tool_input.command text",
        "hook PreToolUse(Bash): duration_ms number",
    }
    assert describe(make_line("registry", pid=3, status="busy", name=None)) == {
        "registry: pid number",
        "registry: status text",
        "registry: name null",
        "word registry.status busy",
    }
    assert describe(make_line("transcript", type="system", subtype="turn_duration", hosts=[{"up": True}])) == {
        "transcript system/turn_duration: type text",
        "transcript system/turn_duration: subtype text",
        "transcript system/turn_duration: hosts[].up boolean",
    }
    assert describe({"t": 0.0, "kind": "registry", "data": None}) == set()


def test_names_that_a_person_chose_are_no_fields() -> None:
    usage = {"claude-opus-5-5": {"costUSD": 1.5}, "claude-haiku-5-5": {"costUSD": 2}}
    assert "statusline: modelUsage.*.costUSD number" in describe(make_line("statusline", modelUsage=usage))
    schema = {"properties": {"size": {"type": "string"}}}
    assert "hook Elicitation: requested_schema object" in describe(
        make_line("hook", hook_event_name="Elicitation", requested_schema=schema)
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("known event Napping", "Events that it knows"),
        ("event permissions: Napping", "Events"),
        ("hook Stop: nap_count number", "Fields of hooks"),
        ("registry: nap text", "Fields of the registry"),
        ("transcript nap: type text", "Lines of transcripts"),
        ("statusline: nap number", "Fields of the statusLine"),
        ("word registry.status napping", "Words"),
        ("price claude-opus-5-5: input 0.999999", "Prices"),
    ],
)
def test_each_kind_of_change_is_found(change: str, told: str) -> None:
    assert compare_shapes(KNOWN, KNOWN | {change}) == ([change], [])
    assert compare_shapes(KNOWN | {change}, KNOWN) == ([], [change])
    assert next(iter(summarize([change]))).strip() == told


def test_what_not_every_run_has_is_neither_new_nor_missed() -> None:
    merged = merge_runs({"a", "b", "? d"}, {"a", "c", "d"})
    assert merged == {"a", "? b", "? c", "? d"}
    assert compare_shapes(merged, {"a"}) == ([], [])
    assert compare_shapes(merged, {"a", "b", "c", "d", "e"}) == (["e"], [])
    assert compare_shapes(merged, {"b"}) == ([], ["a"])


def test_a_scenario_that_is_played_again_adds_its_lines() -> None:
    kept = {"stopped permissions: the screen", "stopped tools: another", "a", "? b"}
    added = add_scenarios(kept, {"played permissions", "b", "c"})
    assert added == {"played permissions", "stopped tools: another", "a", "? b", "c"}


def test_a_field_that_many_kinds_share_is_told_once() -> None:
    told = list(summarize(f"hook Event{number}: nap number" for number in range(9)))
    assert told == ["  Fields of hooks", "    nap number (Event0, Event1, Event2, Event3 and 5 more)"]


def test_another_value_is_told_with_the_one_before() -> None:
    new = ["alias opus: claude-opus-6", "price m: cache reads 0.2", "price n: input 1.0", "registry: nap text"]
    gone = ["alias opus: claude-opus-5", "price m: cache reads 0.1", "price o: input 2.0", "registry: pid number"]
    assert pair_values(new, gone) == (
        [
            "alias opus: claude-opus-6, not claude-opus-5",
            "price m: cache reads 0.2, not 0.1",
            "price n: input 1.0",
            "registry: nap text",
        ],
        ["price o: input 2.0", "registry: pid number"],
    )


def test_a_shape_can_be_kept(tmp_path: Path) -> None:
    write_shape(tmp_path / "x.txt", ["b", "? a", "c"])
    assert (tmp_path / "x.txt").read_text() == "? a\nb\nc\n"
    assert read_shape(tmp_path / "x.txt") == {"b", "? a", "c"}


def test_the_recorded_version_has_played_everything() -> None:
    assert read_version(CLIENT_VERSION) == RECORDED
    assert {f"played {name}" for name in SCENARIOS} <= KNOWN
    assert {line for line in KNOWN if line.startswith("known event ")} == set(describe_events(EVENTS))
    assert any(line.startswith("price claude-opus-5-5: 1-hour writes ") for line in KNOWN)


def test_each_version_that_doctor_knows_was_compared_and_each_that_was_is_known() -> None:
    assert {read_version(path.stem) for path in SHAPES.glob("*.txt")} == set(COMPARED)
    for version, differences in COMPARED.items():
        new, gone = compare_shapes(KNOWN, read_shape(find_shape(write_version(version))))
        assert bool(differences) == bool(new or gone), version


def test_the_events_of_the_client_are_those_that_we_know() -> None:
    assert find_events(Path(need_client())) == EVENTS


def test_a_program_without_a_list_of_events_has_none(tmp_path: Path) -> None:
    (tmp_path / "claude").write_text("#!/bin/sh\necho hello\n")
    assert find_events(tmp_path / "claude") == frozenset()
