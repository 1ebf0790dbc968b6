"""Context and cost of a session from several sources: each figure with its source, and where sources disagree."""

from atm_tui.cost.pricing import PriceTable
from atm_tui.cost.usage import (
    PricedBucket,
    find_recent_costs,
    price_buckets,
    split_cost_by_kind,
    sum_priced,
    sum_priced_by,
    sum_usage,
    sum_usage_by,
)
from atm_tui.model.facts import Sample
from atm_tui.model.limit_check import is_share
from atm_tui.model.session import Compaction, Context, ContextSample, Cost, Forecast
from atm_tui.model.tokens import Tokens
from atm_tui.model.transcript import AgentFacts, TranscriptFacts

TOLERANCE = 0.01
"""Share of the client's total by which our count may differ before that is reported."""
COMPACT_MARGIN = 23_000
"""Tokens before the end of the window at which the client compacts by itself (measured with 2.1.332, for windows of
200,000 and of 1,000,000 tokens)."""
_SAMPLE_DELAY = 2.0
"""Seconds after an answer in which the statusLine may still give the total from before it."""
_LEAST_SAMPLES = 3
"""Samples that a forecast needs."""
_RECENT = 8
"""Number of the last samples that a forecast uses."""


def compute_session_cost(
    facts: TranscriptFacts | None, sample: Sample | None, table: PriceTable, *, in_parts: bool = True
) -> Cost:
    """Computes what a session and its agents cost: the client's own total where there is one, else our count.

    The client's totals of a session only grow, so of sample and cost-state the larger one is newer. When the session went
    on after a cost-state (after a resume), our count of the later requests is added to it.

    `in_parts`: whether the cost is also split by model, agent, kind of token and time.
    """
    best = _find_client_total(facts, sample, table)
    if facts is None or not facts.exists:
        return Cost(usd=best[0], source=best[1]) if best else Cost()
    priced = price_buckets(facts.buckets, table)
    own = sum_priced(priced)
    inherited = sum_usage(facts.inherited, table).usd if facts.inherited else None
    if best and inherited:
        best = (_subtract_inherited(best[0], own.usd or 0.0, inherited), best[1])
    parts: list[PricedBucket] = priced if in_parts else []
    by_agent = {name: t.usd for name, t in sum_priced_by(parts, lambda b: b.agent_id).items()}
    return Cost(
        usd=best[0] if best else own.usd,
        source=best[1] if best else "transcript",
        unpriced_tokens=own.unpriced_tokens,
        tokens=own.tokens,
        inherited_usd=inherited,
        by_model=_sum_by_model(parts),
        by_agent={name: usd for name, usd in by_agent.items() if usd is not None},
        by_kind=split_cost_by_kind(facts.buckets if in_parts else (), table),
        recent=find_recent_costs(parts),
        disagrees=_explain_difference(facts, best[0], own.usd or 0.0, table)
        if best and not _is_awaited(facts, sample, best, own.usd or 0.0)
        else None,
    )


def _find_client_total(
    facts: TranscriptFacts | None, sample: Sample | None, table: PriceTable
) -> tuple[float, str] | None:
    saved = facts.cost_state if facts else None
    if (
        sample
        and sample.cost_usd is not None
        and sample.cost_usd >= 0
        and (saved is None or sample.cost_usd >= saved.usd - 1e-9)
    ):
        return sample.cost_usd, "statusline"
    if facts and saved:
        return saved.usd + (sum_usage(facts.after_cost_state, table).usd or 0.0), "cost-state"
    return None


def _subtract_inherited(client: float, own: float, inherited: float) -> float:
    """Returns the client's total without what was inherited. Forks start at the total of the other session; branches at 0."""
    return max(0.0, client - inherited) if abs(client - own - inherited) < abs(client - own) else client


def _is_awaited(facts: TranscriptFacts, sample: Sample | None, best: tuple[float, str], own: float) -> bool:
    """Whether the client's total is merely from before the last answers, so that there is nothing to explain."""
    if sample is None or best[1] != "statusline" or own <= best[0]:
        return False
    answers = [at for at in (facts.last_answer_at, *(agent.last_at for agent in facts.agents)) if at is not None]
    return bool(answers) and sample.at <= max(answers) + _SAMPLE_DELAY


