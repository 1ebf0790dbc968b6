"""Finds when sessions waited for the user today, from their journals and from ends of waits that the app itself noticed.

A journal tells when a wait began and mostly when it ended. No event follows an Esc or a "No" in the pane, nor the death of a
process; the app sees these ends in the status, and stores them in a file with today's waits, which outlives the journals.
"""

from collections.abc import Collection, Iterable, Mapping, Set
from pathlib import Path

import msgspec

from atm_tui.model.facts import HookState
from atm_tui.model.session import Liveness, Session
from atm_tui.model.spans import Spans, find_midnight, merge_spans
from atm_tui.sources.app_file import AppFile
from atm_tui.timeline.journals import JournalReader, decode_event
from atm_tui.timeline.wait_tracker import MARKS, WaitTracker

KEEP_DAYS = 7
"""Days for which an end that the app noticed is stored: the journal alone would give a later end."""
KEEP = 500
"""Number of ends, and of sessions, that are stored; the oldest are dropped first."""

Name = tuple[str, float]
"""Identifies a wait within its session: key, and when it began."""


class SeenEnd(msgspec.Struct, frozen=True, array_like=True):
    """The end of a wait that the app noticed."""

    session_id: str
    key: str
    since: float
    until: float


class SessionDay(msgspec.Struct, frozen=True):
    """When a session waited today."""

    root: str
    """Root folder of its project."""
    spans: Spans


class WaitsFile(msgspec.Struct, frozen=True):
    """The content of waits.json."""

    seen: tuple[SeenEnd, ...] = ()
    days: dict[str, SessionDay] = {}


class JournalWaits:
    """The waits in one journal, which is read incrementally."""

    def __init__(self, state_dir: Path, session_id: str) -> None:
        self._reader = JournalReader(state_dir, session_id, None)
        self._tracker = WaitTracker()
        self.over: dict[Name, float] = {}
        """The ends of waits in the span for which `read` was called."""

    @property
    def open(self) -> list[Name]:
        """The waits that no event has ended so far."""
        return [record.name for record in self._tracker.open] if not self._tracker.is_idle else []

    def read(self, since: float) -> int:
        """Adds new waits that ended after `since` (epoch seconds); returns the number of bytes that were read."""
        data = self._reader.read_lines()
        if self._tracker.is_idle and not any(mark in data for mark in MARKS):
            return len(data)
        for line in data.split(b"\n"):
            # other lines can't change anything, and are not even decoded
            if self._tracker.is_idle and not any(mark in line for mark in MARKS):
                continue
            if (event := decode_event(line)) is None:
                continue
            for record in self._tracker.apply(event)[1]:
                if record.until is not None and record.until > since:
                    self.over[record.name] = min(record.until, self.over.get(record.name, record.until))
        return len(data)


