"""The context pane: how full the window is, with what, how it grew, and when it will be compacted."""

from atm_tui.model.session import Context, Forecast, Liveness, Session
from atm_tui.model.tokens import Tokens
from atm_tui.view import present
from atm_tui.view.pane import FIGURE, LABEL, Line, RenderContext
from atm_tui.view.present import clean, fit, gauge
from atm_tui.view.sparkline import sparkline
from atm_tui.view.subject import AgentIn, DoneAgents, Group, Subject

ROWS = 6
"""Sessions or agents that are listed one by one."""
CACHE_LABEL = 12
"""Cells of a label such as "cache write"."""


def write(subject: Subject, on: RenderContext) -> list[Line]:
    """The lines of the pane."""
    match subject:
        case Session():
            return _one(subject.context, on)
        case AgentIn(_, agent):
            return _one(agent.context, on)
        case DoneAgents(_, agents):
            return _many([(present.agent_name(each), each.context) for each in agents], on)
        case Group():
            live = [each for each in subject.sessions if each.liveness is Liveness.LIVE] or subject.sessions
            return _many([(clean(each.name), each.context) for each in live], on)
        case _:
            return []


def _one(context: Context, on: RenderContext) -> list[Line]:
    lines = [*_fullness(context, on), *_history(context, on)]
    return [*lines, [], *kinds(context.tokens, on)] if context.tokens else lines


def _fullness(context: Context, on: RenderContext) -> list[Line]:
    if context.percent is None and context.used_tokens is None:
        why = "compacted: not known until the next answer" if context.compactions else "not known yet"
        return [[(text, "muted")] for text in present.wrap(why, on.width, 2)]
    full = context.percent is not None and context.percent >= on.thresholds[-1]
    figure = fit(present.percent(context.percent), 5, right=True)
    bar = gauge(context, on.width - 5, on.glyphs, on.thresholds)
    lines: list[Line] = [[*bar, (figure, "needs" if full else "strong")]]
    used, window = present.tokens(context.used_tokens), present.tokens(context.window_tokens)
    words = f"{used} of {window} tokens" if context.window_tokens else f"{used} tokens, window not known"
    lines.append([(words, "plain")])
    if context.percent is not None and context.percent > 100:
        lines.append([("more than the window holds: a figure is wrong", "muted")])
    elif context.source:
        lines[-1] = on.aside(lines[-1], context.source)
    return lines


def _history(context: Context, on: RenderContext) -> list[Line]:
    lines: list[Line] = []
    if len(context.samples) > 1:
        drawn = sparkline(context.samples, context.compactions, on.width - LABEL, on.glyphs)
        lines.append([(fit("turns", LABEL), "faint"), *drawn])
    if context.compactions:
        lines += on.text("compact", _compacted(context, on), 2)
    if context.forecast:
        lines += [[(text, "plain")] for text in present.wrap(expected(context.forecast), on.width, 2)]
    return lines


def _compacted(context: Context, on: RenderContext) -> str:
    """How often, when last, and how much went."""
    last = context.compactions[-1]
    words = ["once" if len(context.compactions) == 1 else f"{len(context.compactions)} times"]
    if last.at is not None:
        words.append(f"{'' if len(context.compactions) == 1 else 'last '}{present.age(on.now - last.at)} ago")
    if last.before is not None and last.after is not None:
        words.append(f"{present.tokens(last.before)} to {present.tokens(last.after)}")
    return ", ".join(words)


def expected(forecast: Forecast) -> str:
    """When the client will compact, in words as vague as the figure is."""
    if forecast.turns < 1:
        return "compacts with the next turn or two"
    words, minutes = f"compacts in ~{present.count(round(forecast.turns), 'turn')}", forecast.minutes
    if minutes is None or minutes > 36 * 60:
        return words
    return f"{words}, ~{max(1, round(minutes))} min" if minutes < 90 else f"{words}, ~{round(minutes / 60)} h"


def kinds(tokens: Tokens, on: RenderContext) -> list[Line]:
    """Writes the tokens by kind, in two columns where they fit: those of the prompt and the reply, those of the cache."""
    written = tokens.cache_write_5m + tokens.cache_write_1h
    prompt = [("input", tokens.input), ("output", tokens.output)]
    cache = [("cache read", tokens.cache_read), ("cache write", written)]
    room = on.width - 2 * FIGURE
    for label, gap, cache_label in ((LABEL, 3, CACHE_LABEL), (LABEL - 1, 1, CACHE_LABEL - 1)):
        if label + gap + cache_label <= room:
            return [
                [
                    *on.amount(left, present.tokens(number), label),
                    (" " * gap, "plain"),
                    *on.amount(right, present.tokens(cached), cache_label),
                ]
                for (left, number), (right, cached) in zip(prompt, cache, strict=True)
            ]
    return [on.amount(label, present.tokens(number), CACHE_LABEL) for label, number in [*prompt, *cache]]


def _many(named: list[tuple[str, Context]], on: RenderContext) -> list[Line]:
    """The fullest windows first."""
    known = sorted((each for each in named if each[1].percent is not None), key=lambda each: -(each[1].percent or 0))
    if not known:
        return [[("not known yet", "muted")]]
    width = min(12, max(4, on.width // 3))
    lines: list[Line] = []
    for name, context in known[:ROWS]:
        shown = gauge(context, width, on.glyphs, on.thresholds)
        figure = fit(present.percent(context.percent), 5, right=True)
        lines.append([*present.fit_parts([(name, "plain")], on.width - width - 6), (" ", "plain"), *shown,
                      (figure, "plain")])  # fmt: skip
    if len(known) > ROWS:
        lines.append([(f"+{len(known) - ROWS} more", "faint")])
    return lines
