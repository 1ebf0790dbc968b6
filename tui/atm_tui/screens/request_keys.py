"""Lets one press of a key be one answer: a key that is held down, or meant for what stood there before, answers nothing.

Only time in which the app was awake counts: keys that piled up while it was stopped, or busy, are no later presses.
"""

import time
from collections.abc import Callable

QUIET = 0.7
"""Seconds without any of these keys after which they count again: longer than a keyboard waits before it repeats one."""
SETTLED = 0.5
"""Seconds that a request has to stand on the screen before a key can be meant for it."""
TICK = 0.1
"""Seconds between two looks at the clock while something is waited for."""
ANSWER_KEYS = frozenset({"a", "d", "w", "y", "o", "enter", *map(str, range(1, 10))})
"""All keys that answer a request somewhere; between two answers they are all dead."""


class AnswerKeys:
    """One for the whole app, as a key is held over screens that come and go."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` counts seconds. Who looks at it every TICK sets `wake`, which is called when there is need to."""
        self.wake: Callable[[], None] = lambda: None
        self._clock = clock
        self._looked_at = clock()
        self._awake = 0.0
        self._dead: frozenset[str] = frozenset()
        self._pressed = 0.0
        self._faced: tuple[object, str | None] = (None, None)
        self._faced_at = 0.0

    def look(self) -> bool:
        """Time went by; False when nothing has to be waited for any more."""
        now = self._clock()
        self._awake += min(max(0.0, now - self._looked_at), 2 * TICK)
        self._looked_at = now
        if self._awake - self._pressed >= QUIET:
            self._dead = frozenset()
        return bool(self._dead) or self._awake - self._faced_at < SETTLED

    def rest(self, keys: frozenset[str] = ANSWER_KEYS) -> None:
        """These keys are dead from now on, until none of them was pressed for QUIET seconds."""
        self.look()
        self._dead |= keys
        self._pressed = self._awake
        self.wake()

    def swallows(self, key: str) -> bool:
        """A key was pressed: whether it counts for nothing. Each such press prolongs the rest."""
        self.look()
        if key not in self._dead:
            return False
        self._pressed = self._awake
        return True

    def face(self, screen: object, nonce: str | None) -> None:
        """A request stands on a screen now; None: none does."""
        if (screen, nonce) != self._faced:
            self.look()
            self._faced, self._faced_at = (screen, nonce), self._awake
            self.wake()

    def settled(self, screen: object, nonce: str) -> bool:
        """Whether the request has stood on this screen for long enough that a key is meant for it."""
        self.look()
        return (screen, nonce) == self._faced and self._awake - self._faced_at >= SETTLED
