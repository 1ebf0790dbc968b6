"""The settings screen: all keys of the configuration, with meaning, default, value and where that comes from; it changes them."""

import asyncio
from functools import partial
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.events import Key, Resize
from textual.widgets import Input, Static

from atm_tui import commands
from atm_tui.jump.programs import MissingProgramError, make_editor_command
from atm_tui.screens.choices import ChoicesScreen
from atm_tui.screens.controllers.configuring import ConfigController, ConfigObserver
from atm_tui.screens.custom_commands import find_key_problems
from atm_tui.screens.dialog_screen import DialogScreen
from atm_tui.screens.suspend import run_suspended
from atm_tui.settings.config_write import ConfigWriteError, change_config, write_new_config
from atm_tui.sources.theme import ThemeFile
from atm_tui.text import clean
from atm_tui.view.config_rows import (
    ConfigRow,
    format_value,
    is_list,
    is_table,
    is_text,
    list_choices,
    list_rows,
    write_as_toml,
    write_template,
)
from atm_tui.view.present import Glyphs, fit_keys, fit_parts, make_content, shorten_path, spread
from atm_tui.view.settings_lines import write_about, write_settings
from atm_tui.view.wizard_text import cut_start
from atm_tui.widgets.typed_input import TypedInput
from atm_tui.widgets.wizard_lines import WizardLines

LONGEST = 2000
"""Largest number of characters of a value that is typed here."""
_SHOWN = ("settings_change", "settings_reset", "settings_edit", "settings_leave")
_WHILE_TYPING = (("Enter", "write"), ("Esc", "leave it as it is"))


