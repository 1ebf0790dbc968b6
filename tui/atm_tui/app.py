"""The app: one loop that turns hints into refreshes, one screen that shows the fleet."""

import asyncio
import threading
from collections.abc import Sequence
from typing import ClassVar

from rich.console import RenderableType
from textual.binding import BindingType
from textual.driver import Driver
from textual.events import Event, Key, Resize
from textual.filter import LineFilter
from textual.screen import Screen

from atm_tui import commands, paths
from atm_tui.config import Config
from atm_tui.messages import Answer, Arm, FlagsChanged, FleetChanged, SessionSeen, ToggleHidden
from atm_tui.monitor import gc_tuning
from atm_tui.monitor.budgets import BudgetAlerts
from atm_tui.monitor.first_read import FirstRead
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.app_parts import AppParts
from atm_tui.screens.command_screen import CommandScreen, list_observers
from atm_tui.screens.controllers.arming import ArmingController
from atm_tui.screens.controllers.command_line import CommandLineController
from atm_tui.screens.controllers.configuring import ConfigController
from atm_tui.screens.controllers.key_input import KeyInput
from atm_tui.screens.controllers.notifying import NotifyingController
from atm_tui.screens.controllers.storing import StoringController
from atm_tui.screens.controllers.theming import ThemeController
from atm_tui.screens.custom_commands import make_custom_commands
from atm_tui.screens.dialog_styles import load_dialog_styles
from atm_tui.screens.fleet import FleetScreen
from atm_tui.screens.frame import Frame, reduce_update, wait_for_frame
from atm_tui.screens.suspend import handle_stop_and_continue, leave_on_signals
from atm_tui.screens.terminal_driver import choose_driver
from atm_tui.screens.themed_app import ThemedApp
from atm_tui.screens.too_small import cover_small_terminal
from atm_tui.sources.followed_config import FollowedConfig
from atm_tui.sources.theme import ThemeFile
from atm_tui.text import clean
from atm_tui.view import present
from atm_tui.view.command import Command
from atm_tui.view.line_filters import add_line_filters, make_error_console
from atm_tui.view.terminal_title import TerminalTitle, format_title
from atm_tui.view.written_screen import WrittenScreen


