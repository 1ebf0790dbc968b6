"""Finds the session that the user means: by its id, pane, name or project. Pure."""

import difflib
from collections.abc import Callable, Collection, Iterable, Sequence
from enum import Enum

import msgspec

from atm_tui.model.session import Liveness, Session

NAME_DIGITS = 8
"""Number of hexadecimal digits from which a text is no name: as many as we print of an id."""
ID_DIGITS = 4
"""Number of hexadecimal digits from which a text is first tried as the start of an id; fewer are more likely part of a name."""

_HEX = frozenset("0123456789abcdef")


class Match(Enum):
    """The ways to match a session, in the order in which they are tried: the first that matches any session counts."""

    WHOLE = "the whole id, pane, name or project/name"
    ID = "the start of the id"
    PANE = "the pane"
    NAME = "the start of a name"
    PROJECT = "the start of project/name"
    PART = "any part of a name"
    SHORT_ID = "the first digits of the id"


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A session that a text can mean."""

    session_id: str
    names: tuple[str, ...] = ()
    """Its name, and its title if that differs."""
    project: str = ""
    panes: tuple[str, ...] = ()
    """Its tmux pane as a person writes it: `%5`, and `session:window.pane` for each tmux session that has the pane."""
    directory: str = ""
    is_live: bool = False


class SearchResult(msgspec.Struct, frozen=True, kw_only=True):
    """The sessions that a text can mean: none, one, or several when it is ambiguous; and how they were matched."""

    candidates: tuple[Candidate, ...] = ()
    match: Match | None = None


def make_candidate(session: Session, panes: Sequence[str] = ()) -> Candidate:
    """Makes a candidate of a session. `panes`: tmux's current names of its pane; by default those that the hooks recorded."""
    recorded = session.terminal.pane if session.terminal.kind == "tmux" else None
    return Candidate(
        session_id=session.session_id,
        names=tuple(dict.fromkeys(each for each in (session.name, session.title) if each)),
        project=session.project.name,
        panes=tuple(panes) or ((recorded,) if recorded else ()),
        directory=session.cwd,
        is_live=session.liveness is Liveness.LIVE,
    )


def find_sessions(text: str, candidates: Iterable[Candidate]) -> SearchResult:
    """Returns the sessions that `text` can mean, by the first kind of match that any session has; live ones before ended ones.

    Case is ignored, and an id may be written without its dashes.
    """
    wanted = text.strip().casefold()
    known = list({each.session_id: each for each in candidates}.values())
    if not wanted:
        return SearchResult()
    for match, fits in _TESTS.items():
        if found := [each for each in known if fits(wanted, each)]:
            live = [each for each in found if each.is_live]
            return SearchResult(candidates=tuple(live or found), match=match)
    return SearchResult()


def list_named_ids(text: str, session_ids: Collection[str]) -> list[str]:
    """Returns those of these ids that a text names, and that it can hardly name in another way: it is one, or a long start."""
    wanted = text.strip().casefold()
    if len(_read_digits(wanted)) < NAME_DIGITS:
        return [text.strip()] if text.strip() in session_ids else []
    return [each for each in session_ids if _starts_id(wanted, Candidate(session_id=each))]


def is_certain(text: str, result: SearchResult) -> bool:
    """Whether the names of further sessions, which are over, can't change what a text means."""
    wanted = text.strip().casefold()
    is_live = any(each.is_live for each in result.candidates)
    if result.match is Match.WHOLE:
        return is_live or any(each.session_id.casefold() == wanted for each in result.candidates)
    return (
        len(_read_digits(wanted)) >= NAME_DIGITS if result.match is Match.ID else is_live and result.match is Match.PANE
    )


def find_nearest(text: str, candidates: Iterable[Candidate], most: int = 5) -> tuple[Candidate, ...]:
    """Returns at most `most` sessions whose names, addresses or ids are most similar to `text`, the most similar first."""
    wanted = text.strip().casefold()
    matcher = difflib.SequenceMatcher()
    matcher.set_seq2(wanted)

    def rate_likeness(each: Candidate) -> float:
        best = 0.0
        for name in (*_fold_names(each.names), *_list_addresses(each), each.session_id[:8].casefold()):
            matcher.set_seq1(name)
            best = max(best, matcher.ratio())
        return best

    known = {each.session_id: each for each in candidates}.values()
    return tuple(sorted(known, key=lambda each: (-rate_likeness(each), not each.is_live, each.session_id))[:most])


def _fold_names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name.casefold() for name in names)


def _list_addresses(candidate: Candidate) -> tuple[str, ...]:
    """`project/name`, once for each name; where the project is called `parent/project`, without the parent too."""
    projects = dict.fromkeys((candidate.project, candidate.project.rpartition("/")[2])) if candidate.project else ()
    return tuple(f"{project}/{name}".casefold() for project in projects for name in candidate.names)


def _read_digits(text: str) -> str:
    """Returns the digits of an id without dashes; empty when the text is no id."""
    digits = text.replace("-", "")
    return digits if _HEX.issuperset(digits) else ""


def _is_whole(wanted: str, each: Candidate) -> bool:
    return wanted in (
        each.session_id.casefold(),
        *_fold_names(each.panes),
        *_fold_names(each.names),
        *_list_addresses(each),
    )


def _starts_id(wanted: str, each: Candidate) -> bool:
    """Whether a text is the start of the id. A hexadecimal id may be written with other dashes, or none."""
    session_id, digits = each.session_id.casefold(), _read_digits(wanted)
    return session_id.startswith(wanted) or (digits != "" and session_id.replace("-", "").startswith(digits))


def _starts_long_id(wanted: str, each: Candidate) -> bool:
    return len(wanted.replace("-", "")) >= ID_DIGITS and _starts_id(wanted, each)


def _starts_pane(wanted: str, each: Candidate) -> bool:
    """Whether a text names the pane, or only its window or tmux session: `work:1`, `work:`. %5 does not match %50."""
    start = wanted if wanted.endswith((":", ".")) else f"{wanted}."
    return ":" in wanted and any(pane.startswith(start) for pane in _fold_names(each.panes))


def _starts_name(wanted: str, each: Candidate) -> bool:
    return any(name.startswith(wanted) for name in _fold_names(each.names))


def _starts_address(wanted: str, each: Candidate) -> bool:
    return any(address.startswith(wanted) for address in _list_addresses(each))


def _is_in_name(wanted: str, each: Candidate) -> bool:
    return any(wanted in name for name in _fold_names(each.names))


_TESTS: dict[Match, Callable[[str, Candidate], bool]] = {
    Match.WHOLE: _is_whole,
    Match.ID: _starts_long_id,
    Match.PANE: _starts_pane,
    Match.NAME: _starts_name,
    Match.PROJECT: _starts_address,
    Match.PART: _is_in_name,
    Match.SHORT_ID: _starts_id,
}
