"""The clock of a recording."""

from typing import Protocol


class TimeControls(Protocol):
    """The clock of a recording, which the user controls. Times are epoch seconds."""

    paused: bool
    """Whether the clock is paused."""
    speed: float
    """Recorded seconds per second of real time."""

    @property
    def begin(self) -> float:
        """The time of the first entry."""

    @property
    def end(self) -> float:
        """The time of the last entry."""

    @property
    def position(self) -> tuple[int, int]:
        """Number of entries up to the current time, and of all entries."""

    def now(self) -> float:
        """The current time of the recording."""

    def seek(self, to: float) -> None:
        """Moves to a time, at most to the begin or the end of the recording."""

    def toggle(self) -> None:
        """Pauses or resumes; at the end, starts again from the beginning."""

    def step(self, entries: int) -> None:
        """Moves to the next entry (+1) or the previous one (-1), and pauses."""

    def change_speed(self, by: int) -> None:
        """Plays faster (+1) or slower (-1)."""

    def describe_entry(self) -> str:
        """Describes the entry at the current time in a few words; "" before the first one."""
