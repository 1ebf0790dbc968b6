"""Builds the rows of one session: the session, its agents nested below their starters, and its done agents in one fold."""

from collections.abc import Collection, Iterable, Iterator

import msgspec

from atm_tui.model.board import is_active
from atm_tui.model.costs import sum_costs
from atm_tui.model.session import OVER, Agent, AgentState, Liveness, Session, State
from atm_tui.model.task_list import find_current_task
from atm_tui.text import clean
from atm_tui.view.present import (
    Glyphs,
    Part,
    choose_agent_glyph,
    choose_session_glyph,
    write_agent_name,
    write_agent_status,
    write_session_marks,
    write_session_name,
    write_session_status,
)
from atm_tui.view.row import Row, RowId

SESSION_INDENT = "  "


class RowPlace(msgspec.Struct, frozen=True, gc=False):
    """Where in the tree the row of a session stands."""

    parent: RowId
    indent: str = SESSION_INDENT
    guide: str = SESSION_INDENT + "  "
    """What stands before the rows below it."""
    leads: bool = False
    """Whether rows of its teammates follow, which are sessions of their own."""
    task: str = ""
    """What a teammate has in progress."""
    hidden: tuple[Part, ...] = ()
    """The state of the most urgent teammate whose row is folded away, if that needs you."""


class _CachedRows(msgspec.Struct, frozen=True, gc=False):
    session: Session
    rows: tuple[Row, ...]
    done: frozenset[str]
    folds: frozenset[RowId]
    place: RowPlace
    held: RowId | None
    """The agent of this session that is selected."""
    at: float
    ends: tuple[float, ...]
    """Times at which agents move into the fold, epoch seconds."""

    def is_current(self, now: float, place: RowPlace, folds: frozenset[RowId], held: RowId | None) -> bool:
        return (self.place, self.folds, self.held) == (place, folds, held) and (
            self.at <= now and not (self.ends and min(self.ends) <= now)
        )


def _shows_same_agents(old: Session, new: Session) -> bool:
    """Whether the rows of the agents are the same, unless something besides the session differs."""
    if old.is_silent is not new.is_silent or (old.waits, old.tasks) != (new.waits, new.tasks):
        return False
    return old.agents == new.agents or list(map(_get_shown, old.agents)) == list(map(_get_shown, new.agents))


def _get_shown(agent: Agent) -> tuple[object, ...]:
    """Returns all of an agent that its row depends on: its tokens and reply change more often."""
    return (
        agent.agent_id,
        agent.name,
        agent.kind,
        agent.color,
        agent.type,
        agent.description,
        agent.parent,
        agent.state,
        agent.activity,
        agent.since,
        agent.ended_at,
        agent.context,
        agent.cost.usd,
    )


def _group_by_starter(agents: list[Agent]) -> dict[str | None, list[Agent]]:
    """Groups agents by their starter; None: agents whose starter is not among them, or that started each other."""
    parents = {each.agent_id: each.parent for each in agents}

    def find_starter(agent_id: str) -> str | None:
        seen = {agent_id}
        above = parents[agent_id]
        while above in parents:
            if above in seen:
                return None
            seen.add(above)
            above = parents[above]
        return parents[agent_id] if parents[agent_id] in parents else None

    children: dict[str | None, list[Agent]] = {}
    for each in agents:
        children.setdefault(find_starter(each.agent_id), []).append(each)
    return children


