"""The bar plot of spending."""

from textual.color import Color
from textual_plotext import PlotextPlot

from atm_tui.text import fit_width, format_money
from atm_tui.view.day_bars import Bars

LABEL = 8
"""Width in cells of a label of the axis."""
GAP = " "
"""Between a label of the axis and the bars."""


class DayPlot(PlotextPlot):
    """Draws bars with labels. The labels are in the colour of the style sheet, also where that is the terminal's own."""

    def __init__(self, *, ascii_only: bool) -> None:
        super().__init__(id="plot")
        self.theme = "clear"
        self._ascii = ascii_only
        self._bars: Bars = ()

    def on_mount(self) -> None:
        """Follows the theme."""
        self.app.theme_changed_signal.subscribe(self, lambda _: self._draw())

    def show(self, given: Bars) -> None:
        """Replaces the bars."""
        self._bars = given
        self._draw()

    def on_resize(self) -> None:
        """Draws as many labels as fit."""
        self._draw()

    def _draw(self) -> None:
        plt, count = self.plt, len(self._bars)
        plt.clear_figure()
        if not count:
            return
        usd = [value for _, value in self._bars]
        colour = Color.parse(self.app.get_css_variables()["secondary"])
        bar = colour.rgb if colour.ansi is None else colour.ansi
        # A bar is up to a dot wider than its share; without a dot between two of them they would look like one.
        cells = max(1, self.size.width - LABEL - len(GAP))
        dots = cells * (1 if self._ascii else 2) / count
        width = max(0.1, min(0.6, 1 - 2.5 / dots))
        plt.bar(range(count), usd, marker="#" if self._ascii else "hd", color=bar, width=width)
        top = max(usd) or 1.0
        plt.ylim(0, top)
        plt.xlim(-0.6, count - 0.4)
        plt.frame(False)
        labels = ["$0", format_money(top / 2), format_money(top)]
        plt.yticks([0, top / 2, top], [fit_width(each, LABEL, right=True) + GAP for each in labels])
        longest = max(len(label) for label, _ in self._bars)
        step = max(1, -(-count * (longest + 3) // cells))
        shown = range((count - 1) % step, count, step)
        plt.xticks(list(shown), [self._bars[at][0] for at in shown])
        self.refresh()
