"""Which source a figure comes from, when it is unknown, and what is reported when two disagree."""

import msgspec
import pytest

from atm_tui.cost.figures import (
    COMPACT_MARGIN,
    compute_agent_context,
    compute_agent_cost,
    compute_session_context,
    compute_session_cost,
    find_cache_expiry,
    forecast_compaction,
)
from atm_tui.cost.pricing import load_default_table
from atm_tui.model.facts import Sample
from atm_tui.model.session import Compaction, Context, ContextSample, Cost, Forecast
from atm_tui.model.tokens import Bucket, Tokens
from atm_tui.model.transcript import AgentFacts, CostState, TranscriptFacts

TABLE = load_default_table()


def make_bucket(model: str = "claude-opus-5-5", agent: str = "", tokens: int = 100_000) -> Bucket:
    return Bucket("", "s", agent, model, "", "", False, 900.0, Tokens(input=tokens), 0, 1)


def make_facts(**more: object) -> TranscriptFacts:
    return TranscriptFacts(path="s.jsonl", exists=True, **more)


def test_the_statusline_comes_first_then_the_cost_state_then_our_count() -> None:
    own = make_facts(buckets=(make_bucket(),))
    ended = make_facts(buckets=(make_bucket(),), cost_state=CostState(usd=0.4))
    assert (compute_session_cost(own, None, TABLE).usd, compute_session_cost(own, None, TABLE).source) == (
        0.4,
        "transcript",
    )
    assert compute_session_cost(ended, None, TABLE).source == "cost-state"
    cost = compute_session_cost(ended, Sample(cost_usd=0.401), TABLE)
    assert (cost.usd, cost.source, cost.disagrees) == (0.401, "statusline", None)


def test_a_cost_state_newer_than_the_sample_wins() -> None:
    ended = make_facts(buckets=(make_bucket(),), cost_state=CostState(usd=0.4))
    cost = compute_session_cost(ended, Sample(cost_usd=0.0), TABLE)
    assert (cost.usd, cost.source) == (0.4, "cost-state")


def test_a_resumed_session_without_statusline_goes_on_from_its_cost_state() -> None:
    gone_on = make_facts(
        buckets=(make_bucket(), make_bucket(agent="a")),
        cost_state=CostState(usd=0.4),
        after_cost_state=(make_bucket(agent="a"),),
    )
    assert compute_session_cost(gone_on, None, TABLE).usd == pytest.approx(0.8)


def test_without_transcript_the_sample_counts() -> None:
    assert compute_session_cost(None, Sample(cost_usd=1.0), TABLE) == Cost(usd=1.0, source="statusline")
    assert compute_session_cost(None, None, TABLE) == Cost()
    assert compute_session_cost(TranscriptFacts(path="x"), None, TABLE).usd is None


def test_an_unknown_model_is_unpriced_never_free() -> None:
    cost = compute_session_cost(make_facts(buckets=(make_bucket("glm-5.1"),)), None, TABLE)
    assert (cost.usd, cost.unpriced_tokens, cost.by_model) == (None, 100_000, {})
    mixed = compute_session_cost(make_facts(buckets=(make_bucket("glm-5.1"), make_bucket())), None, TABLE)
    assert (mixed.usd, mixed.unpriced_tokens, mixed.by_model) == (0.4, 100_000, {"claude-opus-5-5": 0.4})


def test_a_disagreement_says_why() -> None:
    unpriced = compute_session_cost(
        make_facts(buckets=(make_bucket("glm-5.1"), make_bucket())), Sample(cost_usd=0.8), TABLE
    )
    assert unpriced.disagrees is not None
    assert "$0.8000" in unpriced.disagrees
    assert "glm-5.1" in unpriced.disagrees
    compacted = compute_session_cost(
        make_facts(buckets=(make_bucket(),), compactions=(Compaction(),)), Sample(cost_usd=0.5), TABLE
    )
    assert "compact" in (compacted.disagrees or "")
    aborted = compute_session_cost(make_facts(buckets=(make_bucket(),), aborted=1), Sample(cost_usd=0.5), TABLE)
    assert "interrupted" in (aborted.disagrees or "")
    forked = compute_session_cost(make_facts(buckets=(make_bucket(),)), Sample(cost_usd=0.1), TABLE)
    assert "another session" in (forked.disagrees or "")
    agents = compute_session_cost(
        make_facts(buckets=(make_bucket(),), agents=(AgentFacts(agent_id="a"),)), Sample(cost_usd=0.5), TABLE
    )
    assert "subagents" in (agents.disagrees or "")


