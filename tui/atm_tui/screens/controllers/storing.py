"""Stores what the user set: flags of sessions, which are hidden, and which were seen."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from atm_tui.config import Config
from atm_tui.model.flags import SessionFlags
from atm_tui.model.fleet import WITHOUT_SCREEN
from atm_tui.monitor.protocol import Monitor
from atm_tui.view.hidden_kinds import format_hidden


class StoringController:
    """Each call ends with a refresh, so that the screens show the result."""

    def __init__(
        self, monitor: Monitor, config: Config, reading: asyncio.Lock, refresh: Callable[[], Awaitable[None]]
    ) -> None:
        """`reading` is held while the monitor reads or writes."""
        self._monitor = monitor
        self.config = config
        self._reading = reading
        self._refresh = refresh

    async def set_flags(self, flags: Mapping[str, SessionFlags]) -> None:
        """Stores flags by session id."""
        async with self._reading:
            for session_id, each in flags.items():
                await asyncio.to_thread(self._monitor.set_flags, session_id, each)
        await self._refresh()

    async def mark_seen(self, session_id: str) -> None:
        """Stores that the user has looked at a session. The only call without a refresh: the app may close now."""
        async with self._reading:
            await asyncio.to_thread(self._monitor.mark_seen, session_id)

    async def toggle_hidden(self, key: str) -> str:
        """Hides or shows the sessions without a screen; returns a message. `key`: the label of the key that does so."""
        fleet = self._monitor.fleet
        async with self._reading:
            fleet.hidden_kinds = frozenset() if fleet.hidden_kinds else self.config.hidden_kinds or WITHOUT_SCREEN
        await self._refresh()
        kinds = fleet.hidden_kinds or self.config.hidden_kinds or WITHOUT_SCREEN
        return format_hidden(kinds, len(fleet.hidden) if fleet.hidden_kinds else None, key)
