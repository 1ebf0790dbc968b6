"""Writes an event of the timeline as a line: time, session, event, duration."""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from rich.cells import cell_len

from atm_tui.text import FINE_UNTIL, clean, fit_width, format_age
from atm_tui.timeline.builder import TimelineEvent, TimelineKind
from atm_tui.view.answered import name_answer
from atm_tui.view.columns import mark_words
from atm_tui.view.present import Glyphs, Part, fit_parts
from atm_tui.view.status_text import describe_wait

WORD = 14
"""Width in cells of the word that names the kind of an event."""
LENGTH = 6
"""Width in cells of the duration."""
SHORT = 64
"""Least width in cells of a line that shows seconds and the word."""

_LOOKS: dict[TimelineKind, tuple[Callable[[Glyphs], str], str, str, str]] = {
    TimelineKind.STARTED: (lambda signs: signs.idle, "muted", "", "muted"),
    TimelineKind.PROMPT: (lambda signs: signs.folded, "key", "prompt", "plain"),
    TimelineKind.TOOL: (lambda _: " ", "muted", "", "muted"),
    TimelineKind.TOOL_FAILED: (lambda signs: signs.failed, "error", "error", "plain"),
    TimelineKind.ASKS: (lambda signs: signs.needs, "needs", "needs you", "plain"),
    TimelineKind.WENT_ON: (lambda _: " ", "muted", "waited", "muted"),
    TimelineKind.FINISHED: (lambda signs: signs.finished, "finished", "finished", "plain"),
    TimelineKind.FAILED: (lambda signs: signs.failed, "error", "failed", "plain"),
    TimelineKind.INTERRUPTED: (lambda signs: signs.idle, "muted", "interrupted", "muted"),
    TimelineKind.AGENT: (lambda signs: signs.working, "working", "agent", "muted"),
    TimelineKind.AGENT_DONE: (lambda signs: signs.finished, "muted", "agent done", "muted"),
    TimelineKind.TASK: (lambda signs: signs.finished, "muted", "task done", "plain"),
    TimelineKind.COMPACTED: (lambda signs: signs.idle, "muted", "compacted", "muted"),
    TimelineKind.ENDED: (lambda signs: signs.ended, "faint", "ended", "faint"),
}
"""Sign and its role, word, role of the text."""


def format_clock(at: float, *, short: bool) -> str:
    """Returns the local time of day."""
    return (
        f"{datetime.fromtimestamp(at).astimezone():%H:%M}"
        if short
        else f"{datetime.fromtimestamp(at).astimezone():%H:%M:%S}"
    )


def format_day(at: float) -> str:
    """Returns the local day: Saturday 28 November."""
    when = datetime.fromtimestamp(at).astimezone()
    return f"{when:%A} {when.day} {when:%B}"


def write_day(at: float, width: int, glyphs: Glyphs) -> list[Part]:
    """Writes the line at which a day begins."""
    name = format_day(at)
    rest = glyphs.rule * max(0, width - cell_len(name) - 6)
    return fit_parts([(f" {glyphs.rule * 2} ", "rule"), (name, "muted"), (f" {rest}", "rule")], width)


def format_length(seconds: float | None) -> str:
    """Formats a duration in at most LENGTH cells; empty below a tenth of a second."""
    if seconds is None or seconds < 0.1:
        return ""
    return f"{seconds:.1f}s" if seconds < 9.95 else format_age(seconds, FINE_UNTIL)


def format_text(event: TimelineEvent) -> str:
    """Returns what happened, without who did it, as clean text."""
    return describe_wait(event.wait.wait).text if event.wait else clean(event.text)


class EventText(NamedTuple):
    """An event as text."""

    sign: Part
    word: Part
    """The word for its kind; empty if the text already says it."""
    text: Part


def describe_event(event: TimelineEvent, glyphs: Glyphs, *, by_agent: bool = True) -> EventText:
    """Returns the text of an event; `by_agent`: whether it names the agent."""
    sign, role, word, text_role = _LOOKS[event.kind]
    word = (event.wait and name_answer(event.wait)) or word
    text = format_text(event)
    if event.kind is TimelineKind.STARTED:
        word, text = text, ""
    if event.kind is TimelineKind.AGENT:
        text = clean(event.agent)
    elif event.agent and by_agent:
        text = f"{clean(event.agent)} {glyphs.folded} {text}"
    return EventText((fit_width(sign(glyphs), 1), role), (word, role), (text, text_role))


def write_event(
    event: TimelineEvent,
    name: str,
    width: int,
    glyphs: Glyphs,
    *,
    cursor: bool,
    chosen: bool,
    number: str = "",
    marks: tuple[str, ...] = (),
) -> list[Part]:
    """Writes a line of `width` cells. `name`: its session; `chosen`: whether that is the selected one; `number`: the key that
    selects the session; `marks`: the words to highlight in name and text.
    """
    short = width < SHORT
    sign, (word, role), (text, text_role) = describe_event(event, glyphs)
    room = min(24, max(8, width // 5))
    head: list[Part] = [
        (glyphs.cursor, "key") if cursor else (number or " ", "faint"),
        (" ", "plain"),
        (format_clock(event.at, short=short), "faint"),
        ("  ", "plain"),
        *mark_words((fit_width(name, room), "strong" if chosen else "muted"), marks),
        ("  ", "plain"),
        sign,
        (" ", "plain"),
    ]
    tail: list[Part] = [(" ", "plain"), (fit_width(format_length(event.seconds), LENGTH, right=True), "muted")]
    body: list[Part] = []
    if word and not short:
        body = [(fit_width(word, WORD), role), (" ", "plain")]
    elif needs_word(event, word, text):
        body = [(f"{word} ", role)]
    elif not short:
        body = [(" " * (WORD + 1), "plain")]
    used = sum(cell_len(each) for each, _ in head + tail)
    return fit_parts(
        [*head, *fit_parts([*body, *mark_words((text, text_role), marks)], max(0, width - used)), *tail], width
    )


def needs_word(event: TimelineEvent, word: str, text: str) -> bool:
    """Returns whether the word is needed when it has no column; for most kinds the sign is enough."""
    return bool(word) and (not text or event.kind is TimelineKind.WENT_ON)
