"""Makes the text of our status line: model, context, cost, limits, cache, branch, and the session's agents. Pure.

A line has one of three forms, chosen by the terminal's width. One that does not fit drops the names of agents, takes the
next narrower form, then drops its least important segments, and is cut at last.
"""

from atm_hooks.agent_signs import MOST, MOST_NARROW, write_agents
from atm_hooks.codec import Object
from atm_hooks.line_text import Part, Style, count_cells, cut_parts
from atm_hooks.payload import read_number

WIDE, MEDIUM, NARROW = 2, 1, 0
WIDTHS = {WIDE: 100, MEDIUM: 60}
"""Widths in cells from which a line has its wide and its medium form."""
_DROPPED_FIRST = ("cache", "branch", "limits", "cost", "model", "context")
_GAUGE = {WIDE: 10, MEDIUM: 5, NARROW: 0}
_NAMES = {WIDE: 24, MEDIUM: 16, NARROW: 10}
"""Largest width of the name of a model or a branch in cells."""


def build_line(facts: Object, state: Object | None, style: Style, segments: tuple[str, ...], width: int) -> list[Part]:
    """Returns the line of these segments, in at most `width` cells.

    `facts`: "metrics" as in a state file, "model", "branch", "at" (epoch seconds), "clock" (a function from epoch seconds
    to HH:MM) and "unreadable" (the state can't be read). `state`: the session's state; None when there is none.
    """
    form = WIDE if width >= WIDTHS[WIDE] else MEDIUM if width >= WIDTHS[MEDIUM] else NARROW
    chosen = segments
    parts: list[Part] = []
    for each, names in ((WIDE, True), (WIDE, False), (MEDIUM, False), (NARROW, False)):
        if each <= form:
            parts = _write_segments(facts, state, style, chosen, each, names=names)
            if count_cells(parts) <= width:
                return parts
    for name in _DROPPED_FIRST:
        if name in chosen and len(chosen) > 1:
            chosen = tuple(each for each in chosen if each != name)
            parts = _write_segments(facts, state, style, chosen, NARROW)
            if count_cells(parts) <= width:
                break
    return cut_parts(parts, width, style)


def _write_segments(
    facts: Object, state: Object | None, style: Style, segments: tuple[str, ...], form: int, *, names: bool = False
) -> list[Part]:
    metrics: Object = facts.get("metrics") or {}
    line: list[Part] = []
    for name in segments:
        if name == "agents":
            parts = write_agents(
                state,
                style,
                MOST_NARROW if form == NARROW else MOST,
                names=names,
                with_word=form == WIDE,
                unreadable=bool(facts.get("unreadable")),
            )
        elif name == "model":
            parts = [(style.cut(str(metrics.get("model_name") or facts.get("model") or ""), _NAMES[form]), "")]
        elif name == "branch":
            parts = [(style.cut(str(facts.get("branch") or ""), _NAMES[form]), "muted")]
        else:
            parts = _FIGURES[name](metrics, facts, style, form)
        if any(text for text, _ in parts):
            line += [(style.between, "muted"), *parts] if line else parts
    return line


def _write_context(metrics: Object, _facts: Object, style: Style, form: int) -> list[Part]:
    percent = read_number(metrics.get("used_percent"))
    if percent is None:
        return []
    warm, hot, _ = style.thresholds
    role = "hot" if percent >= hot else "warm" if percent >= warm else "gauge"
    figure = (f"{percent:.0f}%", role if role == "hot" else "")
    cells = _GAUGE[form]
    if not cells:
        return [figure]
    filled = min(cells, max(0, round(percent * cells / 100)))
    return [*style.draw_gauge(filled, cells - filled, role), (" ", ""), figure]


def _write_cost(metrics: Object, _facts: Object, _style: Style, _form: int) -> list[Part]:
    cost = read_number(metrics.get("cost_usd"))
    if cost is None:
        return []
    if 0 < cost < 0.005:
        return [("<$0.01", "")]
    return [(f"${cost:.2f}" if cost < 999.995 else f"${cost:,.0f}", "")]


def _write_limits(metrics: Object, facts: Object, style: Style, form: int) -> list[Part]:
    limits = metrics.get("limits")
    found = []
    for key, label in (("five_hour", "5h"), ("seven_day", "7d")):
        window = limits.get(key) if isinstance(limits, dict) else None
        percent = read_number(window.get("percent")) if isinstance(window, dict) else None
        if window and percent is not None:
            found.append((percent, label, read_number(window.get("resets_at")) or 0))
    if form == NARROW and found:  # space for one: the one that will be reached first
        found = [max(found)]
    parts: list[Part] = []
    for percent, label, resets in found:
        parts += [(f"{'  ' if parts else ''}{label} ", "muted")]
        left = resets - facts["at"]
        if resets and left <= 0:  # an expired window says nothing about the next one
            parts.append((style.unknown, "muted"))
            continue
        parts.append((f"{percent:.0f}%", "hot" if percent >= style.thresholds[2] else ""))
        if resets and form == WIDE:
            parts.append((f" {style.resets}{format_age(left)}", "muted"))
    return parts


def _write_cache(metrics: Object, facts: Object, _style: Style, form: int) -> list[Part]:
    cache = metrics.get("cache")
    cache = cache if isinstance(cache, dict) else {}
    percent = read_number(cache.get("hit_percent"))
    if percent is None:
        percent = _compute_hits(metrics.get("usage"))
    if percent is None:
        return []
    label = "cache hits " if form == WIDE else "cache "
    parts: list[Part] = [(label, "muted"), (f"{percent:.0f}%", "")]
    until = read_number(cache.get("warm_until"))
    if until is not None:
        if until <= facts["at"]:
            parts.append((" cold", "muted"))
        elif form == WIDE:
            parts.append((f" until {facts['clock'](until)}", "muted"))
    return parts


def _compute_hits(usage: object) -> float | None:
    """Returns the percentage of the newest input that came from the cache; None when there was none."""
    if not isinstance(usage, dict):
        return None
    read, written, other = (
        read_number(usage.get(key)) or 0
        for key in ("cache_read_input_tokens", "cache_creation_input_tokens", "input_tokens")
    )
    total = read + written + other
    return 100 * read / total if total > 0 else None


def format_age(seconds: float) -> str:
    """Formats a remaining time in at most five cells: 14s, 4m, 2h10, 3d."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole}s"
    minutes = whole // 60
    if minutes < 60:
        return f"{minutes}m"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02}" if hours < 48 else f"{hours // 24}d"


_FIGURES = {"context": _write_context, "cost": _write_cost, "limits": _write_limits, "cache": _write_cache}
