"""Tokens that were used: by kind, and summed by thread, model and quarter of an hour. Frozen values."""

import msgspec

SLOT = 900
"""Seconds that one bucket covers. Every time zone's midnight is a multiple of it."""


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens by the five kinds that are priced apart, in one answer or summed over many."""

    input: int = 0
    output: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    cache_read: int = 0

    @property
    def prompt(self) -> int:
        """What filled the context window: all but the output."""
        return self.input + self.cache_write_5m + self.cache_write_1h + self.cache_read

    @property
    def total(self) -> int:
        """All five kinds together."""
        return self.prompt + self.output

    def __add__(self, other: "Tokens") -> "Tokens":
        return Tokens(
            input=self.input + other.input,
            output=self.output + other.output,
            cache_write_5m=self.cache_write_5m + other.cache_write_5m,
            cache_write_1h=self.cache_write_1h + other.cache_write_1h,
            cache_read=self.cache_read + other.cache_read,
        )


class Bucket(msgspec.Struct, frozen=True, gc=False):
    """Requests of one thread, model, tier and quarter of an hour, summed: they all have the same prices."""

    project: str
    session_id: str
    agent_id: str
    model: str
    speed: str
    region: str
    long_prompt: bool
    slot: float | None
    """Epoch seconds at which the quarter of an hour begins; None: not known."""
    tokens: Tokens = Tokens()
    web_searches: int = 0
    requests: int = 0
