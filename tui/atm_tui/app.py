"""The app: one loop that turns hints into refreshes, one screen that shows the fleet."""

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.filter import LineFilter
from textual.screen import Screen

from atm_tui import commands, paths
from atm_tui.config import Config
from atm_tui.messages import FlagsChanged, FleetChanged, SessionSeen, ToggleHidden
from atm_tui.model.fleet import WITHOUT_SCREEN
from atm_tui.monitor import gc_tuning as memory
from atm_tui.monitor.budgets import BudgetAlerts
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.acting import ActingScreen
from atm_tui.screens.answers_app import AnswersApp
from atm_tui.screens.arrangement import Arrangement
from atm_tui.screens.base import CommandScreen, FleetScreen
from atm_tui.screens.main import MainScreen
from atm_tui.sources.theme import ThemeFile
from atm_tui.view import present
from atm_tui.view.ascii_filter import AsciiFilter
from atm_tui.view.terminal_title import TerminalTitle, words
from atm_tui.view.themes import OTHER_VARIABLES, THEMES

View = Callable[[Monitor, Config, present.Glyphs, Arrangement, str | None], Screen[None]]
"""Makes a view beside the tree; the last of what it takes is the id of the session that is selected."""


class AtmApp(AnswersApp):
    """Shows what a monitor knows. Reads nothing itself; writes nothing but the terminal."""

    CSS_PATH = "app.tcss"
    TITLE = "atm-tui"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = commands.bindings("app")

    def __init__(
        self, monitor: Monitor, config: Config, *, greets: bool = False, themes: ThemeFile | None = None
    ) -> None:
        """`greets`: the first start walks through what there is, once. `themes`: where the theme that is taken is kept."""
        super().__init__(monitor)
        self._greets = greets
        self._themes = themes
        self._config = config
        self._stop = threading.Event()
        self._money = BudgetAlerts(monitor, config, lambda: self.post_message(FleetChanged()), self._warn)
        self.glyphs = present.ASCII if config.ascii or not paths.is_utf8() else present.UNICODE
        self._respell = AsciiFilter()
        self._terminal_title = TerminalTitle(self._write)
        for theme in THEMES:
            self.register_theme(theme)
        known = self.available_themes
        wanted = (themes.find_theme(config.theme) if themes else config.theme, config.theme, THEMES[0].name)
        self.theme = next(each for each in wanted if each in known)

    def get_default_screen(self) -> MainScreen:
        """The main screen is the bottom of the stack."""
        return MainScreen(self._monitor, self._config, self.glyphs)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """For Textual's own themes."""
        return OTHER_VARIABLES

    def on_mount(self) -> None:
        """Starts the loop."""
        self._leave_on_signals()
        self.app_resume_signal.subscribe(self, lambda _: self._terminal_title.again())
        self.begin_answers()
        self.run_worker(self._follow(), name="follow", exclusive=True)
        self.run_worker(self._money.follow(self._stop), name="money", group="money")

    def _leave_on_signals(self) -> None:
        """SIGTERM and SIGHUP quit as `q` does, so that the terminal is given back as it was."""
        if threading.current_thread() is not threading.main_thread():
            return
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(number, self._leave, 128 + number)

    def _leave(self, return_code: int) -> None:
        self._stop.set()
        self.exit(return_code=return_code)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's own, and in ASCII mode one that respells our signs."""
        filters = super().get_line_filters()
        return [*filters, self._respell] if self.glyphs.ascii else filters

    # The loop

    async def _follow(self) -> None:
        """Refreshes on each hint, off the event loop; says so when anything differs."""
        await self._refresh(first=True)
        self.set_timer(memory.SETTLED, memory.settle)
        if self._greets and len(self.screen_stack) == 1 and self._monitor.first_time("greeted"):
            self.action_welcome()
        async for _ in self._monitor.hints(self._stop):
            await self._refresh()

    async def _refresh(self, *, first: bool = False) -> None:
        async with self._reading:
            changed = await asyncio.to_thread(self._monitor.refresh)
        if changed or first:
            self.post_message(FleetChanged())

    def on_fleet_changed(self, _: FleetChanged) -> None:
        """Hands what changed to every screen that shows it."""
        self._money.look()
        delta = self._monitor.fleet.drain()
        for screen in self.screen_stack:
            if isinstance(screen, FleetScreen):
                screen.fleet_changed(delta)
        self._terminal_title.show(words(len(self._monitor.fleet.attention()), self.glyphs.dot))

    def _write(self, text: str) -> None:
        if self._driver is not None:
            self._driver.write(text)
            self._driver.flush()

    def _warn(self, text: str) -> None:
        self.notify(text, severity="warning", timeout=10, markup=False)

    async def on_flags_changed(self, message: FlagsChanged) -> None:
        """Keeps what the user laid on a session, and looks at the fleet again."""
        async with self._reading:
            await asyncio.to_thread(self._monitor.set_flags, message.session_id, message.flags)
        await self._refresh()

    async def on_toggle_hidden(self, _: ToggleHidden) -> None:
        """Hides the sessions without a screen or, where some are hidden, shows them; the configuration keeps it."""
        fleet = self._monitor.fleet
        async with self._reading:
            fleet.hides = frozenset() if fleet.hides else self._config.hides or WITHOUT_SCREEN
        await self._refresh()
        if isinstance(self.screen, ActingScreen):
            kinds = " and ".join(sorted(fleet.hides or self._config.hides or WITHOUT_SCREEN, reverse=True))
            done = f"are hidden ({len(fleet.hidden)}); v shows them" if fleet.hides else "are shown"
            self.screen.say(f"{kinds} sessions {done}")

    async def on_session_seen(self, message: SessionSeen) -> None:
        """Marks a session as seen, and looks at the fleet again."""
        async with self._reading:
            await asyncio.to_thread(self._monitor.mark_seen, message.session_id)
        if message.leave:
            await self.action_quit()
        else:
            await self._refresh()

    async def on_unmount(self) -> None:
        """Ends the hints; nothing is answered here any more; the terminal's title is as it was."""
        self._stop.set()
        self.end_answers()
        self._terminal_title.leave()

    # Views

    def action_tree(self) -> None:
        """Back to the tree, with the selected session."""
        self._show(None)

    def action_board(self) -> None:
        """The board."""
        from atm_tui.screens.board import BoardScreen  # noqa: PLC0415

        self._show(BoardScreen)

    def action_timeline(self) -> None:
        """The timeline."""
        from atm_tui.screens.timeline import TimelineScreen  # noqa: PLC0415

        self._show(TimelineScreen)

    def action_history(self) -> None:
        """The history."""
        from atm_tui.screens.history import HistoryScreen  # noqa: PLC0415

        self._show(HistoryScreen)

    def _show(self, view: View | None) -> None:
        """Shows a view in place of the present one, or the tree; the selected session stays selected."""
        if type(self.screen) is view:
            return
        main, above = self.screen_stack[0], len(self.screen_stack) - 1
        if not isinstance(main, MainScreen):
            return
        chosen = next((each.chosen for each in reversed(self.screen_stack) if isinstance(each, ActingScreen)), None)
        # The tree may have an agent of that session selected: then it stays.
        if chosen and chosen != main.chosen:
            main.go_to(chosen)
        for _ in range(above - (view is not None)):
            self.pop_screen()
        if view is not None:
            shown = view(self._monitor, self._config, self.glyphs, main.arrangement, chosen)
            (self.switch_screen if above else self.push_screen)(shown)

    def action_theme(self) -> None:
        """Lists the themes; the one that is taken is kept."""
        from atm_tui.screens.themes import ThemeScreen  # noqa: PLC0415

        def took(name: str | None) -> None:
            if name is not None:
                self.take_theme(name)

        self.push_screen(ThemeScreen(list(self.available_themes), self.theme, self.glyphs), took)

    def take_theme(self, name: str) -> None:
        """Shows a theme from now on, also after a restart."""
        self.theme = name
        if self._themes is not None:
            self._themes.keep(name, self._config.theme)

    # Commands

    def action_help(self) -> None:
        """Shows all keys, those of where the focus is first."""
        # Loaded when first asked for: it is no part of the start.
        from atm_tui.screens.bound import bound_on, selection_on  # noqa: PLC0415
        from atm_tui.screens.help import HelpScreen  # noqa: PLC0415

        screen, focused = self.screen, self.screen.focused
        place = str(focused.BINDING_GROUP_TITLE or "") if focused else ""
        self.push_screen(HelpScreen(set(bound_on(screen)), selection_on(screen), place, self.glyphs))

    def action_palette(self) -> None:
        """Finds commands, sessions and themes by their names."""
        from atm_tui.screens.palette import Acts, PaletteScreen  # noqa: PLC0415

        self.push_screen(PaletteScreen(self._monitor.fleet, self.glyphs, Acts(self.go_to, self.take_theme, self.say)))

    def go_to(self, session_id: str) -> None:
        """Selects a session on the view that is shown or, where there are none, on the one beneath."""
        while not isinstance(self.screen, ActingScreen):
            self.pop_screen()
        self.screen.go_to(session_id)

    def say(self, text: str) -> None:
        """Says why something can't be: in the footer, where there is one."""
        if isinstance(self.screen, CommandScreen):
            self.screen.say(text, trouble=True)
        else:
            self._warn(text)

    def action_welcome(self) -> None:
        """Walks through what there is: signs, hooks, keys."""
        from atm_tui.screens.welcome import WelcomeScreen  # noqa: PLC0415

        self.push_screen(WelcomeScreen(self._monitor.fleet, self.glyphs, self._install))

    def action_usage(self) -> None:
        """Shows what was spent; the same key closes it."""
        # Plots take their time to load: they are no part of the start.
        from atm_tui.screens.usage import UsageScreen  # noqa: PLC0415

        if isinstance(self.screen, UsageScreen):
            self.screen.action_close()
        else:
            self.push_screen(UsageScreen(self._monitor, self.glyphs))

    def action_install(self) -> None:
        """Opens the wizard that installs the hooks, and checks them."""
        self.run_worker(self._install(), group="install", exclusive=True)

    async def _install(self) -> None:
        """Until the wizard is left. Runs in a worker."""
        from atm_tui.monitor.read_once import read_sessions  # noqa: PLC0415
        from atm_tui.screens.wizard import WizardScreen  # noqa: PLC0415
        from atm_tui.settings.errors import SettingsError  # noqa: PLC0415
        from atm_tui.settings.setup import Setup  # noqa: PLC0415

        try:
            setup = await asyncio.to_thread(Setup.here, read_sessions)
        except SettingsError as error:
            self.say(f"install: {error}")
            return
        await self.push_screen_wait(WizardScreen(setup, self.glyphs))
        await self._refresh()

    async def action_quit(self) -> None:
        """Leaves the app; the sessions go on."""
        self._stop.set()
        self.exit()
