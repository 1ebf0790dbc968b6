"""Writes the position of a replay: a bar with a knob, and below it time, last entry, position and speed."""

from datetime import datetime

from atm_tui.monitor.time_controls import TimeControls
from atm_tui.text import clean
from atm_tui.view.present import Glyphs, Part


def format_clock(at: float) -> str:
    """Returns date and time of day, with tenths of a second."""
    when = datetime.fromtimestamp(at).astimezone()
    return f"{when:%Y-%m-%d %H:%M:%S}.{when.microsecond // 100_000}"


def format_position(seconds: float) -> str:
    """Returns a position in a recording: 1:05, 2:10:00."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def name_toggle(replay: TimeControls) -> str:
    """Returns what pausing or resuming would do now."""
    if replay.now() >= replay.end:
        return "play again"
    return "resume" if replay.paused else "pause"


def write_position(replay: TimeControls, glyphs: Glyphs) -> tuple[list[Part], list[Part]]:
    """Writes the left and the right part of the line under the bar."""
    now = replay.now()
    passed, entries = replay.position
    if replay.paused:
        sign: Part = ("paused", "needs")
    elif now >= replay.end:
        sign = ("at the end", "muted")
    else:
        sign = (f"{'>' if glyphs.ascii else '▶'} {replay.speed:g}x", "working")
    left: list[Part] = [
        sign,
        ("  ", "plain"),
        (format_clock(now), "strong"),
        ("  ", "plain"),
        (clean(replay.describe_entry()), "muted"),
    ]
    place = (
        f"{passed} of {entries}   {format_position(now - replay.begin)} / {format_position(replay.end - replay.begin)}"
    )
    speed = f"{replay.speed:g}x   " if replay.paused or now >= replay.end else ""
    return left, [("  ", "plain"), (speed + place, "muted")]


def write_bar(replay: TimeControls, width: int, glyphs: Glyphs) -> list[Part]:
    """Writes the bar in `width` cells, with a knob at the current time."""
    length = replay.end - replay.begin
    at = round((replay.now() - replay.begin) / length * (width - 1)) if length > 0 else width - 1
    full, knob, rest = ("=", "O", "-") if glyphs.ascii else ("━", "●", "─")
    return [(full * at, "key"), (knob, "key"), (rest * (width - 1 - at), "track")]
