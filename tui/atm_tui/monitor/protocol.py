"""The protocol of a monitor: it keeps a fleet up to date, and hints when to refresh it."""

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from atm_tui.config import Config
from atm_tui.model.flags import SessionFlags
from atm_tui.model.fleet import Fleet
from atm_tui.model.request import AnswerOutcome, Decision, Request
from atm_tui.model.session import Session
from atm_tui.monitor.capabilities import Capabilities

if TYPE_CHECKING:
    from atm_tui.cost.report import UsageSource
    from atm_tui.monitor.past import PastSession
    from atm_tui.sources.conversation import Conversation
    from atm_tui.timeline.event import Event


class Stop(Protocol):
    """Tells whether the app is about to exit. threading.Event and anyio.Event are such."""

    def is_set(self) -> bool:
        """Whether waiting should end."""


class Contents(Protocol):
    """What single sessions contain."""

    def read_events(self, session_id: str) -> "Sequence[Event]":
        """Returns the recorded events of a session, oldest first. Blocks: call it in a thread."""

    def follow_elsewhere(self, session_id: str) -> "Sequence[Event] | None":
        """Returns the known events of a session of another machine, which are asked for anew when it has changed; else None."""

    def find_inputs(self, session: Session) -> dict[str, dict[str, Any]]:
        """Returns the full inputs of the calls that wait for a person, by the keys of the waits. Blocks: call it in a thread."""

    def open_conversation(self, session: Session) -> "Conversation":
        """Returns the conversation of a session, which the caller closes."""


class Spending(Protocol):
    """What all sessions spent, from their transcripts."""

    def open(self) -> "UsageSource":
        """Returns a reader of the usage of all sessions."""

    def count_today(self) -> Iterator[float | None]:
        """Counts what all sessions spent since midnight: yields None while it reads, then the sum in USD.

        Blocks: take each step in a thread.
        """

    def list_newest_sessions(self) -> "tuple[PastSession, ...]":
        """Returns the sessions whose transcripts changed last, including live ones, as of the last `count_today`."""


class Monitor(Protocol):
    """Reads the disk and keeps the fleet; the app itself never touches session files."""

    fleet: Fleet
    home: str
    """The home folder, which is shown as ~."""

    @property
    def capabilities(self) -> Capabilities:
        """What this monitor can do; never changes."""

    @property
    def contents(self) -> Contents:
        """What the sessions contain."""

    @property
    def spending(self) -> Spending | None:
        """What the sessions spent; None in a recording, which has no transcripts."""

    def now(self) -> float:
        """Returns the time of the injected clock, in epoch seconds."""

    def refresh(self) -> bool:
        """Reads what changed on disk and updates the fleet; returns whether the fleet changed.

        Blocks briefly. Must be called in a thread, and by one thread at a time.
        """

    def watch(self, stop: Stop) -> AsyncIterator[None]:
        """Yields when something may have changed, at least every 2 s (5 s after long without a change), until `stop` is set."""

    def is_first_time(self, key: str) -> bool:
        """Returns True on the first call with this key, else False; remembered after a restart, and shared by all apps."""

    def set_flags(self, session_id: str, flags: SessionFlags) -> None:
        """Sets the flags of a session: pinned, snoozed or dismissed. Must not be called during `refresh`."""

    def arm(self, on: bool) -> str | None:
        """Starts or stops accepting answers; returns why that fails, with the next step, or None. Not during `refresh`."""

    def note_alive(self) -> None:
        """Records that the event loop runs. Call it once a second: after a minute without it, the app is no longer armed."""

    def answer(self, request: Request, decision: Decision, by: str = "app") -> AnswerOutcome:
        """Gives a person's answer to a request as it was shown, and returns its outcome, within about 2 s.

        `by`: app or shell. Blocks: call it in a thread. Raises OSError when the answer can't be written.
        """

    def apply_config(self, config: Config) -> None:
        """Goes on with another configuration. Must not be called during `refresh`."""

    def mark_seen(self, session_id: str) -> None:
        """Records that the user looked at a session: it is no longer "unseen". Must not be called during `refresh`."""
