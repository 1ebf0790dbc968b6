"""The price table against what the client charged, and every spelling of a model's name."""

import tomllib
from pathlib import Path

import pytest

from atm_tui.cost.pricing import PriceTable, PricingError, RequestUsage, build_table, load_default_table, price_request
from atm_tui.model.tokens import Tokens
from tests.support.tables import PRICES, make_prices

DATA = Path(__file__).parents[1] / "data" / "pricing"
CHARGED = tomllib.loads((DATA / "charged.toml").read_text("utf-8"))["charged"]
KINDS = ("input", "output", "cache_write_5m", "cache_write_1h", "cache_read")


@pytest.fixture
def table() -> PriceTable:
    return load_default_table()


@pytest.mark.parametrize("line", CHARGED, ids=lambda line: f"{line['model']}-{line.get('speed', '')}")
def test_each_kind_costs_what_the_client_charged_for_it(line: dict, table: PriceTable) -> None:
    """usd: what 100,000 tokens of each kind cost, in the order of KINDS; long prompts start above them."""
    for kind, usd in zip(KINDS, line["usd"], strict=True):
        usage = RequestUsage(tokens=Tokens(**{kind: 100_000}), speed=line.get("speed", ""))
        assert price_request(usage, line["model"], None, table) == pytest.approx(usd, abs=1e-9), kind


def test_a_long_prompt_changes_the_price_of_the_whole_request(table: PriceTable) -> None:
    at = Tokens(input=40_000, cache_read=30_000, cache_write_5m=20_000, cache_write_1h=10_000, output=1_000)
    over = Tokens(input=40_001, cache_read=30_000, cache_write_5m=20_000, cache_write_1h=10_000, output=1_000)
    assert price_request(RequestUsage(tokens=at), "claude-haiku-5-5", None, table) == pytest.approx(
        (4_000 + 300 + 2_500 + 2_000 + 500) / 1e6
    )
    assert price_request(RequestUsage(tokens=over), "claude-haiku-5-5", None, table) == pytest.approx(
        (20_000.5 + 1_500 + 12_500 + 10_000 + 2_500) / 1e6
    )
    assert [table.is_long("claude-haiku-5-5", prompt, None) for prompt in (100_000, 100_001)] == [False, True]


def test_output_alone_does_not_make_a_prompt_long(table: PriceTable) -> None:
    usage = RequestUsage(tokens=Tokens(input=10, output=128_000))
    assert price_request(usage, "claude-haiku-5-5", None, table) == pytest.approx((1 + 64_000) / 1e6)


@pytest.mark.parametrize(
    "model", ["claude-opus-9-9", "glm-5.1", "claude-opus-4-1x", "", None, "claude-3-opus-20240229"]
)
def test_a_model_without_price_has_an_unknown_cost(model: str | None, table: PriceTable) -> None:
    assert price_request(RequestUsage(tokens=Tokens(input=5)), model, None, table) is None


@pytest.mark.parametrize(
    ("model", "usd"),
    [
        ("claude-sonnet-4-6", 0.3),
        ("claude-sonnet-5", 0.2),
        ("claude-sonnet-5-5", 0.2),
        ("claude-haiku-4-5", 0.1),
        ("claude-haiku-5-5", 0.01),
        ("claude-opus-4-5", 0.5),
        ("claude-fable-5", 1.0),
        ("claude-fable-5-1", 1.0),
        ("claude-mythos-5-1", 1.0),
        ("claude-mythos-5-2", 1.6),
    ],
)
def test_fast_answers_as_the_client_charged_them(model: str, usd: float, table: PriceTable) -> None:
    usage = RequestUsage(tokens=Tokens(input=100_000), speed="fast")
    assert price_request(usage, model, None, table) == pytest.approx(usd, abs=1e-9)


def test_searches_and_region(table: PriceTable) -> None:
    million = Tokens(input=1_000_000)
    assert price_request(RequestUsage(tokens=million, web_searches=3), "claude-opus-5-5", None, table) == pytest.approx(
        4.03
    )
    assert price_request(RequestUsage(tokens=million, region="us"), "claude-opus-5-5", None, table) == pytest.approx(
        4.4
    )
    assert price_request(
        RequestUsage(tokens=million, region="not_available"), "claude-opus-5-5", None, table
    ) == pytest.approx(4)
    regional = RequestUsage(tokens=million, region="us", web_searches=3, speed="fast")
    assert price_request(regional, "claude-opus-5-5", None, table) == pytest.approx(4 * 1.1 * 2 + 0.03)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("claude-sonnet-4-6[1m]", "claude-sonnet-4-6"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("us.anthropic.claude-sonnet-4-5-v1:0", "claude-sonnet-4-5"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-3-5-sonnet"),
        (
            "arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-haiku-4-5-20251001-v1:0",
            "claude-haiku-4-5",
        ),
        ("global.anthropic.claude-opus-4-8-v1:0[1m]", "claude-opus-4-8"),
        ("claude-haiku-4-5@20251001", "claude-haiku-4-5"),
        ("anthropic/claude-opus-5", "claude-opus-5"),
        ("claude-opus-4-20250514", "claude-opus-4-0"),
        ("claude-opus-4-1-20250805", "claude-opus-4-1"),
        ("Claude-Opus-5-5", "claude-opus-5-5"),
        ("opus", "claude-opus-5-5"),
        ("sonnet[1m]", "claude-sonnet-5-5"),
        ("haiku", "claude-haiku-5-5"),
        ("my.claude-haiku-4-5", None),
        ("us.anthropic.claude-opus-9-v1:0", None),
        ("claude-opus-5-5-turbo", None),
    ],
)
def test_every_spelling_of_a_model_resolves(name: str, model: str | None, table: PriceTable) -> None:
    assert table.find_id(name) == model


