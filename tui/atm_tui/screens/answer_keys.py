"""Makes one press of a key, or one click, one answer: a key that is held down, or that was meant for what was shown before,
answers nothing.

Only time in which the app was awake counts: keys that piled up while it was stopped, or busy, are no later presses.
"""

import time
from collections.abc import Callable

QUIET = 0.7
"""Seconds without any blocked key after which they count again: longer than a keyboard waits before it repeats a key."""
SETTLED = 0.5
"""Seconds that a request has to be on the screen before a key can be meant for it."""
CLICK = "click"
"""Stands for the mouse among the keys: all clicks, wherever."""
TICK = 0.1
"""Seconds between two updates of the clock while something is waited for."""
FIRST_YES = frozenset({"a", "enter", CLICK, *map(str, range(1, 10))})
"""What says a first yes; it is blocked while a second one is asked for."""
ANSWER_KEYS = FIRST_YES | {"d", "w", "y", "o"}
"""All keys that answer a request somewhere; after an answer they are all blocked."""


class AnswerKeys:
    """There is one for the whole app, since a key can be held while screens come and go."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` counts seconds. `wake` is called when `update` has to be called every TICK from now on."""
        self.wake: Callable[[], None] = lambda: None
        self._clock = clock
        self._updated_at = clock()
        self._awake = 0.0
        self._blocked: frozenset[str] = frozenset()
        self._pressed_at = 0.0
        self._shown: tuple[object, str | None] = (None, None)
        self._shown_at = 0.0

    def update(self) -> bool:
        """Counts the time that went by; False when nothing has to be waited for any more."""
        now = self._clock()
        self._awake += min(max(0.0, now - self._updated_at), 2 * TICK)
        self._updated_at = now
        if self._awake - self._pressed_at >= QUIET:
            self._blocked = frozenset()
        return bool(self._blocked) or self._awake - self._shown_at < SETTLED

    def block(self, keys: frozenset[str] = ANSWER_KEYS) -> None:
        """Blocks these keys until none of the blocked ones was pressed for QUIET seconds."""
        self.update()
        self._blocked |= keys
        self._pressed_at = self._awake
        self.wake()

    def drop(self, key: str) -> bool:
        """A key was pressed: whether it is blocked, and counts for nothing. Each such press prolongs the block."""
        self.update()
        if key not in self._blocked:
            return False
        self._pressed_at = self._awake
        return True

    def set_shown(self, screen: object, nonce: str | None) -> None:
        """A request is shown on a screen from now on; None: none is."""
        if (screen, nonce) != self._shown:
            self.update()
            self._shown, self._shown_at = (screen, nonce), self._awake
            self.wake()

    def is_settled(self, screen: object, nonce: str) -> bool:
        """Whether the request has been on this screen for so long that a key is meant for it."""
        self.update()
        return (screen, nonce) == self._shown and self._awake - self._shown_at >= SETTLED
