"""Whatever is in a transcript, reading it raises nothing, and the usage reader counts the same as live reading."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atm_tui.cost.figures import compute_agent_context, compute_session_context, compute_session_cost, find_cache_expiry
from atm_tui.cost.pricing import load_default_table
from atm_tui.cost.usage import sum_usage
from atm_tui.sources.transcript import TranscriptReader
from atm_tui.sources.transcript_lines import ApiUsage, CompactMetadata, Line, Message
from atm_tui.sources.usage import UsageReader
from tests.support.effort import examples

TABLE = load_default_table()


def anything() -> st.SearchStrategy[Any]:
    plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    words = st.sampled_from(
        ["2026-01-02T03:04:05Z", "claude-opus-4-8", "glm", "a\udcb2", "[Request interrupted by user]"]
    )
    kinds = st.sampled_from(["text", "tool_result"])
    blocks = st.lists(st.fixed_dictionaries({"type": kinds, "text": words}), max_size=2)
    return (
        plain | words | blocks | st.lists(plain, max_size=2) | st.dictionaries(st.text(max_size=4), plain, max_size=2)
    )


def shaped(kind: type[msgspec.Struct], **known: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    names = {field.encode_name: anything() for field in msgspec.structs.fields(kind)}
    return st.fixed_dictionaries({}, optional=names | known)


USAGE = shaped(ApiUsage, input_tokens=st.integers(0, 9), output_tokens=st.integers(0, 9))
MESSAGE = shaped(Message, usage=USAGE | anything(), id=st.sampled_from(["m1", "m2"]))
LINE = shaped(
    Line,
    type=st.sampled_from(["user", "assistant", "system", "cost-state", "custom-title"]),
    subtype=st.sampled_from(["compact_boundary", "turn_duration"]),
    message=MESSAGE | anything(),
    compactMetadata=shaped(CompactMetadata) | anything(),
)


@settings(max_examples=examples(50), deadline=None)
@given(st.lists(LINE, max_size=6), st.binary(max_size=30))
def test_nothing_raises(tmp_path_factory: pytest.TempPathFactory, lines: list[dict[str, Any]], rest: bytes) -> None:
    root: Path = tmp_path_factory.mktemp("fuzz")
    path = root / "projects" / "p" / "s1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in lines) + rest)
    reader = TranscriptReader(str(path))
    reader.read()
    compute_session_cost(reader.facts, None, TABLE)
    compute_session_context(reader.facts, None, TABLE)
    for agent in reader.facts.agents:
        compute_agent_context(agent, TABLE)
    find_cache_expiry(reader.facts)
    msgspec.json.encode(reader.facts)
    for _ in range(2):
        history = UsageReader([root], root / "cache", TABLE)
        for _ in history.read():
            pass
        assert sum_usage(history.result.buckets, TABLE).tokens == reader.facts.tokens
        assert history.result.skipped_lines == reader.facts.skipped_lines