class SessionRows:
    """Builds the rows of a session, and caches them until something that they show changes."""

    def __init__(self, glyphs: Glyphs, done_after: float, budget: float = 0.0) -> None:
        self._glyphs = glyphs
        self._budget = budget
        self._done_after = done_after
        self._cached: dict[str, _CachedRows] = {}
        self._done: dict[str, frozenset[str]] = {}

    def forget(self, session_ids: Iterable[str]) -> None:
        """Drops the cached rows of sessions that are gone."""
        for session_id in session_ids:
            self._cached.pop(session_id, None)

    def find_due_times(self, session: Session) -> tuple[float, ...]:
        """Returns the times (epoch seconds) at which agents of a session move into the fold of done agents."""
        return self._cached[session.session_id].ends

    def build(
        self, session: Session, place: RowPlace, now: float, toggled: Collection[RowId], held: RowId | None
    ) -> tuple[Row, ...]:
        """Returns the row of the session and, unless it is folded, those of its agents."""
        key = session.session_id
        folds = frozenset(each for each in toggled if key in each)
        held = held if held and held[:2] == ("agent", key) else None
        cached = self._cached.get(key)
        if cached is None or cached.session is not session or not cached.is_current(now, place, folds, held):
            done = self._done[key] = self._find_done(session, now, held)
            known = cached if cached and (cached.done, cached.folds, cached.place) == (done, folds, place) else None
            if known and known.session is session:
                rows = known.rows
            else:
                below = known.rows[1:] if known and _shows_same_agents(known.session, session) else None
                rows = tuple(self._build(session, place, done, folds, below))
            ends = (each.ended_at + self._done_after for each in session.agents if each.state in OVER and each.ended_at)
            cached = self._cached[key] = _CachedRows(
                session, rows, done, folds, place, held, now, tuple(end for end in ends if end > now)
            )
        return cached.rows

    def _find_done(self, session: Session, now: float, held: RowId | None) -> frozenset[str]:
        """Returns the agents to fold: done for long enough, without working agents below them, and not selected."""
        before = self._done.get(session.session_id, frozenset())
        stay = {held[2]} - before if held else set()
        stay |= {each.agent_id for each in session.agents if each.state not in OVER}
        stay |= {each.agent_id for each in session.agents if (each.ended_at or 0.0) + self._done_after > now}
        parents = {each.agent_id: each.parent for each in session.agents}
        done = set(parents)
        for agent_id in stay:
            each: str | None = agent_id
            while each in done:
                done.remove(each)
                each = parents[each]
        return frozenset(done)

    def _build(
        self,
        session: Session,
        place: RowPlace,
        done: frozenset[str],
        folds: frozenset[RowId],
        below: tuple[Row, ...] | None,
    ) -> Iterator[Row]:
        """Yields the rows. `below`: those of the agents, if they are known."""
        row_id: RowId = ("session", session.session_id)
        folded = row_id in folds if session.agents or place.leads else None
        live = session.liveness is Liveness.LIVE
        quiet = not live or (session.state is State.IDLE and not session.unseen)
        yield Row(
            id=row_id,
            parent=place.parent,
            indent=place.indent,
            folded=folded,
            glyph=choose_session_glyph(session, self._glyphs),
            name=write_session_name(session, "muted" if quiet else "plain"),
            note=(clean(place.task or session.project.branch or ""), "muted"),
            words=(*place.hidden, *write_session_status(session, self._glyphs), *write_session_marks(session)),
            context=session.context,
            cost=session.cost.usd,
            cost_is_pending=session.cost.is_pending,
            over_budget=session.cost.usd is not None and 0 < self._budget <= session.cost.usd,
            since=session.since if live else session.ended_at,
            counts_seconds=is_active(session),
            is_old=session.is_silent,
        )
        if below is not None:
            yield from below
        elif folded is False:
            for row in self._build_agent_rows(session, place, done, folds):
                yield msgspec.structs.replace(row, is_old=True) if session.is_silent else row

    def _build_agent_rows(
        self, session: Session, place: RowPlace, done: frozenset[str], folds: frozenset[RowId]
    ) -> Iterator[Row]:
        shown = [each for each in session.agents if each.agent_id not in done]
        hidden = [each for each in session.agents if each.agent_id in done]
        above: RowId = ("session", session.session_id)
        guide = place.guide
        children = _group_by_starter(shown)
        yield from self._nest_agents(session, children, above, guide, folds, more=bool(hidden) or place.leads)
        if hidden:
            row_id: RowId = ("done", session.session_id)
            open_ = row_id in folds
            branch = self._choose_branch(last=not place.leads)
            yield self._build_done_row(hidden, row_id, above, guide + branch, folded=not open_)
            if open_:
                below = guide + (self._glyphs.pipe if place.leads else " ") + " "
                children = _group_by_starter(hidden)
                yield from self._nest_agents(session, children, row_id, below, folds, more=False)

    def _build_done_row(self, agents: list[Agent], row_id: RowId, parent: RowId, indent: str, *, folded: bool) -> Row:
        failed = sum(each.state is AgentState.FAILED for each in agents)
        return Row(
            id=row_id,
            parent=parent,
            indent=indent,
            folded=folded,
            glyph=(self._glyphs.finished, "faint"),
            name=(f"{len(agents)} done", "muted"),
            words=((f"{failed} failed", "error"),) if failed else (),
            cost=sum_costs(each.cost.usd for each in agents),
        )

    def _nest_agents(
        self,
        session: Session,
        children: dict[str | None, list[Agent]],
        parent: RowId,
        guide: str,
        folds: frozenset[RowId],
        *,
        more: bool,
        of: str | None = None,
    ) -> Iterator[Row]:
        """Yields the rows of the agents that `of` started as a tree below `parent`; None starts those at the top level."""
        members = children.get(of, [])
        for position, each in enumerate(members):
            last = position == len(members) - 1 and not more
            row_id: RowId = ("agent", session.session_id, each.agent_id)
            folded = row_id in folds if children.get(each.agent_id) else None
            yield self._build_agent_row(session, each, row_id, parent, guide + self._choose_branch(last=last), folded)
            if not folded:
                below = guide + (" " if last else self._glyphs.pipe) + " "
                yield from self._nest_agents(session, children, row_id, below, folds, more=False, of=each.agent_id)

    def _choose_branch(self, *, last: bool) -> str:
        return self._glyphs.last_branch if last else self._glyphs.branch

    def _build_agent_row(
        self, session: Session, agent: Agent, row_id: RowId, parent: RowId, indent: str, folded: bool | None
    ) -> Row:
        needs = agent.state is AgentState.NEEDS_YOU
        done = agent.state in OVER
        task = find_current_task(session.tasks, agent.name) if agent.kind == "teammate" else None
        return Row(
            id=row_id,
            parent=parent,
            indent=indent,
            folded=folded,
            glyph=choose_agent_glyph(agent, self._glyphs),
            name=write_agent_name(agent),
            note=(clean(task.subject if task else agent.description), "muted"),
            words=tuple(write_agent_status(agent, session.waits)),
            context=agent.context,
            cost=agent.cost.usd,
            since=agent.ended_at if done and agent.ended_at else agent.since,
            counts_seconds=needs or agent.state is AgentState.WORKING,
        )
