"""The context pane: how full the window is, with what, how it grew, and when it will be compacted."""

from rich.cells import cell_len

from atm_tui.model.session import Context, Forecast, Liveness, Session
from atm_tui.model.tokens import Tokens
from atm_tui.text import clean, fit_width, format_age, format_count, format_percent, format_tokens, wrap_text
from atm_tui.view import present
from atm_tui.view.pane import FIGURE, LABEL, READING, Line, RenderContext
from atm_tui.view.present import write_gauge
from atm_tui.view.sparkline import write_sparkline
from atm_tui.view.subject import AgentIn, DoneAgents, Group, Subject

ROWS = 6
"""Sessions or agents to list."""
CACHE_LABEL = 12
"""Width in cells of labels such as "cache write"."""


def write(subject: Subject, context: RenderContext) -> list[Line]:
    """Writes the lines of the pane."""
    match subject:
        case Session():
            return _write_window(subject.context, context)
        case AgentIn(_, agent):
            return _write_window(agent.context, context)
        case DoneAgents(_, agents):
            return _write_windows([(present.get_agent_name(each), each.context) for each in agents], context)
        case Group():
            live = [each for each in subject.sessions if each.liveness is Liveness.LIVE] or subject.sessions
            return _write_windows([(clean(each.name), each.context) for each in live], context)
        case _:
            return []


def _write_window(window: Context, context: RenderContext) -> list[Line]:
    lines = [*_write_fullness(window, context), *_write_history(window, context)]
    return [*lines, [], *write_kinds(window.tokens, context)] if window.tokens else lines


def _write_fullness(window: Context, context: RenderContext) -> list[Line]:
    if window.percent is None and window.used_tokens is None:
        if window.is_pending:
            return [[(READING, "muted")]]
        why = "compacted: not known until the next answer" if window.compactions else "not known yet"
        return [[(text, "muted")] for text in wrap_text(why, context.width, 2)]
    full = window.percent is not None and window.percent >= context.thresholds[-1]
    figure = fit_width(format_percent(window.percent), 5, right=True)
    bar = write_gauge(window, context.width - 5, context.glyphs, context.thresholds)
    lines: list[Line] = [[*bar, (figure, "needs" if full else "strong")]]
    used, size = format_tokens(window.used_tokens), format_tokens(window.window_tokens)
    words = f"{used} of {size} tokens" if window.window_tokens else f"{used} tokens, window not known"
    lines.append([(words, "plain")])
    if window.problem:
        lines.append([("more than the window holds: a figure is wrong", "muted")])
    elif window.source:
        lines[-1] = context.add_remark(lines[-1], window.source)
    return lines


def _write_history(window: Context, context: RenderContext) -> list[Line]:
    lines: list[Line] = []
    if len(window.samples) > 1:
        drawn = write_sparkline(window.samples, window.compactions, context.width - LABEL, context.glyphs)
        lines.append([(fit_width("turns", LABEL), "faint"), *drawn])
    if window.compactions:
        lines += context.write_text("compact", _format_compactions(window, context), 2)
    if window.forecast:
        told = format_forecast(window.forecast)
        parts = [told] if cell_len(told) <= context.width else told.replace(", ", ",\n").split("\n")
        lines += [[(text, "plain")] for part in parts for text in wrap_text(part, context.width, 2)]
    return lines


def _format_compactions(window: Context, context: RenderContext) -> str:
    """Returns how often and when the context was compacted, and its tokens before and after."""
    last = window.compactions[-1]
    words = ["once" if len(window.compactions) == 1 else f"{len(window.compactions)} times"]
    if last.at is not None:
        words.append(f"{'' if len(window.compactions) == 1 else 'last '}{format_age(context.now - last.at)} ago")
    if last.before is not None and last.after is not None:
        words.append(f"{format_tokens(last.before)} to {format_tokens(last.after)}")
    return ", ".join(words)


def format_forecast(forecast: Forecast) -> str:
    """Returns when the client will compact, in turns and time; both are estimates."""
    if forecast.turns < 1:
        return "compacts with the next turn or two"
    words, minutes = f"compacts in ~{format_count(round(forecast.turns), 'turn')}", forecast.minutes
    if minutes is None or minutes > 36 * 60:
        return words
    return f"{words}, ~{max(1, round(minutes))} min" if minutes < 90 else f"{words}, ~{round(minutes / 60)} h"


def write_kinds(tokens: Tokens, context: RenderContext) -> list[Line]:
    """Writes tokens by kind, in two columns where they fit: prompt and reply, then cache."""
    written = tokens.cache_write_5m + tokens.cache_write_1h
    prompt = [("input", tokens.input), ("output", tokens.output)]
    cache = [("cache read", tokens.cache_read), ("cache write", written)]
    room = context.width - 2 * FIGURE
    for label, gap, cache_label in ((LABEL, 3, CACHE_LABEL), (LABEL - 1, 1, CACHE_LABEL - 1)):
        if label + gap + cache_label <= room:
            return [
                [
                    *context.write_amount(left, format_tokens(number), label),
                    (" " * gap, "plain"),
                    *context.write_amount(right, format_tokens(cached), cache_label),
                ]
                for (left, number), (right, cached) in zip(prompt, cache, strict=True)
            ]
    return [context.write_amount(label, format_tokens(number), CACHE_LABEL) for label, number in [*prompt, *cache]]


def _write_windows(named: list[tuple[str, Context]], context: RenderContext) -> list[Line]:
    """Writes a line for each window, the fullest first."""
    known = sorted((each for each in named if each[1].percent is not None), key=lambda each: -(each[1].percent or 0))
    if not known:
        return [[("not known yet", "muted")]]
    width = min(12, max(4, context.width // 3))
    lines: list[Line] = []
    for name, window in known[:ROWS]:
        shown = write_gauge(window, width, context.glyphs, context.thresholds)
        figure = fit_width(format_percent(window.percent), 5, right=True)
        lines.append([*present.fit_parts([(name, "plain")], context.width - width - 6), (" ", "plain"), *shown,
                      (figure, "plain")])  # fmt: skip
    if len(known) > ROWS:
        lines.append([(f"+{len(known) - ROWS} more", "faint")])
    return lines
