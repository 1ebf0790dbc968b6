"""The usage report of a span of days, which the command prints and the usage screen shows."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import msgspec

from atm_tui.cost.pricing import PriceTable
from atm_tui.cost.usage import PricedBucket, UsageTotal, find_day, price_buckets, sum_priced, sum_priced_by
from atm_tui.model.host import is_elsewhere
from atm_tui.model.session import Unreadable
from atm_tui.model.spans import find_midnight
from atm_tui.model.tokens import Bucket, Tokens


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How much has been read; what the cache holds counts as read."""

    done_bytes: int = 0
    total_bytes: int = 0
    done_files: int = 0
    total_files: int = 0

    def __add__(self, other: "Progress") -> "Progress":
        return Progress(
            done_bytes=self.done_bytes + other.done_bytes,
            total_bytes=self.total_bytes + other.total_bytes,
            done_files=self.done_files + other.done_files,
            total_files=self.total_files + other.total_files,
        )


class UsageHistory(msgspec.Struct, frozen=True, kw_only=True):
    """The usage of all sessions, from their transcripts."""

    buckets: tuple[Bucket, ...] = ()
    titles: dict[str, str] = {}
    """Titles by session id: the name that the user gave, else the start of the first prompt."""
    last_at: dict[str, float] = {}
    """By session id: when it made its last request; epoch seconds."""
    project_names: dict[str, str] = {}
    """By the root of a project."""
    skipped_lines: int = 0
    """Lines of transcripts that could not be read, or only in part."""
    unreadable: tuple[Unreadable, ...] = ()
    """Files and folders that could not be read: what they hold is in no sum."""


class UsageSource(Protocol):
    """Reads the usage of all sessions. `result` is complete once `read` has ended."""

    result: UsageHistory
    table: PriceTable
    """The prices that apply."""
    folders: tuple[str, ...]
    """The folders that it reads."""

    def read(self, since: float | None = None) -> Iterator[Progress]:
        """Reads all usage from `since` (epoch seconds; None: from the beginning) on, step by step, into the result."""


class UsagePart(msgspec.Struct, frozen=True):
    """A part of the usage that can be looked into."""

    kind: str
    """day, machine, project, model or session."""
    key: str
    """A local day (YYYY-MM-DD), the name of a machine, a folder, a model or a session's id."""


def find_machine(bucket: Bucket) -> str:
    """Returns the name of the machine of a sum; "" for this one."""
    return bucket.session_id.partition(":")[0] if is_elsewhere(bucket.session_id) else ""


_KEYS: dict[str, Callable[[Bucket], str | None]] = {
    "day": find_day,
    "machine": find_machine,
    "project": lambda bucket: bucket.project,
    "model": lambda bucket: bucket.model,
    "session": lambda bucket: bucket.session_id,
}


def narrow_history(history: UsageHistory, parts: Sequence[UsagePart]) -> UsageHistory:
    """Returns only the usage that is in all of these parts."""
    found = tuple(b for b in history.buckets if all(_KEYS[part.kind](b) == part.key for part in parts))
    return msgspec.structs.replace(history, buckets=found)


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over one span, most expensive first; each list adds up to the total."""

    since: float | None = None
    """Epoch seconds; None: from the first request on."""
    until: float = 0.0
    total: UsageTotal = UsageTotal()
    models: tuple[tuple[str, UsageTotal], ...] = ()
    machines: tuple[tuple[str, UsageTotal], ...] = ()
    """By name; "" is this one."""
    projects: tuple[tuple[str, UsageTotal], ...] = ()
    """By folder of the repository."""
    sessions: tuple[tuple[str, UsageTotal], ...] = ()
    """By session id; a session includes its agents."""
    days: tuple[tuple[str | None, UsageTotal], ...] = ()
    """By local day (YYYY-MM-DD), oldest first; None: requests without a time."""
    agents: tuple[tuple[str, UsageTotal], ...] = ()
    """By the id of a subagent; empty: the main thread of a session."""
    session_projects: dict[str, str] = {}


def make_report(
    history: UsageHistory, table: PriceTable, since: float | None, until: float, *, before: float | None = None
) -> Report:
    """Makes the report of the usage from `since` (epoch seconds; None: from the first request) until now, or up to `before`.

    Without `since`, requests without a time count too.
    """
    buckets = [b for b in history.buckets if _is_within(b, since, before)]
    priced = price_buckets(buckets, table)
    days = {slot: find_day(b) for slot, b in {b.slot: b for b in buckets}.items()}
    begin = since if since is not None else min((b.slot for b in buckets if b.slot is not None), default=None)
    return Report(
        since=begin,
        until=until if before is None else before,
        total=sum_priced(priced),
        models=_sort_by_cost(priced, lambda b: b.model),
        machines=_sort_by_cost(priced, find_machine),
        projects=_sort_by_cost(priced, lambda b: b.project),
        sessions=_sort_by_cost(priced, lambda b: b.session_id),
        days=tuple(sorted(sum_priced_by(priced, lambda b: days[b.slot]).items(), key=lambda pair: pair[0] or "")),
        agents=_sort_by_cost(priced, lambda b: b.agent_id),
        session_projects={bucket.session_id: bucket.project for bucket in buckets},
    )


def _is_within(bucket: Bucket, since: float | None, before: float | None) -> bool:
    if bucket.slot is None:
        return since is None and before is None
    return (since is None or bucket.slot >= since) and (before is None or bucket.slot < before)


def _sort_by_cost(priced: list[PricedBucket], by: Callable[[Bucket], str]) -> tuple[tuple[str, UsageTotal], ...]:
    found = sum_priced_by(priced, by)
    return tuple(sorted(found.items(), key=lambda pair: (-(pair[1].usd or 0.0), -pair[1].tokens.total, pair[0])))


def compute_cache_hits(tokens: Tokens) -> float | None:
    """Returns the cache hits: percent of all prompt tokens that were read from the cache; None without any."""
    return 100 * tokens.cache_read / tokens.prompt if tokens.prompt else None


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """A span of local days to report on."""

    name: str
    days: int
    """Its length in days."""
    ago: int = 0
    """How many days ago its last day is; 0: today."""

    def find_bounds(self, now: float) -> tuple[float, float | None]:
        """Returns its begin and its end in epoch seconds; an end of None: it lasts until now."""
        return find_midnight(now, self.ago + self.days - 1), find_midnight(now, self.ago - 1) if self.ago else None


SPANS = (
    Span(name="today", days=1),
    Span(name="yesterday", days=1, ago=1),
    Span(name="7 days", days=7),
    Span(name="30 days", days=30),
)