def _explain_difference(facts: TranscriptFacts, client: float, own: float, table: PriceTable) -> str | None:
    """Describes how much our count differs from the client's total, and possible reasons; None when they agree."""
    if abs(client - own) <= TOLERANCE * max(client, own):
        return None
    unpriced = sorted(
        name for name, t in sum_usage_by(facts.buckets, table, lambda b: b.model).items() if t.unpriced_tokens
    )
    reasons: list[str] = []
    if own > client:
        reasons.append(
            "why is not known; history of another session, or an older client that counted less, would be a reason"
        )
    else:
        if unpriced:
            reasons.append(f"no price is known for {', '.join(unpriced)}, which the client charges as another model")
        if facts.compactions:
            reasons.append("transcripts leave out the requests that compact")
        if facts.aborted:
            reasons.append("they keep only the start of answers that were interrupted")
        if facts.agents:
            reasons.append("some requests of subagents are in no transcript")
        if not reasons:
            reasons.append("the client makes requests of its own that are in no transcript")
    return f"the client says ${client:.4f}, its transcript adds up to ${own:.4f}: {'; '.join(reasons)}"


def compute_agent_cost(facts: TranscriptFacts, agent_id: str, table: PriceTable, *, in_parts: bool = True) -> Cost:
    """Computes what one agent cost, by our count; "" is the main thread. `in_parts`: as in compute_session_cost."""
    own = [bucket for bucket in facts.buckets if bucket.agent_id == agent_id]
    if not own:
        return Cost()
    priced = price_buckets(own, table)
    counted = sum_priced(priced)
    parts: list[PricedBucket] = priced if in_parts else []
    return Cost(
        usd=counted.usd,
        source="transcript",
        unpriced_tokens=counted.unpriced_tokens,
        tokens=counted.tokens,
        by_model=_sum_by_model(parts),
        by_kind=split_cost_by_kind(own if in_parts else (), table),
        recent=find_recent_costs(parts),
    )


def _sum_by_model(priced: list[PricedBucket]) -> dict[str, float]:
    """Returns USD by model, of those that have a price."""
    return {name: t.usd for name, t in sum_priced_by(priced, lambda b: b.model).items() if t.usd is not None}


def compute_session_context(
    facts: TranscriptFacts | None,
    sample: Sample | None,
    table: PriceTable,
    model: str | None = None,
    asked_model: str | None = None,
) -> Context:
    """Computes how full the main thread's context window is, by the statusLine or the transcript's last answer.

    `model`: as hooks and the statusLine name it. `asked_model`: as in the user's settings, where known, since the
    transcripts of older clients lack its `[1m]`.
    """
    tokens, source = _find_last_answer(facts, sample)
    used = tokens.prompt if tokens else None
    running = (facts and facts.model) or model
    names = [name for name in (model, facts and facts.requested_model) if name]
    if asked_model and _may_mean(asked_model, running, table):
        names.append(asked_model)
    window = (sample and sample.window_tokens) or table.find_window(running)
    wide = next((table.find_window(name) for name in names if name.endswith("[1m]")), None)
    if wide is None and window is not None and max(used or 0, facts.largest_prompt if facts else 0) > window:
        known = table.find_model(running)
        wide = known.context_window_1m if known else None
    window = max(window or 0, wide or 0) or None
    return _make_context(tokens, window, source, facts)


def _may_mean(asked: str, running: str | None, table: PriceTable) -> bool:
    """Whether a setting such as "sonnet[1m]" may mean the running model: aliases change their meaning over time."""
    bare = asked.removesuffix("[1m]")
    return running is None or bare in running or table.find_id(bare) == table.find_id(running)


