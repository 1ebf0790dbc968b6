"""Every folder in tests/data/transcripts/cases is a test: transcripts, and what is right for them in expected.json."""

import json
import shutil
from pathlib import Path

import pytest

from atm_tui.cost.figures import compute_session_context, compute_session_cost
from atm_tui.cost.pricing import load_default_table
from atm_tui.cost.usage import sum_usage, sum_usage_by
from atm_tui.sources.transcript import TranscriptReader
from atm_tui.sources.usage import UsageReader

CASES = Path(__file__).parents[1] / "data" / "transcripts" / "cases"
TABLE = load_default_table()


@pytest.mark.parametrize("name", sorted(p.name for p in CASES.iterdir()))
def test_case(name: str, tmp_path: Path) -> None:
    expected = json.loads((CASES / name / "expected.json").read_text("utf-8"))
    project = tmp_path / "projects" / "p"
    shutil.copytree(CASES / name, project)
    reader = TranscriptReader(str(project / "s1.jsonl"))
    reader.read()
    facts = reader.facts
    history = UsageReader([tmp_path], tmp_path / "cache", TABLE)
    for _ in history.read():
        pass
    whole = history.result
    by_session = {key: t.tokens.output for key, t in sum_usage_by(whole.buckets, TABLE, lambda b: b.session_id).items()}
    cost, context = compute_session_cost(facts, None, TABLE), compute_session_context(facts, None, TABLE)
    found = {
        "why": expected["why"],
        "output": by_session,
        "all_output": sum(by_session.values()),
        "skipped": whole.skipped_lines,
        "usd": cost.usd,
        "unpriced_tokens": cost.unpriced_tokens,
        "cache_write_5m": facts.tokens.cache_write_5m,
        "cache_write_1h": facts.tokens.cache_write_1h,
        "agents": {agent.agent_id: agent.tokens.output for agent in facts.agents},
        "context_tokens": context.used_tokens,
        "window_tokens": context.window_tokens,
        "model": facts.model,
        "first_prompt": facts.first_prompt,
    }
    assert {key: found[key] for key in expected} == expected | (
        {"usd": pytest.approx(expected["usd"], abs=1e-9)} if expected.get("usd") else {}
    )
    assert facts.skipped_lines == expected["skipped"]
    if set(by_session) == {"s1"}:
        assert sum_usage(whole.buckets, TABLE) == sum_usage(facts.buckets, TABLE), "history and live reading agree"
