"""Computes the figures in the demo's statusLine samples from the transcript lines that it writes."""

from typing import Any

from atm_tui.cost.pricing import PriceTable, RequestUsage, price_request
from atm_tui.demo.scenario import Head
from atm_tui.model.tokens import Tokens

FIVE_HOURS, SEVEN_DAYS = (71, 7_800), (34, 345_600)
"""Rate limits of the account: percent used, and seconds from the opening until the window resets."""


class Tally:
    """What one session has used so far."""

    def __init__(self) -> None:
        self.usd = 0.0
        self.lines = [0, 0]
        self.usage: dict[str, int] | None = None
        """Tokens of the main thread's last answer; None before the first and after a compaction."""

    def add(self, line: dict[str, Any], at: float, table: PriceTable, *, main: bool) -> None:
        """Counts a line of a transcript."""
        if line.get("subtype") == "compact_boundary":
            self.usage = None
        message = line.get("message") or {}
        usage = message.get("usage")
        if usage is None:
            return
        tokens = Tokens(
            input=usage["input_tokens"],
            output=usage["output_tokens"],
            cache_write_5m=usage["cache_creation_input_tokens"],
            cache_read=usage["cache_read_input_tokens"],
        )
        self.usd += price_request(RequestUsage(tokens=tokens), message["model"], at, table) or 0.0
        if main:
            self.usage = usage

    def make_sample(self, head: Head, lines: list[int], at: float, started: float, opened: float) -> dict[str, Any]:
        """Returns the figures at `at` as the statusLine command gets them. `lines`: added and removed since the last sample."""
        self.lines = [self.lines[0] + lines[0], self.lines[1] + lines[1]]
        prompt = sum(self.usage[key] for key in self.usage if key != "output_tokens") if self.usage else None
        percent = None if prompt is None else min(100, int(100 * prompt / head.window + 0.5))
        family, *version = head.model.removeprefix("claude-").split("-")
        return {
            "model": {"id": head.model, "display_name": f"{family.title()} {'.'.join(version)}"},
            "cost": {
                "total_cost_usd": self.usd,
                "total_lines_added": self.lines[0],
                "total_lines_removed": self.lines[1],
                "total_duration_ms": int(1000 * (at - started)),
            },
            "context_window": {
                "context_window_size": head.window,
                "current_usage": self.usage,
                "used_percentage": percent,
            },
            "rate_limits": {
                key: {"used_percentage": used, "resets_at": int(opened + left)}
                for key, (used, left) in (("five_hour", FIVE_HOURS), ("seven_day", SEVEN_DAYS))
            },
        }
