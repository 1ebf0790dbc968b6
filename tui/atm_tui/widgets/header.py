"""The header: numbers of sessions that need you, work and are idle; rate limits; cost; and a line for a notice."""

from collections.abc import Iterator

from msgspec.structs import replace
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Click, Resize
from textual.widgets import Static

from atm_tui.cost.limits import Account, find_accounts
from atm_tui.model.fleet import Fleet
from atm_tui.model.fleet_index import Totals
from atm_tui.model.request import Arming
from atm_tui.text import PENDING, clean, format_age, format_money
from atm_tui.view import present
from atm_tui.view.aged_lines import CoarseClock
from atm_tui.view.limits import GAP, write_limits
from atm_tui.view.present import Glyphs, Part, make_content


def write_counts(totals: Totals, glyphs: Glyphs, *, short: bool) -> list[Part]:
    """Writes the three counts with a glyph and, unless `short`, a word; a count of 0 is faint."""
    word = "needs you" if totals.needs_you == 1 else "need you"
    named = [
        (glyphs.needs, totals.needs_you, word, "needs"),
        (glyphs.working, totals.working, "working", "working"),
        (glyphs.idle, totals.idle, "idle", "muted"),
    ]
    parts: list[Part] = []
    for glyph, number, text, role in named:
        shown = role if number else "faint"
        parts += [(f"{glyph} ", shown), (f"{number}" if short else f"{number} {text}", shown), GAP]
    return parts[:-1]


def write_waited(seconds: float) -> list[Part]:
    """Writes how long sessions waited for the user today, if at least a minute."""
    return [GAP, ("waited ", "faint"), (format_age(seconds), "plain")] if seconds >= 60.0 else []


def write_cost(total: float | None, today: float | None, budget: float, *, is_pending: bool = False) -> list[Part]:
    """Writes the cost of today (USD) or, while unknown, of all listed sessions. `budget`: USD for a day; 0: none.

    `is_pending`: whether the total lacks sessions whose transcripts are still being read.
    """
    usd = total if today is None else today
    over = today is not None and 0 < budget <= today
    word = "total " if today is None else "today "
    role = "faint" if usd is None else "needs" if over else "strong"
    more = PENDING if is_pending and today is None and usd is not None else ""
    return [(word, "faint"), (f"{format_money(usd, is_pending=is_pending)}{more}", role)]


def write_armed(arming: Arming, glyphs: Glyphs, *, short: bool) -> list[Part]:
    """Writes whether this app or another one is armed; empty if none is."""
    if arming is Arming.ON:
        return [(f"{glyphs.armed} armed", "armed"), GAP]
    if arming is Arming.ELSEWHERE:
        return [("elsewhere" if short else "armed elsewhere", "notice"), GAP]
    return []


def write_unread(count: int, *, short: bool) -> list[Part]:
    """Writes how many sessions are still to be read; empty for none."""
    return [GAP, (f"+{count:,}" if short else f"{count:,} still to read", "notice")] if count else []


