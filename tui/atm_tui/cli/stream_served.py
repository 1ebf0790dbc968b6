"""What the commands on the stdin of `atm-tui stream` work with, and how they refuse one."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from atm_tui.monitor.live import LiveMonitor


class RefusedError(Exception):
    """A command can't be carried out; the text says why, and goes to the asker."""


class Served:
    """What the commands of one stream work with."""

    def __init__(self, monitor: "LiveMonitor") -> None:
        self.monitor = monitor
        self.heard_at = time.monotonic()
        """When the asker was last heard."""
        self.kept: dict[str, Any] = {}
        """What commands keep for the next request, by the name of the command."""
        self.closers: list[Callable[[], None]] = []
        """What to call when the stream ends."""
