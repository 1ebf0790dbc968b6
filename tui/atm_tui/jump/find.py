"""The one way from a few words to a session: by its id, pane, name or project. Pure."""

import difflib
from collections.abc import Callable, Iterable, Sequence
from enum import Enum

import msgspec

from atm_tui.model.session import Liveness, Session

ID_DIGITS = 4
"""Hexadecimal digits from which on a text is first taken for the start of an id: fewer are more likely a name."""

_HEX = frozenset("0123456789abcdef")


class Match(Enum):
    """What of a session a text matches, in the order in which it is tried: the first that matches any session counts."""

    WHOLE = "the whole id, pane, name or project/name"
    ID = "the start of the id"
    PANE = "the pane"
    NAME = "the start of a name"
    PROJECT = "the start of project/name"
    PART = "any part of a name"
    SHORT_ID = "the first digits of the id"


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A session that can be meant."""

    session_id: str
    names: tuple[str, ...] = ()
    """Its name, and its title where that is another one."""
    project: str = ""
    panes: tuple[str, ...] = ()
    """Its tmux pane as a person writes it: `%5`, and `session:window.pane` once for each tmux session that holds it."""
    directory: str = ""
    is_live: bool = False


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """The sessions that a text can mean, and by what; empty when there is none, one when it is clear."""

    candidates: tuple[Candidate, ...] = ()
    match: Match | None = None


def candidate_of(session: Session, panes: Sequence[str] = ()) -> Candidate:
    """A session of the fleet; `panes` are what tmux calls its pane now, by default what the session recorded."""
    recorded = session.terminal.pane if session.terminal.kind == "tmux" else None
    return Candidate(
        session_id=session.session_id,
        names=tuple(dict.fromkeys(each for each in (session.name, session.title) if each)),
        project=session.project.name,
        panes=tuple(panes) or ((recorded,) if recorded else ()),
        directory=session.cwd,
        is_live=session.liveness is Liveness.LIVE,
    )


def find_sessions(text: str, candidates: Iterable[Candidate]) -> Found:
    """The sessions that `text` can mean, by the first kind of match that any of them has; of those, live ones before ended.

    Case does not matter, and an id may be written without its dashes.
    """
    wanted = text.strip().casefold()
    known = list({each.session_id: each for each in candidates}.values())
    if not wanted:
        return Found()
    for match, fits in _TESTS.items():
        if found := [each for each in known if fits(wanted, each)]:
            live = [each for each in found if each.is_live]
            return Found(candidates=tuple(live or found), match=match)
    return Found()


def find_nearest(text: str, candidates: Iterable[Candidate], most: int = 5) -> tuple[Candidate, ...]:
    """The sessions whose names, addresses or ids look most like `text`, the most alike first; at most `most`."""
    wanted = text.strip().casefold()
    matcher = difflib.SequenceMatcher()
    matcher.set_seq2(wanted)

    def likeness(each: Candidate) -> float:
        best = 0.0
        for name in (*_folded(each.names), *_addresses(each), each.session_id[:8].casefold()):
            matcher.set_seq1(name)
            best = max(best, matcher.ratio())
        return best

    known = {each.session_id: each for each in candidates}.values()
    return tuple(sorted(known, key=lambda each: (-likeness(each), not each.is_live, each.session_id))[:most])


def _folded(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name.casefold() for name in names)


def _addresses(candidate: Candidate) -> tuple[str, ...]:
    """`project/name`, once for each name; where the project is called `parent/project`, without the parent too."""
    projects = dict.fromkeys((candidate.project, candidate.project.rpartition("/")[2])) if candidate.project else ()
    return tuple(f"{project}/{name}".casefold() for project in projects for name in candidate.names)


def _digits(text: str) -> str:
    """The digits of an id without dashes; empty when it is none."""
    digits = text.replace("-", "")
    return digits if _HEX.issuperset(digits) else ""


def _is_whole(wanted: str, each: Candidate) -> bool:
    return wanted in (each.session_id.casefold(), *_folded(each.panes), *_folded(each.names), *_addresses(each))


def _starts_id(wanted: str, each: Candidate) -> bool:
    """An id need not be hexadecimal; one that is may be written with other dashes, or none."""
    session_id, digits = each.session_id.casefold(), _digits(wanted)
    return session_id.startswith(wanted) or (digits != "" and session_id.replace("-", "").startswith(digits))


def _starts_long_id(wanted: str, each: Candidate) -> bool:
    return len(wanted.replace("-", "")) >= ID_DIGITS and _starts_id(wanted, each)


def _starts_pane(wanted: str, each: Candidate) -> bool:
    """A window or a tmux session in place of the pane: `work:1`, `work:`. %5 is never %50."""
    start = wanted if wanted.endswith((":", ".")) else f"{wanted}."
    return ":" in wanted and any(pane.startswith(start) for pane in _folded(each.panes))


def _starts_name(wanted: str, each: Candidate) -> bool:
    return any(name.startswith(wanted) for name in _folded(each.names))


def _starts_address(wanted: str, each: Candidate) -> bool:
    return any(address.startswith(wanted) for address in _addresses(each))


def _is_in_name(wanted: str, each: Candidate) -> bool:
    return any(wanted in name for name in _folded(each.names))


_TESTS: dict[Match, Callable[[str, Candidate], bool]] = {
    Match.WHOLE: _is_whole,
    Match.ID: _starts_long_id,
    Match.PANE: _starts_pane,
    Match.NAME: _starts_name,
    Match.PROJECT: _starts_address,
    Match.PART: _is_in_name,
    Match.SHORT_ID: _starts_id,
}