class Header(Vertical):
    """One line; a second one if several accounts have limits, and one for a notice."""

    def __init__(self, glyphs: Glyphs, home: str, budget: float) -> None:
        """`budget`: USD that a day may cost; 0: no limit."""
        super().__init__(id="header")
        self._glyphs = glyphs
        self._home = home
        self._budget = budget
        self._totals = Totals()
        self._arming = Arming.OFF
        self._hidden = 0
        self._snoozed = 0
        self._unread = 0
        self._accounts: tuple[Account, ...] = ()
        self._today: float | None = None
        self._notices: tuple[str, ...] = ()
        self._fleet = Fleet()
        self._waited = 0.0
        self._now = 0.0
        self._clock = CoarseClock()
        self._lines = {name: Static(id=name) for name in ("counts", "limits", "notice")}
        self._shown: dict[str, list[Part]] = {}

    def compose(self) -> ComposeResult:
        """Yields the lines."""
        yield from self._lines.values()

    def show(self, fleet: Fleet, now: float) -> None:
        """Updates the lines for the fleet at `now` (epoch seconds)."""
        totals, waiting = fleet.compute_totals(), len(fleet.list_attention())
        self._snoozed = totals.needs_you - waiting
        self._totals = replace(totals, needs_you=waiting)
        self._today, self._notices = fleet.today, fleet.notices
        self._accounts, self._now = find_accounts(fleet.list_limited(), fleet.limits_full_at), now
        self._fleet, self._waited = fleet, fleet.measure_waited(now)
        self._arming, self._hidden, self._unread = fleet.own_arming, len(fleet.hidden), fleet.unread
        self._paint()

    def tick(self, now: float) -> None:
        """Updates what depends on the time, every COARSE_STEP: reset times of limits, time waited."""
        if not self._clock.has_advanced(now):
            return
        shown = write_waited(self._waited)
        if self._totals.needs_you:
            self._waited = self._fleet.measure_waited(now)
        if self._accounts or write_waited(self._waited) != shown:
            self._now = now
            self._paint()

    def on_resize(self, _: Resize) -> None:
        """Writes the lines for the new width."""
        self._paint()

    async def on_click(self, event: Click) -> None:
        """Shows all notices, where they were clicked."""
        if event.widget is self._lines["notice"]:
            await self.run_action("app.notices")

    def _write_main_line(self, width: int) -> list[Part]:
        """Writes name, counts, limits and cost, with as many words as fit."""
        for left, right in self._list_variants():
            if sum(cell_len(text) for text, _ in left + right) + 2 <= width:
                break
        return present.spread(left, [(" ", "plain"), *right], width)

    def _list_variants(self) -> Iterator[tuple[list[Part], list[Part]]]:
        """Yields the left and right part of the line, from the longest to the shortest variant."""
        glyphs = self._glyphs
        # "atm-tui demo" is shortened to its last word.
        word = self.app.title.removeprefix("atm-tui").strip()
        always: list[Part] = [(word, "title"), GAP] if word else []
        name: list[Part] = [("atm-tui ", "title")] if word else [("atm-tui", "title"), GAP]
        long, short = (
            [
                *always,
                *write_armed(self._arming, glyphs, short=each),
                *write_counts(self._totals, glyphs, short=each),
                *write_unread(self._unread, short=each),
            ]
            for each in (False, True)
        )
        long += [GAP, (f"{self._snoozed} snoozed", "muted")] if self._snoozed else []
        long += [GAP, (f"{self._hidden} hidden", "muted")] if self._hidden else []
        everything = [*name, *long, *write_waited(self._waited)]
        cost = write_cost(self._totals.cost_usd, self._today, self._budget, is_pending=self._totals.is_pending)
        if len(self._accounts) == 1:
            (account,) = self._accounts
            for left, gauge, resets in ((everything, 10, True), (name + long, 10, True), (name + long, 6, True),
                                        (name + long, 0, True), (name + short, 0, True), (short, 0, False)):  # fmt: skip
                shown = write_limits(account, self._now, glyphs, gauge, resets=resets)
                yield left, [*shown, GAP, *cost] if shown else cost
        for left, right in (
            (everything, cost),
            (name + long, cost),
            (name + long, cost[1:]),
            (long, cost[1:]),
            (short, cost[1:]),
        ):
            yield left, right

    def _write_limits_line(self, width: int) -> list[Part]:
        """Writes the limits of several accounts, named by their folders."""
        if len(self._accounts) < 2:
            return []
        for gauge, resets in ((8, True), (0, True), (0, False)):
            parts: list[Part] = []
            for account in self._accounts:
                name = present.shorten_path(account.config_dir, self._home)
                parts += [*([("     ", "plain")] if parts else []), (f"{name}  ", "faint")]
                parts += write_limits(account, self._now, self._glyphs, gauge, resets=resets)
            if sum(cell_len(text) for text, _ in parts) <= width:
                break
        return present.fit_parts(parts, width)

    def _write_notice_line(self, width: int) -> list[Part]:
        notices = self._notices
        if not notices:
            return []
        first: Part = (f"{self._glyphs.warning} {clean(notices[0])}", "notice")
        if len(notices) == 1 and cell_len(first[0]) <= width:
            return present.spread([first], [], width)
        count = f"  +{len(notices) - 1} more" if len(notices) > 1 else ""
        return present.spread([first], [(f"{count}  ", "muted"), ("D", "key"), (" shows all", "muted")], width)

    def _paint(self) -> None:
        # Before the first layout: the width of the screen less the padding, so that the first frame is complete.
        width = self.size.width or self.app.size.width - 2
        if width < 1:
            return
        for name, write in (
            ("counts", self._write_main_line),
            ("limits", self._write_limits_line),
            ("notice", self._write_notice_line),
        ):
            line = write(width)
            if line != self._shown.get(name):
                self._shown[name] = line
                self._lines[name].update(make_content(*line), layout=False)
                self._lines[name].display = bool(line)
