"""Each request is counted once, and no two are counted as one."""

import itertools
from datetime import date

import msgspec
import pytest

from atm_tui.cost.pricing import build_table, load_default_table
from atm_tui.cost.usage import (
    ApiRequest,
    UsageLedger,
    estimate_hourly_cost,
    find_recent_costs,
    merge_buckets,
    price_buckets,
    split_cost_by_kind,
    sum_usage,
    sum_usage_by,
)
from atm_tui.model.tokens import Tokens

NOON = 1_767_355_200.0


def make_line(message: str = "m1", request: str = "r1", at: float | None = NOON, **more: object) -> ApiRequest:
    fields = {"line_id": "", "model": "claude-opus-4-8", "tokens": Tokens(input=3, output=10), **more}
    return ApiRequest(message_id=message, request_id=request, at=at, **fields)


@pytest.fixture
def ledger() -> UsageLedger:
    return UsageLedger(load_default_table())


def make_output(ledger: UsageLedger) -> int:
    return sum(bucket.tokens.output for bucket in ledger.list_buckets())


def test_lines_of_one_answer_count_once_and_the_last_one_wins(ledger: UsageLedger) -> None:
    assert ledger.add(make_line(tokens=Tokens(output=1)))
    assert not ledger.add(make_line(tokens=Tokens(output=1), at=NOON + 1))
    assert not ledger.add(make_line(tokens=Tokens(output=57), at=NOON + 2))
    assert make_output(ledger) == 57
    assert sum_usage(ledger.list_buckets(), load_default_table()).requests == 1


def test_a_copy_stays_with_the_session_that_made_the_request(ledger: UsageLedger) -> None:
    ledger.add(make_line(session_id="first", project="/a"))
    ledger.add(make_line(session_id="fork", project="/b"))
    (bucket,) = ledger.list_buckets()
    assert (bucket.session_id, bucket.project, bucket.requests) == ("first", "/a", 1)


def test_a_newer_line_of_a_copy_stays_with_the_agent_that_made_the_request(ledger: UsageLedger) -> None:
    ledger.add(make_line(session_id="first", agent_id="a1", tokens=Tokens(output=1)))
    ledger.add(make_line(session_id="fork", at=NOON + 1, tokens=Tokens(output=57)))
    (bucket,) = ledger.list_buckets()
    assert (bucket.session_id, bucket.agent_id, bucket.tokens.output) == ("first", "a1", 57)


def test_without_request_id_an_answer_never_shrinks(ledger: UsageLedger) -> None:
    ledger.add(make_line(request="", line_id="a", tokens=Tokens(input=3, output=57)))
    ledger.add(make_line(request="", line_id="b", at=NOON + 1, tokens=Tokens(input=3, output=10)))
    assert make_output(ledger) == 67, "these are two requests"


def test_an_older_copy_does_not_undo_a_newer_line(ledger: UsageLedger) -> None:
    ledger.add(make_line(tokens=Tokens(output=57), at=NOON + 5))
    ledger.add(make_line(tokens=Tokens(output=1), at=NOON))
    assert make_output(ledger) == 57


def test_without_request_id_the_message_id_is_enough(ledger: UsageLedger) -> None:
    ledger.add(make_line(request=""))
    ledger.add(make_line(request=""))
    ledger.add(make_line(request="", tokens=Tokens(input=3, output=12), at=NOON + 20))
    assert make_output(ledger) == 12


def test_first_line_of_an_answer_may_be_without_figures(ledger: UsageLedger) -> None:
    ledger.add(make_line(request="", tokens=Tokens(output=1)))
    ledger.add(make_line(request="", tokens=Tokens(input=900, output=40), at=NOON + 5))
    assert make_output(ledger) == 40


