"""The filter of `/`: a line of terms that a session must all match. Every text is a valid filter. Pure."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial

import msgspec

from atm_tui.model.board import is_waiting
from atm_tui.model.session import Liveness, Session, State
from atm_tui.model.wait import Reason

Test = Callable[[Session], bool]

# The patterns are compiled on first use: the start of the app is without a filter.
_TERM = r'(?:(?P<key>[a-z]+):)?(?:"(?P<quoted>[^"]*)"?|(?P<bare>\S*))\s*'
_NUMBER = r"\d{1,12}(?:\.\d{0,6})?"
_FIGURE = rf"(?P<sign>[<>])(?P<equal>=?)(?P<usd>\$?)(?P<number>{_NUMBER})(?P<percent>%?)"
_BARE_FIGURE = rf"(?:(?P<sign>[<>])(?P<equal>=?)\$?(?P<number>{_NUMBER})?%?)?"
"""The same after `cost:` or `ctx:`, perhaps incomplete."""
NOTHING_SAVED: Mapping[str, str] = {}
"""No saved filters."""
_HALF = r"[<>]=?\$?[\d.]*"


class Term(msgspec.Struct, frozen=True):
    """One term of a filter."""

    test: Test
    word: str = ""
    """The word, in casefold, that may also match in other texts of the session, such as its timeline; empty for other terms."""
    test_without_row: Test | None = None
    """The test of a word where no row is shown, without state and activity. None: `test`."""
    text: str = ""
    """The term as typed."""


class Filter(msgspec.Struct, frozen=True):
    """A parsed line. A session passes when it matches all terms; without terms all sessions pass."""

    text: str = ""
    terms: tuple[Term, ...] = ()
    marks: tuple[str, ...] = ()
    """Texts to highlight in names, as typed."""

    def __bool__(self) -> bool:
        return bool(self.terms)

    def matches(self, session: Session) -> bool:
        """Whether a session passes every term."""
        return all(term.test(session) for term in self.terms)

    def list_missing_words(self, session: Session) -> tuple[str, ...] | None:
        """Returns the free words that are still to be found in other texts of the session; None when another term fails."""
        failed = [term for term in self.terms if not (term.test_without_row or term.test)(session)]
        return None if any(not term.word for term in failed) else tuple(term.word for term in failed)


NO_FILTER = Filter()
Tried = Callable[[Term], bool]
"""Returns whether a term lets an entry through."""


def try_sessions(sessions: Iterable[Session]) -> list[Tried]:
    """Returns for each session what tries a term on it."""
    return [partial(_passes, each) for each in sessions]


def _passes(session: Session, term: Term) -> bool:
    return term.test(session)


def parse_filter(
    text: str, describe_row: Callable[[Session], str] = lambda _: "", saved: Mapping[str, str] = NOTHING_SAVED
) -> Filter:
    """Parses a filter line. `describe_row` returns the words that a session's row shows besides its names.

    `saved`: filters by their names; `@name` stands for one of them, in which `@` has no meaning.

    A word matches in what the row shows, and in title, last prompt and model; `"two words"` as a phrase. `waiting` also finds
    what needs the user. `state:`, `project:`, `machine:`, `model:`, `agent:` and `branch:` match in that field; `ctx:>80` or `>80%`
    compares the context, `cost:>5` or `>$5` the cost. Case is ignored. A term that is still being typed, like `state:` or
    `>8`, lets all sessions pass.
    """

    def list_texts(session: Session) -> tuple[str | None, ...]:
        return (*_list_searched_texts(session), describe_row(session))

    terms: list[Term] = []
    marks: list[str] = []
    at = 0
    line, pattern = text.strip(), re.compile(_TERM, re.IGNORECASE)
    while at < len(line):
        found = pattern.match(line, at)
        if found is None or found.end() == at:
            at += 1
            continue
        at, typed = found.end(), found[0].strip()
        key = (found["key"] or "").lower()
        value = found["quoted"] if found["quoted"] is not None else found["bare"] or ""
        if key in _UNITS and (figure := re.fullmatch(_BARE_FIGURE, value)):
            terms += [Term(_compare(figure, _UNITS[key]), text=typed)] if figure["number"] else []
            continue
        if key and key not in _PLACES and key != "state":
            key, value = "", f"{found['key']}:{value}"
        if not value:
            continue
        if key == "state":
            terms.append(Term(_match_state(value.lower().replace("-", "_")), text=typed))
        elif key:
            terms.append(Term(_match_text(_PLACES[key], value), text=typed))
            marks += [value] if key in ("project", "agent") else []
        elif figure := re.fullmatch(_FIGURE, value):
            terms += [Term(test, text=typed) for test in _compare_figures(figure)]
        elif value.startswith("@") and (meant := saved.get(value[1:].casefold())):
            inner = parse_filter(meant, describe_row)
            terms += inner.terms
            marks += inner.marks
        elif not re.fullmatch(_HALF, value):
            without_row = _match_word(_list_searched_texts, value)
            terms.append(Term(_match_word(list_texts, value), value.casefold(), without_row, typed))
            marks.append(value)
    return Filter(text, tuple(terms), tuple(marks))


def _list_searched_texts(session: Session) -> tuple[str | None, ...]:
    return (
        session.name,
        session.title,
        session.project.name,
        session.project.branch,
        session.project.worktree,
        session.last_prompt,
        session.model,
        session.machine,
    )


_PLACES: dict[str, Callable[[Session], tuple[str | None, ...]]] = {
    "project": lambda session: (session.project.name, session.project.root),
    "machine": lambda session: (session.machine or "here",),
    "branch": lambda session: (session.project.branch, session.project.worktree),
    "model": lambda session: (session.model,),
    "agent": lambda session: tuple(
        text for each in session.agents for text in (each.name, each.type, each.description)
    ),
}


def _match_word(place: Callable[[Session], tuple[str | None, ...]], value: str) -> Test:
    matches = _match_text(place, value)
    if value.casefold() != "waiting":
        return matches
    return lambda session: is_waiting(session) or matches(session)


def _match_text(place: Callable[[Session], tuple[str | None, ...]], value: str) -> Test:
    wanted = value.casefold()
    return lambda session: any(text and wanted in text.casefold() for text in place(session))


STATE_WORDS = (
    *("needs_you", "working", "idle", "finished", "permission", "question", "plan", "failed", "interrupted", "lost"),
    "ended",
)
"""The words after `state:` that the help names."""


def list_state_words(session: Session) -> tuple[str, ...]:
    """Returns the words by which `state:` finds a session; a prefix is enough."""
    if session.liveness is not Liveness.LIVE:
        return (session.liveness.value, "over")
    words = [session.state.value]
    words += [session.reason.value] if session.reason else []
    words += ["finished"] if session.state is State.IDLE and session.unseen else []
    words += (
        ["question"] if session.state is State.NEEDS_YOU and session.reason in (None, Reason.DIALOG, Reason.MCP) else []
    )
    return tuple(words)


def _match_state(value: str) -> Test:
    return lambda session: any(word.startswith(value) for word in list_state_words(session))


def _compare_figures(figure: re.Match[str]) -> list[Test]:
    """Returns the tests for a figure; none for a number whose unit is not typed yet."""
    read = _UNITS["cost"] if figure["usd"] else _UNITS["ctx"] if figure["percent"] else None
    return [_compare(figure, read)] if read else []


def _compare(figure: re.Match[str], read: Callable[[Session], float | None]) -> Test:
    limit, is_above, has_limit = float(figure["number"]), figure["sign"] == ">", figure["equal"] == "="

    def passes(session: Session) -> bool:
        value = read(session)
        if value is None:
            return False
        return (has_limit and value == limit) or (value > limit if is_above else value < limit)

    return passes


_UNITS: dict[str, Callable[[Session], float | None]] = {
    "cost": lambda session: session.cost.usd,
    "ctx": lambda session: session.context.percent,
}
"""The figures that can be compared."""
