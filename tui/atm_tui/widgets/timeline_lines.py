"""The lines of the timeline, newest last. It follows what comes until its user moves; then everything stays where it is."""

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
"""Lines that are kept; older ones go."""


class TimelineLines(LineList[TimelineEvent | float, int]):
    """Shows events, and a line where a day begins (its epoch seconds).

    While it follows there is no cursor, and the selected session is the one that was selected before.
    """

    REPORTS_AGAIN: ClassVar[bool] = True
    BINDINGS = commands.make_bindings("tree")
    BINDING_GROUP_TITLE = "Timeline"

    class Moved(Message):
        """The cursor moved to an event of a session, or it follows again (None). `by_user`: a key or click did it."""

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
        """The id of the selected session: its name stands out."""
        self.behind = 0
        """How many of the events that are shown came since it no longer follows."""

    @property
    def is_live(self) -> bool:
        """Whether it shows the newest line whenever one comes."""
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
    def known(self) -> int:
        """How many events there are, shown or not."""
        return len(self._all)

    @property
    def numbered_ids(self) -> list[str]:
        """Ids of the first nine sessions in view, top to bottom."""
        rows = (self._lines[at] for at in self.in_view)
        return list(dict.fromkeys(row.session_id for row in rows if isinstance(row, TimelineEvent)))[:9]

    # What is shown

    def add(self, events: list[TimelineEvent], sessions: Collection[str], *, again: bool = False) -> None:
        """Takes further events, each at its place by time; `again`: in place of all that were there. Those of other
        sessions than these ids go.
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
        """Shows the events that `keep` lets through, and `marks` in names and texts. The selected session stays selected
        as long as there is an event of it, else the session of the newest event is selected.
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
        """Lays out days and events; the cursor keeps its event and its place on the screen."""
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
        """Returns the identity of an event: two of them may be equal. The line of a day can't be selected."""
        return id(line) if isinstance(line, TimelineEvent) else None

    def replace_cursor(self, old: Sequence[TimelineEvent | float], was: int | None) -> int | None:  # noqa: ARG002 (the base's names)
        """Returns the next newer event than the one that is gone, or the last one."""
        if self._event is None:
            return None
        shown = self.events
        newer = next((each for each in shown if each.at >= self._event.at), shown[-1] if shown else None)
        return None if newer is None else self.get_key(newer)

    def _set_event(self, event: TimelineEvent | None) -> None:
        """Moves the cursor without a word. The event is held, so that no other gets its identity."""
        self._event = event
        self._cursor = None if event is None else self.get_key(event)

    def report_cursor(self, *, by_user: bool) -> None:
        """Says which session the event under the cursor is of."""
        at = self.cursor_at
        line = None if at is None else self._lines[at]
        self._event = line if isinstance(line, TimelineEvent) else None
        self.refresh()
        if by_user and self._event is not None:
            self.chosen = self._event.session_id
            self.post_message(self.Moved(self._event.session_id))

    def select(self, session_id: str, *, by_user: bool) -> None:
        """Selects another session. Where there is a cursor, it goes to the nearest event of that session."""
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

    def get_line_state(self, at: int) -> tuple[object, ...]:
        """Returns what a line shows, with the name of its session as it is now."""
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
        """Returns the key that selects the session of this line, at the first one in view."""
        line, above = self._lines[at], self._lines[self.top : at]
        if not isinstance(line, TimelineEvent):
            return ""
        before = {each.session_id for each in above if isinstance(each, TimelineEvent)}
        first = line.session_id not in before and len(before) < 9
        return str(len(before) + 1) if first else ""

    def on_resize(self, _: Resize) -> None:
        """Keeps the newest line in view while it follows."""
        if self.is_live:
            self.fit_height()
            self._show_newest()

    # Moving

    def move_by(self, lines: int) -> None:
        """Moves the cursor; below the last line it follows again. From following, one line up is the newest line."""
        last = self.line_count - 1
        at = self.cursor_at
        if at is None:
            at = last + 1 if lines == -1 else last
        if at + lines > last:
            self._go_live()
        else:
            self.go_to(at + lines, 1 if lines > 0 or at + lines < 0 else -1)

    def _go_live(self) -> None:
        """Follows what comes."""
        self._set_event(None)
        self.behind = 0
        self._show_newest()
        self.refresh()
        self.post_message(self.Moved(None))

    def action_fold(self) -> None:
        """Goes to the event before of the same session."""
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
        """The wheel stops following as the keys do."""
        if self.is_live:
            self.go_to(self.line_count - 1, -1)
