"""Which source a figure comes from, when it is not known, and what is said when two disagree."""

import pytest

from atm_tui.model.figures import (
    Sample,
    agent_context,
    agent_cost,
    forecast,
    sample_of,
    session_context,
    session_cost,
    warm_until,
)
from atm_tui.model.pricing import default_table
from atm_tui.model.session import Context, Cost, Tokens
from atm_tui.model.transcript import AgentFacts, Compaction, ContextSample, CostState, TranscriptFacts
from atm_tui.model.usage import Bucket

TABLE = default_table()


def bucket(model: str = "claude-opus-5-5", agent: str = "", tokens: int = 100_000) -> Bucket:
    return Bucket("", "s", agent, model, "", "", False, 900.0, Tokens(input=tokens), 0, 1)


def facts(**more: object) -> TranscriptFacts:
    return TranscriptFacts(path="s.jsonl", exists=True, **more)


def test_the_statusline_comes_first_then_the_cost_state_then_our_count() -> None:
    own = facts(buckets=(bucket(),))
    ended = facts(buckets=(bucket(),), cost_state=CostState(usd=0.4))
    assert (session_cost(own, None, TABLE).usd, session_cost(own, None, TABLE).source) == (0.4, "transcript")
    assert session_cost(ended, None, TABLE).source == "cost-state"
    cost = session_cost(ended, Sample(usd=0.401), TABLE)
    assert (cost.usd, cost.source, cost.disagrees) == (0.401, "statusline", None)


def test_a_cost_state_newer_than_the_sample_wins() -> None:
    ended = facts(buckets=(bucket(),), cost_state=CostState(usd=0.4))
    cost = session_cost(ended, Sample(usd=0.0), TABLE)
    assert (cost.usd, cost.source) == (0.4, "cost-state")


def test_a_resumed_session_without_statusline_goes_on_from_its_cost_state() -> None:
    gone_on = facts(
        buckets=(bucket(), bucket(agent="a")), cost_state=CostState(usd=0.4), after_cost_state=(bucket(agent="a"),)
    )
    assert session_cost(gone_on, None, TABLE).usd == pytest.approx(0.8)


def test_without_transcript_only_the_sample_speaks() -> None:
    assert session_cost(None, Sample(usd=1.0), TABLE) == Cost(usd=1.0, source="statusline")
    assert session_cost(None, None, TABLE) == Cost()
    assert session_cost(TranscriptFacts(path="x"), None, TABLE).usd is None


def test_an_unknown_model_is_unpriced_never_free() -> None:
    cost = session_cost(facts(buckets=(bucket("glm-5.1"),)), None, TABLE)
    assert (cost.usd, cost.unpriced_tokens, cost.by_model) == (None, 100_000, {})
    mixed = session_cost(facts(buckets=(bucket("glm-5.1"), bucket())), None, TABLE)
    assert (mixed.usd, mixed.unpriced_tokens, mixed.by_model) == (0.4, 100_000, {"claude-opus-5-5": 0.4})


def test_a_disagreement_says_why() -> None:
    unpriced = session_cost(facts(buckets=(bucket("glm-5.1"), bucket())), Sample(usd=0.8), TABLE)
    assert unpriced.disagrees is not None
    assert "$0.8000" in unpriced.disagrees
    assert "glm-5.1" in unpriced.disagrees
    compacted = session_cost(facts(buckets=(bucket(),), compactions=(Compaction(),)), Sample(usd=0.5), TABLE)
    assert "compact" in (compacted.disagrees or "")
    aborted = session_cost(facts(buckets=(bucket(),), aborted=1), Sample(usd=0.5), TABLE)
    assert "broken off" in (aborted.disagrees or "")
    forked = session_cost(facts(buckets=(bucket(),)), Sample(usd=0.1), TABLE)
    assert "another session" in (forked.disagrees or "")
    agents = session_cost(facts(buckets=(bucket(),), agents=(AgentFacts(agent_id="a"),)), Sample(usd=0.5), TABLE)
    assert "subagents" in (agents.disagrees or "")


def test_cost_by_agent() -> None:
    both = facts(buckets=(bucket(), bucket("claude-sonnet-5-5", "a1"), bucket("glm-5.1", "a1")))
    assert session_cost(both, None, TABLE).by_agent == pytest.approx({"": 0.4, "a1": 0.2})
    assert agent_cost(both, "a1", TABLE).usd == pytest.approx(0.2)
    assert agent_cost(both, "a1", TABLE).unpriced_tokens == 100_000
    assert agent_cost(both, "nobody", TABLE) == Cost()


def context(**more: object) -> Context:
    sample = more.pop("sample", None)
    asked = more.pop("asked", None)
    return session_context(facts(**more), sample, TABLE, asked)


