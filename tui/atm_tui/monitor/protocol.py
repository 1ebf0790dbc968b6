"""What the app needs of a monitor: a fleet that is kept up to date, and hints when to refresh it."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Protocol

import msgspec

from atm_tui.cost.report import UsageSource
from atm_tui.model.flags import SessionFlags
from atm_tui.model.fleet import Fleet
from atm_tui.model.request import AnswerOutcome, Decision, Request
from atm_tui.timeline.event import Event


class Stop(Protocol):
    """Says that the app is about to exit, as threading.Event and anyio.Event do."""

    def is_set(self) -> bool:
        """True once waiting should end."""


class TimeControls(Protocol):
    """The clock of a recording, which its user moves. Times are epoch seconds."""

    paused: bool
    """Whether the clock stands still."""
    speed: float
    """Recorded seconds per second."""

    @property
    def begin(self) -> float:
        """The time of the first entry."""

    @property
    def end(self) -> float:
        """The time of the last entry."""

    @property
    def position(self) -> tuple[int, int]:
        """How many entries lie at or before the current time, and how many there are."""

    def now(self) -> float:
        """The current time of the recording."""

    def seek(self, to: float) -> None:
        """Moves to a time; one outside the recording becomes its begin or end."""

    def toggle(self) -> None:
        """Pauses or resumes; at the end it starts again from the beginning."""

    def step(self, entries: int) -> None:
        """Pauses at the next entry (+1) or the previous one (-1)."""

    def change_speed(self, by: int) -> None:
        """Plays faster (+1) or slower (-1)."""

    def describe_entry(self) -> str:
        """Describes the entry at the current time in a few words; "" before the first one."""


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What can be done with the sessions of a monitor."""

    jumps: bool = True
    """Whether the user can go to the terminal of a session."""
    answers: bool = True
    """Whether a session can wait for an answer from here; `Fleet.arming` says whether answers are taken at the moment."""
    flags: bool = True
    """Whether sessions can be pinned, snoozed and dismissed."""
    state_dir: Path | None = None
    """The state folder, whose journals and layout file can be read; None: there is none."""
    recording: TimeControls | None = None
    """The clock of a recording; None: what is shown happens now."""


class Monitor(Protocol):
    """Reads the disk and keeps the fleet; the app itself never touches session files."""

    fleet: Fleet
    home: str
    """The folder that is written as ~."""

    @property
    def capabilities(self) -> Capabilities:
        """What can be done with the sessions; the same as long as the monitor exists."""

    def now(self) -> float:
        """The clock, in epoch seconds. Tests and pictures inject one that stands still."""

    def refresh(self) -> bool:
        """Reads what changed on disk and updates the fleet; returns whether the fleet changed.

        Blocks, but not for long. Called in a thread, and by one thread at a time.
        """

    def watch(self, stop: Stop) -> AsyncIterator[None]:
        """Yields when something may have changed, at least every 2 s, until `stop` is set."""

    def read_events(self, session_id: str) -> list[Event]:
        """Returns the recorded events of a session, oldest first. Blocks; called in a thread."""

    def open_usage(self) -> UsageSource | None:
        """Returns a reader of what all sessions ever used; None in a recording, which has none."""

    def count_today(self) -> Iterator[float | None]:
        """Counts what all sessions spent since midnight: yields None while it reads, then the sum in USD.

        Yields nothing in a recording. Blocks; each step is called in a thread.
        """

    def is_first_time(self, key: str) -> bool:
        """Returns True the first time it is called with this key, and False ever after, also in other apps and after a restart."""

    def set_flags(self, session_id: str, flags: SessionFlags) -> None:
        """Sets the flags of a session: the user pinned, snoozed or dismissed it, or undid that. Never called during `refresh`."""

    def arm(self, on: bool) -> str | None:
        """Starts or stops taking answers; returns why it can't, with the next step, or None. Never called during `refresh`."""

    def note_alive(self) -> None:
        """Tells that the event loop runs; called once a second. An app that is armed but silent for a minute is armed no more."""

    def answer(self, request: Request, decision: Decision, by: str = "app") -> AnswerOutcome:
        """Gives a person's answer to a request as it was shown, and returns its outcome, within some 2 s.

        `by`: app or shell. Blocks; called in a thread. Raises OSError when the answer can't be written.
        """

    def mark_seen(self, session_id: str) -> None:
        """Notes that the user looked at a session: it is no longer "unseen". Never called during `refresh`."""
