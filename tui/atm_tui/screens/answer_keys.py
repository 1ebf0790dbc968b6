"""Makes sure that one key press or click gives at most one answer, and only to a request that was visible before it.

Only time in which the app ran counts: keys that were queued while it was stopped or busy are ignored.
"""

import time
from collections.abc import Callable

from atm_tui.commands import ANSWERS
from atm_tui.keys.table import CommandKeys

QUIET = 0.7
"""Seconds without a press after which blocked keys work again: longer than the delay before a keyboard repeats a key."""
SETTLED = 0.5
"""Seconds for which a request has to be on the screen before a key can answer it."""
CLICK = "click"
"""The key that stands for all mouse clicks."""
TICK = 0.1
"""Seconds between updates of the clock while keys are blocked or a request is new."""


class AnswerKeys:
    """One for the whole app, since a key can be held while screens change."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, commands: CommandKeys | None = None) -> None:
        """`clock` returns seconds. `commands`: all commands with their current keys; by default the built-in ones.

        `wake` is called when `update` has to be called every TICK from now on.
        """
        self.commands = commands or CommandKeys()
        self.wake: Callable[[], None] = lambda: None
        self._clock = clock
        self._updated_at = clock()
        self._awake = 0.0
        self._blocked: frozenset[str] = frozenset()
        self._pressed_at = 0.0
        self._shown: tuple[object, str | None] = (None, None)
        self._shown_at = 0.0

    def update(self) -> bool:
        """Counts the time that passed; returns False when updates are no longer needed."""
        now = self._clock()
        self._awake += min(max(0.0, now - self._updated_at), 2 * TICK)
        self._updated_at = now
        if self._awake - self._pressed_at >= QUIET:
            self._blocked = frozenset()
        return bool(self._blocked) or self._awake - self._shown_at < SETTLED

    @property
    def first_yes(self) -> frozenset[str]:
        """The keys for a first yes; blocked while a second one is asked for."""
        return self.commands.list_keys("allow", "send", "choose") | {CLICK}

    @property
    def every_yes(self) -> frozenset[str]:
        """The keys for a first or a second yes."""
        return self.first_yes | self.commands.list_keys("sure")

    def block(self, keys: frozenset[str] | None = None) -> None:
        """Blocks these keys until no blocked key was pressed for QUIET seconds; by default all that can answer a request."""
        self.update()
        self._blocked |= keys or self.every_yes | self.commands.list_keys(*ANSWERS, "other")
        self._pressed_at = self._awake
        self.wake()

    def drop(self, key: str) -> bool:
        """Returns whether a pressed key is blocked. Each such press prolongs the block."""
        self.update()
        if key not in self._blocked:
            return False
        self._pressed_at = self._awake
        return True

    def set_shown(self, screen: object, nonce: str | None) -> None:
        """Notes that a screen shows a request from now on, or none (None)."""
        if (screen, nonce) != self._shown:
            self.update()
            self._shown, self._shown_at = (screen, nonce), self._awake
            self.wake()

    def is_settled(self, screen: object, nonce: str) -> bool:
        """Returns whether the request has been on this screen for long enough that a key can answer it."""
        self.update()
        return (screen, nonce) == self._shown and self._awake - self._shown_at >= SETTLED