def test_cost_by_kind_is_the_whole_and_names_only_what_cost_anything() -> None:
    spent = Tokens(input=100_000, output=1_000, cache_read=500_000)
    both = make_facts(
        buckets=(
            make_bucket(tokens=50_000),
            msgspec.structs.replace(make_bucket(agent="a"), tokens=spent, web_searches=2),
        )
    )
    cost = compute_session_cost(both, None, TABLE)
    assert cost.by_kind == pytest.approx({"input": 0.6, "output": 0.02, "cache_read": 0.1, "web_search": 0.02})
    assert sum(cost.by_kind.values()) == pytest.approx(cost.usd)
    assert cost.recent == ((900.0, pytest.approx(cost.usd)),)


def test_cost_by_agent() -> None:
    both = make_facts(buckets=(make_bucket(), make_bucket("claude-sonnet-5-5", "a1"), make_bucket("glm-5.1", "a1")))
    assert compute_session_cost(both, None, TABLE).by_agent == pytest.approx({"": 0.4, "a1": 0.2})
    assert compute_agent_cost(both, "a1", TABLE).usd == pytest.approx(0.2)
    assert compute_agent_cost(both, "a1", TABLE).unpriced_tokens == 100_000
    assert compute_agent_cost(both, "nobody", TABLE) == Cost()


def make_context(**more: object) -> Context:
    sample = more.pop("sample", None)
    asked = more.pop("asked", None)
    return compute_session_context(make_facts(**more), sample, TABLE, asked_model=asked)


def make_sample(at: float, used: int, window: int) -> Sample:
    return Sample(at=at, window_tokens=window, usage={"input_tokens": 1, "cache_read_input_tokens": used - 1})


def test_context_of_the_last_answer_over_the_models_window() -> None:
    tokens = Tokens(input=3, output=70, cache_write_1h=30_000, cache_read=60_000)
    said = make_context(context_usage=tokens, context_at=5.0, model="claude-haiku-4-5")
    assert said == Context(
        used_tokens=90_003, window_tokens=200_000, percent=45.0015, source="transcript", tokens=tokens
    )


def test_a_window_of_a_million_is_assumed_on_any_evidence() -> None:
    asked = {"context_usage": Tokens(input=150_000), "context_at": 5.0, "model": "claude-sonnet-4-6"}
    small = make_sample(9, 150_000, 200_000)
    assert make_context(**asked).window_tokens == 200_000
    assert make_context(**asked, asked="sonnet[1m]", sample=small).window_tokens == 1_000_000
    assert make_context(**asked, asked="opus[1m]").window_tokens == 200_000
    assert make_context(**asked, requested_model="claude-sonnet-4-6[1m]").window_tokens == 1_000_000
    assert make_context(**asked, largest_prompt=219_486, sample=small).window_tokens == 1_000_000


def test_more_tokens_than_the_window_give_a_reason_instead_of_a_share() -> None:
    """Of a model that has no larger window."""
    given = {"context_at": 5.0, "model": "claude-haiku-4-5"}
    said = make_context(context_usage=Tokens(input=210_000), largest_prompt=210_000, **given)
    assert (said.percent, said.forecast, said.used_tokens) == (None, None, 210_000)
    assert said.problem == "210,000 tokens are more than the window of 200,000: one of the figures is wrong"
    full = make_context(context_usage=Tokens(input=200_000), largest_prompt=200_000, **given)
    assert (full.percent, full.problem) == (100, None)
    wide = make_context(
        context_usage=Tokens(input=210_000), largest_prompt=210_000, context_at=5.0, model="claude-sonnet-4-6"
    )
    assert (wide.percent, wide.window_tokens) == (21, 1_000_000)


def test_an_unknown_model_has_tokens_and_no_percent() -> None:
    assert make_context(context_usage=Tokens(input=5), context_at=1.0, model="glm-5.1").percent is None
    assert make_context(context_usage=Tokens(input=5), context_at=1.0, model="glm-5.1").used_tokens == 5


def test_context_is_unknown_from_a_compaction_to_the_next_answer() -> None:
    old = make_sample(10, 170_000, 200_000)
    after = make_facts(compactions=(Compaction(at=20.0, after=2_800),))
    assert compute_session_context(after, old, TABLE).used_tokens is None
    assert compute_session_context(after, old, TABLE).window_tokens == 200_000
    new = make_sample(30, 25_000, 200_000)
    assert compute_session_context(after, new, TABLE).used_tokens == 25_000


def test_an_answer_newer_than_the_sample_counts() -> None:
    old = make_sample(10, 100, 1_000)
    said = make_context(context_usage=Tokens(input=200), context_at=20.0, model="claude-opus-5-5", sample=old)
    assert (said.used_tokens, said.window_tokens, said.source) == (200, 1_000, "transcript")


