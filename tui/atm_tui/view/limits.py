"""The rate limits of an account as parts of a line: gauges, percent, when they reset; old ones dim and with their age."""

from atm_tui.cost.limits import Account, Gauge
from atm_tui.model.session import Context
from atm_tui.text import format_age, format_percent
from atm_tui.view import present
from atm_tui.view.present import Glyphs, Part

THRESHOLDS = (60, 80, 90)
"""Percent from which a limit is shown as warm, hot and nearly reached."""
GAP: Part = ("   ", "plain")


def write_limits(account: Account, now: float, glyphs: Glyphs, gauge: int, *, resets: bool = True) -> list[Part]:
    """Both windows of an account; `gauge` is the width of their gauges (0: none), `resets` whether they say when they reset."""
    parts: list[Part] = []
    for name, window in (("5h", account.five_hour), ("7d", account.seven_day)):
        if window is not None:
            parts += [*([GAP] if parts else []), *_write_window(name, window, now, glyphs, gauge, resets=resets)]
    return parts


def _write_window(name: str, window: Gauge, now: float, glyphs: Glyphs, gauge: int, *, resets: bool) -> list[Part]:
    stale = window.is_stale(now)
    figure = format_percent(window.percent)
    parts: list[Part] = [(f"{name} ", "faint" if stale else "muted")]
    if gauge:
        bar = present.write_gauge(Context(percent=window.percent), gauge, glyphs, THRESHOLDS)
        parts += [*((text, "track") for text, _ in bar), (" ", "plain")] if stale else [*bar, (" ", "plain")]
    if stale:
        return [*parts, (f"{figure} {format_age(now - window.at)} ago", "faint")]
    parts.append((figure, "needs" if window.percent >= THRESHOLDS[-1] else "plain"))
    if resets and window.resets_at is not None:
        # Ages count up to the full minute; what is left is rounded up, so that it is never too little.
        left = format_age(-(-(window.resets_at - now) // 60) * 60)
        parts.append((f" in {left}" if glyphs.ascii else f" ↻{left}", "muted"))
    return parts
