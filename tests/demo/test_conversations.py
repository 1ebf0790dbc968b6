"""The demo's transcripts can be read: prompts, replies, and tool calls with their results, of agents too."""

import json
from typing import Any

from tests.demo.conftest import DemoPlayback


def test_a_conversation_has_replies_and_tool_calls_with_their_results(playback: DemoPlayback) -> None:
    playback.play_until(112)
    session = playback.list_sessions()["Sort by price"]
    assert session.transcript_path
    main = playback.place.find_transcript(session.session_id, session.cwd)
    paths = [main, *sorted(main.with_suffix("").rglob("agent-*.jsonl"))]
    assert len(paths) == 5
    for path in paths:
        blocks = _read_blocks(path.read_text())
        calls = [each["id"] for each in blocks if each["type"] == "tool_use"]
        results = [each["tool_use_id"] for each in blocks if each["type"] == "tool_result"]
        assert calls, path
        assert len(set(calls)) == len(calls)
        assert set(results) <= set(calls)
    texts = [each["text"] for each in _read_blocks(main.read_text()) if each["type"] == "text"]
    assert "Both filters work and are tested." in texts
    assert session.last_reply in texts


def test_a_call_that_was_refused_has_its_refusal_as_result(playback: DemoPlayback) -> None:
    playback.play_until(112)
    session = playback.list_sessions()["Changelog"]
    blocks = _read_blocks(playback.place.find_transcript(session.session_id, session.cwd).read_text())
    refused = next(each["id"] for each in blocks if each["type"] == "tool_use" and each["name"] == "Bash")
    results = [each for each in blocks if each["type"] == "tool_result"]
    assert all(each.get("tool_use_id") and each["content"] for each in results)
    assert [each["is_error"] for each in results if each["tool_use_id"] == refused] == [True]


def _read_blocks(text: str) -> list[dict[str, Any]]:
    """Returns the blocks of all messages, in their order."""
    contents = [json.loads(line).get("message", {}).get("content", ()) for line in text.splitlines()]
    return [block for content in contents if isinstance(content, list) for block in content]
