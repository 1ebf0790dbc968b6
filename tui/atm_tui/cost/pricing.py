"""Prices and context windows of models, and what a request costs.

The table is pricing.toml, with the client's own prices; the configuration can change and extend it in the same format.
pricing.json is the same table as it is loaded, which takes a fraction of the time; `python -m tests.support.tables` makes it.
A model that is in neither has no price: None, never 0, and never the price of a similar model.
"""

import os
import re
from collections.abc import Mapping
from datetime import date
from functools import cache, lru_cache
from typing import Annotated, Any

import msgspec

from atm_hooks.regular_file import read_regular
from atm_tui.model.decoding import convert, decode_json, explain_mismatch
from atm_tui.model.key_path import KeyPath, format_key
from atm_tui.model.tokens import Tokens
from atm_tui.text import suggest_name

MILLION = 1_000_000
Price = Annotated[float, msgspec.Meta(ge=0)]
Count = Annotated[int, msgspec.Meta(ge=1)]

_PROVIDER = r"^(?:.*/)?(?:(?:[a-z-]+\.)?anthropic\.)?"
_SUFFIX = r"(?:@(?:\d{8}|default|latest)|-\d{8}|-latest)?(?:-v\d+(?::\d+)?(?::\d+k)?)?$"
_LONG = "[1m]"


class PricingError(ValueError):
    """A price table can't be used; the message names the file, the dotted key and what is allowed there."""

    def __init__(self, where: str, path: KeyPath, text: str) -> None:
        """`where`: the file; `path`: where in it; `text`: what is wrong there."""
        super().__init__(f"{where}: {format_key(path)}: {text}")
        self.path = path
        self.text = text


