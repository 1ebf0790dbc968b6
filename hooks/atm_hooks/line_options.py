"""Formats the status line as the options of its command, the environment and the user's configuration want it."""

import time

from atm_hooks.branch import read_branch
from atm_hooks.codec import Object
from atm_hooks.line import build_line
from atm_hooks.line_settings import SEGMENTS, THRESHOLDS, read_settings
from atm_hooks.line_text import Style

USUAL_WIDTH = 80
"""Cells of a terminal whose width nobody tells."""


def format_line(
    root: str, facts: Object, state: Object | None, options: dict[str, str], environ: dict[str, str]
) -> str:
    """Returns the line, without a newline. `facts`: the sample, as in the journal, with "unreadable" when the state is.

    `options`: --config, --width, --no-color and --no-unicode, as far as they are given. The width is COLUMNS otherwise.
    """
    settings = read_settings(root, options["--config"]) if options.get("--config") else {}
    segments = tuple(settings.get("segments") or SEGMENTS)
    style = Style(
        colour="--no-color" not in options and not environ.get("NO_COLOR"),
        unicode="--no-unicode" not in options and not settings.get("ascii"),
        thresholds=tuple(settings.get("thresholds") or THRESHOLDS),
    )
    known = {**facts, "at": facts.get("at") or time.time(), "clock": _format_clock}
    if "branch" in segments and facts.get("cwd"):
        known["branch"] = read_branch(facts["cwd"])
    return build_line(known, state, style, segments, _find_width(options.get("--width"), environ.get("COLUMNS")))


def _find_width(*given: str | None) -> int:
    for text in given:
        if text and text.isascii() and text.isdigit() and 0 < len(text) < 6 and int(text) > 0:
            return int(text)
    return USUAL_WIDTH


def _format_clock(at: float) -> str:
    return time.strftime("%H:%M", time.localtime(at))
