"""The filter of `/`: a line of terms, all of which a session has to match. Pure; every text is a valid filter."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from atm_tui.model.session import Liveness, Session, State
from atm_tui.model.wait import Reason

Test = Callable[[Session], bool]

_TERM = re.compile(r'(?:(?P<key>[a-z]+):)?(?:"(?P<quoted>[^"]*)"?|(?P<bare>\S*))\s*', re.IGNORECASE)
_FIGURE = re.compile(r"(?P<sign>[<>])=?(?P<usd>\$?)(?P<number>\d{1,12}(?:\.\d{0,6})?)(?P<percent>%?)")
_HALF = re.compile(r"[<>]=?\$?[\d.]*")


@dataclass(frozen=True)
class Term:
    """One term of a filter."""

    test: Test
    word: str = ""
    """Of a free word, in casefold: it may also match in a text that belongs to the session, as in its timeline."""


@dataclass(frozen=True)
class Filter:
    """A parsed line. Terms are joined by "and"; without any it lets every session through."""

    text: str = ""
    terms: tuple[Term, ...] = ()
    marks: tuple[str, ...] = ()
    """What to mark in names, in the case in which it was typed."""

    def __bool__(self) -> bool:
        return bool(self.terms)

    def matches(self, session: Session) -> bool:
        """Whether a session passes every term."""
        return all(term.test(session) for term in self.terms)

    def left(self, session: Session) -> tuple[str, ...] | None:
        """The free words that the session does not contain, and a text of it still may; None when another term fails."""
        failed = [term for term in self.terms if not term.test(session)]
        return None if any(not term.word for term in failed) else tuple(term.word for term in failed)


NO_FILTER = Filter()


def parse_filter(text: str) -> Filter:
    """The filter of a line.

    A word is looked for in name, title, project, branch, last prompt and model; `"two words"` as they stand. `state:`,
    `project:`, `model:`, `agent:` and `branch:` look in one place; `>80%` and `<20%` compare the context, `>$5` and `<$1`
    the cost. Case does not matter. A term that is not typed to its end, like `state:` or `>8`, lets everything through.
    """
    terms: list[Term] = []
    marks: list[str] = []
    at = 0
    line = text.strip()
    while at < len(line):
        found = _TERM.match(line, at)
        if found is None or found.end() == at:
            at += 1
            continue
        at = found.end()
        key = (found["key"] or "").lower()
        value = found["quoted"] if found["quoted"] is not None else found["bare"] or ""
        if key and key not in _PLACES and key != "state":
            key, value = "", f"{found['key']}:{value}"
        if not value:
            continue
        if key == "state":
            terms.append(Term(_match_state(value.lower().replace("-", "_"))))
        elif key:
            terms.append(Term(_match_text(_PLACES[key], value)))
            marks += [value] if key in ("project", "agent") else []
        elif figure := _FIGURE.fullmatch(value):
            terms += map(Term, _compare_figures(figure))
        elif not _HALF.fullmatch(value):
            terms.append(Term(_match_text(_list_searched_texts, value), value.casefold()))
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
    )


_PLACES: dict[str, Callable[[Session], tuple[str | None, ...]]] = {
    "project": lambda session: (session.project.name, session.project.root),
    "branch": lambda session: (session.project.branch, session.project.worktree),
    "model": lambda session: (session.model,),
    "agent": lambda session: tuple(
        text for each in session.agents for text in (each.name, each.type, each.description)
    ),
}


def _match_text(place: Callable[[Session], tuple[str | None, ...]], value: str) -> Test:
    wanted = value.casefold()
    return lambda session: any(text and wanted in text.casefold() for text in place(session))


def list_state_words(session: Session) -> tuple[str, ...]:
    """The words by which `state:` finds a session; the start of one is enough."""
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
    """Tests of a figure; none for a bare number, whose unit is not typed yet."""
    limit, more = float(figure["number"]), figure["sign"] == ">"

    def passes(value: float | None) -> bool:
        return value is not None and (value > limit if more else value < limit)

    if figure["usd"]:
        return [lambda session: passes(session.cost.usd)]
    return [lambda session: passes(session.context.percent)] if figure["percent"] else []