def test_one_message_id_for_everything_does_not_collapse(ledger: UsageLedger) -> None:
    ledger.add(make_line("gw", "", NOON, tokens=Tokens(input=3, output=10)))
    ledger.add(make_line("gw", "", NOON + 295, tokens=Tokens(input=3, output=20)))
    ledger.add(make_line("gw", "", NOON + 3_355, tokens=Tokens(input=3, output=40), session_id="s2"))
    assert make_output(ledger) == 70
    for n in range(50):
        ledger.add(make_line("gw", "", NOON + 4_000 + n, tokens=Tokens(input=100 + n, output=1)))
    assert make_output(ledger) == 120


def test_a_long_answer_without_request_id_is_followed_over_minutes(ledger: UsageLedger) -> None:
    for n in range(8):
        ledger.add(make_line(request="", at=NOON + 40 * n, tokens=Tokens(input=3, output=10 + n)))
    assert make_output(ledger) == 17


def test_without_any_id_every_line_counts(ledger: UsageLedger) -> None:
    for _ in range(3):
        ledger.add(make_line("", ""))
    assert make_output(ledger) == 30
    for _ in range(3):
        ledger.add(make_line("", "", line_id="u1"))
    assert make_output(ledger) == 40


def test_one_request_id_for_everything_does_not_collapse(ledger: UsageLedger) -> None:
    for n in range(3):
        ledger.add(make_line(f"m{n}", "req"))
    assert make_output(ledger) == 30


def test_any_order_of_copies_gives_the_same_sums() -> None:
    lines = [
        make_line(tokens=Tokens(output=1)),
        make_line(tokens=Tokens(output=57), at=NOON + 2),
        make_line("m2", "r2", at=NOON + 9),
        make_line("m3", "", at=NOON + 30, tokens=Tokens(input=8, output=2)),
        make_line("m3", "", at=NOON + 31, tokens=Tokens(input=8, output=5)),
    ]
    sums = set()
    for order in itertools.permutations(lines):
        ledger = UsageLedger(load_default_table())
        for each in order:
            ledger.add(each)
        sums.add(ledger.list_buckets())
    assert len(sums) == 1


def test_tier_is_decided_per_request_not_per_sum(ledger: UsageLedger) -> None:
    for n in range(3):
        ledger.add(make_line(f"m{n}", "r", model="claude-haiku-5-5", tokens=Tokens(input=60_000)))
    ledger.add(make_line("m9", "r", model="claude-haiku-5-5", tokens=Tokens(input=100_001)))
    assert sum_usage(ledger.list_buckets(), load_default_table()).usd == pytest.approx((18_000 + 50_000.5) / 1e6)


def test_parts_add_up_to_the_total(ledger: UsageLedger) -> None:
    table = load_default_table()
    models = ("claude-opus-5-5", "claude-haiku-5-5", "claude-sonnet-4-6", "glm-5.1")
    for n, model in enumerate(models * 5):
        kinds = Tokens(input=n, output=7 * n, cache_write_5m=3, cache_write_1h=2 * n, cache_read=60_000 * n)
        ledger.add(
            make_line(f"m{n}", "r", NOON + 600 * n, model=model, tokens=kinds, web_searches=n, agent_id=f"a{n % 3}")
        )
    buckets = ledger.list_buckets()
    whole = sum_usage(buckets, table)
    assert whole.usd is not None
    for by in (lambda b: b.model, lambda b: b.agent_id, lambda b: b.slot):
        assert sum(t.usd or 0 for t in sum_usage_by(buckets, table, by).values()) == pytest.approx(whole.usd, abs=1e-9)
    assert sum(split_cost_by_kind(buckets, table).values()) == pytest.approx(whole.usd, abs=1e-9)
    assert sum_usage_by(buckets, table, lambda b: b.model)["glm-5.1"].usd is None
    assert whole.unpriced_tokens == sum_usage_by(buckets, table, lambda b: b.model)["glm-5.1"].tokens.total > 0