@pytest.mark.parametrize(
    ("name", "window"),
    [
        ("claude-opus-5-5", 1_000_000),
        ("claude-opus-4-8", 1_000_000),
        ("claude-opus-4-6", 200_000),
        ("claude-opus-4-6[1m]", 1_000_000),
        ("claude-haiku-4-5-20251001", 200_000),
        ("glm-5.1", None),
        ("glm-5.1[1m]", 1_000_000),
        (None, None),
    ],
)
def test_windows(name: str | None, window: int | None, table: PriceTable) -> None:
    assert table.find_window(name) == window


def find_rates(**more: object) -> dict[str, object]:
    return {"input": 1.0, "output": 2.0, "cache_write_5m": 3.0, "cache_write_1h": 4.0, "cache_read": 0.5, **more}


def test_a_user_adds_a_model_and_changes_one(table: PriceTable) -> None:
    mine = {
        "models": {
            "glm-5.1": {"prices": [find_rates()], "context_window_1m": 2_000_000},
            "haiku": {"context_window": 500_000},
        }
    }
    merged = build_table(mine, "config.toml", table)
    assert price_request(RequestUsage(tokens=Tokens(output=1_000_000)), "glm-5.1", None, merged) == 2
    assert merged.find_window("claude-haiku-5-5") == 500_000
    assert merged.find_window("glm-5.1[1m]") == 2_000_000
    assert merged.find_price_list("claude-haiku-5-5", None) == table.find_price_list("claude-haiku-5-5", None)
    assert merged.find_id("opus") == "claude-opus-5-5"
    assert table.find_model("glm-5.1") is None


def test_the_price_of_the_day_applies(table: PriceTable) -> None:
    day = tomllib.loads("day = 2026-01-02")["day"]
    mine = {"models": {"m": {"prices": [find_rates(), {**find_rates(input=7.0), "from": day}]}}}
    merged = build_table(mine, "config.toml", table)
    usage = RequestUsage(tokens=Tokens(input=1_000_000))
    midnight = 1767312000.0
    assert price_request(usage, "m", midnight - 1, merged) == 1
    assert price_request(usage, "m", midnight, merged) == 7
    assert price_request(usage, "m", None, merged) == 7


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[model."x"]', 'pricing.model: unknown key; did you mean "models"?'),
        ('[models."x"]\nwindow = 3', "pricing.models.x.window: unknown key"),
        ('[models."x"]\ncontext_windw = 3', 'did you mean "context_window"?'),
        (
            '[models."x"]\nprices = [{ inputs = 1.0 }]',
            'pricing.models.x.prices[0].inputs: unknown key; did you mean "input"?',
        ),
        ('[models."x"]\nprices = [{ input = 1.0 }]', "pricing.models.x.prices[0]: lacks the key output"),
        ('[models."x"]\nfast = "no"', "pricing.models.x.fast: expected a number, not a text"),
        ('[models."x.y"]\nfast = -1.0', 'pricing.models."x.y".fast: expected a number of at least 0'),
        ('[models."x"]\nprices = 3', "pricing.models.x.prices: expected a list, not a whole number"),
        ("models = 3", "pricing.models: expected a table, not a whole number"),
        ('web_search = "x"', "pricing.web_search: expected a number, not a text"),
        ("region_factors = { eu = true }", "pricing.region_factors.eu: expected a number, not true or false"),
    ],
)
def test_a_wrong_table_is_refused_with_file_and_key(text: str, said: str, table: PriceTable) -> None:
    with pytest.raises(PricingError) as caught:
        build_table(tomllib.loads(text), "config.toml", table)
    assert str(caught.value).startswith("config.toml: ")
    assert said in str(caught.value)


def test_the_loaded_table_matches_the_editable_file() -> None:
    """`python -m tests.support.tables` makes one of the other."""
    assert PRICES.with_suffix(".json").read_text("utf-8") == make_prices()
    assert load_default_table() == build_table(tomllib.loads(PRICES.read_text("utf-8")), PRICES.name)
