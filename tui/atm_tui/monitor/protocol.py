"""What the app needs of whoever reads the disk: a fleet that is kept up to date, and hints when to look again."""

from collections.abc import AsyncIterator, Iterator
from typing import Any, Protocol

from atm_tui.cost.report import Spending
from atm_tui.model.flags import SessionFlags
from atm_tui.model.fleet import Fleet
from atm_tui.model.request import Answered, Decision, Request


class Stop(Protocol):
    """Says that the app is about to end; threading.Event and anyio.Event are both fine."""

    def is_set(self) -> bool:
        """True from the moment in which waiting should end."""


class Monitor(Protocol):
    """Reads, and writes the fleet. The app never touches the disk itself."""

    fleet: Fleet
    home: str
    """The folder that is written as ~."""

    def now(self) -> float:
        """The clock, in epoch seconds. Injected, so that pictures and tests can freeze it."""

    def refresh(self) -> bool:
        """Reads what changed on disk and updates the fleet; True when anything differs.

        Blocking but quick; called in a thread, never twice at the same time.
        """

    def hints(self, stop: Stop) -> AsyncIterator[None]:
        """Yields when something may have changed, at least every 2 s; ends once `stop` is set."""

    def history(self, session_id: str) -> list[dict[str, Any]]:
        """The events of a session that are still recorded, oldest first. Blocking; called in a thread of its own."""

    def spending(self) -> Spending | None:
        """Who reads what all sessions ever cost; None in a recording, which has no history."""

    def today(self) -> Iterator[float | None]:
        """Counts what was spent since midnight (USD, all sessions): None while it reads, then the sum.

        Nothing at all in a recording. Blocking; each step is called in a thread of its own.
        """

    def first_time(self, key: str) -> bool:
        """Whether this was never told before; from now on it was, also for other apps and after a restart."""

    def set_flags(self, session_id: str, flags: SessionFlags) -> None:
        """The user pinned, snoozed or dismissed this session, or took that back. Called in the same thread as `refresh`."""

    def arm(self, on: bool) -> str | None:
        """Begins or ends to take answers; why it can't, with the next step. Called in the same thread as `refresh`."""

    def beat(self) -> None:
        """Says that the armed app lives; to be called once a second from the event loop. Quick; nothing when not armed."""

    def answer(self, request: Request, decision: Decision, by: str = "app") -> Answered:
        """Gives one person's answer to a request as it was shown, and says what became of it, within some 2 s.

        `by` is app or shell. Blocking; called in a thread of its own.
        """

    def mark_seen(self, session_id: str) -> None:
        """The user has looked at this session: it is no longer "unseen". Called in the same thread as `refresh`."""
