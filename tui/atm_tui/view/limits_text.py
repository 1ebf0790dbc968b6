"""Describes the windows of rate limits in words, for commands and panes."""

from atm_tui.cost.limits import Gauge
from atm_tui.text import UNKNOWN, format_age, format_percent


def describe_window(window: Gauge, now: float) -> str:
    """Describes a window: how much is used, when it resets, and when it will be full at the current pace."""
    if window.is_over(now):
        return f"{UNKNOWN}, reset {format_age(now - (window.resets_at or now))} ago"
    words = [format_percent(window.percent)]
    if window.is_stale(now):
        words.append(f"as of {format_age(now - window.at)} ago")
    if window.is_full_before_reset(now):
        words.append(f"full in {format_time_until_full(window, now)} at this pace")
    elif window.find_full_time(now) is not None:
        words.append("lasts at this pace")
    if window.resets_at is not None:
        words.append(f"resets in {format_time_left(window.resets_at - now)}")
    return ", ".join(words)


def format_time_until_full(window: Gauge, now: float) -> str:
    """Formats the time until a window is full at the current pace."""
    return format_time_left((window.find_full_time(now) or now) - now)


def format_time_left(seconds: float) -> str:
    """Formats a remaining time, rounded up to full minutes."""
    return format_age(-(-seconds // 60) * 60)