def _find_last_answer(facts: TranscriptFacts | None, sample: Sample | None) -> tuple[Tokens | None, str | None]:
    """Returns the tokens of the last answer and their source: the newer of statusLine and transcript."""
    compacted = facts.compactions[-1].at if facts and facts.compactions else None
    answered = facts.context_at if facts else None
    if sample and (sampled := _read_sample_tokens(sample)):
        newest = max((t for t in (compacted, answered) if t is not None), default=None)
        if newest is None or sample.at >= newest:
            same = facts and facts.context_usage and facts.context_usage.prompt == sampled.prompt
            # only the transcript has the lifetime of cache writes
            return facts.context_usage if facts and same else sampled, "statusline"
    if facts and facts.context_usage is not None:
        return facts.context_usage, "transcript"
    return None, "statusline" if sample else ("transcript" if facts and facts.exists else None)


def _read_sample_tokens(sample: Sample) -> Tokens | None:
    """Returns the tokens of the last answer in a statusLine sample; None before the first and after a compaction."""
    usage = sample.usage or {}
    tokens = Tokens(
        input=usage.get("input_tokens") or 0,
        output=usage.get("output_tokens") or 0,
        cache_write_5m=usage.get("cache_creation_input_tokens") or 0,
        cache_read=usage.get("cache_read_input_tokens") or 0,
    )
    return tokens if tokens.prompt else None


def compute_agent_context(agent: AgentFacts, table: PriceTable) -> Context:
    """Computes how full a subagent's own context window is, by its last answer."""
    window = table.find_window(agent.model)
    known = table.find_model(agent.model)
    if window is not None and known and (agent.context_tokens or 0) > window:
        window = known.context_window_1m or window
    return _make_context(agent.context_usage, window, "transcript", agent)


def _make_context(
    tokens: Tokens | None, window: int | None, source: str | None, facts: TranscriptFacts | AgentFacts | None
) -> Context:
    used = tokens.prompt if tokens else None
    samples, compactions = (facts.samples, facts.compactions) if facts else ((), ())
    percent = None if used is None or not window else 100 * used / window
    problem = None
    if percent is not None and not is_share(percent):
        problem = f"{used:,} tokens are more than the window of {window:,}: one of the figures is wrong"
        percent = None
    return Context(
        used_tokens=used,
        window_tokens=window,
        percent=percent,
        problem=problem,
        source=source,
        tokens=tokens,
        samples=samples,
        compactions=compactions,
        forecast=forecast_compaction(samples, compactions, used, window),
    )


def find_cache_expiry(facts: TranscriptFacts) -> float | None:
    """Returns when the prompt cache of the main thread expires (epoch seconds); None when no cache was seen."""
    if facts.last_answer_at is None or facts.cache_ttl is None:
        return None
    return facts.last_answer_at + facts.cache_ttl


def forecast_compaction(
    samples: tuple[ContextSample, ...], compactions: tuple[Compaction, ...], used: int | None, window: int | None
) -> Forecast | None:
    """Forecasts the turns and minutes until the client compacts, at the slope of the last turns; None with too few of them.

    It compacts COMPACT_MARGIN before the end of the window, or earlier if it did so before.
    """
    seen = [mark.before for mark in compactions if mark.trigger == "auto" and mark.before]
    limits = [*seen[-1:], *([window - COMPACT_MARGIN] if window and window > COMPACT_MARGIN else [])]
    since = compactions[-1].at if compactions else None
    recent = [s for s in samples if since is None or s.at is None or s.at >= since][-_RECENT:]
    if not limits or used is None or len(recent) < _LEAST_SAMPLES or used >= min(limits):
        return None
    limit = min(limits)
    first, last = recent[0], recent[-1]
    turns, grown = last.turn - first.turn, last.tokens - first.tokens
    if turns <= 0 or grown < limit / 1000:
        return None
    left = (limit - used) / (grown / turns)
    return Forecast(turns=left, minutes=_estimate_minutes(first, last, turns, left), limit_tokens=limit)


def _estimate_minutes(first: ContextSample, last: ContextSample, turns: int, left: float) -> float | None:
    if first.at is None or last.at is None or last.at <= first.at:
        return None
    return left * (last.at - first.at) / turns / 60
