"""What the statusLine command does: reads the sample, records it, and prints our line."""

import posix
import time

from atm_hooks import journal, payload, sample
from atm_hooks.codec import Object
from atm_hooks.stdin import read_stdin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LOCK_SECONDS = 0.3
"""Seconds to wait for the session's lock; short, since the client waits for this line."""
SIZE = 4 * 1024 * 1024
"""Number of bytes of a sample that are read."""
USUAL_WIDTH = 80
"""Width in cells of a line when it is unknown."""
MARGIN = 4
"""Cells of the terminal's width, which the client tells in COLUMNS, that it keeps free beside a status line (seen with 2.1.332)."""


def run(root: str, words: list[str], started: float) -> None:
    """Records the sample on stdin, and prints the line as the options in `words` want it."""
    event, state, is_damaged = record_sample(root, read_sample(), started)
    try:
        line = _format_line(root, event, state, _parse_options(words), is_damaged=is_damaged)
    except Exception as error:
        _log(root, started, error)
        line = ""
    posix.write(1, (line + "\n").encode("utf-8", "replace"))


def _parse_options(words: list[str]) -> dict[str, str]:
    """Returns the options by name, with "" for those that take no value. What we don't know is ignored."""
    options = {}
    while words:
        name, words = words[0], words[1:]
        if name in ("--config", "--width") and words:
            options[name], words = words[0], words[1:]
        elif name in ("--no-color", "--no-unicode"):
            options[name] = ""
    return options


def read_sample(feed: "Callable[[bytes], None] | None" = None) -> bytes:
    """Returns the first SIZE bytes of stdin; `feed` gets all of it."""
    return read_stdin(SIZE, feed)[:SIZE]


def record_sample(root: str, raw: bytes, started: float) -> tuple[Object, Object | None, bool]:
    """Appends the sample to the journal unless it repeats the last one. Raises nothing.

    Returns the sample, {} when there is none; the state of its session, None when it has none; and whether there is a state
    that can't be read, or could not and was made anew.
    """
    event: Object = {}
    is_damaged = False
    try:
        event = sample.parse_sample(raw, started, journal.read_environ())
        session = event["session_id"]
        journal.prepare_folders(root)
        state = journal.load_state(root, session)
        is_damaged = state is None and journal.has_damaged_state(root, session)
        if state is None or not _is_repeat(state, event):
            _, state = journal.record_and_load(root, event, LOCK_SECONDS)
        return event, state, is_damaged
    except payload.RefusedError as error:
        _log(root, started, error)
        return event, None, is_damaged
    except Exception as error:
        _log(root, started, error)
        return event, None, True


def _log(root: str, started: float, error: Exception) -> None:
    refused = isinstance(error, payload.RefusedError)
    try:
        journal.prepare_folders(root)
        journal.write_log(root, started, f"{'refused' if refused else f'statusLine: {type(error).__name__}'}: {error}")
    except Exception:
        pass


def _is_repeat(state: Object, event: Object) -> bool:
    """Whether a sample repeats the last one; durations, which always grow, are not compared."""
    growing = ("at", "duration_ms", "api_duration_ms")
    old, new = (
        {key: value for key, value in each.items() if key not in growing}
        for each in (state.get("metrics") or {}, event["metrics"])
    )
    return old == new and all(
        state.get(key) == event[key] for key in ("model", "title", "version", "cwd") if key in event
    )


def _format_line(root: str, event: Object, state: Object | None, options: dict[str, str], *, is_damaged: bool) -> str:
    """Returns the line, without a newline. Its width is --width, else by COLUMNS."""
    # a wrapped command prints its own line and needs none of these
    from atm_hooks.line import build_line
    from atm_hooks.line_settings import SEGMENTS, THRESHOLDS, load_line_settings
    from atm_hooks.line_text import Style, join_parts

    environ = journal.read_environ()
    settings = load_line_settings(root, options["--config"]) if options.get("--config") else {}
    segments = tuple(settings.get("segments") or SEGMENTS)
    style = Style(
        colour="--no-color" not in options and not environ.get("NO_COLOR"),
        unicode="--no-unicode" not in options and not settings.get("ascii"),
        thresholds=tuple(settings.get("thresholds") or THRESHOLDS),
    )
    facts = {**event, "at": event.get("at") or time.time(), "clock": format_clock, "unreadable": is_damaged}
    if "branch" in segments and event.get("cwd"):
        from atm_hooks.branch import read_branch

        facts["branch"] = read_branch(event["cwd"])
    width = _find_width(options.get("--width", ""), environ.get("COLUMNS", ""))
    return join_parts(build_line(facts, state, style, segments, width), style)


def _find_width(given: str, columns: str) -> int:
    """Returns the width of the line: `given`, else what the client leaves of `columns`."""
    for text, margin in ((given, 0), (columns, MARGIN)):
        if text.isascii() and text.isdigit() and 0 < len(text) < 6 and int(text) > margin:
            return int(text) - margin
    return USUAL_WIDTH


def format_clock(at: float) -> str:
    """Formats a time of day (epoch seconds) as HH:MM."""
    return time.strftime("%H:%M", time.localtime(at))
