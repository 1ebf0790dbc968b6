"""Writes the rate limits of an account: gauge, percent, reset time; old figures are dimmed and show their age."""

from atm_tui.cost.limits import Account, Gauge
from atm_tui.model.session import Context
from atm_tui.text import UNKNOWN, format_age, format_percent
from atm_tui.view import present
from atm_tui.view.limits_text import format_time_left, format_time_until_full
from atm_tui.view.present import Glyphs, Part

THRESHOLDS = (60, 80, 90)
"""Percentages from which a limit is shown as warm, hot and nearly reached."""
GAP: Part = ("   ", "plain")


def write_limits(account: Account, now: float, glyphs: Glyphs, gauge: int, *, resets: bool = True) -> list[Part]:
    """Writes both windows of an account. `gauge`: width of the gauges (0: none); `resets`: whether reset times are shown.

    A window that will be full before it resets shows when.
    """
    parts: list[Part] = []
    for name, window in account.windows:
        parts += [*([GAP] if parts else []), *_write_window(name, window, now, glyphs, gauge, resets=resets)]
    return parts


def _write_window(name: str, window: Gauge, now: float, glyphs: Glyphs, gauge: int, *, resets: bool) -> list[Part]:
    if window.is_over(now):
        ago = format_age(now - window.resets_at) if window.resets_at is not None else ""
        return [(f"{name} ", "faint"), (f"reset {ago} ago" if resets else UNKNOWN, "faint")]
    stale = window.is_stale(now)
    figure = format_percent(window.percent)
    parts: list[Part] = [(f"{name} ", "faint" if stale else "muted")]
    if gauge:
        bar = present.write_gauge(Context(percent=window.percent), gauge, glyphs, THRESHOLDS)
        parts += [*((text, "track") for text, _ in bar), (" ", "plain")] if stale else [*bar, (" ", "plain")]
    if stale:
        return [*parts, (f"{figure} {format_age(now - window.at)} ago", "faint")]
    is_high = window.percent is not None and window.percent >= THRESHOLDS[-1]
    parts.append((figure, "needs" if is_high else "faint" if window.percent is None else "plain"))
    if resets and window.resets_at is not None:
        left = format_time_left(window.resets_at - now)
        parts.append((f" in {left}" if glyphs.ascii else f" ↻{left}", "muted"))
    if resets and window.is_full_before_reset(now):
        parts.append((f" full in {format_time_until_full(window, now)}", "needs"))
    return parts
