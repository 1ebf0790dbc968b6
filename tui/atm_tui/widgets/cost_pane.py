"""The cost pane: USD, tokens by kind, time, lines, tools."""

from collections import Counter
from collections.abc import Iterable

from atm_tui import present
from atm_tui.model.session import Agent, Cost, Session, Tokens
from atm_tui.present import clean
from atm_tui.widgets.context_pane import kinds
from atm_tui.widgets.pane import Line, Paper
from atm_tui.widgets.subject import AgentIn, Group, Over, Subject

ROWS = 4
"""Sessions or agents whose cost is listed one by one."""


def write(subject: Subject, on: Paper) -> list[Line]:
    """The lines of the pane."""
    match subject:
        case Session():
            return _session(subject, on)
        case AgentIn(_, agent):
            return _total(agent.cost, None, on)
        case Over(_, agents):
            return _many(_by_name(agents), on)
        case Group():
            return _group(subject, on)
        case _:
            return []


def _total(cost: Cost, tokens: Tokens | None, on: Paper) -> list[Line]:
    total: Line = [(present.money(cost.usd), "strong" if cost.usd is not None else "faint")]
    lines = [on.aside(total, clean(cost.source)) if cost.source and cost.usd is not None else total]
    if cost.unpriced_tokens:
        lines.append([(f"+ {present.tokens(cost.unpriced_tokens)} tokens without a known price", "needs")])
    if cost.disagrees:
        lines += [[(text, "muted")] for text in present.wrap(clean(cost.disagrees), on.width, 2)]
    return [*lines, *(kinds(tokens, on) if tokens else [])]


def _session(session: Session, on: Paper) -> list[Line]:
    lines = _total(session.cost, session.cost.tokens, on)
    agents = _by_name(session.agents)
    if agents:
        lines += [[], *_listed(agents, on)]
    facts: list[Line] = []
    if session.duration is not None:
        facts.append(on.pair("time", f"{present.age(session.duration)} · {present.count(session.turns, 'turn')}"))
    if session.lines_added is not None or session.lines_removed is not None:
        facts.append(_changes(session.lines_added or 0, session.lines_removed or 0, on))
    facts += _tools(session.tools_used, on)
    return [*lines, *([[]] if facts else []), *facts]


def _by_name(agents: Iterable[Agent]) -> list[tuple[str, float | None]]:
    """Agents of one name as one entry, with their number."""
    costs: dict[str, list[float]] = {}
    for each in agents:
        if each.cost.usd is not None:
            costs.setdefault(present.agent_name(each), []).append(each.cost.usd)
    return [(f"{len(usd)} {name}" if len(usd) > 1 else name, sum(usd)) for name, usd in costs.items()]


def _changes(added: int, removed: int, on: Paper) -> Line:
    return [*on.pair("lines", f"+{added:,}", "finished"), (f"  -{removed:,}", "muted")]


def _tools(used: dict[str, int], on: Paper) -> list[Line]:
    ranked = sorted(used.items(), key=lambda each: (-each[1], each[0]))
    # A fixed blank keeps a name and its number on one line.
    return on.text("tools", ", ".join(f"{clean(name)}\xa0{number}" for name, number in ranked), 3)


def _group(group: Group, on: Paper) -> list[Line]:
    lines = _many([(clean(each.name), each.cost.usd) for each in group.sessions], on)
    added = [each.lines_added for each in group.sessions if each.lines_added is not None]
    removed = [each.lines_removed for each in group.sessions if each.lines_removed is not None]
    used: Counter[str] = Counter()
    for each in group.sessions:
        used.update(each.tools_used)
    facts = [_changes(sum(added), sum(removed), on)] if added or removed else []
    facts += _tools(dict(used), on)
    return [*lines, *([[]] if facts else []), *facts]


def _many(named: list[tuple[str, float | None]], on: Paper) -> list[Line]:
    known = [(name, usd) for name, usd in named if usd is not None]
    if not known:
        return [[(present.UNKNOWN, "faint")]]
    total = sum(usd for _, usd in known)
    return [[(present.money(total), "strong")], [], *_listed(known, on)]


def _listed(named: Iterable[tuple[str, float | None]], on: Paper) -> list[Line]:
    """The dearest first."""
    ranked = sorted(named, key=lambda each: -(each[1] or 0))
    lines = [
        present.spread([(name, "plain")], [(f"  {present.money(usd)}", "plain")], on.width)
        for name, usd in ranked[:ROWS]
    ]
    if len(ranked) > ROWS:
        lines.append([(f"+{len(ranked) - ROWS} more", "faint")])
    return lines
