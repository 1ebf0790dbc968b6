"""The cost pane: USD in total, by model, agent and kind of token; cost per hour; time, lines, tools."""

from collections import Counter
from collections.abc import Iterable

from atm_tui.cost.usage import estimate_hourly_cost
from atm_tui.model.costs import sum_costs
from atm_tui.model.session import Agent, Cost, Liveness, Session
from atm_tui.model.tokens import Tokens
from atm_tui.text import clean, fit_width, format_age, format_count, format_money, format_tokens, wrap_text
from atm_tui.view import present
from atm_tui.view.limits_text import describe_window
from atm_tui.view.pane import READING, Line, RenderContext
from atm_tui.view.subject import AgentIn, DoneAgents, Group, Subject

ROWS = 5
"""Sessions, agents or models to list."""
KINDS = {
    "input": "input",
    "output": "output",
    "cache_write_5m": "cache write 5m",
    "cache_write_1h": "cache write 1h",
    "cache_read": "cache read",
}
"""Names of the kinds of tokens; a cache write is kept for 5 minutes or 1 hour."""
FIGURES = 16
"""Width in cells of tokens and USD beside a kind."""

Named = tuple[str, float | None]


def write(subject: Subject, context: RenderContext) -> list[Line]:
    """Writes the lines of the pane."""
    match subject:
        case Session():
            return _write_session(subject, context)
        case AgentIn(_, agent):
            return _join_sections(
                _write_total(agent.cost, context),
                write_kinds(agent.cost.tokens or agent.tokens, agent.cost.by_kind, context),
            )
        case DoneAgents(_, agents):
            return _join_sections(
                _write_sum([each.cost for each in agents], context), _write_ranked(_sum_costs_by_name(agents), context)
            )
        case Group():
            return _write_group(subject, context)
        case _:
            return []


def _join_sections(*sections: list[Line]) -> list[Line]:
    """Joins sections with an empty line between them; those without lines are left out."""
    lines: list[Line] = []
    for section in sections:
        if section:
            lines += [*([[]] if lines else []), *section]
    return lines


def _write_total(cost: Cost, context: RenderContext, rate: float = 0.0, budget: float = 0.0) -> list[Line]:
    """Writes the sum with its source and the cost per hour; then budget, unpriced tokens and disagreement."""
    over = budget > 0 and cost.usd is not None and cost.usd >= budget
    if cost.is_pending:
        return [[(READING, "muted")]]
    total: Line = [(format_money(cost.usd), "faint" if cost.usd is None else "needs" if over else "strong")]
    if rate >= 0.005:
        total.append((f"   {format_money(rate)} an hour", "plain"))
    lines = [context.add_remark(total, clean(cost.source)) if cost.source and cost.usd is not None else total]
    if over:
        lines.append([(f"over your budget of {format_money(budget)}", "needs")])
    if cost.inherited_usd:
        inherited = f"+ {format_money(cost.inherited_usd)} inherited, counted for the session that was forked"
        lines += [[(text, "muted")] for text in wrap_text(inherited, context.width, 2)]
    if cost.unpriced_tokens:
        lines.append([(f"+ {format_tokens(cost.unpriced_tokens)} tokens without a known price", "needs")])
    if cost.disagrees:
        lines += [[(text, "muted")] for text in wrap_text(clean(cost.disagrees), context.width, 5)]
    return lines


def _write_session(session: Session, context: RenderContext) -> list[Line]:
    cost = session.cost
    facts: list[Line] = []
    if session.duration is not None:
        facts.append(
            context.write_pair("time", f"{format_age(session.duration)} · {format_count(session.turns, 'turn')}")
        )
    if session.lines_added is not None or session.lines_removed is not None:
        facts.append(_write_changes(session.lines_added or 0, session.lines_removed or 0, context))
    return _join_sections(
        _write_total(cost, context, _sum_cost_per_hour([session], context), context.budget),
        _write_limits([session], context),
        _write_ranked(_list_costs_by_agent(session), context),
        _write_ranked([(present.shorten_model(name), usd) for name, usd in cost.by_model.items()], context),
        write_kinds(cost.tokens, cost.by_kind, context),
        [*facts, *_write_tools(session.tools_used, context)],
    )


def _sum_cost_per_hour(sessions: Iterable[Session], context: RenderContext) -> float:
    """Returns the USD per hour of live sessions, as of the last full minute, so that the figure does not flicker."""
    now = context.now // 60 * 60
    live = [each for each in sessions if each.liveness is Liveness.LIVE]
    return sum(estimate_hourly_cost(each.cost.recent, now, each.started_at) for each in live)