class WaitTimes:
    """Sets the `waited` of sessions. Reads only what was appended to journals, and only where a state file changed."""

    def __init__(self, state_dir: Path, portion: int | None = None) -> None:
        """`portion`: most bytes that one call reads; the next call continues. None: each call reads everything."""
        self._state_dir = state_dir
        self._portion = portion
        self._file = AppFile(state_dir, "waits.json", WaitsFile)
        self._before: dict[str, SessionDay] = {}
        """By session: waits in the file, from an earlier or another app, and of sessions that are no longer listed."""
        self._days: dict[str, SessionDay] = {}
        self._written = WaitsFile()
        self._touched: set[str] = set()
        """Ids of sessions whose waits may have changed since the last call; "" stands for those that are no longer listed."""
        self._unsaved = False
        self._midnight = 0.0
        self._read: dict[str, HookState] = {}
        self._journals: dict[str, JournalWaits] = {}
        self._open: dict[str, set[Name]] = {}
        self._seen: dict[str, dict[Name, float]] = {}
        self.writes = False
        """Whether to write the file. A command that reads once does not."""
        self._unread: set[str] = set()
        """Ids of the sessions whose journals are still to be read."""
        self.sessions: dict[str, Session] = {}
        """The sessions by id with their `waited`, as of the last `update`."""
        self.gone: dict[str, tuple[Spans, ...]] = {}
        """By root of the project: today's waits of sessions that are no longer listed."""

    def update(
        self, states: Mapping[str, HookState], sessions: Mapping[str, Session], changed: Collection[str], now: float
    ) -> set[str]:
        """Brings the sessions up to date with `now` (epoch seconds); returns the ids of those that differ, came or went.

        `states`: state files by session id; `changed`: ids of the sessions that differ since the last call, came or went, or
        whose state file does.
        """
        since = find_midnight(now)
        noted = set(changed)
        if since != self._midnight:
            self._start_day(since)
            noted |= sessions.keys()
        if (kept := self._file.read()) is not None:
            self._merge_file(kept)
            noted |= {seen.session_id for seen in kept.seen}
        self._forget_unlisted(sessions.keys())
        noted |= self._read_journals(states, sessions, noted)
        for key in noted & sessions.keys():
            self._note_ends(sessions[key], now)
        differing = self.sessions.keys() - sessions.keys()
        for key in differing:
            del self.sessions[key]
        for key in (noted | self._touched) & sessions.keys():
            session = sessions[key]
            if key in self._touched:
                self._merge_session(key, session.root)
            day = self._days.get(key)
            self.sessions[key] = msgspec.structs.replace(session, waited=day.spans) if day else session
            differing.add(key)
        if self._touched:
            self._unsaved = True
            gone = [day for key, day in self._before.items() if key not in self._open]
            self.gone = {day.root: tuple(each.spans for each in gone if each.root == day.root) for day in gone}
            self._touched = set()
        if self.writes and self._unsaved:
            self._unsaved = False
            self._write_file(now)
        return differing

    def _forget_unlisted(self, listed: Set[str]) -> None:
        """Drops sessions that are no longer listed, but keeps their waits of today."""
        for key in self._open.keys() - listed:
            self._touched.add(key)
            del self._open[key]
            self._read.pop(key, None)
            self._journals.pop(key, None)
            if key in self._days:
                self._before[key] = self._days.pop(key)

    def _start_day(self, since: float) -> None:
        self._midnight = since
        for each in self._journals.values():
            each.over = {name: until for name, until in each.over.items() if until > since}
        self._merge_file(WaitsFile())
        self._days = {}
        self._touched |= {"", *self._open}

    def _merge_file(self, kept: WaitsFile) -> None:
        """Merges a file: of two ends of a wait the earlier one counts; days before today are dropped."""
        self._touched |= {"", *kept.days, *(seen.session_id for seen in kept.seen)}
        for seen in kept.seen:
            mine = self._seen.setdefault(seen.session_id, {})
            name = (seen.key, seen.since)
            mine[name] = min(seen.until, mine.get(name, seen.until))
        days = {**self._before, **kept.days}
        self._before = {key: day for key, day in days.items() if day.spans and day.spans[-1][1] > self._midnight}

    def _read_journals(
        self, states: Mapping[str, HookState], sessions: Mapping[str, Session], changed: Iterable[str]
    ) -> set[str]:
        """Reads the journals of changed sessions, and those left unread before; returns the ids of the sessions."""
        left = self._portion
        done = set()
        self._unread.update(changed)
        for key in sorted(self._unread):
            if left is not None and left <= 0:
                break
            self._unread.discard(key)
            state = states.get(key)
            if (
                key not in sessions
                or state is None
                or state is self._read.get(key)
                or state.updated_at < self._midnight
            ):
                continue
            reader = self._journals.get(key) or self._journals.setdefault(key, JournalWaits(self._state_dir, key))
            read = reader.read(self._midnight)
            left = None if left is None else left - read
            self._read[key] = state
            self._touched.add(key)
            done.add(key)
        return done

    @property
    def is_behind(self) -> bool:
        """Whether the last `update` left something unread."""
        return bool(self._unread)

    def _note_ends(self, session: Session, now: float) -> None:
        """Records the ends of waits that are no longer open although no event has ended them."""
        key, journal_waits = session.session_id, self._journals.get(session.session_id)
        if not session.waits and not self._open.get(key, True) and not (journal_waits and journal_waits.open):
            return
        waits = {(wait.key, wait.since) for wait in session.waits}
        asked = {wait.key for wait in session.waits}
        before = self._open.get(key, set())
        seen = self._seen.get(key, {})
        journal_ends = journal_waits.over if journal_waits else {}
        unended = {name for name in journal_waits.open if name[0] not in asked} if journal_waits else set()
        for name in (before - waits) | (unended - seen.keys()):
            if name not in journal_ends:
                self._touched.add(key)
                self._seen.setdefault(key, {})[name] = _guess_end(session, name[1], now, watched=name in before)
        for name in waits & seen.keys():  # it is open again
            self._touched.add(key)
            del seen[name]
        self._open[key] = waits

    def _merge_session(self, key: str, root: str) -> None:
        """Merges the waits of a session from journal, file and seen ends; of two ends of a wait the earlier one counts."""
        seen = self._seen.get(key, {})
        journal_ends = self._journals[key].over if key in self._journals else {}
        before = self._before.get(key)
        ends = {**seen, **{name: min(until, seen.get(name, until)) for name, until in journal_ends.items()}}
        spans = ((since, until) for (_, since), until in ends.items() if until > self._midnight)
        if found := merge_spans([*spans, *(before.spans if before else ())]):
            self._days[key] = SessionDay(root, found)
        else:
            self._days.pop(key, None)

    def _write_file(self, now: float) -> None:
        """Writes the file if its content changed."""
        days = {**{key: day for key, day in self._before.items() if key not in self._open}, **self._days}
        oldest = now - KEEP_DAYS * 86400
        ends = [(until, key, name) for key, mine in self._seen.items() for name, until in mine.items()]
        newest = sorted(each for each in ends if each[0] > oldest)[-KEEP:]
        self._seen = {
            key: mine
            for key, mine in self._seen.items()
            if key in self._open or max(mine.values(), default=0.0) > oldest
        }
        latest = sorted(days.items(), key=lambda item: item[1].spans[-1])[-KEEP:]
        kept = WaitsFile(tuple(SeenEnd(key, *name, until) for until, key, name in newest), dict(latest))
        if kept != self._written:
            self._written = kept
            self._file.write(kept)


def _guess_end(session: Session, since: float, now: float, *, watched: bool) -> float:
    """Estimates when a wait ended that no event has ended; `watched`: it was open at the last call."""
    live = session.liveness is Liveness.LIVE
    for at in (session.evidence.at, session.since) if live else ():
        if since < at <= now:
            return at
    return now if watched or live else max(since, min(now, session.updated_at))