def test_merged_sums_cost_the_same() -> None:
    rates = {"input": 5.0, "output": 25.0, "cache_write_5m": 6.25, "cache_write_1h": 10.0, "cache_read": 0.5}
    dearer = {**rates, "input": 7.0, "from": date(2026, 1, 3)}
    table = build_table({"models": {"dated": {"prices": [rates, dearer]}}}, "test", load_default_table())
    ledger = UsageLedger(table)
    days = [NOON, NOON + 3600, NOON + 86400, None]
    choices = itertools.product(
        days, ("dated", "claude-haiku-5-5", "glm-5.1"), (3, 200_000), ("", "fast"), ("", "a1"), ("s1", "s2")
    )
    for n, (at, model, prompt, speed, agent, session) in enumerate(choices):
        tokens = Tokens(input=prompt, output=n, cache_read=7)
        more = {"model": model, "tokens": tokens, "speed": speed, "agent_id": agent, "session_id": session}
        ledger.add(make_line(f"m{n}", "r", at, web_searches=n, **more))
    buckets = ledger.list_buckets()
    merged = merge_buckets(buckets, table)
    assert len(merged) < len(buckets) / 3
    for by in (lambda b: b.session_id, lambda b: b.model):
        whole, sums = sum_usage_by(buckets, table, by), sum_usage_by(merged, table, by)
        assert whole.keys() == sums.keys()
        for key, total in whole.items():
            assert msgspec.structs.replace(sums[key], usd=None) == msgspec.structs.replace(total, usd=None)
            assert sums[key].usd == (None if total.usd is None else pytest.approx(total.usd))
    assert {b.slot for b in merged} == {None, NOON + 3600, NOON + 86400}


def test_cost_per_hour_is_the_pace_of_the_last_hour(ledger: UsageLedger) -> None:
    ledger.add(make_line("m1", "r", NOON - 7_200, tokens=Tokens(input=1_000_000)))
    ledger.add(make_line("m2", "r", NOON - 1_700, tokens=Tokens(input=100_000)))
    ledger.add(make_line("m3", "r", NOON - 900, tokens=Tokens(input=100_000)))
    recent = find_recent_costs(price_buckets(ledger.list_buckets(), load_default_table()))
    assert recent == ((NOON - 1_800, 0.5), (NOON - 900, 0.5))
    assert estimate_hourly_cost(recent, NOON - 1) == pytest.approx(1.0, rel=0.01)
    assert estimate_hourly_cost(recent, NOON, NOON - 1_800) == pytest.approx(2.0)
    assert estimate_hourly_cost(((NOON, 0.5),), NOON + 1, NOON) == pytest.approx(2.0), "never over less than a quarter"
    assert estimate_hourly_cost(recent, NOON + 4_000) == 0
    assert estimate_hourly_cost((), NOON) == 0


def test_no_usage_costs_nothing_and_an_unknown_price_is_not_zero(ledger: UsageLedger) -> None:
    assert sum_usage((), load_default_table()).usd == 0
    ledger.add(make_line(model="glm-5.1"))
    counted = sum_usage(ledger.list_buckets(), load_default_table())
    assert counted.usd is None
    assert counted.unpriced_tokens == 13


def test_requests_are_small_when_stored() -> None:
    packed = msgspec.msgpack.encode(make_line())
    assert msgspec.msgpack.decode(packed, type=ApiRequest) == make_line()
    assert len(packed) < 120


@pytest.mark.parametrize(
    ("answering", "asked", "charged"),
    [
        ("claude-haiku-4-5", "claude-opus-5-5", "claude-opus-5-5"),
        ("claude-haiku-4-5-20251001", "haiku-of-our-gateway", "claude-haiku-4-5-20251001"),
        ("claude-sonnet-4-6", "claude-sonnet-4-6[1m]", "claude-sonnet-4-6"),
    ],
)
def test_the_model_that_was_asked_for_is_charged_where_it_is_known(
    ledger: UsageLedger, answering: str, asked: str, charged: str
) -> None:
    ledger.add(make_line(model=answering, asked=asked))
    assert [bucket.model for bucket in ledger.list_buckets()] == [charged]
