"""The usage screen: what was spent today, yesterday, in 7 and in 30 days, by day, project, model and session."""

import asyncio
import time
from bisect import bisect
from collections.abc import Iterator
from datetime import date, datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.geometry import Region
from textual.screen import Screen
from textual.widgets import Static

from atm_tui import commands
from atm_tui.config import Config
from atm_tui.cost.report import (
    SPANS,
    Progress,
    Report,
    Span,
    UsageHistory,
    UsagePart,
    UsageSource,
    make_report,
    narrow_history,
)
from atm_tui.keys.table import CommandKeys
from atm_tui.model.fleet import Delta
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.app_screen import AppScreen
from atm_tui.screens.command_screen import FleetObserver
from atm_tui.screens.motion_keys import make_move_bindings
from atm_tui.view import usage as usage_text
from atm_tui.view.command import format_key
from atm_tui.view.day_bars import Bars, sum_bars
from atm_tui.view.present import Glyphs, fit_keys, make_content
from atm_tui.widgets.day_plot import DayPlot
from atm_tui.widgets.header import Header
from atm_tui.widgets.usage_lists import UsageLists

STEP = 0.1
"""Seconds of reading between updates of the progress."""
CLOSING = ("usage", "look_outside")
"""The commands that close it; the first that has a key is named."""
AROUND = 5
"""Lines of the page that are neither plot nor lists."""

SpanFigures = tuple[Report, Bars]