def test_the_statusline_has_the_last_answer_by_kind() -> None:
    usage = {
        "input_tokens": 5,
        "output_tokens": 9,
        "cache_creation_input_tokens": 700,
        "cache_read_input_tokens": 79_000,
    }
    said = compute_session_context(None, Sample(at=3.0, window_tokens=200_000, usage=usage), TABLE, "claude-haiku-4-5")
    assert said.tokens == Tokens(input=5, output=9, cache_write_5m=700, cache_read=79_000)
    assert (said.used_tokens, round(said.percent or 0)) == (79_705, 40)


def test_the_lifetime_of_cache_writes_comes_from_the_transcript() -> None:
    sample = Sample(at=9.0, window_tokens=200_000, usage={"cache_creation_input_tokens": 700, "input_tokens": 5})
    written = Tokens(input=5, cache_write_1h=700)
    assert make_context(context_usage=written, context_at=8.0, sample=sample).tokens == written
    assert make_context(context_usage=written, context_at=8.0, sample=sample).source == "statusline"


@pytest.mark.parametrize("usage", [None, {}, {"input_tokens": None}, {"output_tokens": 3}])
def test_a_sample_before_the_first_answer_has_only_the_window(usage: dict | None) -> None:
    said = compute_session_context(None, Sample(at=1.0, window_tokens=200_000, usage=usage), TABLE)
    assert said == Context(window_tokens=200_000, source="statusline")


def test_agents_have_their_own_window() -> None:
    agent = AgentFacts(agent_id="a", model="claude-haiku-4-5", context_usage=Tokens(input=20_000))
    assert compute_agent_context(agent, TABLE).percent == 10
    assert compute_agent_context(AgentFacts(agent_id="a"), TABLE) == Context(source="transcript")


def test_cache_expiry() -> None:
    assert find_cache_expiry(make_facts(last_answer_at=100.0, cache_ttl=3_600)) == 3_700
    assert find_cache_expiry(make_facts(last_answer_at=100.0)) is None


def samples(*tokens: int) -> tuple[ContextSample, ...]:
    return tuple(ContextSample(60.0 * n, t, n) for n, t in enumerate(tokens))


def test_a_forecast_needs_enough_samples() -> None:
    window = 100_000 + COMPACT_MARGIN
    assert forecast_compaction(samples(30_000, 50_000), (), 50_000, window) is None
    assert forecast_compaction(samples(50_000, 50_000, 50_000), (), 50_000, window) is None
    assert forecast_compaction(samples(60_000, 55_000, 50_000), (), 50_000, window) is None
    assert forecast_compaction(samples(30_000, 40_000, 50_000), (), None, window) is None
    assert forecast_compaction(samples(30_000, 40_000, 50_000), (), 50_000, None) is None
    said = forecast_compaction(samples(30_000, 40_000, 50_000), (), 50_000, window)
    assert said == Forecast(turns=5, minutes=5, limit_tokens=100_000)


def test_a_forecast_starts_again_after_a_compaction_and_uses_its_limit() -> None:
    mark = Compaction(at=90.0, trigger="auto", before=81_000)
    said = forecast_compaction(samples(20_000, 80_000, 10_000, 20_000, 30_000), (mark,), 30_000, 200_000)
    assert said is not None
    assert said.limit_tokens == 81_000
    assert said.turns == pytest.approx(5.1)


def test_one_late_compaction_does_not_raise_the_limit_above_the_clients() -> None:
    late = Compaction(at=0.0, trigger="auto", before=199_000)
    said = forecast_compaction(samples(30_000, 40_000, 50_000), (late,), 50_000, 200_000)
    assert said is not None
    assert said.limit_tokens == 177_000


def test_a_context_carries_its_turns_and_its_forecast() -> None:
    said = make_context(
        samples=samples(30_000, 40_000, 50_000), context_usage=Tokens(input=50_000), context_at=1.0,
        model="claude-haiku-4-5", compactions=(Compaction(at=-1.0),),
    )  # fmt: skip
    assert len(said.samples) == 3
    assert said.compactions == (Compaction(at=-1.0),)
    assert said.forecast is not None
    assert said.forecast.turns == pytest.approx(12.7)


def test_a_cost_that_is_not_split_has_the_same_totals() -> None:
    buckets = (make_bucket(), make_bucket("claude-haiku-4-5", "a1"), make_bucket("unknown", "a2"))
    facts = make_facts(buckets=buckets)
    for whole, plain in (
        (compute_session_cost(facts, None, TABLE), compute_session_cost(facts, None, TABLE, in_parts=False)),
        (compute_agent_cost(facts, "a1", TABLE), compute_agent_cost(facts, "a1", TABLE, in_parts=False)),
    ):
        assert whole.by_model
        assert plain == msgspec.structs.replace(whole, by_model={}, by_agent={}, by_kind={}, recent=())
