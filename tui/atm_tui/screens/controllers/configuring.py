"""Follows the configuration while the app runs: applies what changed, and says what is wrong."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Sequence
from typing import Any, Protocol

import msgspec
from textual.app import App

from atm_tui.config import Config, ConfigProblem
from atm_tui.keys.table import CommandKeys
from atm_tui.messages import FleetChanged
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.custom_commands import find_key_problems, find_taken_keys
from atm_tui.sources.config_file import ConfigReading
from atm_tui.sources.followed_config import FollowedConfig
from atm_tui.sources.wakeups import measure_pause

_NOT_SHOWN = {
    "theme",
    "answer_wait",
    "read_only",
    "dangers",
    "statusline",
    "pricing",
    "quiet_hours",
    "watch",
    "hosts",
    "fleet",
}
"""Keys for which no screen is made anew, besides those about notifications: monitor and app apply them by themselves."""
LOOK = 1.0
"""Seconds between two looks at the file where the system does not tell of changes."""


class Apply(Protocol):
    """Goes on with another configuration."""

    def __call__(self, config: Config, *, renews: bool) -> Awaitable[None]:
        """`renews`: whether the fleet screen, the only one then, is made anew for it."""


class ConfigObserver:
    """A screen that shows the configuration."""

    def show_rows(self) -> None:
        """Shows the values that hold now."""


class ConfigController:
    """Holds the configuration of the app. Without a `followed` file it never changes."""

    def __init__(
        self, app: App[Any], monitor: Monitor, config: Config, followed: FollowedConfig | None, apply: Apply
    ) -> None:
        self._app = app
        self._monitor = monitor
        self.followed = followed
        self._apply = apply
        self._lock = asyncio.Lock()
        self._renews = False
        """Whether the fleet screen is still that of another configuration, since other screens cover it."""
        self.keys = CommandKeys()
        """All commands with their keys, which change with the configuration."""
        self.key_problems = ""
        """What is wrong with the user's keys; empty: nothing."""
        self._refused: tuple[ConfigProblem, ...] = ()
        self.config = self._use_keys(config)
        self._note_problems()

    @property
    def problems(self) -> Sequence[ConfigProblem]:
        """All that is wrong in the file, in its order."""
        reading = self.followed.reading if self.followed is not None else ConfigReading()
        return sorted((*reading.problems, *map(reading.locate, self._refused)), key=lambda each: each.line)

    async def follow(self) -> None:
        """Looks at the file when the system tells of a change where it is, or each second where the system can't tell."""
        from atm_tui.sources import notices  # noqa: PLC0415  not needed for the first frame

        while (followed := self.followed) is not None:
            names = folders, paths = followed.list_names()
            with contextlib.suppress(OSError):
                if folders and notices.are_there():
                    async with contextlib.aclosing(notices.follow_folders(folders)) as found:
                        self.look()
                        async for changed in found:
                            if changed is None or not changed.isdisjoint(paths):
                                self.look()
                                if followed.list_names() != names:
                                    break
                    continue
            await asyncio.sleep(measure_pause(time.time(), LOOK))
            self.look()

    def look(self) -> None:
        """Looks at the file, a single `stat`: of some changes the system does not tell. Called with each tick, too."""
        if self.followed is None or self._lock.locked():
            return
        if self.followed.has_changed() or (self._renews and self._is_uncovered):
            self._app.run_worker(self.read_again(), group="config")

    @property
    def _is_uncovered(self) -> bool:
        return len(self._app.screen_stack) == 1

    async def read_again(self) -> None:
        """Reads the file if it changed, applies it, and updates what the header says about it."""
        followed = self.followed
        if followed is None:
            return
        async with self._lock:
            is_read = await asyncio.to_thread(followed.read)
            before = self.config
            if is_read:
                self.config = self._use_keys(followed.config)
                self._note_problems()
            self._renews |= _is_shown(self.config, before)
            renews = self._renews and self._is_uncovered
            if renews or self.config != before:
                self._renews &= not renews
                await self._apply(self.config, renews=renews)
        if is_read:
            self._app.post_message(FleetChanged())
            for screen in self._app.screen_stack:
                if isinstance(screen, ConfigObserver):
                    screen.show_rows()
        self.look()  # it may have changed meanwhile

    def _use_keys(self, config: Config) -> Config:
        """Gives the commands their keys, unless these can't be used; returns the configuration without commands whose key the
        app has itself.
        """
        problems = find_key_problems(config, self.keys)
        self._refused = tuple(problems)
        self.key_problems = "; ".join(f"{each.key}: {each.text}" for each in problems if each.key.startswith("keys."))
        taken = find_taken_keys(config.commands, self.keys.commands) if problems else {}
        if not taken:
            return config
        kept: tuple[Any, ...] = tuple(each for number, each in enumerate(config.commands) if number not in taken)
        return msgspec.structs.replace(config, commands=kept)

    def _note_problems(self) -> None:
        """Tells the header what is wrong, keys among it that the app has itself."""
        followed, notice = self.followed, ""
        if followed is not None and (problems := self.problems):
            more = f" (and {len(problems) - 1} more: atm-tui config --check)" if problems[1:] else ""
            notice = f"{problems[0].describe(followed.path.name).rstrip('.')}{more}. What was right before still holds."
        self._monitor.fleet.config_notice = notice


def _is_shown(config: Config, before: Config) -> bool:
    """Returns whether a screen may look different with another configuration."""
    return any(
        getattr(config, key) != getattr(before, key)
        for key in Config.__struct_fields__
        if key not in _NOT_SHOWN and not key.startswith("notify_")
    )
