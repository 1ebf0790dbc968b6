"""Prompts that are typed while a turn runs, as the client notes them in the transcript."""

import json
from pathlib import Path
from typing import Any

from atm_tui.sources.transcript import TranscriptReader

NOTICE = "<task-notification>\n<task-id>a1</task-id></task-notification>"


def make_line(second: int, kind: str = "queue-operation", **fields: Any) -> dict[str, Any]:
    return {"type": kind, "timestamp": f"2026-01-02T03:04:{second:02}.000Z", **fields}


def make_prompt(second: int, text: str, source: str = "typed") -> dict[str, Any]:
    return make_line(second, "user", message={"role": "user", "content": text}, promptSource=source)


def read(folder: Path, *lines: dict[str, Any]) -> TranscriptReader:
    path = folder / "s.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    reader = TranscriptReader(str(path))
    reader.read()
    return reader


def test_queued_prompts_wait_until_the_turn_absorbs_them(tmp_path: Path) -> None:
    first, second = make_line(2, operation="enqueue", content="a"), make_line(3, operation="enqueue", content="b")
    facts = read(tmp_path, make_prompt(1, "go"), first, second).facts
    begin = facts.queue[0]
    assert (len(facts.queue), facts.queued_at, facts.queued_turn_at) == (2, begin + 1, None)
    taken = [make_line(9, operation="remove", content=text, reason="absorbed_mid_turn") for text in "ba"]
    assert read(tmp_path, make_prompt(1, "go"), first, second, taken[0]).facts.queue == (begin,)
    facts = read(tmp_path, make_prompt(1, "go"), first, second, *taken).facts
    assert (facts.queue, facts.queued_turn_at) == ((), None)


def test_a_prompt_that_leaves_the_queue_begins_a_turn(tmp_path: Path) -> None:
    lines = [make_prompt(1, "go"), make_line(2, operation="enqueue", content="a"), make_line(5, operation="dequeue")]
    facts = read(tmp_path, *lines).facts
    assert facts.queued_at is not None
    assert (facts.queue, facts.queued_turn_at) == ((), facts.queued_at + 3)
    facts = read(tmp_path, *lines, make_prompt(6, "a", "queued")).facts
    assert facts.queued_at is not None
    assert (facts.queued_turn_at, facts.typed_turns) == (facts.queued_at + 4, 2)


def test_a_prompt_removed_by_the_user_is_not_queued(tmp_path: Path) -> None:
    lines = [make_line(2, operation="enqueue", content="a"), make_line(3, operation="popAll", content="a")]
    facts = read(tmp_path, *lines).facts
    assert (facts.queue, facts.queued_turn_at) == ((), None)


def test_prompts_queued_by_the_client_are_not_the_users(tmp_path: Path) -> None:
    stopped = "3 background agents were stopped by the user: x"
    for text in (NOTICE, stopped):
        facts = read(tmp_path, make_line(2, operation="enqueue", content=text), make_line(3, operation="dequeue")).facts
        assert (facts.queue, facts.queued_at, facts.queued_turn_at) == ((), None, None)
    facts = read(tmp_path, make_prompt(1, stopped), make_prompt(2, "go")).facts
    assert (facts.typed_turns, facts.first_prompt) == (1, "go")


def test_lines_without_a_queue_operation_change_nothing(tmp_path: Path) -> None:
    odd = [
        make_line(1, operation="dequeue"),
        make_line(2, operation="remove", content="never queued"),
        make_line(3, operation="shuffle", content="a"),
        make_line(4, operation=7, content={"a": 1}),
        make_line(5),
    ]
    facts = read(tmp_path, *odd, make_line(6, operation="enqueue", content=[{"type": "image"}])).facts
    assert (len(facts.queue), facts.queued_turn_at) == (1, None)