def test_context_of_the_last_answer_over_the_models_window() -> None:
    said = context(context_tokens=90_003, context_at=5.0, model="claude-haiku-4-5")
    assert said == Context(used_tokens=90_003, window_tokens=200_000, percent=45.0015, source="transcript")


def test_a_million_is_believed_on_any_evidence() -> None:
    asked = {"context_tokens": 150_000, "context_at": 5.0, "model": "claude-sonnet-4-6"}
    small = Sample(at=9, window_tokens=200_000, used_tokens=150_000, model="claude-sonnet-4-6")
    assert context(**asked).window_tokens == 200_000
    assert context(**asked, asked="sonnet[1m]", sample=small).window_tokens == 1_000_000
    assert context(**asked, asked="opus[1m]").window_tokens == 200_000
    assert context(**asked, requested_model="claude-sonnet-4-6[1m]").window_tokens == 1_000_000
    assert context(**asked, largest_prompt=219_486, sample=small).window_tokens == 1_000_000


def test_an_impossible_figure_is_shown_not_clamped() -> None:
    said = context(context_tokens=210_000, context_at=5.0, model="claude-haiku-4-5", largest_prompt=210_000)
    assert said.percent == 105


def test_an_unknown_model_has_tokens_and_no_percent() -> None:
    assert context(context_tokens=5, context_at=1.0, model="glm-5.1").percent is None
    assert context(context_tokens=5, context_at=1.0, model="glm-5.1").used_tokens == 5


def test_context_is_unknown_from_a_compaction_to_the_next_answer() -> None:
    old = Sample(at=10, used_tokens=170_000, window_tokens=200_000)
    after = facts(compactions=(Compaction(at=20.0, after=2_800),))
    assert session_context(after, old, TABLE).used_tokens is None
    assert session_context(after, old, TABLE).window_tokens == 200_000
    new = Sample(at=30, used_tokens=25_000, window_tokens=200_000)
    assert session_context(after, new, TABLE).used_tokens == 25_000


def test_an_answer_newer_than_the_sample_counts() -> None:
    old = Sample(at=10, used_tokens=100, window_tokens=1_000)
    said = context(context_tokens=200, context_at=20.0, model="claude-opus-5-5", sample=old)
    assert (said.used_tokens, said.window_tokens, said.source) == (200, 1_000, "transcript")


def test_the_sum_of_a_session_is_no_context() -> None:
    metrics = {
        "at": 3.0,
        "cost_usd": 1.5,
        "window_tokens": 200_000,
        "usage": {
            "input_tokens": 5,
            "output_tokens": 9,
            "cache_creation_input_tokens": 700,
            "cache_read_input_tokens": 79_000,
        },
    }
    sample = sample_of(metrics, "claude-haiku-4-5")
    assert sample == Sample(at=3.0, usd=1.5, window_tokens=200_000, used_tokens=79_705, model="claude-haiku-4-5")
    assert round(session_context(None, sample, TABLE).percent or 0) == 40


@pytest.mark.parametrize("metrics", [None, {}, {"usage": 3, "cost_usd": "x", "window_tokens": None}])
def test_a_sample_with_nothing_in_it(metrics: dict | None) -> None:
    sample = sample_of(metrics)
    assert sample is None or sample == Sample()


def test_agents_have_their_own_window() -> None:
    agent = AgentFacts(agent_id="a", model="claude-haiku-4-5", context_tokens=20_000)
    assert agent_context(agent, TABLE).percent == 10
    assert agent_context(AgentFacts(agent_id="a"), TABLE) == Context(source="transcript")


def test_warmth() -> None:
    assert warm_until(facts(last_answer_at=100.0, cache_ttl=3_600)) == 3_700
    assert warm_until(facts(last_answer_at=100.0)) is None


def samples(*tokens: int) -> tuple[ContextSample, ...]:
    return tuple(ContextSample(60.0 * n, t, n) for n, t in enumerate(tokens))


def test_forecast_needs_enough_to_go_by() -> None:
    now = Context(used_tokens=50_000, window_tokens=100_000)
    assert forecast(facts(samples=samples(30_000, 50_000)), now) is None
    assert forecast(facts(samples=samples(50_000, 50_000, 50_000)), now) is None
    assert forecast(facts(samples=samples(60_000, 55_000, 50_000)), now) is None
    said = forecast(facts(samples=samples(30_000, 40_000, 50_000)), now)
    assert said is not None
    assert (said.turns, said.minutes, said.limit_tokens) == (5, 5, 100_000)


def test_forecast_starts_anew_after_a_compaction_and_knows_its_limit() -> None:
    seen = facts(
        samples=samples(20_000, 80_000, 10_000, 20_000, 30_000),
        compactions=(Compaction(at=90.0, trigger="auto", before=81_000),),
    )
    said = forecast(seen, Context(used_tokens=30_000, window_tokens=200_000))
    assert said is not None
    assert said.limit_tokens == 81_000
    assert said.turns == pytest.approx(5.1)
