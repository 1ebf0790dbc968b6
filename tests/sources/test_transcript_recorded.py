"""Transcripts of real sessions (reduced to their figures) against the totals that the client itself gave."""

import json
import math
from pathlib import Path

import pytest

from atm_tui.cost.figures import compute_session_context, compute_session_cost
from atm_tui.cost.pricing import load_default_table
from atm_tui.cost.usage import sum_usage, sum_usage_by
from atm_tui.sources.transcript import TranscriptReader

RECORDED = Path(__file__).parents[1] / "data" / "transcripts" / "recorded"
SESSIONS = sorted(p.name for p in RECORDED.iterdir())


@pytest.fixture(params=SESSIONS)
def recorded(request: pytest.FixtureRequest) -> tuple[TranscriptReader, dict]:
    folder = RECORDED / request.param
    reader = TranscriptReader(str(folder / "session.jsonl"))
    assert reader.read()
    return reader, json.loads((folder / "expected.json").read_text("utf-8"))


def test_our_count_equals_the_clients_total(recorded: tuple[TranscriptReader, dict]) -> None:
    reader, expected = recorded
    table = load_default_table()
    counted = sum_usage(reader.facts.buckets, table).usd
    if "uncounted" in expected:
        assert counted is not None
        assert 0.5 * expected["usd"] < counted < expected["usd"]
        return
    assert counted == pytest.approx(expected["usd"], abs=1e-6)
    by_model = {name: t.usd for name, t in sum_usage_by(reader.facts.buckets, table, lambda b: b.model).items()}
    if "models" in expected:
        assert by_model == pytest.approx(expected["models"], abs=1e-6)


def test_cost_state_and_context_are_read(recorded: tuple[TranscriptReader, dict]) -> None:
    reader, expected = recorded
    facts = reader.facts
    if "models" in expected:
        assert facts.cost_state is not None
        assert facts.cost_state.usd == expected["usd"]
        assert facts.cost_state.by_model == expected["models"]
    if "context_tokens" in expected:
        assert facts.context_tokens == expected["context_tokens"]
    assert facts.skipped_lines == 0
    assert facts.after_cost_state == ()


@pytest.mark.parametrize("name", SESSIONS)
def test_line_by_line_gives_the_same_facts_as_all_at_once(name: str, tmp_path: Path) -> None:
    files = sorted((RECORDED / name).rglob("*.jsonl"))
    copies = {f: tmp_path / f.relative_to(RECORDED / name) for f in files}
    for meta in (RECORDED / name).rglob("*.meta.json"):
        target = tmp_path / meta.relative_to(RECORDED / name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(meta.read_bytes())
    follower = TranscriptReader(str(tmp_path / "session.jsonl"))
    for source, copy in copies.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        with copy.open("ab") as out:
            for line in source.read_bytes().splitlines(keepends=True):
                out.write(line[:20])
                out.flush()
                follower.read()
                out.write(line[20:])
                out.flush()
                follower.read()
    fresh = TranscriptReader(str(tmp_path / "session.jsonl"))
    fresh.read()
    assert follower.facts == fresh.facts
    assert fresh.facts.exists


def test_the_context_from_the_transcript_equals_the_statuslines(recorded: tuple[TranscriptReader, dict]) -> None:
    reader, expected = recorded
    if "context_tokens" not in expected:
        assert reader.facts.path.split("/")[-2][:2] in {"07", "08"}, "headless or killed sessions have no statusLine"
        return
    context = compute_session_context(reader.facts, None, load_default_table())
    assert context.window_tokens == expected["window_tokens"]
    assert context.percent is not None
    assert min(100, math.floor(context.percent + 0.5)) == expected["percent"]


def test_the_cost_equals_the_clients_to_a_millionth(recorded: tuple[TranscriptReader, dict]) -> None:
    reader, expected = recorded
    cost = compute_session_cost(reader.facts, None, load_default_table())
    assert cost.usd == pytest.approx(expected["usd"], abs=1e-6)
    ended = reader.facts.cost_state is not None
    assert cost.source == ("cost-state" if ended else "transcript")
    counted = sum_usage(reader.facts.buckets, load_default_table()).usd or 0.0
    assert (cost.disagrees is not None) == (abs(counted - expected["usd"]) > 0.01 * expected["usd"])
