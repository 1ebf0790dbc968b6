"""Used tokens: by kind, and summed by thread, model and quarter of an hour. Frozen values."""

import msgspec

SLOT = 900
"""Seconds that a bucket covers. Midnight is a multiple of it in every time zone."""


class Tokens(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Tokens by the five kinds that have prices of their own, of one answer or a sum."""

    input: int = 0
    output: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    cache_read: int = 0

    @property
    def prompt(self) -> int:
        """All tokens but the output: what the context window held."""
        return self.input + self.cache_write_5m + self.cache_write_1h + self.cache_read

    @property
    def total(self) -> int:
        """The sum of all five kinds."""
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
    """The sum of the requests of one thread, model, tier and quarter of an hour, which all have the same prices."""

    project: str
    session_id: str
    agent_id: str
    model: str
    speed: str
    region: str
    long_prompt: bool
    slot: float | None
    """Epoch seconds at which the quarter of an hour begins; None: unknown."""
    tokens: Tokens = Tokens()
    web_searches: int = 0
    requests: int = 0
