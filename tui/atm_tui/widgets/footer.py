"""The footer: the keys that work here; for a moment, what became of one."""

from textual.content import Content, Span
from textual.events import Resize
from textual.style import Style
from textual.timer import Timer
from textual.widgets import Static

from atm_tui.commands import NOTHING, Selection, footer_commands, key_labels
from atm_tui.view import present
from atm_tui.view.present import Glyphs

LAST = 2
"""Help and quit stand at the end."""
REASON_SECONDS = 5.0
"""For how long a word stays."""


class Footer(Static):
    """Derived from the commands; those that can't run for what is selected are faint. Each can be clicked."""

    ALLOW_SELECT = False
    auto_links = False

    def __init__(self, glyphs: Glyphs, *, replay: bool = False, view: bool = False) -> None:
        super().__init__(id="footer")
        self._glyphs = glyphs
        self._usual = self._commands = footer_commands(replay=replay, view=view)
        self._selection = NOTHING
        self._said: present.Part | None = None
        self._shown: Content | None = None
        self._timer: Timer | None = None

    def show(self, selection: Selection) -> None:
        """The selection changed: other commands may be possible."""
        if selection != self._selection:
            self._selection = selection
            self._paint()

    def in_pane(self, *, inside: bool) -> None:
        """The focus went into a pane, where other keys matter, or out of it."""
        self._commands = footer_commands(pane=True) if inside else self._usual
        self._paint()

    def say(self, text: str, *, trouble: bool) -> None:
        """Says for a few seconds what a command did, or why it did not."""
        self._said = (present.clean(text), "needs" if trouble else "strong")
        self._paint()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(REASON_SECONDS, self._over)

    def _over(self) -> None:
        self._said = None
        self._paint()

    def on_resize(self, _: Resize) -> None:
        """Shows as many keys as fit."""
        self._paint()

    def _paint(self) -> None:
        width = self.content_size.width
        said = present.content(*present.fit_parts([self._said], width)) if self._said else None
        shown = said or self._keys(width)
        if self._shown is None or not shown.is_same(self._shown):
            self._shown = shown
            self.update(shown, layout=False)

    def _keys(self, width: int) -> Content:
        """As many as fit: what can't run goes first, then what comes last; help and quit stay longest."""
        gap = "   " if width >= 60 else "  "
        entries: list[tuple[bool, Content]] = []
        for each in self._commands:
            able = each.disabled(self._selection) is None
            if each.live and not able:
                continue
            key = key_labels(each, ascii_only=self._glyphs.ascii)[0]
            text = present.content((key, "key" if able else "faint"), (f" {each.title}", "muted" if able else "faint"))
            action = each.id if able else f"command('{each.id}')"
            prefix = "app." if each.group == "app" else "screen."
            click = Style.from_meta({"@click": prefix + action})
            entries.append((able, text.add_spans([Span(0, len(text), click)])))
        while entries and sum(text.cell_length + len(gap) for _, text in entries) - len(gap) > width:
            entries.remove(next((each for each in entries if not each[0]), entries[max(0, len(entries) - LAST - 1)]))
        return Content(gap).join(text for _, text in entries)
