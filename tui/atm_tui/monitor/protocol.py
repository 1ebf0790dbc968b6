"""What the app needs of whoever reads the disk: a fleet that is kept up to date, and hints when to look again."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Protocol

import msgspec

from atm_tui.cost.report import UsageSource
from atm_tui.model.flags import SessionFlags
from atm_tui.model.fleet import Fleet
from atm_tui.model.request import Answered, Decision, Request
from atm_tui.timeline.event import Event


class Stop(Protocol):
    """Says that the app is about to end; threading.Event and anyio.Event are both fine."""

    def is_set(self) -> bool:
        """True from the moment in which waiting should end."""


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
    """Reads, and writes the fleet. The app never touches the disk itself."""

    fleet: Fleet
    home: str
    """The folder that is written as ~."""

    @property
    def capabilities(self) -> Capabilities:
        """What can be done with the sessions; the same as long as the monitor exists."""

    def now(self) -> float:
        """The clock, in epoch seconds. Injected, so that pictures and tests can freeze it."""

    def refresh(self) -> bool:
        """Reads what changed on disk and updates the fleet; True when anything differs.

        Blocking but quick; called in a thread, never twice at the same time.
        """

    def hints(self, stop: Stop) -> AsyncIterator[None]:
        """Yields when something may have changed, at least every 2 s; ends once `stop` is set."""

    def history(self, session_id: str) -> list[Event]:
        """The events of a session that are still recorded, oldest first. Blocking; called in a thread of its own."""

    def open_usage(self) -> UsageSource | None:
        """Who reads what all sessions ever cost; None in a recording, which has no history."""

    def count_today(self) -> Iterator[float | None]:
        """Counts what was spent since midnight (USD, all sessions): None while it reads, then the sum.

        Nothing at all in a recording. Blocking; each step is called in a thread of its own.
        """

    def is_first_time(self, key: str) -> bool:
        """Whether this was never told before; from now on it was, also for other apps and after a restart."""

    def set_flags(self, session_id: str, flags: SessionFlags) -> None:
        """The user pinned, snoozed or dismissed this session, or took that back. Called in the same thread as `refresh`."""

    def arm(self, on: bool) -> str | None:
        """Begins or ends to take answers; why it can't, with the next step. Called in the same thread as `refresh`."""

    def renew_lease(self) -> None:
        """Says that the armed app lives; to be called once a second from the event loop. Quick; nothing when not armed."""

    def answer(self, request: Request, decision: Decision, by: str = "app") -> Answered:
        """Gives one person's answer to a request as it was shown, and says what became of it, within some 2 s.

        `by` is app or shell. Blocking; called in a thread of its own.
        """

    def mark_seen(self, session_id: str) -> None:
        """The user has looked at this session: it is no longer "unseen". Called in the same thread as `refresh`."""
