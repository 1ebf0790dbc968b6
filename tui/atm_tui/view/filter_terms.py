"""The terms of the filter for the help and the documentation, their completion while typing, and why nothing matches. Pure."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from atm_tui.model.filter import STATE_WORDS, Filter, Tried
from atm_tui.model.session import Session
from atm_tui.text import clean, format_count
from atm_tui.view.present import Part, get_agent_name, shorten_model

TERMS: tuple[tuple[str, str], ...] = (
    (
        "word",
        (
            "with the word in their row, or an agent's: name, project, branch, state, activity, figures; or in title, last prompt "
            "or model"
        ),
    ),
    ('"two words"', "with exactly these words"),
    ("waiting", "that need you"),
    ("state:idle", f"in that state, or that wait for that: {', '.join(STATE_WORDS)}; a prefix is enough"),
    ("project:shop", "with that in the name or folder of their project"),
    ("branch:main", "with that in their branch or worktree"),
    ("model:opus", "with that in their model"),
    ("machine:gpu", "on the machine of that name; machine:here for this one"),
    ("agent:Explore", "with an agent of that name, type or task"),
    ("ctx:>80", "that have used more than 80 % of their context window; also <, >=, <=, and >80%"),
    ("cost:>5", "that have cost more than $5; also <, >=, <=, and >$5"),
    ("@name", "that match the filter saved under that name"),
)
"""Each term, and which sessions it finds."""
KEYS: tuple[tuple[str, str], ...] = (
    ("Tab", "Complete the word"),
    ("Up  Down", "Earlier filters, and back"),
    ("^s", "Save the filter under a name"),
    ("^r", "Remove the saved filter that the line names"),
    ("Enter", "Keep the filter"),
    ("Esc", "Clear the filter"),
)
"""The keys in the filter line."""
_STARTS = ("waiting", "state:", "project:", "branch:", "model:", "machine:", "agent:", "ctx:>80", "cost:>5")
_FIGURES = {"ctx": (">80", ">50", "<20"), "cost": (">5", ">1", "<1")}
_LAST = re.compile(r'(?P<term>(?:[a-z]+:)?(?:"[^"]*|[^\s"]*))$', re.IGNORECASE)


def complete_filter(text: str, sessions: Collection[Session], saved: Collection[str] = ()) -> list[str]:
    """Returns the terms that the last term of a line can become, the best first; none for a term that is complete.

    `saved`: names of saved filters.
    """
    found = _LAST.search(text)
    term = found["term"] if found else ""
    if not term:
        return []
    key, colon, value = term.partition(":")
    if colon:
        quote = _quote_always if value.startswith('"') else _quote
        offered = (f"{key}:{quote(each)}" for each in _list_values(key.lower(), sessions))
    else:
        offered = (each for each in (*_STARTS, *(f"@{name}" for name in sorted(saved))))
    wanted = term.casefold()
    return [each for each in dict.fromkeys(offered) if each.casefold().startswith(wanted) and len(each) > len(term)]


def complete_line(text: str, term: str) -> str:
    """Returns a line with its last term replaced by the whole of it; what was typed stays as it is."""
    found = _LAST.search(text)
    typed = found["term"] if found else ""
    return text + term[len(typed) :]


def _quote(value: str) -> str:
    return _quote_always(value) if re.search(r"\s", value) else value


def _quote_always(value: str) -> str:
    return f'"{value}"'


def _list_values(key: str, sessions: Iterable[Session]) -> Iterator[str]:
    """Yields what a session can have after a key, the most frequent first."""
    if key == "state":
        yield from STATE_WORDS
    elif key in _FIGURES:
        yield from _FIGURES[key]
    else:
        counts: dict[str, int] = {}
        for session in sessions:
            for value in {clean(each) for each in _list_own(key, session) if each}:
                counts[value] = counts.get(value, 0) + 1
        yield from (value for value in sorted(counts, key=lambda each: (-counts[each], each)) if '"' not in value)


def _list_own(key: str, session: Session) -> Sequence[str | None]:
    if key == "project":
        return (session.project.name,)
    if key == "branch":
        return (session.project.branch, session.project.worktree)
    if key == "machine":
        return (session.machine or "here",)
    if key == "model":
        return (shorten_model(session.model).split()[0],) if session.model else ()
    return tuple(get_agent_name(each) for each in session.agents) if key == "agent" else ()


def explain_no_match(wanted: Filter, tried: Collection[Tried], of: int, noun: str) -> list[Part]:
    """Writes what hides everything: the term that lets nothing through, else those without which something would pass.

    `of`: number of entries that are hidden; `noun`: what they are. `tried`: for each entry, whether a term lets it through.
    """
    alone = [term.text for term in wanted.terms if tried and not any(passes(term) for passes in tried)]
    said = alone[0] if alone else wanted.text.strip()
    what = f"all {format_count(of, noun)}" if of > 1 else f"the only {noun}"
    parts: list[Part] = [(clean(said), "strong"), (f" hides {what}", "plain")]
    if alone or len(wanted.terms) < 2:
        return parts
    for at, term in enumerate(wanted.terms):
        others = [each for number, each in enumerate(wanted.terms) if number != at]
        if left := sum(all(map(passes, others)) for passes in tried):
            parts += [("; without ", "muted"), (clean(term.text), "strong"), (f" {left}", "muted")]
    return parts


def explain_not_listed(dismissed: int, hidden: int, keys: Mapping[str, str]) -> str:
    """Returns how many sessions are away for other reasons, and the keys that bring them back; empty for none."""
    said = [f"{dismissed} dismissed ({keys['history']})"] if dismissed else []
    said += [f"{hidden} headless or in the background ({keys['hide']})"] if hidden else []
    return f"Not among them: {', '.join(said)}" if said else ""