class AtmApp(ThemedApp[None]):
    """Shows the fleet of a monitor. Reads no files itself, and writes only to the terminal."""

    CSS_PATH = "app.tcss"
    TITLE = "atm-tui"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = commands.make_bindings("app")

    def __init__(
        self,
        monitor: Monitor,
        config: Config,
        *,
        greets: bool = False,
        themes: ThemeFile | None = None,
        first_read: FirstRead | None = None,
        followed: FollowedConfig | None = None,
    ) -> None:
        """`greets`: whether the first start shows the introduction, once. `themes`: where the chosen theme is kept.

        `first_read`: the monitor's first refresh, if already begun; if it finishes in time, the first frame is complete.
        `followed`: the file of `config`, which is applied again whenever it changes.
        """
        super().__init__()
        self._first_read = first_read
        self._monitor = monitor
        self._greets = greets
        self.configuring = ConfigController(self, monitor, config, followed, self._apply_config)
        config, self.keys = self.configuring.config, self.configuring.keys
        self._custom = make_custom_commands(config.commands, self.keys.commands)
        self._key_input = KeyInput(self, self.keys, lambda: self.glyphs.ascii)
        self._stop = threading.Event()
        self._garbage = gc_tuning.QuietCollector()
        # The monitor need not be thread-safe: only one call runs at a time.
        self._reading = asyncio.Lock()
        self.arming = ArmingController(self, monitor, self._reading, self.keys)
        self._storing = StoringController(monitor, config, self._reading, self._refresh)
        self._budgets = BudgetAlerts(monitor, config, lambda: self.post_message(FleetChanged()), self._warn)
        self._notifying = NotifyingController(self, monitor, config, self._write, self._warn, self.go_to)
        self._is_utf8 = paths.is_utf8()  # while the app runs, stdout is another one
        self.glyphs = present.ASCII if config.ascii or not self._is_utf8 else present.UNICODE
        self._command_line = CommandLineController(self, self.glyphs, self.set_theme, self.show_message)
        self.error_console = make_error_console()
        self._terminal_title = TerminalTitle(self._write)
        self._written = WrittenScreen()
        self._theming = ThemeController(self, themes, config.theme)
        self.start_with_theme(self._theming.find_theme())

    def get_driver_class(self) -> type[Driver]:
        """Returns Textual's driver, or ours in place of its terminal driver."""
        return choose_driver(super().get_driver_class())

    def get_default_screen(self) -> FleetScreen:
        """Returns the fleet screen, which is at the bottom of the stack."""
        is_loaded = self._first_read is not None and self._first_read.is_done
        parts = AppParts(self.arming.keys, self._tick, self._written)
        return FleetScreen(self._monitor, self.configuring.config, self.glyphs, parts, is_loaded=is_loaded)

    @property
    def fleet_screen(self) -> FleetScreen:
        """The screen at the bottom of the stack."""
        screen = self.screen_stack[0]
        assert isinstance(screen, FleetScreen)  # noqa: S101
        return screen

    def on_mount(self) -> None:
        """Starts the workers."""
        self.set_keymap(self.keys.keymap)
        if self.configuring.key_problems:
            self._warn(f"{self.configuring.key_problems}. Until then, the default keys work.")
        leave_on_signals(self._leave)
        handle_stop_and_continue(self, self._driver, self._repaint)
        self.app_resume_signal.subscribe(self, lambda _: self._repaint())
        self.run_worker(self._follow(), name="follow", exclusive=True)
        self.arming.begin()
        self._notifying.begin()
        self.run_worker(self._budgets.follow(self._stop), name="budgets", group="budgets")

    def _repaint(self) -> None:
        """Renders everything again after another program used the terminal, which is empty now."""
        self._terminal_title.repeat()
        self._written.forget(*self.size)
        for screen in self.screen_stack:
            screen.refresh(layout=True)

    def action_suspend(self) -> None:
        """Gives the terminal to the shell that started the app, until `fg`."""
        self.action_suspend_process()

    def on_resize(self, _: Resize) -> None:
        """Covers the screens while the terminal is too small, and redraws: a resized terminal still shows the old lines."""
        self._written.forget(*self.size)
        self.call_later(cover_small_terminal, self)

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        """Writes a frame: only the cells that differ from what the terminal shows."""
        is_written = self._driver is not None and not self.is_headless and self._running and not self._closed
        if is_written and not self._batch_count:
            if self._written.size != self.size:
                self._written.forget(*self.size)
            frame = reduce_update(renderable, self._written, self.console)
            cursor = self.screen.outer_size.clamp_offset(self.cursor_position)
            same = isinstance(frame, Frame) and not frame.sequences and cursor == self._previous_cursor_position
            renderable = None if same else frame  # type: ignore[assignment] # as Textual's own updates
        super()._display(screen, renderable)

    def _leave(self, return_code: int) -> None:
        self._stop.set()
        self.exit(return_code=return_code)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Returns Textual's filters and ours: one cleans text; in ASCII mode, another replaces our signs."""
        return add_line_filters(super().get_line_filters(), ascii_only=self.glyphs.ascii)

    # The loop

    def _tick(self) -> None:
        """Does what is not urgent, while the app is awake anyway."""
        self.configuring.look()
        self._garbage.collect()

    async def _follow(self) -> None:
        """Refreshes on each hint, in a thread, and notifies the screens of changes."""
        if not (is_shown := self.fleet_screen.is_loaded):
            await self._refresh(first=True)
        await wait_for_frame(self)  # the file watcher takes long to load
        if is_shown:  # what else has to know
            self.post_message(FleetChanged())
        load_dialog_styles(self)
        self.set_timer(gc_tuning.START_SECONDS, gc_tuning.resume)
        if self._greets and len(self.screen_stack) == 1 and self._monitor.is_first_time("greeted"):
            self.action_welcome()
        self.run_worker(self.configuring.follow(), name="config", group="follow-config")
        async for _ in self._monitor.watch(self._stop):
            await self._refresh()

    async def _refresh(self, *, first: bool = False) -> None:
        async with self._reading:
            begun = self._first_read if first else None
            changed = await asyncio.to_thread(self._monitor.refresh if begun is None else begun.wait)
        if changed or first:
            self.post_message(FleetChanged())

    def on_fleet_changed(self, _: FleetChanged) -> None:
        """Tells every screen what changed."""
        self._budgets.check()
        self._notifying.check()
        delta = self._monitor.fleet.drain()
        for screen in list_observers(self.screen_stack):
            screen.handle_fleet_change(delta)
        self._terminal_title.show(format_title(len(self._monitor.fleet.list_attention()), self.glyphs.dot))

    def _write(self, text: str) -> None:
        if self._driver is not None:
            self._driver.write(text)
            self._driver.flush()

    def _warn(self, text: str) -> None:
        self.notify(text, severity="warning", timeout=10, markup=False)

    async def on_flags_changed(self, message: FlagsChanged) -> None:
        """Stores the flags that the user set on sessions."""
        await self._storing.set_flags(message.flags)

    async def on_toggle_hidden(self, _: ToggleHidden) -> None:
        """Hides or shows the sessions without a screen."""
        text = await self._storing.toggle_hidden(self.keys.label("hide"))
        if isinstance(self.screen, FleetScreen):
            self.screen.show_message(text)

    async def on_session_seen(self, message: SessionSeen) -> None:
        """Marks a session as seen, and refreshes."""
        await self._storing.mark_seen(message.session_id)
        if message.leave:
            await self.action_quit()
        else:
            await self._refresh()

    async def on_unmount(self) -> None:
        """Stops the workers, releases the lease, and restores the title of the terminal."""
        self._stop.set()
        self.arming.end()
        self._notifying.end()
        self._terminal_title.restore()

    # Answers

    async def on_event(self, event: Event) -> None:
        """Drops repeated keys and clicks after one that answered a request, except for text typed into an input."""
        self._notifying.note_event(event)
        if isinstance(event, Key):
            self._garbage.note_key()
        if self.arming.should_drop(event, is_typing=isinstance(event, Key) and self._key_input.is_typing):
            return
        if (read := await self._key_input.read(event)) is not None:
            await super().on_event(read)

    async def on_arm(self, message: Arm) -> None:
        """Starts or stops accepting answers, and shows which, or why that is not possible."""
        text, trouble = await self.arming.try_arming(message.on)
        if isinstance(self.screen, FleetScreen):
            self.screen.show_message(text, trouble=trouble)
        if trouble and len(text) > self.size.width:  # the footer would cut it off
            self.notify(clean(text), severity="warning", timeout=15, markup=False)
        self.post_message(FleetChanged())

    async def on_answer(self, message: Answer) -> None:
        """Sends an answer that was given on a screen."""
        self.run_worker(self.arming.answer(message), group="answer")

    # Views

    async def action_tree(self) -> None:
        """Shows the tree."""
        await self._show_view("tree")

    async def action_board(self) -> None:
        """Shows the board."""
        await self._show_view("board")

    async def action_timeline(self) -> None:
        """Shows the timeline."""
        await self._show_view("timeline")

    async def action_history(self) -> None:
        """Shows the history."""
        await self._show_view("history")

    async def _show_view(self, name: str) -> None:
        self._close_screens_above()
        await self.fleet_screen.show_view(name)

    def _close_screens_above(self) -> None:
        for _ in self.screen_stack[1:]:
            self.pop_screen()

    def action_theme(self) -> None:
        """Lists the themes; the chosen one is stored."""
        self._theming.choose(self.glyphs, self.keys)

    def set_theme(self, name: str) -> None:
        """Shows a theme and stores it for the next start."""
        self._theming.set_theme(name)

    # Commands

    @property
    def _every_command(self) -> tuple[Command, ...]:
        """All commands with their current keys, also those of the configuration."""
        return (*self.keys.commands, *self._custom)

    def action_help(self) -> None:
        """Shows all keys, those of the focused widget first."""
        # Loaded on first use: the start does not need it.
        from atm_tui.screens.help import HelpScreen  # noqa: PLC0415

        self.push_screen(HelpScreen.describe(self.screen, self.glyphs, self._every_command))

    def action_palette(self) -> None:
        """Finds commands, sessions and themes by their names."""
        from atm_tui.screens.palette import PaletteActions, PaletteScreen  # noqa: PLC0415

        actions = PaletteActions(self.go_to, self.set_theme, self.show_message)
        self.push_screen(PaletteScreen(self._monitor.fleet, self.glyphs, actions, self._every_command))

    async def go_to(self, session_id: str, *, opens: bool = False) -> None:
        """Selects a session in the current view, even below another screen; `opens` its request as well."""
        self._close_screens_above()
        await self.fleet_screen.go_to(session_id, opens=opens)

    def show_message(self, text: str) -> None:
        """Shows why something failed: in the footer, else as a notification."""
        if isinstance(self.screen, CommandScreen):
            self.screen.show_message(text, trouble=True)
        else:
            self._warn(text)

    async def action_command_line(self) -> None:
        """Opens the line in which commands are typed by name."""
        fleet = self.fleet_screen
        await self._command_line.open(self._every_command, fleet.sorting, fleet.filtering)

    async def action_interrupt(self) -> None:
        """Quits if it was pressed a moment ago."""
        await self._key_input.interrupt("ctrl+c")

    def action_welcome(self) -> None:
        """Shows the introduction: signs, hooks, keys."""
        from atm_tui.screens.welcome import WelcomeScreen  # noqa: PLC0415

        self.push_screen(WelcomeScreen(self._monitor.fleet, self.glyphs, self._install, self.keys))

    def action_usage(self) -> None:
        """Shows usage and cost; the same key closes them."""
        # Plots take long to load, and the start does not need them.
        from atm_tui.screens.usage import UsageScreen  # noqa: PLC0415

        if isinstance(self.screen, UsageScreen):
            self.screen.action_close()
        else:
            self.push_screen(UsageScreen(self._monitor, self.configuring.config, self.glyphs, self.keys))

    def action_notices(self) -> None:
        """Shows all notices and the doctor's findings in full."""
        from atm_tui.screens.notices import NoticesScreen  # noqa: PLC0415

        self.push_screen(NoticesScreen(self._monitor, self.glyphs, self.keys))

    def action_mute(self) -> None:
        """Mutes notifications for an hour, or ends that."""
        self.notify(self._notifying.toggle_mute(), markup=False)

    def action_install(self) -> None:
        """Opens the wizard that installs and checks the hooks."""
        self.run_worker(self._install(), group="install", exclusive=True)

    async def _install(self) -> None:
        """Runs the wizard until the user leaves it. Must run in a worker."""
        from atm_tui.screens.open_wizard import open_wizard  # noqa: PLC0415

        if problem := await open_wizard(self, self.glyphs, self.keys):
            self.show_message(f"install: {problem}")
        await self._refresh()

    def action_settings(self) -> None:
        """Shows all keys of the configuration, and changes them."""
        from atm_tui.screens.settings import open_settings  # noqa: PLC0415

        if problem := open_settings(self, self.configuring, self._theming.themes, self._monitor.home, self.glyphs):
            self.show_message(problem)

    async def _apply_config(self, config: Config, *, renews: bool) -> None:
        """As Apply."""
        self._budgets.config = self._storing.config = config
        self._notifying.apply_config(config)
        async with self._reading:
            await asyncio.to_thread(self._monitor.apply_config, config)
        self._theming.configure(config.theme)
        if renews:
            from atm_tui.screens.renewal import renew_fleet_screen  # noqa: PLC0415

            self.glyphs = present.ASCII if config.ascii or not self._is_utf8 else present.UNICODE
            self._custom = make_custom_commands(config.commands, self.keys.commands)
            self.set_keymap(self.keys.keymap)
            await renew_fleet_screen(self, self.fleet_screen, self.get_default_screen())

    async def action_quit(self) -> None:
        """Leaves the app; the sessions keep running."""
        self._stop.set()
        self.exit()