class Rates(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """USD per million tokens, by kind."""

    input: Price
    output: Price
    cache_write_5m: Price
    cache_write_1h: Price
    cache_read: Price


class LongPrompt(Rates, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Prices for all tokens of a request, also its output, whose prompt has more than `above` tokens."""

    above: Count


class PriceList(Rates, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"since": "from"}):
    """The prices of a model from the day `since` (UTC) on; None: from its release."""

    since: date | None = None
    long_prompt: LongPrompt | None = None


class Model(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model and its prices."""

    aliases: tuple[str, ...] = ()
    context_window: Count | None = None
    """Its context window in tokens."""
    context_window_1m: Count | None = None
    """The context window of its [1m] variant in tokens, where that is a different one."""
    fast: Price = 1.0
    """Factor on all prices for answers of speed "fast"; 1 for most models."""
    prices: tuple[PriceList, ...] = ()

    def find_prices(self, when: float | None) -> PriceList | None:
        """Returns its prices at a time (epoch seconds; None: the newest); None when it has none."""
        if len(self.prices) == 1 and self.prices[0].since is None:
            return self.prices[0]
        holding = [p for p in self.prices if p.since is None or when is None or _find_day_start(p.since) <= when]
        return max(holding, key=lambda p: p.since or date.min, default=None)


class RequestUsage(msgspec.Struct, frozen=True, kw_only=True):
    """What a request used, as far as it is charged."""

    tokens: Tokens = Tokens()
    web_searches: int = 0
    speed: str = ""
    """standard | fast; empty: standard."""
    region: str = ""
    """`inference_geo` of the answer; empty: global."""


class PriceTable(msgspec.Struct, frozen=True, kw_only=True):
    """Models by canonical id, and prices that are the same for all of them."""

    models: dict[str, Model]
    web_search: float = 0.0
    """USD per search."""
    region_factors: dict[str, float] = {}
    spellings: dict[str, str] = {}
    """Canonical ids by every id and alias, in lower case."""

    def find_id(self, name: str | None) -> str | None:
        """Returns the canonical id of a model, however a provider spells it; None when it is not in the table."""
        if name in self.spellings:  # as the client spells it
            return self.spellings[name]
        if not name:
            return None
        return next((self.spellings[form] for form in _list_spellings(name) if form in self.spellings), None)

    def find_model(self, name: str | None) -> Model | None:
        """Returns a model by any of its names; None when it is not in the table."""
        found = self.find_id(name)
        return self.models[found] if found else None

    def find_window(self, name: str | None) -> int | None:
        """Returns the context window in tokens, at least 1,000,000 for a name that ends in `[1m]`; None: unknown."""
        model = self.find_model(name)
        if (name or "").strip().lower().endswith(_LONG):
            return (model and model.context_window_1m) or MILLION
        return model.context_window if model else None

    def find_price_list(self, name: str | None, when: float | None) -> PriceList | None:
        """Returns the prices of a model at a time (epoch seconds; None: the newest); None when it has none."""
        model = self.find_model(name)
        return model.find_prices(when) if model else None

    def is_long(self, name: str | None, prompt: int, when: float | None) -> bool:
        """Whether a request with `prompt` tokens is charged at the prices for long prompts."""
        prices = self.find_price_list(name, when)
        return bool(prices and prices.long_prompt and prompt > prices.long_prompt.above)

    def find_rates(
        self, name: str | None, when: float | None, *, speed: str = "", region: str = "", long_prompt: bool = False
    ) -> tuple[Rates, float] | None:
        """Returns the rates of a model at a time (epoch seconds; None: the newest) and the factor on them; None without any.

        `speed` and `region` as in RequestUsage. `long_prompt`: whether the rates for long prompts apply.
        """
        model = self.find_model(name)
        prices = model.find_prices(when) if model else None
        if prices is None or model is None:
            return None
        factor = self.region_factors.get(region.lower(), 1.0) * (model.fast if speed == "fast" else 1.0)
        return (prices.long_prompt if long_prompt and prices.long_prompt else prices), factor


def _find_day_start(day: date) -> float:
    return (day - date(1970, 1, 1)).days * 86400.0


@lru_cache(1024)
def _list_spellings(name: str) -> tuple[str, ...]:
    """Returns the spellings to look up: as given, then without [1m], without provider, without version and date."""
    given = name.strip().lower()
    short = given.removesuffix(_LONG)
    bare = re.sub(_PROVIDER, "", short, count=1)
    undated = re.sub(_SUFFIX, "", bare)
    return tuple(dict.fromkeys((given, short, bare, undated)))


def price_request(
    usage: RequestUsage, model: str | None, when: float | None, table: PriceTable, *, long_prompt: bool | None = None
) -> float | None:
    """Returns the price of a request in USD; None when its model has no price.

    `when`: epoch seconds; None: at the newest prices. `long_prompt`: whether the prices for long prompts apply, for a sum
    over several requests; None: the size of the prompt decides.
    """
    if long_prompt is None:
        long_prompt = table.is_long(model, usage.tokens.prompt, when)
    found = table.find_rates(model, when, speed=usage.speed, region=usage.region, long_prompt=long_prompt)
    return None if found is None else price_tokens(usage.tokens, *found) + usage.web_searches * table.web_search


def price_tokens(tokens: Tokens, rates: Rates, factor: float) -> float:
    """Returns the price of tokens in USD, at the rates that `find_rates` gives."""
    charged = (
        tokens.input * rates.input
        + tokens.output * rates.output
        + tokens.cache_write_5m * rates.cache_write_5m
        + tokens.cache_write_1h * rates.cache_write_1h
        + tokens.cache_read * rates.cache_read
    )
    return charged * factor / MILLION


_TOP = ("models", "web_search", "region_factors")
_MODEL = ("aliases", "context_window", "context_window_1m", "fast", "prices")
RATES = ("input", "output", "cache_write_5m", "cache_write_1h", "cache_read")


def _check_keys(data: Any, known: tuple[str, ...], where: str, path: KeyPath) -> None:
    for name in _convert(data, dict[str, Any], where, path):
        if name not in known:
            raise PricingError(where, (*path, name), f"unknown key{suggest_name(name, known, 'keys')}")


def _convert(data: Any, kind: Any, where: str, path: KeyPath) -> Any:
    try:
        return convert(data, kind)
    except msgspec.ValidationError as error:
        text, inside = explain_mismatch(error)
        raise PricingError(where, (*path, *inside), text) from error


def _read_model(data: Any, where: str, path: KeyPath) -> Model:
    _check_keys(data, _MODEL, where, path)
    prices = data.get("prices", ())
    for number, entry in enumerate(prices if isinstance(prices, list | tuple) else ()):
        at = (*path, "prices", number)
        _check_keys(entry, (*RATES, "from", "long_prompt"), where, at)
        if "long_prompt" in entry:
            _check_keys(entry["long_prompt"], (*RATES, "above"), where, (*at, "long_prompt"))
    model: Model = _convert(data, Model, where, path)
    return model


def build_table(
    data: Mapping[str, Any], where: str, base: PriceTable | None = None, path: KeyPath = ("pricing",)
) -> PriceTable:
    """Builds a table from `data`, in the format of pricing.toml. With `base`, it changes and extends that one.

    A model of `base` keeps what `data` does not name; its `prices` are replaced as a whole.
    Raises PricingError that names `where` (the file), the key under `path` and, if that is unknown, the nearest one.
    """
    _check_keys(data, _TOP, where, path)
    models = dict(base.models) if base else {}
    for name, fields in _convert(data.get("models", {}), dict[str, Any], where, (*path, "models")).items():
        model = _read_model(fields, where, (*path, "models", name))
        known = (base.find_id(name) if base else None) or name
        old = models.get(known)
        models[known] = msgspec.structs.replace(old, **{f: getattr(model, f) for f in fields}) if old else model
    spellings = {alias.lower(): name for name, model in models.items() for alias in model.aliases}
    spellings |= {name.lower(): name for name in models}
    search = data.get("web_search", base.web_search if base else 0.0)
    factors = dict(base.region_factors) if base else {}
    given = _convert(data.get("region_factors", {}), dict[str, Any], where, (*path, "region_factors"))
    for name, factor in given.items():
        factors[name] = _convert(factor, Price, where, (*path, "region_factors", name))
    return PriceTable(
        models=models,
        web_search=_convert(search, Price, where, (*path, "web_search")),
        region_factors=factors,
        spellings=spellings,
    )


@cache
def load_default_table() -> PriceTable:
    """Returns the table that comes with the app."""
    data = read_regular(os.path.join(os.path.dirname(__file__), "pricing.json"))  # noqa: PTH118, PTH120
    return decode_json(data, PriceTable)
