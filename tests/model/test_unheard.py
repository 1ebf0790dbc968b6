"""Sessions without hook events are shown from registry and transcript as well as possible."""

import json
from pathlib import Path
from typing import Any

import pytest

from atm_tui.model.facts import ProcessFact, RegistryEntry
from atm_tui.model.resolve import Facts, resolve
from atm_tui.model.session import Session
from atm_tui.model.transcript import TranscriptFacts
from atm_tui.sources.transcript import TranscriptReader
from atm_tui.view.status_text import describe_activity

START = 1_767_323_045.0
"""2026-01-02T03:04:05Z"""
CALL = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "npm test"}}


def make_line(second: int, kind: str, content: Any, **fields: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content, **fields.pop("message", {})}
    return {
        "type": kind,
        "timestamp": f"2026-01-02T03:{4 + second // 60:02}:{5 + second % 60:02}.000Z",
        "message": message,
        **fields,
    }


PROMPT = make_line(0, "user", "fix it", promptSource="typed")
ANSWER = make_line(5, "assistant", [{"type": "text", "text": "ok"}], message={"stop_reason": "end_turn", "model": "m"})
RUNS = make_line(5, "assistant", [CALL], message={"stop_reason": "tool_use", "model": "m"})
RESULT = make_line(8, "user", [{"type": "tool_result", "tool_use_id": "t1", "content": "done"}])
ENDED = {"type": "system", "subtype": "turn_duration", "timestamp": "2026-01-02T03:04:11.000Z"}
CUT = make_line(9, "user", "[Request interrupted by user]")


def read_lines(folder: Path, *lines: dict[str, Any]) -> TranscriptFacts:
    path = folder / "s.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    reader = TranscriptReader(str(path))
    reader.read()
    return reader.facts


def resolve_session(
    transcript: TranscriptFacts, status: str | None, *, started: float = -60.0, at: float = 20.0, waiting_for: str = ""
) -> Session:
    entry = RegistryEntry(
        pid=7,
        session_id="s",
        status=status,
        waiting_for=waiting_for,
        status_at=START + at if status else 0.0,
        started_at=START + started,
    )
    facts = Facts(session_id="s", registry=(entry,), processes={7: ProcessFact(pid=7)}, transcript=transcript)
    return resolve(facts, START + 30).session


def describe_session(session: Session) -> tuple[str, str]:
    return session.state.value, describe_activity(session.activity)


def test_a_resumed_session_is_not_new(tmp_path: Path) -> None:
    lines = [PROMPT, ANSWER] * 100
    session = resolve_session(read_lines(tmp_path, *lines), "idle", started=19.0)
    assert describe_session(session) == ("idle", "finished")
    assert (session.turns, session.unseen, session.since) == (100, False, START + 5)


def test_a_resumed_session_that_was_interrupted_or_failed_is_idle(tmp_path: Path) -> None:
    assert describe_session(resolve_session(read_lines(tmp_path, PROMPT, CUT), "idle", started=19.0)) == (
        "idle",
        "interrupted",
    )
    failed = make_line(5, "assistant", [], isApiErrorMessage=True, error="rate_limit")
    assert describe_session(resolve_session(read_lines(tmp_path, PROMPT, failed), "idle", started=19.0)) == (
        "idle",
        "finished",
    )
    assert describe_session(resolve_session(read_lines(tmp_path, PROMPT, failed), "idle")) == (
        "needs_you",
        "failed: rate limit",
    )


def test_a_session_with_untimed_prompts_is_not_new(tmp_path: Path) -> None:
    lines = [{key: value for key, value in each.items() if key != "timestamp"} for each in (PROMPT, ANSWER)]
    assert describe_session(resolve_session(read_lines(tmp_path, *lines), "idle")) == ("idle", "finished")


def test_a_session_without_a_prompt_is_new(tmp_path: Path) -> None:
    assert describe_session(resolve_session(read_lines(tmp_path), "idle")) == ("idle", "new")


def test_the_transcript_names_the_running_and_the_asking_tool(tmp_path: Path) -> None:
    running = read_lines(tmp_path, PROMPT, RUNS)
    assert describe_session(resolve_session(running, "busy")) == ("working", "Bash npm test")
    session = resolve_session(running, "waiting", waiting_for="permission prompt")
    assert describe_session(session) == ("needs_you", "permission Bash")
    assert session.waits[0].summary == "npm test"
    assert describe_session(resolve_session(read_lines(tmp_path, PROMPT, RUNS, RESULT), "busy")) == (
        "working",
        "thinking",
    )


def test_a_question_in_the_transcript_is_a_wait_for_an_answer(tmp_path: Path) -> None:
    ask = {"type": "tool_use", "id": "t2", "name": "AskUserQuestion", "input": {"questions": [{"question": "Blue?"}]}}
    facts = read_lines(tmp_path, PROMPT, make_line(5, "assistant", [ask], message={"model": "m"}))
    session = resolve_session(facts, "waiting", waiting_for="input needed")
    assert (describe_session(session)[1], session.waits[0].summary) == ("question", "Blue?")


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([PROMPT], ("working", "thinking")),
        ([PROMPT, RUNS], ("working", "Bash npm test")),
        ([PROMPT, RUNS, RESULT], ("working", "thinking")),
        ([PROMPT, ANSWER], ("idle", "finished")),
        ([PROMPT, RUNS, RESULT, ENDED], ("idle", "finished")),
        ([PROMPT, RUNS, CUT], ("idle", "interrupted")),
        ([PROMPT, RUNS, {**ENDED, "type": "nothing"}], ("working", "Bash npm test")),
    ],
    ids=["asked", "a tool runs", "it has run", "answered", "ended", "interrupted", "a line that is not known"],
)
def test_without_a_registry_status_the_transcript_decides(
    tmp_path: Path, lines: list[dict[str, Any]], told: tuple[str, str]
) -> None:
    session = resolve_session(read_lines(tmp_path, *lines), None)
    assert describe_session(session) == told
    assert session.evidence.source == "transcript"


def test_a_turn_without_new_lines_for_long_was_interrupted(tmp_path: Path) -> None:
    entry = RegistryEntry(pid=7, session_id="s", started_at=START - 60)
    facts = Facts(
        session_id="s", registry=(entry,), processes={7: ProcessFact(pid=7)}, transcript=read_lines(tmp_path, PROMPT)
    )
    early = resolve(facts, START + 30)
    assert early.recheck_at == START + 900
    assert describe_session(resolve(facts, START + 901).session) == ("idle", "interrupted")
