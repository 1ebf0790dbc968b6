"""What a session of another machine is asked for when a person looks closer: its events, inputs, explanation, conversation."""

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from atm_tui.model.decoding import convert
from atm_tui.model.elsewhere import bound
from atm_tui.model.session import Elsewhere, Session
from atm_tui.model.stream_commands import (
    ConversationFile,
    ConversationResult,
    ExplainResult,
    PeekResult,
    TimelineResult,
)
from atm_tui.monitor.asking import AskError
from atm_tui.timeline.event import Event

if TYPE_CHECKING:
    from atm_tui.sources.mirror import MirroredConversation

T = TypeVar("T")

FIRST = 1 << 16
"""Bytes of events that are asked for first."""
MOST_EVENTS = 4000
"""Events of a session that are kept; when there are more, the older half is dropped."""
MOST_LINES = 10_000
MOST_OTHERS = 1000
_REST = 0.05
"""Seconds between two requests for events, so that whoever looks at one session needn't wait for those of all."""

Ask = Callable[..., Any]
"""As Asker.ask, after the name of the machine."""


class _Events:
    """The events of a session that are known."""

    def __init__(self) -> None:
        self.events: tuple[Event, ...] = ()
        self.session: Session | None = None
        """The session when they were asked for; None: not yet, or it failed."""
        self.lock = threading.Lock()
        self.total = 0
        self.count = ""


class ElsewhereReader:
    """Asks other machines about single sessions."""

    def __init__(
        self,
        sessions: Callable[[], Mapping[str, Session]],
        ask: Ask,
        find_ahead: Callable[[str], float],
        on_news: Callable[[], None],
    ) -> None:
        """`find_ahead`: seconds by which the clock of a machine is ahead; `on_news`: called in any thread when events came."""
        self._sessions = sessions
        self._ask_machine = ask
        self._find_ahead = find_ahead
        self._on_news = on_news
        self._known: dict[str, _Events] = {}
        self._queues: dict[str, SimpleQueue[Session]] = {}
        self._queued: set[str] = set()
        self._stop = threading.Event()
        self.others: deque[dict[str, Any]] = deque(maxlen=MOST_OTHERS)
        """Lines whose kinds we don't know, for who passes them on."""

    def stop(self) -> None:
        """Ends what is asked for in the background."""
        self._stop.set()

    def _ask(self, there: Elsewhere, command: str, kind: type[T], **fields: Any) -> T:
        found: T = self._ask_machine(there.machine, command, kind, session_id=there.session_id, **fields)
        return found

    # Events

    def follow_events(self, session_id: str) -> Sequence[Event]:
        """Returns the events of a session that are known, oldest first; asks for newer ones when it has changed since."""
        session = self._sessions().get(session_id)
        if session is None:
            self._known.pop(session_id, None)
            return ()
        known = self._known.setdefault(session_id, _Events())
        if session is not known.session and not session.is_silent:
            known.session = session
            self._fetch_later(session)
        return known.events

    def read_events(self, session_id: str) -> Sequence[Event]:
        """Asks for the newest events of a session, and returns all that are known. Blocks."""
        session = self._sessions().get(session_id)
        if session is None:
            return ()
        known = self._known.setdefault(session.session_id, _Events())
        if not session.is_silent:
            try:
                self._fetch(session, known)
            except AskError:  # what is known stays
                known.session = None
        return known.events

    def _fetch_later(self, session: Session) -> None:
        if session.session_id in self._queued:
            return
        self._queued.add(session.session_id)
        if (queue := self._queues.get(session.machine)) is None:
            queue = self._queues[session.machine] = SimpleQueue()
            name = f"events of {session.machine}"
            threading.Thread(target=self._work, args=(queue,), name=name, daemon=True).start()
        queue.put(session)

    def _work(self, queue: "SimpleQueue[Session]") -> None:
        while not self._stop.wait(_REST):
            session = queue.get()
            self._queued.discard(session.session_id)
            known = self._known.get(session.session_id) or _Events()
            before = known.events
            try:
                self._fetch(session, known)
            except AskError:
                known.session = None  # asked for again at the next look
                self._stop.wait(1.0)
            if known.events is not before:
                self._on_news()

    def _fetch(self, session: Session, known: _Events) -> None:
        """Asks for events until none are left. Raises AskError."""
        there = session.elsewhere
        if there is None:
            return
        with known.lock:
            is_left = True
            while is_left and not self._stop.is_set():
                begin = known.total if known.count else -1
                found = self._ask(there, "timeline", TimelineResult, begin=begin, count=known.count, size=FIRST)
                new = [event for each in found.events if (event := self._decode(each, session, there)) is not None]
                if found.count != known.count and known.events:  # the stream is another one
                    before = set(map(msgspec.json.encode, known.events))
                    new = [event for event in new if msgspec.json.encode(event) not in before]
                if new:
                    events = (*known.events, *new)
                    known.events = events if len(events) <= MOST_EVENTS else events[-MOST_EVENTS // 2 :]
                known.count, known.total = found.count, found.begin + len(found.events)
                is_left = bool(found.events) and known.total < found.total

    def _decode(self, raw: Any, session: Session, there: Elsewhere) -> Event | None:
        try:
            event = bound(convert(raw, Event), self._find_ahead(there.machine))
        except (msgspec.ValidationError, ValueError, RecursionError):
            return None
        return msgspec.structs.replace(event, session_id=session.session_id)

    # At once. All of these block.

    def find_inputs(self, session: Session) -> dict[str, dict[str, Any]]:
        """Returns the full inputs of the calls that wait, by the keys of the waits; of none that can't be had."""
        if session.elsewhere is None or session.is_silent or not session.waits:
            return {}
        try:
            return self._ask(session.elsewhere, "peek", PeekResult).inputs
        except AskError:
            return {}

    def explain(self, session: Session) -> list[str]:
        """Returns the lines that explain the status of a session. Raises AskError."""
        there, lines = session.elsewhere, list[str]()
        if there is None:
            return lines
        while True:
            found = self._ask(there, "explain", ExplainResult, begin=len(lines))
            lines += found.lines
            if not found.lines or len(lines) >= min(found.total, MOST_LINES):
                return lines

    def open_conversation(self, there: Elsewhere) -> "MirroredConversation":
        """Opens the conversation of a session."""
        from atm_tui.sources.mirror import MirroredConversation  # noqa: PLC0415  rarely needed

        def list_files() -> Sequence[ConversationFile]:
            return ask("", 0, 0).files

        def ask(file: str, begin: int, size: int) -> ConversationResult:
            try:
                if not file:
                    return self._ask(there, "conversation", ConversationResult)
                return self._ask(there, "conversation", ConversationResult, file=file, begin=begin, size=size)
            except AskError as error:
                raise OSError(0, str(error)) from error

        return MirroredConversation(list_files, lambda file, begin, size: ask(file, begin, size).data)
