"""The usage screen: what was spent today, yesterday, in 7 and in 30 days, by day, project, model and session."""

import asyncio
import time
from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import Static

from atm_tui import commands
from atm_tui.config import Config
from atm_tui.cost.report import SPANS, Progress, Report, Span, UsageHistory, UsageSource, make_report
from atm_tui.model.fleet import Delta
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.command_screen import FleetObserver
from atm_tui.screens.compositor import PartialCompositor
from atm_tui.view import usage as usage_text
from atm_tui.view.command import format_key
from atm_tui.view.day_bars import Bars, sum_bars
from atm_tui.view.present import Glyphs, fit_parts, make_content
from atm_tui.widgets.day_plot import DayPlot
from atm_tui.widgets.header import Header

STEP = 0.1
"""Seconds of reading between updates of the progress."""

SpanFigures = tuple[Report, Bars]


class UsageScreen(FleetObserver, Screen[None]):
    """Reads the usage in a thread when it opens, and shows one span at a time."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *commands.make_bindings("usage"),
        Binding("escape", "close", show=False),
        Binding("j,down", "scroll('down')", show=False),
        Binding("k,up", "scroll('up')", show=False),
    ]

    def __init__(self, monitor: Monitor, config: Config, glyphs: Glyphs) -> None:
        super().__init__()
        self._compositor = PartialCompositor()
        self._monitor = monitor
        self._header = Header(glyphs, monitor.home, config.budget_day)
        self._glyphs = glyphs
        self._home = monitor.home
        self._history: UsageHistory | None = None
        self._answers: dict[str, SpanFigures] = {}
        self._chosen = 0
        self._state: list[usage_text.Line] = []
        self._page = Vertical(id="usage")
        self._heading = Static(id="usage-spans")
        self._state_text = Static(id="usage-state")
        self._body = VerticalScroll(id="usage-body")
        self._plot_title = Static(id="usage-plot-title")
        self._plot = DayPlot(ascii_only=glyphs.ascii)
        self._tables = Static(id="usage-tables")
        self._keys = Static(id="usage-keys")

    def compose(self) -> ComposeResult:
        """Yields header, spans, plot, lists and keys; while nothing can be shown, the reason in place of plot and lists."""
        yield self._header
        with self._page:
            yield self._heading
            yield self._state_text
            with self._body:
                yield self._plot_title
                yield self._plot
                yield self._tables
            yield self._keys

    def on_mount(self) -> None:
        """Starts to read."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self._header.show(self._monitor.fleet, self._monitor.now())
        self.set_interval(1.0, lambda: self._header.tick(self._monitor.now()))
        self._body.focus()
        self.action_read_again()

    def handle_fleet_change(self, delta: Delta) -> None:  # noqa: ARG002 (the base's name)
        """Updates the header."""
        self._header.show(self._monitor.fleet, self._monitor.now())

    # Reading

    def action_read_again(self) -> None:
        """Reads what was added since the last reading."""
        self.run_worker(self._read(), group="usage", exclusive=True)

    async def _read(self) -> None:
        spending = self._monitor.open_usage()
        if spending is None:
            self._show_state(usage_text.write_no_usage())
            return
        self._show_state(usage_text.write_progress(None, self._width, self._glyphs))
        now = self._monitor.now()
        try:
            steps = await asyncio.to_thread(spending.read, SPANS[-1].find_bounds(now)[0])
            while (progress := await asyncio.to_thread(_read_some, steps)) is not None:
                self._show_state(usage_text.write_progress(progress, self._width, self._glyphs))
            history = spending.result
            answers = {each.name: await asyncio.to_thread(_count_span, history, spending, each, now) for each in SPANS}
        except OSError as error:
            self._show_state(usage_text.write_failure(str(error), self._width, self._glyphs))
            return
        self._history, self._answers = history, answers
        if not history.buckets or not answers[SPANS[-1].name][0].total.requests:
            self._show_state(usage_text.write_nothing_spent(", ".join(spending.folders), self._width))
        else:
            self._show_state([])

    def _show_state(self, lines: list[usage_text.Line]) -> None:
        """Shows these lines in place of the figures; no lines: shows the figures."""
        self._state = lines
        self._paint()

    # Showing

    @property
    def _width(self) -> int:
        """Width of a line in cells: all but the padding."""
        return self.size.width - 2

    def on_resize(self, _: Resize) -> None:
        """Writes the text for the new width."""
        self._paint()

    def _paint(self) -> None:
        width = self._width - 3
        if width < 10:
            return
        known = bool(self._answers) and not self._state
        sums = [(each, self._answers[each.name][0].total.usd if self._answers else None) for each in SPANS]
        self._heading.update(
            make_content(*usage_text.write_heading(sums, self._chosen, self._glyphs, width)), layout=False
        )
        self._state_text.display, self._body.display = not known, known
        self._state_text.update(_write_text(self._state))
        self._show_keys(width)
        if not known or self._history is None:
            return
        span = SPANS[self._chosen]
        report, drawn = self._answers[span.name]
        name = "by hour" if span.days == 1 else "by day"
        self._plot_title.update(make_content(*usage_text.write_title(name, width, self._glyphs)), layout=False)
        self._plot.show(drawn)
        self._tables.update(
            _write_text(
                [
                    *usage_text.write_unreadable(self._history.unreadable, width, self._glyphs),
                    *usage_text.write_tables(report, self._history.titles, self._home, width, self._glyphs),
                ]
            )
        )

    def _show_keys(self, width: int) -> None:
        named = [*(each for each in commands.COMMANDS if each.group == "usage"), commands.find_command("usage")]
        parts: usage_text.Line = []
        for each in named:
            words = "close" if each.id == "usage" else each.title
            key = format_key(each.keys[0], ascii_only=self._glyphs.ascii)
            parts += [(key, "key"), (f" {words}   ", "muted")]
        self._keys.update(make_content(*fit_parts(parts, width)), layout=False)

    # Keys

    def action_next_span(self) -> None:
        """Shows the next span."""
        self._choose(self._chosen + 1)

    def action_previous_span(self) -> None:
        """Shows the previous span."""
        self._choose(self._chosen - 1)

    def _choose(self, number: int) -> None:
        self._chosen = number % len(SPANS)
        self._body.scroll_home(animate=False)
        self._paint()

    def action_close(self) -> None:
        """Closes the screen."""
        self.dismiss()

    def action_scroll(self, direction: str) -> None:
        """Scrolls up or down by a line."""
        (self._body.scroll_down if direction == "down" else self._body.scroll_up)(animate=False)


def _write_text(lines: list[usage_text.Line]) -> Content:
    return Content("\n").join(make_content(*line) for line in lines)


def _read_some(steps: Iterator[Progress]) -> Progress | None:
    """Reads for STEP seconds; returns the progress, None at the end."""
    end = time.monotonic() + STEP
    for progress in steps:
        if time.monotonic() > end:
            return progress
    return None


def _count_span(history: UsageHistory, spending: UsageSource, span: Span, now: float) -> SpanFigures:
    since, before = span.find_bounds(now)
    report = make_report(history, spending.table, since, now, before=before)
    return report, sum_bars(history.buckets, spending.table, span, now)