class SettingsScreen(ConfigObserver, DialogScreen[None]):
    """Every change is written at once, and applied as any other change of the file."""

    CSS_PATH = "settings.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*commands.make_bindings("settings")]

    def __init__(self, configuring: ConfigController, themes: ThemeFile | None, home: str, glyphs: Glyphs) -> None:
        """`configuring`: it follows a file. `themes`: where a theme that was chosen in the app is kept."""
        super().__init__()
        assert configuring.followed is not None  # noqa: S101
        self._configuring = configuring
        self._followed = configuring.followed
        self._themes = themes
        self._home = home
        self._glyphs = glyphs
        self._rows: dict[str, ConfigRow] = {}
        self._keys = configuring.keys
        self._trouble = ""
        """Why the last change was refused."""
        self._done = ""
        """What the last change did."""
        self._clicked = ""
        self._head = Static(id="settings-head")
        self._lines = WizardLines(glyphs, "settings-list")
        self._about = Static(id="settings-about")
        self._input = TypedInput(id="settings-input", compact=True, max_length=LONGEST, select_on_focus=False)
        self._foot = Static(id="settings-foot")

    def compose(self) -> ComposeResult:
        """Yields the widgets, top to bottom."""
        yield self._head
        yield Static(classes="settings-rule")
        yield self._lines
        yield Static(classes="settings-rule")
        yield self._about
        yield self._input
        yield self._foot

    def on_mount(self) -> None:
        """Shows the keys."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self._input.display = False
        self._lines.focus()
        self.show_rows()

    def on_resize(self, _: Resize) -> None:
        """Writes everything for the new width."""
        self._paint()

    # Showing

    def show_rows(self) -> None:
        """Shows the values that hold now."""
        config = self._followed.config
        chosen = self._themes.find_theme(config.theme) if self._themes else None
        problems, name = self._configuring.problems, self._followed.path.name
        self._rows = {row.key: row for row in list_rows(self._followed, chosen, problems)}
        rows = list(self._rows.values())
        self._lines.show(lambda width: write_settings(rows, problems, name, self._glyphs, width))
        self._paint()

    @property
    def _row(self) -> ConfigRow | None:
        return self._rows.get(str(self._lines.cursor))

    def _paint(self) -> None:
        width = self.size.width - 2
        if width < 1:
            return
        count = sum(bool(row.line) for row in self._rows.values())
        path = clean(shorten_path(str(self._followed.path), self._home))
        title, count_words = "Settings", f"{count} set in "
        where = count_words + cut_start(path, width - len(title) - 2 - len(count_words))
        if not self._followed.is_kept:
            title, where = "Settings of the demo", "changes end with it, your file stays as it is"
        self._head.update(
            make_content(*spread([(title, "title")], [(where, "muted")], width)),
            layout=False,
        )
        about = write_about(self._row, self._trouble, width)
        self._about.update(Content("\n").join(make_content(*line) for line in about), layout=False)
        shown = self._keys.write_keys(*_SHOWN, ascii_only=self._glyphs.ascii)
        keys = fit_keys(_WHILE_TYPING if self._input.display else shown, width)
        foot = fit_parts([(self._done, "finished")], width) if self._done else keys
        self._foot.update(make_content(*foot), layout=False)

    def on_wizard_lines_moved(self, _: WizardLines.Moved) -> None:
        """Shows what is known of the key under the cursor."""
        self._trouble = self._done = ""
        self._close_input()
        self._paint()

    def on_wizard_lines_clicked(self, _: WizardLines.Clicked) -> None:
        """Changes a key at the second click."""
        key = str(self._lines.cursor)
        if key == self._clicked:
            self.action_change()
        self._clicked = key

    # Changing

    def action_change(self) -> None:
        """Switches a key on or off, lists its values, or lets the person type one."""
        row = self._row
        if row is None:
            return
        self._trouble = self._done = ""
        if is_table(row.key):
            self.action_edit()
        elif row.value in ("true", "false"):
            self._write(row.key, "false" if row.value == "true" else "true")
        elif list_choices(row.key):
            self._choose(row)
        else:
            value = getattr(self._followed.config, row.key)
            self._input.value = value if is_text(row.key) and isinstance(value, str) else row.value
            self._input.display = True
            self._input.focus()
            self._paint()

    def _choose(self, row: ConfigRow) -> None:
        several = is_list(row.key)
        value: Any = getattr(self._followed.config, row.key)
        chosen = [str(each) for each in value] if several else [row.value.strip('"')]

        def take(taken: tuple[str, ...] | None) -> None:
            if taken is not None:
                self._write(row.key, format_value(list(taken) if several else taken[0]))

        screen = ChoicesScreen(row.key, list_choices(row.key), chosen, self._glyphs, self._keys, several=several)
        self.app.push_screen(screen, take)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Writes what was typed."""
        event.stop()
        row = self._row
        if row is not None:
            self._write(row.key, write_as_toml((row.key,), event.value.strip()))

    def action_reset(self) -> None:
        """Removes the key from the file, so that its default holds."""
        row = self._row
        if row is not None and row.line:
            self._write(row.key, None)
        elif row is not None:
            self._done = f"{row.key} is not in the file: its default holds already"
            self._paint()

    def _write(self, key: str, value: str | None) -> None:
        shown = self._followed.reading.data.get(key)
        self.run_worker(self._change(key, value, shown), group="settings", exclusive=True)

    async def _change(self, key: str, value: str | None, shown: Any) -> None:
        try:
            change = partial(change_config, self._followed.path, (key,), value, shown, check=find_key_problems)
            await asyncio.to_thread(change)
        except ConfigWriteError as error:
            self._trouble = str(error)
            self._paint()
            return
        self._close_input()
        await self._configuring.read_again()
        if key == "theme" and self._themes is not None:
            theme = self._followed.config.theme  # the last choice decides, and that was this one
            self._themes.save(theme, theme)
            self.app.theme = theme
        self._trouble = ""
        self.show_rows()
        above = self._followed.overrides.get(key)
        self._done = f"{key} is written" + (f"; here, {above[1]} takes precedence" if above else "")
        self._paint()

    def action_edit(self) -> None:
        """Opens the file in the user's editor."""
        try:
            command = make_editor_command(str(self._followed.path))
            write_new_config(self._followed.path, write_template())
        except (MissingProgramError, ConfigWriteError) as error:
            self._trouble = str(error)
        else:
            self._trouble = run_suspended(self.app, command) or ""
        self.run_worker(self._read_again(), group="settings", exclusive=True)

    async def _read_again(self) -> None:
        await self._configuring.read_again()
        self.show_rows()

    # Leaving

    def _close_input(self) -> None:
        if self._input.display:
            self._input.display = False
            self._lines.focus()

    def on_key(self, event: Key) -> None:
        """Leaves the value as it is with Escape while one is typed, whatever key closes the screen."""
        if event.key == "escape" and self._input.display:
            event.stop()
            self._trouble = ""
            self._close_input()
            self._paint()

    def action_leave(self) -> None:
        """Closes the screen."""
        self.dismiss(None)


def open_settings(
    app: App[Any], configuring: ConfigController, themes: ThemeFile | None, home: str, glyphs: Glyphs
) -> str | None:
    """Shows the screen, or closes it; returns why it can't be shown, or None."""
    if isinstance(app.screen, SettingsScreen):
        app.screen.action_leave()
    elif configuring.followed is None:
        return "settings: there is no configuration file here"
    else:
        app.push_screen(SettingsScreen(configuring, themes, home, glyphs))
    return None
