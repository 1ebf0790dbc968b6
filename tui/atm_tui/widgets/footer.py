"""The footer: the keys that work here or, for a few seconds, a message."""

from collections.abc import Sequence

from textual.content import Content, Span
from textual.events import Resize
from textual.style import Style
from textual.timer import Timer
from textual.widgets import Static

from atm_tui.commands import make_action
from atm_tui.keys.footer import list_footer_commands, list_marked_commands
from atm_tui.keys.table import CommandKeys
from atm_tui.monitor.time_controls import TimeControls
from atm_tui.text import clean
from atm_tui.view import present
from atm_tui.view.command import NOTHING, Command, Selection, format_keys
from atm_tui.view.present import Glyphs
from atm_tui.view.replay_position import name_toggle

LAST = 2
"""Number of commands at the end that are left out last: help and quit."""
MESSAGE_SECONDS = 5.0
"""Seconds for which a message is shown."""


class Footer(Static):
    """Shows the keys of the commands; disabled ones are faint. Each can be clicked."""

    ALLOW_SELECT = False
    auto_links = False

    def __init__(
        self, glyphs: Glyphs, keys: CommandKeys, custom: Sequence[Command] = (), replay: TimeControls | None = None
    ) -> None:
        """`custom`: the commands of the configuration. `replay`: the clock of a recording."""
        super().__init__(id="footer")
        self._custom = custom
        self._keys = keys
        self._glyphs = glyphs
        self._replay = replay
        self._place = (False, False, False, False)
        self._commands = list_footer_commands(custom, keys.commands, toggle=self._toggle)
        self._selection = NOTHING
        self._message: tuple[present.Part, ...] = ()
        self._shown: Content | None = None
        self._timer: Timer | None = None

    def show(self, selection: Selection) -> None:
        """Updates which commands are enabled for the selection."""
        if selection != self._selection:
            if selection.marked > self._selection.marked:
                self._message = ()
            self._selection = selection
            self._paint()

    def set_place(self, *, view: bool, pane: bool = False, zoomed: bool = False, fixed: bool = False) -> None:
        """Shows the keys of a `view` or a `pane`, perhaps a `zoomed` one or of a `fixed` size, or those of the tree."""
        if (view, pane, zoomed, fixed) != self._place:
            self._place = (view, pane, zoomed, fixed)
            self.update_keys()

    def update_keys(self) -> None:
        """Shows the current keys of the commands."""
        view, pane, zoomed, fixed = self._place
        self._commands = list_footer_commands(
            self._custom,
            self._keys.commands,
            toggle=self._toggle,
            view=view,
            pane=pane,
            zoomed=zoomed,
            fixed=fixed,
        )
        self._paint()

    @property
    def _toggle(self) -> str:
        return name_toggle(self._replay) if self._replay is not None else ""

    def show_chord(self, parts: Sequence[present.Part]) -> None:
        """Shows how a chord can go on, until the next call; nothing: it is over."""
        if self._timer is not None:
            self._timer.stop()
        self._message = tuple(parts)
        self._paint()

    def show_message(self, text: str, *, trouble: bool) -> None:
        """Shows a message for a few seconds: what a command did, or why it failed."""
        self._message = ((clean(text), "needs" if trouble else "strong"),)
        self._paint()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(MESSAGE_SECONDS, self.clear_message)

    def clear_message(self) -> None:
        """Shows the keys again."""
        self._message = ()
        self._paint()

    def on_resize(self, _: Resize) -> None:
        """Shows as many keys as fit."""
        self._paint()

    def _paint(self) -> None:
        # Before the first layout: the width of the screen less the padding, so that the first frame has the keys.
        width = self.content_size.width or self.app.size.width - 2
        message = present.make_content(*present.fit_parts(self._message, width)) if self._message else None
        shown = message or self._write_keys(width)
        if self._shown is None or not shown.is_same(self._shown):
            self._shown = shown
            self.update(shown, layout=False)

    def _write_keys(self, width: int) -> Content:
        """Writes as many keys as fit: disabled ones are left out first, then those at the end; help and quit last."""
        gap = "   " if width >= 60 else "  "
        entries: list[tuple[bool, Content]] = []
        for each in self._commands if not self._selection.marked else list_marked_commands(self._keys.commands):
            enabled = each.disabled(self._selection) is None
            if each.only_enabled and not enabled:
                continue
            key = format_keys(each, ascii_only=self._glyphs.ascii)[0]
            role = "muted" if enabled else "faint"
            text = present.make_content((key, "key" if enabled else "faint"), (f" {each.title}", role))
            if not each.by_key:
                click = Style.from_meta({"@click": f"{'app' if each.group == 'app' else 'screen'}.{make_action(each)}"})
                text = text.add_spans([Span(0, len(text), click)])
            entries.append((enabled, text))
        if self._selection.marked:
            entries.insert(0, (True, present.make_content((f"{self._selection.marked} marked", "strong"))))
        while entries and sum(text.cell_length + len(gap) for _, text in entries) - len(gap) > width:
            entries.remove(next((each for each in entries if not each[0]), entries[max(0, len(entries) - LAST - 1)]))
        return Content(gap).join(text for _, text in entries)
