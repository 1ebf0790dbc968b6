"""Finds sessions for `resume`: those of the fleet, and those known only by their transcripts."""

import time
from collections.abc import Mapping

import msgspec

from atm_tui.cli.picker import Choice
from atm_tui.cli.session_argument import choose_candidate, list_candidates
from atm_tui.jump.find import Candidate, Match, find_sessions
from atm_tui.jump.transcripts import TranscriptFile, list_transcripts, read_label
from atm_tui.model.session import Liveness, Session
from atm_tui.monitor.live import LiveMonitor
from atm_tui.text import clean, format_age

_CERTAIN = (Match.WHOLE, Match.ID, Match.PANE)
"""Matches that no other session's name can beat, so that the labels of transcripts need not be read."""


class Resumable(msgspec.Struct, frozen=True, kw_only=True):
    """A session that can be resumed: from the fleet, from its transcript, or both."""

    session_id: str
    session: Session | None = None
    file: TranscriptFile | None = None
    heard_at: float = 0.0
    """When a session that is over, and only counted so far, was last heard of; epoch seconds."""

    @property
    def is_live(self) -> bool:
        """Whether it is running."""
        return self.session is not None and self.session.liveness is Liveness.LIVE

    @property
    def transcript(self) -> str | None:
        """The path of its transcript."""
        return self.file.path if self.file else self.session.transcript_path if self.session else None

    @property
    def config_dir(self) -> str | None:
        """The client's config folder that it belongs to."""
        return self.file.config_dir if self.file else self.session.config_dir if self.session else None

    @property
    def at(self) -> float:
        """Its last activity in epoch seconds."""
        heard_at = self.session.updated_at if self.session else self.heard_at
        return max(self.file.at if self.file else 0.0, heard_at)


def list_resumable(monitor: LiveMonitor) -> dict[str, Resumable]:
    """Returns all of them by session id."""
    files = {each.session_id: each for each in list_transcripts(monitor.reader.registries.config_dirs)}
    fleet, older = monitor.fleet.sessions, monitor.reader.states.closed
    found = {
        key: Resumable(session_id=key, session=fleet.get(key), file=files.get(key))
        for key in dict.fromkeys((*fleet, *files))
    }
    for key, each in older.items():
        found[key] = Resumable(session_id=key, file=files.get(key), heard_at=each.heard_at)
    return found


def list_newest(known: Mapping[str, Resumable], monitor: LiveMonitor, most: int) -> list[Resumable]:
    """Returns the newest of them, the newest first; at most `most`. Reads those that were only counted so far."""
    newest = sorted(known.values(), key=lambda each: (-each.at, each.session_id))[:most]
    if older := monitor.reader.states.closed.keys() & {each.session_id for each in newest}:
        monitor.read_older(older)
        fleet = monitor.fleet.sessions
        newest = [msgspec.structs.replace(each, session=fleet.get(each.session_id)) for each in newest]
    return [each for each in newest if each.session or each.file]


def find_resumable(text: str, known: Mapping[str, Resumable]) -> Resumable:
    """Returns the one that `text` names. Raises CommandError. Reads the labels of transcripts only if the text may be one."""
    fleet = list_candidates(text, (each.session for each in known.values() if each.session))
    files = [each for each in known.values() if each.session is None]
    unread = [*fleet, *(Candidate(session_id=each.session_id) for each in files)]
    if find_sessions(text, unread).match in _CERTAIN:
        return known[choose_candidate(text, unread).session_id]
    return known[choose_candidate(text, [*fleet, *map(_read_candidate, files)]).session_id]


def _read_candidate(each: Resumable) -> Candidate:
    if each.file is None:
        return Candidate(session_id=each.session_id)
    label = read_label(each.file.path)
    return Candidate(session_id=each.session_id, names=(label.name,) if label.name else (), directory=label.cwd)


def make_choice(each: Resumable) -> Choice | None:
    """The session as the list to choose from shows it; None when it holds nothing to resume."""
    label = read_label(each.file.path) if each.file else None
    if each.session is None and label and label.is_empty:
        return None
    name = (each.session.name if each.session else "") or (label.name or label.prompt if label else "")
    cwd = (each.session.cwd if each.session else "") or (label.cwd if label else "")
    when = "runs now" if each.is_live else f"{format_age(time.time() - each.at)} ago"
    return Choice(key=each.session_id, name=clean(name), when=when, where=clean(cwd))
