"""Counts what requests to the API used. Each one counts once, even if transcripts repeat it."""

import _blake2
from collections.abc import Callable, Collection, Hashable, Iterable
from datetime import datetime
from typing import TypeVar

import msgspec

from atm_tui.cost.pricing import MILLION, PriceTable, Rates, price_tokens
from atm_tui.model.tokens import SLOT, Bucket, Tokens

HOUR = 3600.0
REPEAT = 60
"""Seconds within which a line without request id can repeat the call of another one."""
KINDS = ("input", "output", "cache_write_5m", "cache_write_1h", "cache_read")

K = TypeVar("K", bound=Hashable)

PricedBucket = tuple[Bucket, float | None]
"""A bucket, and its cost in USD; None when its model has no price."""


class ApiRequest(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A request to the API, as a line of a transcript records it."""

    message_id: str
    """Id of the message; empty: the line has none. Some gateways use one id for all answers."""
    request_id: str
    """Id of the request; empty with gateways, other providers and some subagents."""
    line_id: str
    """The uuid of the line: it identifies a request that has no other id."""
    model: str
    """The model that answered."""
    tokens: Tokens
    web_searches: int = 0
    speed: str = ""
    region: str = ""
    at: float | None = None
    """Epoch seconds; None: the line has no time."""
    project: str = ""
    session_id: str = ""
    agent_id: str = ""
    """Empty: the main thread."""
    asked: str = ""
    """The model that the client asked for; empty: the one that answered, or unknown."""


def find_shared_key(request: ApiRequest) -> int | None:
    """Returns what copies of a request in the transcripts of several sessions have in common; None: nothing.

    A digest of 64 bits, so that the keys of all requests of all sessions take little memory, and little time to load.
    """
    if request.request_id:
        text = f"{request.message_id}\n{request.request_id}"
    elif request.line_id:
        text = f"\n{request.line_id}"
    else:
        return None
    return int.from_bytes(_blake2.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def split_requests(
    requests: Iterable[ApiRequest], inherited: Collection[Hashable], table: PriceTable
) -> tuple[tuple[Bucket, ...], tuple[Bucket, ...]]:
    """Returns the sums of a session's own requests, and of those that it inherited. `inherited`: their shared keys."""
    own, copied = UsageLedger(table), UsageLedger(table)
    for request in requests:
        (copied if find_shared_key(request) in inherited else own).add(request)
    return own.list_buckets(), copied.list_buckets()


def sort_buckets(b: Bucket) -> tuple[float, str, str, str, str, bool, str]:
    """Returns the key by which buckets are sorted: by time, then by thread."""
    return (b.slot or 0.0, b.project, b.session_id, b.agent_id, b.model, b.long_prompt, b.speed)


class UsageTotal(msgspec.Struct, frozen=True, kw_only=True):
    """A sum over buckets."""

    usd: float | None = 0.0
    """USD of all that has a price; None when nothing has one."""
    unpriced_tokens: int = 0
    tokens: Tokens = Tokens()
    web_searches: int = 0
    requests: int = 0


class UsageLedger:
    """The requests that were read so far, each one once, and their sums.

    Message id and request id identify a request. Without a request id, it is message id, prompt and time, since some
    gateways use one message id for everything; without a message id, it is the line. Of a request's lines the last one counts.
    """

    def __init__(self, table: PriceTable) -> None:
        self._table = table
        self._seen: dict[Hashable, ApiRequest] = {}
        self._near: dict[tuple[str, float], list[Hashable]] = {}
        self._sums: dict[tuple[str, str, str, str, str, str, bool, float | None], list[int]] = {}

    def add(self, request: ApiRequest) -> bool:
        """Counts a request; returns False when it repeats a known one, whose figures it then replaces."""
        key = self._find_key(request)
        old = self._seen.get(key)
        if old is None:
            self._seen[key] = request
            self._add_to_sums(request, 1)
            return True
        if request.at is not None and old.at is not None and request.at < old.at:
            return False
        # A copy in another file stays with the session and thread that made the request.
        new = msgspec.structs.replace(request, project=old.project, session_id=old.session_id, agent_id=old.agent_id)
        self._seen[key] = new
        if (
            new.tokens != old.tokens
            or (new.model, new.asked) != (old.model, old.asked)
            or new.web_searches != old.web_searches
            or new.at != old.at
        ):
            self._add_to_sums(old, -1)
            self._add_to_sums(new, 1)
        return False

    def list_requests(self) -> Iterable[ApiRequest]:
        """Returns all requests, each with the figures of its last line."""
        return self._seen.values()

    def list_buckets(self) -> tuple[Bucket, ...]:
        """Returns the sums, sorted by time and thread; the order of the lines does not matter."""
        found = [
            Bucket(
                *key, Tokens(input=s[0], output=s[1], cache_write_5m=s[2], cache_write_1h=s[3], cache_read=s[4]), *s[5:]
            )
            for key, s in self._sums.items()
            if s[6]
        ]
        found.sort(key=sort_buckets)
        return tuple(found)

    def _find_key(self, request: ApiRequest) -> Hashable:
        if request.request_id:
            return (request.message_id, request.request_id)
        if not request.message_id:
            return request.line_id or object()
        if request.at is None:
            return (request.message_id, request.tokens)
        slot = request.at // REPEAT
        for near in (slot, slot - 1, slot + 1):
            for key in reversed(self._near.get((request.message_id, near), ())):
                if _is_repeat(self._seen[key], request):
                    self._remember_time(request, key)
                    return key
        key = (request.message_id, len(self._seen))
        self._remember_time(request, key)
        return key

    def _remember_time(self, request: ApiRequest, key: Hashable) -> None:
        """Remembers the time of a request without request id, so that its next line is recognized."""
        if request.at is not None:
            keys = self._near.setdefault((request.message_id, request.at // REPEAT), [])
            if key not in keys:
                keys.append(key)

    def _find_charged_model(self, request: ApiRequest) -> str:
        """Returns the model that the client charges: the one that it asked for, even if a gateway let another one answer."""
        if not request.asked:  # as nearly always
            return request.model
        asked = self._table.find_id(request.asked)
        return request.asked if asked and asked != self._table.find_id(request.model) else request.model

    def _add_to_sums(self, request: ApiRequest, sign: int) -> None:
        at, t, model = request.at, request.tokens, self._find_charged_model(request)
        key = (
            request.project,
            request.session_id,
            request.agent_id,
            model,
            request.speed,
            request.region,
            self._table.is_long(model, t.prompt, at),
            None if at is None else at // SLOT * SLOT,
        )
        sums = self._sums.setdefault(key, [0, 0, 0, 0, 0, 0, 0])
        figures = (t.input, t.output, t.cache_write_5m, t.cache_write_1h, t.cache_read, request.web_searches, 1)
        for i, figure in enumerate(figures):
            sums[i] += sign * figure


def _is_repeat(old: ApiRequest, new: ApiRequest) -> bool:
    """Whether two lines with the same message id and no request id belong to one request: near in time, same prompt.

    While an answer is written, its output only grows; its first line may have no figures.
    """
    if old.at is None or new.at is None or abs(new.at - old.at) > REPEAT:
        return False
    if old.line_id and old.line_id == new.line_id:
        return True
    early, late = (old, new) if old.at <= new.at else (new, old)
    if early.tokens.prompt == 0:
        return True
    same_prompt = msgspec.structs.replace(early.tokens, output=0) == msgspec.structs.replace(late.tokens, output=0)
    return same_prompt and early.tokens.output <= late.tokens.output


def price_bucket(bucket: Bucket, table: PriceTable) -> float | None:
    """Returns the cost of a bucket in USD; None when its model has no price."""
    found = _find_rates(bucket, table)
    return None if found is None else price_tokens(bucket.tokens, *found) + bucket.web_searches * table.web_search


def _find_rates(bucket: Bucket, table: PriceTable) -> tuple[Rates, float] | None:
    return table.find_rates(
        bucket.model, bucket.slot, speed=bucket.speed, region=bucket.region, long_prompt=bucket.long_prompt
    )


def merge_buckets(buckets: Iterable[Bucket], table: PriceTable) -> tuple[Bucket, ...]:
    """Sums up the buckets of each session that have the same prices, whatever their threads and times.

    Such a sum costs the same; it has no thread, and the newest of the times.
    """
    groups: dict[Hashable, Bucket] = {}
    for each in buckets:
        new = msgspec.structs.replace(each, agent_id="")
        key = (new.project, new.session_id, new.model, new.slot is None, _find_rates(new, table))
        if (old := groups.get(key)) is not None:
            new = msgspec.structs.replace(
                new,
                slot=None if old.slot is None or new.slot is None else max(old.slot, new.slot),
                tokens=old.tokens + new.tokens,
                web_searches=old.web_searches + new.web_searches,
                requests=old.requests + new.requests,
            )
        groups[key] = new
    return tuple(groups.values())


def price_buckets(buckets: Iterable[Bucket], table: PriceTable) -> list[PricedBucket]:
    """Returns each bucket with its cost, as `price_bucket` gives it."""
    return [(bucket, price_bucket(bucket, table)) for bucket in buckets]


def sum_usage_by(buckets: Iterable[Bucket], table: PriceTable, by: Callable[[Bucket], K]) -> dict[K, UsageTotal]:
    """Sums up buckets in groups: `by` returns the group of each. Groups are in the order of their first bucket."""
    return sum_priced_by(price_buckets(buckets, table), by)


def sum_priced_by(priced: Iterable[PricedBucket], by: Callable[[Bucket], K]) -> dict[K, UsageTotal]:
    """As `sum_usage_by`, where the buckets are priced already."""
    groups: dict[K, list[PricedBucket]] = {}
    for each in priced:
        groups.setdefault(by(each[0]), []).append(each)
    return {key: sum_priced(group) for key, group in groups.items()}


def sum_usage(buckets: Iterable[Bucket], table: PriceTable) -> UsageTotal:
    """Sums up all buckets."""
    return sum_priced(price_buckets(buckets, table))


def sum_priced(priced: Iterable[PricedBucket]) -> UsageTotal:
    """As `sum_usage`, where the buckets are priced already."""
    costs: list[float] = []
    unpriced = searches = requests = prompt = output = write_5m = write_1h = read = 0
    for bucket, cost in priced:
        tokens = bucket.tokens
        if cost is None:
            unpriced += tokens.total
        else:
            costs.append(cost)
        searches += bucket.web_searches
        requests += bucket.requests
        prompt += tokens.input
        output += tokens.output
        write_5m += tokens.cache_write_5m
        write_1h += tokens.cache_write_1h
        read += tokens.cache_read
    return UsageTotal(
        usd=None if unpriced and not costs else sum(costs),
        unpriced_tokens=unpriced,
        tokens=Tokens(input=prompt, output=output, cache_write_5m=write_5m, cache_write_1h=write_1h, cache_read=read),
        web_searches=searches,
        requests=requests,
    )


def split_cost_by_kind(buckets: Iterable[Bucket], table: PriceTable) -> dict[str, float]:
    """Returns USD by kind of token, and for "web_search", of all that has a price. Kinds that cost nothing are left out."""
    prompt = output = write_5m = write_1h = read = 0.0
    searches = 0
    for bucket in buckets:
        if (found := _find_rates(bucket, table)) is None:
            continue
        tokens, rates, factor = bucket.tokens, found[0], found[1] / MILLION
        prompt += tokens.input * rates.input * factor
        output += tokens.output * rates.output * factor
        write_5m += tokens.cache_write_5m * rates.cache_write_5m * factor
        write_1h += tokens.cache_write_1h * rates.cache_write_1h * factor
        read += tokens.cache_read * rates.cache_read * factor
        searches += bucket.web_searches
    sums = zip(
        (*KINDS, "web_search"), (prompt, output, write_5m, write_1h, read, searches * table.web_search), strict=True
    )
    return {kind: usd for kind, usd in sums if usd}


def find_recent_costs(priced: Iterable[PricedBucket]) -> tuple[tuple[float, float], ...]:
    """Returns the costs of the hour before the last request: for each quarter of an hour its begin (epoch seconds) and USD."""
    spent: dict[float, float] = {}
    for bucket, cost in priced:
        if bucket.slot is not None and cost:
            spent[bucket.slot] = spent.get(bucket.slot, 0.0) + cost
    last = max(spent, default=0.0)
    return tuple(sorted((slot, usd) for slot, usd in spent.items() if slot >= last - HOUR))


def estimate_hourly_cost(recent: Iterable[tuple[float, float]], now: float, began: float = 0.0) -> float:
    """Estimates USD per hour from the costs in the hour before `now` (epoch seconds), exact to a quarter of an hour.

    `began`: when the session began, if that was less than an hour ago; at least a quarter of an hour counts.
    """
    since = (now - HOUR) // SLOT * SLOT + SLOT
    usd = sum(cost for slot, cost in recent if since <= slot <= now)
    return usd * HOUR / max(now - max(since, began), SLOT)


def find_day(bucket: Bucket) -> str | None:
    """Returns the local day (YYYY-MM-DD) of a bucket; None for requests without a time."""
    return None if bucket.slot is None else datetime.fromtimestamp(bucket.slot).astimezone().date().isoformat()
