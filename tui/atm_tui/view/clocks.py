"""Times on the screen that go on with each second. While nothing else is written, a tick writes only them, without the widgets."""

from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from atm_tui.text import format_age

Look = tuple[str, str, str, str]
"""A style in the terms of a terminal: attributes, foreground and background as SGR parameters, and a link as its OSC sequence."""
PLAIN: Look = ("", "", "", "")


def round_down(now: Callable[[], float]) -> Callable[[], float]:
    """Returns a clock of whole seconds: between two ticks, times are shown as the last one wrote them. `now`: epoch seconds."""
    return lambda: now() // 1.0


class Clock(NamedTuple):
    """A time that counts seconds, right-aligned in some cells of the screen."""

    x: int
    y: int
    width: int
    zero: float
    """When it is 0 seconds, in epoch seconds."""
    fine_until: float
    """Seconds from which on it is shown in minutes."""
    counts_down: bool = False

    def format(self, now: float) -> str:
        """Formats the time at `now` (epoch seconds)."""
        return _format(self.zero, now, self.fine_until, counts_down=self.counts_down).rjust(self.width)

    @property
    def end(self) -> float:
        """Until when it counts seconds in as many cells, epoch seconds."""
        return self.zero - 60.0 if self.counts_down else self.zero + self.fine_until


class VisibleClocks:
    """All times in view that count seconds, and until when no other time changes."""

    def __init__(self, now: float, until: float) -> None:
        """`now`, `until`: epoch seconds."""
        self.now = now
        self.until = until
        self.clocks: list[Clock] = []
        self.is_complete = True
        """Whether nothing else changes meanwhile."""

    def add(self, clock: Clock) -> None:
        """Adds a clock in coordinates of the screen, unless it is shown in minutes now."""
        if clock.end > self.now:
            self.clocks.append(clock)
            self.limit(clock.end)
        elif clock.counts_down:
            self.give_up()

    def limit(self, at: float | None) -> None:
        """Notes that something else may change at `at` (epoch seconds)."""
        if at is not None:
            self.until = min(self.until, at)

    def give_up(self) -> None:
        """Notes that something else changes with each second."""
        self.is_complete = False


class KeptClocks:
    """Clocks that the terminal shows. What a tick needs of them is close together: after a pause, each page of memory is dear."""

    def __init__(self, clocks: Sequence[Clock], looks: Sequence[Look], now: float, until: float) -> None:
        """`looks`: the style of each; `now`: when they were written; `until`: how long they go on, epoch seconds."""
        self._now = now
        self._until = until
        self._places = array("H", (part for each in clocks for part in (each.x, each.y)))
        self._zeros = array("d", (each.zero for each in clocks))
        kinds = [
            (each.width, each.fine_until, each.counts_down, look) for each, look in zip(clocks, looks, strict=True)
        ]
        known = {kind: kind for kind in kinds}
        self._kinds = [known[kind] for kind in kinds]
        self._texts = [each.format(now) for each in clocks]

    def list_texts(self) -> Iterator[tuple[int, int, str]]:
        """Yields column, row and text of each clock as it was written last."""
        for at, text in enumerate(self._texts):
            yield self._places[2 * at], self._places[2 * at + 1], text

    def list_changed(self, now: float) -> list[tuple[int, int, str, Look]] | None:
        """Returns column, row, text and style of the clocks that changed; None if they don't go on like that at `now`."""
        if not self._now <= now < self._until:
            return None
        self._now = now
        changed = []
        for at, (zero, before, kind) in enumerate(zip(self._zeros, self._texts, self._kinds, strict=True)):
            width, fine_until, counts_down, look = kind
            text = _format(zero, now, fine_until, counts_down=counts_down).rjust(width)
            if text != before:
                self._texts[at] = text
                same = sum(1 for _ in takewhile(lambda pair: pair == (" ", " "), zip(text, before, strict=False)))
                changed.append((self._places[2 * at] + same, self._places[2 * at + 1], text[same:], look))
        return changed


def _format(zero: float, now: float, fine_until: float, *, counts_down: bool) -> str:
    return format_age(zero - now if counts_down else now - zero, fine_until)
