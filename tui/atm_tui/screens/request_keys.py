"""Lets one press of a key be one answer: a key that is held down, or meant for what stood there before, answers nothing."""

import time
from collections.abc import Callable

QUIET = 0.7
"""Seconds without any of these keys after which they count again: longer than a keyboard waits before it repeats one."""
SETTLED = 0.5
"""Seconds that a request has to stand on the screen before a key can be meant for it."""
ANSWER_KEYS = frozenset({"a", "d", "w", "y", "o", "enter", *map(str, range(1, 10))})
"""All keys that answer a request somewhere; between two answers they are all dead."""


class AnswerKeys:
    """One for the whole app, as a key is held over screens that come and go."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` counts seconds."""
        self._clock = clock
        self._dead: frozenset[str] = frozenset()
        self._pressed = float("-inf")
        self._faced: tuple[object, str | None] = (None, None)
        self._faced_at = float("-inf")

    def rest(self, keys: frozenset[str] = ANSWER_KEYS) -> None:
        """These keys are dead from now on, until none of them was pressed for QUIET seconds."""
        now = self._clock()
        self._dead = keys | self._dead if now - self._pressed < QUIET else keys
        self._pressed = now

    def swallows(self, key: str) -> bool:
        """A key was pressed: whether it counts for nothing. Each such press prolongs the rest."""
        if key not in self._dead:
            return False
        now = self._clock()
        if now - self._pressed >= QUIET:
            self._dead = frozenset()
            return False
        self._pressed = now
        return True

    def face(self, screen: object, nonce: str | None) -> None:
        """A request stands on a screen now; None: none does."""
        if (screen, nonce) != self._faced:
            self._faced, self._faced_at = (screen, nonce), self._clock()

    def settled(self, screen: object, nonce: str) -> bool:
        """Whether the request has stood on this screen for long enough that a key is meant for it."""
        return (screen, nonce) == self._faced and self._clock() - self._faced_at >= SETTLED