class UsageScreen(FleetObserver, AppScreen[None], Screen[None]):
    """Reads the usage in a thread when it opens, and shows one span at a time."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        *commands.make_bindings("usage"),
        *make_move_bindings(),
    ]

    def __init__(self, monitor: Monitor, config: Config, glyphs: Glyphs, keys: CommandKeys) -> None:
        super().__init__()
        self._command_keys = keys
        self._monitor = monitor
        self._header = Header(glyphs, monitor.home, config.budget_day)
        self._glyphs = glyphs
        self._home = monitor.home
        self._history: UsageHistory | None = None
        self._spending: UsageSource | None = None
        self._answers: dict[str, SpanFigures] = {}
        self._chosen = 0
        self._inside: list[UsagePart] = []
        """What is looked into, the outermost first."""
        self._narrowed: SpanFigures | None = None
        """The figures of that; None while they are being summed."""
        self._cursor: UsagePart | None = None
        self._opened: set[str] = set()
        self._places: dict[UsagePart, tuple[int, int]] = {}
        self._state: list[usage_text.Line] = []
        self._page = Vertical(id="usage")
        self._heading = Static(id="usage-spans")
        self._state_text = Static(id="usage-state")
        self._body = VerticalScroll(id="usage-body")
        self._plot_title = Static(id="usage-plot-title")
        self._plot = DayPlot(ascii_only=glyphs.ascii)
        self._part_text = Static(id="usage-part")
        self._tables = UsageLists()
        self._keys = Static(id="usage-keys")
        self._above = 0
        """Lines above the lists."""

    def compose(self) -> ComposeResult:
        """Yields header, spans, plot, lists and keys; while nothing can be shown, the reason in place of plot and lists."""
        yield self._header
        with self._page:
            yield self._heading
            yield self._part_text
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
        if self._monitor.spending is None:
            self._show_state(usage_text.write_no_usage())
            return
        spending = self._monitor.spending.open()
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
        self._spending, self._history, self._answers = spending, history, answers
        await self._narrow()
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

    @property
    def _plot_height(self) -> int:
        """Height of the plot in lines."""
        return max(9, min(16, self.size.height // 4))

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
        figures = self._narrowed if self._inside else self._answers[SPANS[self._chosen].name]
        self._part_text.display = bool(self._inside)
        if figures is None:
            return
        report, drawn = figures
        if self._inside:
            titles = self._history.titles
            line = usage_text.write_inside(self._inside, report, titles, self._home, width, self._glyphs)
            self._part_text.update(make_content(*line), layout=False)
        name = "per hour" if self._span.days == 1 else "per day"
        self._plot_title.update(make_content(*usage_text.write_title(name, width, self._glyphs)), layout=False)
        self._plot.styles.height = self._plot_height
        self._plot.show(drawn)
        self._write_lists(report, width)

    def _write_lists(self, report: Report, width: int) -> None:
        history = self._history or UsageHistory()
        unreadable = usage_text.write_unreadable(history.unreadable, width, self._glyphs)

        def write(rows: int, opened: frozenset[str] = frozenset()) -> usage_text.UsageTables:
            choices = usage_text.ListChoices(self._cursor, tuple(self._inside), opened, rows)
            return usage_text.write_tables(report, history.titles, self._home, width, self._glyphs, choices)

        page = self.size.height - self._header.outer_size.height  # the page itself may have its old size yet
        room = page - self._plot_height - AROUND - 2 * bool(self._inside) - len(unreadable)
        more = range(usage_text.ROWS + 1, room)
        rows = usage_text.ROWS + bisect(more, room, key=lambda each: len(write(each).lines))
        tables = write(rows, frozenset(self._opened))
        if self._cursor not in tables.places:
            self._cursor = next(iter(tables.places), None)
            tables = write(rows, frozenset(self._opened))
        self._places = tables.places
        self._tables.update(_write_text([*unreadable, *tables.lines]))
        self._above = len(unreadable)

    def _show_keys(self, width: int) -> None:
        every = self._command_keys
        named = [
            each for each in every.commands if each.group == "usage" and (self._inside or each.id != "look_outside")
        ]
        closes = next((each for each in map(every.find, CLOSING) if each.keys and each not in named), None)
        keys = [
            (format_key(each.keys[0], ascii_only=self._glyphs.ascii), "close" if each is closes else each.title)
            for each in (*named, *([closes] if closes else ()))
            if each.keys
        ]
        self._keys.update(make_content(*fit_keys(keys, width)), layout=False)

    # Keys

    def action_next_span(self) -> None:
        """Shows the next span."""
        self._choose(self._chosen + 1)

    def action_previous_span(self) -> None:
        """Shows the previous span."""
        self._choose(self._chosen - 1)

    def _choose(self, number: int) -> None:
        self._chosen = number % len(SPANS)
        # A day has a span of its own: another one leaves it.
        self._inside = [each for each in self._inside if each.kind != "day"]
        self._body.scroll_home(animate=False)
        self._show_part(self._cursor)

    # Looking inside

    @property
    def _span(self) -> Span:
        """The chosen span, or the day that is looked into."""
        for part in self._inside:
            if part.kind == "day":
                today = datetime.fromtimestamp(self._monitor.now()).astimezone().date()
                return Span(name=part.key, days=1, ago=(today - date.fromisoformat(part.key)).days)
        return SPANS[self._chosen]

    async def _narrow(self) -> None:
        """Sums what is looked into."""
        inside, history, spending = list(self._inside), self._history, self._spending
        if inside and history is not None and spending is not None:
            narrowed = await asyncio.to_thread(narrow_history, history, inside)
            self._narrowed = await asyncio.to_thread(_count_span, narrowed, spending, self._span, self._monitor.now())
        self._paint()

    def _show_part(self, cursor: UsagePart | None) -> None:
        self._cursor, self._narrowed = cursor, None
        self._opened.clear()
        if self._inside:
            self.run_worker(self._narrow(), group="narrow", exclusive=True)
        else:
            self._paint()

    def action_look_inside(self) -> None:
        """Shows what is in the entry under the cursor, or all entries of its list."""
        part = self._cursor
        if part is None or (self._inside and self._narrowed is None):
            return
        if part.key == usage_text.MORE:
            self._opened.add(part.kind)
            order = list(self._places)
            self._cursor = order[max(0, order.index(part) - 1)]
            self._paint()
            return
        self._inside.append(part)
        self._body.scroll_home(animate=False)
        self._show_part(None)

    def action_look_outside(self) -> None:
        """Shows again what the current part is in; closes the screen when it is in none."""
        if self._inside:
            self._show_part(self._inside.pop())
        else:
            self.dismiss()

    def action_move(self, step: int) -> None:
        """Moves the cursor to the next or previous entry."""
        order = list(self._places)
        if not order or self._cursor not in order:
            return
        at = order.index(self._cursor) + step
        if 0 <= at < len(order):
            self._put_cursor(order[at])
        elif at < 0:
            self._body.scroll_home(animate=False)
        else:
            self._body.scroll_end(animate=False)

    def _put_cursor(self, part: UsagePart) -> None:
        self._cursor = part
        self._paint()
        line = self._places[part][0] + self._above + self._tables.virtual_region.y
        self._body.scroll_to_region(Region(0, line, 1, 1), animate=False, force=True)

    def on_usage_lists_clicked(self, message: UsageLists.Clicked) -> None:
        """Selects an entry; a click on the selected one looks inside."""
        line = message.y - self._above
        found = [part for part, (at, x) in self._places.items() if at == line and x <= message.x]
        if found and found[-1] == self._cursor:
            self.action_look_inside()
        elif found:
            self._put_cursor(found[-1])

    def action_close(self) -> None:
        """Closes the screen."""
        self.dismiss()


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
