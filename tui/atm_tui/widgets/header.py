"""The header: how many need you, work and idle; what it cost; and, when something is wrong, one line that says so."""

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Resize
from textual.widgets import Static

from atm_tui import present
from atm_tui.model.fleet import Health, Totals
from atm_tui.present import Glyphs, Part, clean, content


def counts(totals: Totals, glyphs: Glyphs, *, short: bool) -> list[Part]:
    """The three counts with glyph and, unless `short`, word; a count of nothing is quiet."""
    word = "needs you" if totals.needs_you == 1 else "need you"
    named = [
        (glyphs.needs, totals.needs_you, word, "needs"),
        (glyphs.working, totals.working, "working", "working"),
        (glyphs.idle, totals.idle, "idle", "muted"),
    ]
    parts: list[Part] = []
    for glyph, number, text, role in named:
        shown = role if number else "faint"
        parts += [(f"{glyph} ", shown), (f"{number}" if short else f"{number} {text}", shown), ("   ", "plain")]
    return parts[:-1]


class Header(Vertical):
    """One line, or two when there is a notice."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="header")
        self._glyphs = glyphs
        self._totals = Totals()
        self._health = Health()
        self._counts = Static(id="counts")
        self._notice = Static(id="notice")
        self._shown: tuple[list[Part], list[Part]] = ([], [])

    def compose(self) -> ComposeResult:
        """The two lines."""
        yield self._counts
        yield self._notice

    def show(self, totals: Totals, health: Health) -> None:
        """Takes new figures; paints when they read otherwise."""
        self._totals, self._health = totals, health
        self._paint()

    def on_resize(self, _: Resize) -> None:
        """Shows what fits."""
        self._paint()

    def _line(self, width: int) -> list[Part]:
        """Name, counts and cost, with as many words as there is room for."""
        usd = self._totals.cost_usd
        cost: list[Part] = [("total ", "faint"), (present.money(usd), "faint" if usd is None else "strong")]
        name: list[Part] = [("atm-tui", "title"), ("   ", "plain")]
        long = counts(self._totals, self._glyphs, short=False)
        short = counts(self._totals, self._glyphs, short=True)
        for left, right in ((name + long, cost), (name + long, cost[1:]), (long, cost[1:]), (short, cost[1:])):
            if sum(cell_len(text) for text, _ in left + right) + 2 <= width:
                break
        return present.spread(left, [(" ", "plain"), *right], width)

    def _paint(self) -> None:
        width = self.size.width
        if width < 1:
            return
        line = self._line(width)
        notices = self._health.notices
        more: list[Part] = [(f"  +{len(notices) - 1} more", "muted")] if len(notices) > 1 else []
        text = [(f"{self._glyphs.warning} {clean(notices[0])}", "notice")] if notices else []
        notice = present.spread(text, more, width) if notices else []
        if (line, notice) != self._shown:
            self._shown = (line, notice)
            self._counts.update(content(*line), layout=False)
            self._notice.update(content(*notice), layout=False)
            self._notice.display = bool(notice)
