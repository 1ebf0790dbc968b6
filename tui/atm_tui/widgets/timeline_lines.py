"""The lines of the timeline, newest last. While live it scrolls with new events; when the user moves, it pauses."""

from collections.abc import Callable, Collection, Sequence
from typing import ClassVar

from textual.events import Resize
from textual.message import Message

from atm_tui import commands
from atm_tui.timeline.builder import TimelineEvent
from atm_tui.view import present
from atm_tui.view.timeline_row import format_day, write_day, write_event
from atm_tui.widgets.line_list import LineList

KEEP = 5000
"""Most lines that are kept; older ones are dropped."""


class TimelineLines(LineList[TimelineEvent | float, int]):
    """Shows events, and a line at the start of each day (its epoch seconds).

    While live there is no cursor, and the selected session stays the one that was selected before.
    """

    REPORTS_AGAIN: ClassVar[bool] = True
    BINDINGS = commands.make_bindings("tree")
    BINDING_GROUP_TITLE = "Timeline"

    class Moved(Message):
        """The cursor moved to an event of a session, or it is live again (None). `by_user`: by a key or click."""

        def __init__(self, session_id: str | None, *, by_user: bool = True) -> None:
            super().__init__()
            self.session_id = session_id
            self.by_user = by_user

    def __init__(self, find_name: Callable[[str], str], glyphs: present.Glyphs, chosen: str | None) -> None:
        super().__init__(id="timeline")
        self._find_name = find_name
        self._glyphs = glyphs
        self._all: list[TimelineEvent] = []
        self._keep: Callable[[TimelineEvent], bool] = lambda _: True
        self._marks: tuple[str, ...] = ()
        self._event: TimelineEvent | None = None
        self.chosen = chosen
        """Id of the selected session, whose name is highlighted."""
        self.behind = 0
        """Number of shown events that came since it paused."""

    @property
    def is_live(self) -> bool:
        """Whether it scrolls to each new line."""
        return self._event is None

    @property
    def selected(self) -> TimelineEvent | None:
        """The event under the cursor."""
        return self._event

    @property
    def events(self) -> list[TimelineEvent]:
        """The events that are shown, oldest first."""
        return [each for each in self._lines if isinstance(each, TimelineEvent)]

    @property
    def known(self) -> Sequence[TimelineEvent]:
        """All events, shown or not."""
        return self._all

    @property
    def numbered_ids(self) -> list[str]:
        """Ids of the first nine sessions in view, top to bottom."""
        rows = (self._lines[at] for at in self.in_view)
        return list(dict.fromkeys(row.session_id for row in rows if isinstance(row, TimelineEvent)))[:9]

    # What is shown

    def add(self, events: list[TimelineEvent], sessions: Collection[str], *, again: bool = False) -> None:
        """Adds events, sorted by time; `again`: replaces all events. Drops those of sessions that are not in
        `sessions`.
        """
        if again:
            self.behind = 0
            self._set_event(None)
        kept = [] if again else [each for each in self._all if each.session_id in sessions]
        if not events and not again and len(kept) == len(self._all):
            return
        late = bool(kept) and bool(events) and events[0].at < kept[-1].at
        whole = [*kept, *events]
        if late:
            whole.sort(key=lambda each: each.at)
        self.behind += 0 if self.is_live else sum(map(self._keep, events))
        self._all = whole[-KEEP:]
        self._update_lines()

    def show(self, keep: Callable[[TimelineEvent], bool], marks: tuple[str, ...]) -> None:
        """Shows the events that `keep` lets through, and highlights `marks` in names and texts. The selected session stays
        selected while it has an event, else the session of the newest event is selected.
        """
        self._keep, self._marks = keep, marks
        self._update_lines()
        shown = self.events
        if self._event is not None:
            self._choose(self._event.session_id)
        elif shown and all(each.session_id != self.chosen for each in shown):
            self._choose(shown[-1].session_id)

    def _choose(self, session_id: str) -> None:
        if session_id != self.chosen:
            self.chosen = session_id
            self.post_message(self.Moved(session_id, by_user=False))

    def _update_lines(self) -> None:
        """Builds the lines of days and events; the cursor keeps its event and its place on the screen."""
        lines: list[TimelineEvent | float] = []
        last = ""
        for event in filter(self._keep, self._all):
            if (today := format_day(event.at)) != last:
                lines.append(event.at)
                last = today
            lines.append(event)
        self.set_lines(lines)
        if self.is_live:
            self._show_newest()
        self.refresh()

    def _show_newest(self) -> None:
        self.scroll_to(y=max(0, self.line_count - self.size.height), animate=False, force=True)

    def get_key(self, line: TimelineEvent | float) -> int | None:
        """Returns the identity of an event, since two may be equal; None for the line of a day."""
        return id(line) if isinstance(line, TimelineEvent) else None

    def replace_cursor(self, old: Sequence[TimelineEvent | float], was: int | None) -> int | None:  # noqa: ARG002 (the base's names)
        """Returns the next newer event after the one that is gone, or the last one."""
        if self._event is None:
            return None
        shown = self.events
        newer = next((each for each in shown if each.at >= self._event.at), shown[-1] if shown else None)
        return None if newer is None else self.get_key(newer)

    def _set_event(self, event: TimelineEvent | None) -> None:
        """Moves the cursor without a message. The event is referenced, so that no other gets its identity."""
        self._event = event
        self._cursor = None if event is None else self.get_key(event)

    def report_cursor(self, *, by_user: bool) -> None:
        """Reports the session of the event under the cursor."""
        at = self.cursor_at
        line = None if at is None else self._lines[at]
        self._event = line if isinstance(line, TimelineEvent) else None
        self.refresh()
        if by_user and self._event is not None:
            self.chosen = self._event.session_id
            self.post_message(self.Moved(self._event.session_id))

    def select(self, session_id: str, *, by_user: bool) -> None:
        """Selects another session. A cursor moves to the nearest event of that session."""
        self.chosen = session_id
        at = self.cursor_at
        if at is not None and self._event is not None and self._event.session_id != session_id:
            places = [
                place
                for place, line in enumerate(self._lines)
                if isinstance(line, TimelineEvent) and line.session_id == session_id
            ]
            if places:
                self.go_to(min(places, key=lambda place: abs(place - at)), by_user=False)
        self.refresh()
        self.post_message(self.Moved(session_id, by_user=by_user))

    def pause_at(self, event: TimelineEvent, row: int) -> None:
        """Moves the cursor to an event that is equal to this one, `row` lines below the first line in view."""
        at = next((at for at, line in enumerate(self._lines) if line == event), None)
        if at is not None:
            self.go_to(at)
            self.scroll_to(y=max(0, at - row), animate=False)

    def get_line_state(self, at: int) -> tuple[object, ...]:
        """Returns what a line shows, with the current name of its session."""
        line = self._lines[at]
        if not isinstance(line, TimelineEvent):
            return (line,)
        name, chosen = self._find_name(line.session_id), line.session_id == self.chosen
        return line, name, chosen, at == self.cursor_at, self._get_number(at), self._marks

    def write_line(self, at: int) -> Sequence[present.Part]:
        """Returns an event in the columns of this width, or the line of a day."""
        event = self._lines[at]
        if not isinstance(event, TimelineEvent):
            return write_day(event, self.line_width, self._glyphs)
        return write_event(
            event,
            self._find_name(event.session_id),
            self.line_width,
            self._glyphs,
            cursor=at == self.cursor_at,
            chosen=event.session_id == self.chosen,
            number=self._get_number(at),
            marks=self._marks,
        )

    def _get_number(self, at: int) -> str:
        """Returns the number key of this line's session, on its first line in view; else empty."""
        line, above = self._lines[at], self._lines[self.top : at]
        if not isinstance(line, TimelineEvent):
            return ""
        before = {each.session_id for each in above if isinstance(each, TimelineEvent)}
        first = line.session_id not in before and len(before) < 9
        return str(len(before) + 1) if first else ""

    def on_resize(self, _: Resize) -> None:
        """Keeps the newest line in view while live."""
        if self.is_live:
            self.fit_height()
            self._show_newest()

    # Moving

    def move_by(self, lines: int) -> None:
        """Moves the cursor; below the last line it is live again. From there, one line up is the newest line."""
        last = self.line_count - 1
        at = self.cursor_at
        if at is None:
            at = last + 1 if lines == -1 else last
        if at + lines > last:
            self._go_live()
        else:
            self.go_to(at + lines, 1 if lines > 0 or at + lines < 0 else -1)

    def _go_live(self) -> None:
        """Makes the timeline live."""
        self._set_event(None)
        self.behind = 0
        self._show_newest()
        self.refresh()
        self.post_message(self.Moved(None))

    def action_fold(self) -> None:
        """Goes to the previous event of the same session."""
        self._go_within_session(-1)

    def action_unfold(self) -> None:
        """Goes to the next event of the same session."""
        self._go_within_session(+1)

    def _go_within_session(self, step: int) -> None:
        at = self.cursor_at
        step = -1 if at is None else step
        start = self.line_count - 1 if at is None else at + step
        for place in range(start, self.line_count if step > 0 else -1, step):
            line = self._lines[place]
            if isinstance(line, TimelineEvent) and line.session_id == self.chosen:
                self.go_to(place, step)
                return

    def on_mouse_scroll_up(self) -> None:
        """Pauses, as the keys do."""
        if self.is_live:
            self.go_to(self.line_count - 1, -1)