def _write_limits(sessions: Iterable[Session], context: RenderContext) -> list[Line]:
    """Writes the rate limits of the accounts of live sessions, and when they will be reached."""
    folders = {each.config_dir or "" for each in sessions if each.liveness is Liveness.LIVE}
    return [
        line
        for account in context.accounts
        if account.config_dir in folders
        for name, window in account.windows
        for line in context.write_text(name, describe_window(window, context.now), 2)
    ]


def _list_costs_by_agent(session: Session) -> list[Named]:
    """Returns the costs of the main thread and of each agent; empty when there are no agents."""
    agents = _sum_costs_by_name(session.agents)
    known = {each.agent_id for each in session.agents}
    agents += [(clean(key)[:8], usd) for key, usd in session.cost.by_agent.items() if key and key not in known]
    main = session.cost.by_agent.get("")
    return [*([("main", main)] if main is not None else []), *agents] if agents else []


def _sum_costs_by_name(agents: Iterable[Agent]) -> list[Named]:
    """Sums the costs of agents by name, with their number where several share it."""
    costs: dict[str, list[float]] = {}
    for each in agents:
        if each.cost.usd is not None:
            costs.setdefault(present.get_agent_name(each), []).append(each.cost.usd)
    return [(f"{len(usd)} {name}" if len(usd) > 1 else name, sum(usd)) for name, usd in costs.items()]


def write_kinds(tokens: Tokens | None, costs: dict[str, float], context: RenderContext) -> list[Line]:
    """Writes the tokens and USD of each kind that was used, and the cost of web searches."""
    if tokens is None:
        return []
    lines = []
    for kind, words in KINDS.items():
        if number := getattr(tokens, kind):
            usd = format_money(costs[kind]) if kind in costs else ""
            figures = fit_width(format_tokens(number), 6, right=True) + fit_width(usd, FIGURES - 6, right=True)
            lines.append(present.spread([(words, "faint")], [(figures, "plain")], context.width))
    if searches := costs.get("web_search"):
        lines.append(present.spread([("web searches", "faint")], [(format_money(searches), "plain")], context.width))
    return lines


def _write_changes(added: int, removed: int, context: RenderContext) -> Line:
    return [*context.write_pair("lines", f"+{added:,}", "finished"), (f"  -{removed:,}", "muted")]


def _write_tools(used: dict[str, int], context: RenderContext) -> list[Line]:
    ranked = sorted(used.items(), key=lambda each: (-each[1], each[0]))
    # A no-break space keeps a name and its number on one line.
    return context.write_text("tools", ", ".join(f"{clean(name)}\xa0{number}" for name, number in ranked), 3)


def _write_group(group: Group, context: RenderContext) -> list[Line]:
    sessions = group.sessions
    costs = [each.cost for each in sessions]
    models: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    used: Counter[str] = Counter()
    for each in sessions:
        models.update({present.shorten_model(name): usd for name, usd in each.cost.by_model.items()})
        kinds.update(each.cost.by_kind)
        used.update(each.tools_used)
    added = [each.lines_added for each in sessions if each.lines_added is not None]
    removed = [each.lines_removed for each in sessions if each.lines_removed is not None]
    counted = [each.tokens for each in costs if each.tokens]
    return _join_sections(
        _write_sum(costs, context, _sum_cost_per_hour(sessions, context)),
        _write_limits(sessions, context),
        _write_ranked([(clean(each.name), each.cost.usd) for each in sessions if each.cost.usd is not None], context),
        _write_ranked(list(models.items()), context),
        write_kinds(sum(counted, Tokens()) if counted else None, dict(kinds), context),
        [
            *([_write_changes(sum(added), sum(removed), context)] if added or removed else []),
            *_write_tools(dict(used), context),
        ],
    )


def _write_sum(costs: list[Cost], context: RenderContext, rate: float = 0.0) -> list[Line]:
    """Writes the sum of several costs."""
    unpriced = sum(each.unpriced_tokens for each in costs)
    inherited = sum(each.inherited_usd or 0.0 for each in costs) or None
    return _write_total(
        Cost(usd=sum_costs(each.usd for each in costs), unpriced_tokens=unpriced, inherited_usd=inherited),
        context,
        rate,
    )


def _write_ranked(named: Iterable[Named], context: RenderContext) -> list[Line]:
    """Writes a line for each cost, the most expensive first."""
    ranked = sorted(named, key=lambda each: -(each[1] or 0))
    lines = [
        present.spread([(name, "plain")], [(f"  {format_money(usd)}", "plain")], context.width)
        for name, usd in ranked[:ROWS]
    ]
    if len(ranked) > ROWS:
        rest = sum(usd or 0.0 for _, usd in ranked[ROWS:])
        more = f"+{len(ranked) - ROWS} more"
        lines.append(present.spread([(more, "faint")], [(f"  {format_money(rest)}", "muted")], context.width))
    return lines
