"""Builds the rows of one project in the tree: its head, and the sessions below it. Only what changed is built anew."""

from collections.abc import Collection, Iterator

import msgspec

from atm_tui.model.board import is_waiting
from atm_tui.model.costs import sum_costs
from atm_tui.model.session import OVER, Liveness, Project, Session
from atm_tui.model.task_list import find_current_task
from atm_tui.text import clean, format_count
from atm_tui.view.present import Glyphs, Part
from atm_tui.view.present import shorten_path as short_path
from atm_tui.view.row import Row, RowId
from atm_tui.view.session_rows import SESSION_INDENT, RowPlace, SessionRows
from atm_tui.view.urgency import describe_most_urgent


class _Member(msgspec.Struct, frozen=True, gc=False):
    """A session that has its place by itself: it runs, and is in no team."""

    session: Session
    rows: tuple[Row, ...]
    ends: tuple[float, ...]
    """Times at which its agents move, epoch seconds."""


class ProjectRows(msgspec.Struct, frozen=True, gc=False):
    """The rows of one project, and what they were built from."""

    project: Project
    sessions: tuple[Session, ...]
    toggled: frozenset[RowId]
    built_at: float
    rows: tuple[Row, ...]
    closed: tuple[Session, ...]
    """The sessions that belong under "recently closed"."""
    holds: bool
    """Whether a row stays in its place only because it is selected."""
    due: float | None
    """Epoch seconds at which the next session or agent moves because it ended a while ago; None: never."""
    cost: float | None
    """USD of all its sessions, also the closed ones; None: unknown."""
    members: tuple[_Member, ...] = ()
    """All its sessions in order; empty if the rows of one depend on another session, or are folded away."""

    def is_current(self, sessions: tuple[Session, ...], toggled: frozenset[RowId], now: float) -> bool:
        """Whether these are the rows of `sessions` at `now` (epoch seconds)."""
        return self.sessions is sessions and not self.is_due(toggled, now)

    def is_due(self, toggled: frozenset[RowId], now: float) -> bool:
        """Whether any row may differ though no session does."""
        return now < self.built_at or (self.due is not None and self.due <= now) or self.toggled != toggled


class ProjectBuilder:
    """Builds the rows of projects; caches those of sessions that did not change."""

    def __init__(self, glyphs: Glyphs, closed_after: float, home: str, budget: float) -> None:
        self._glyphs = glyphs
        self._closed_after = closed_after
        self._home = home
        self.session_rows = SessionRows(glyphs, closed_after, budget)
        self.level = ""
        """What stands before the rows of projects: they are below their machines when there is more than one."""

    def build(
        self,
        project: Project,
        sessions: tuple[Session, ...],
        now: float,
        toggled: frozenset[RowId],
        held: RowId | None,
        held_session: str | None,
        before: ProjectRows | None,
    ) -> ProjectRows:
        """Returns the rows of a project. `before`: those of the same project before, None if the rows around the selected one
        differ; the other arguments are as in TreeBuilder.
        """
        if before is not None and before.members and not before.is_due(toggled, now):
            found = self._replace_changed(project, sessions, now, held, before)
            if found is not None:
                return found
        return self._build_whole(project, sessions, now, toggled, held, held_session)

    def _replace_changed(
        self, project: Project, sessions: tuple[Session, ...], now: float, held: RowId | None, before: ProjectRows
    ) -> ProjectRows | None:
        """Returns the rows with those of the sessions that differ replaced; None if others may depend on them."""
        if len(sessions) != len(before.members) or project != before.project:
            return None
        members = list(before.members)
        for at, session in enumerate(sessions):
            if session is members[at].session:
                continue
            if session.session_id != members[at].session.session_id or not _stands_alone(session):
                return None
            place = self._place(before.rows[0].id)
            members[at] = self._build_member(session, place, now, before.toggled, held)
        return self._join(project, sessions, members, before.rows[0], now, before.toggled)

    def _build_whole(
        self,
        project: Project,
        sessions: tuple[Session, ...],
        now: float,
        toggled: frozenset[RowId],
        held: RowId | None,
        held_session: str | None,
    ) -> ProjectRows:
        here: list[Session] = []
        closed: list[Session] = []
        holds = False
        due: list[float] = []
        for session in sessions:
            moves_at = self._find_move_time(session)
            stays = session.session_id == held_session
            if moves_at is not None and moves_at <= now and not stays:
                closed.append(session)
            else:
                holds |= stays and (moves_at is not None or any(each.state in OVER for each in session.agents))
                here.append(session)
                due += [moves_at] if moves_at is not None and moves_at > now else []
        rows: list[Row] = []
        if here:
            head = self._build_head(project, here, toggled)
            if not head.folded and not holds and all(map(_stands_alone, sessions)):
                place = self._place(head.id)
                members = [self._build_member(each, place, now, toggled, held) for each in sessions]
                return self._join(project, sessions, members, head, now, toggled)
            rows.append(head)
            if not head.folded:
                for session, place in self._place_sessions(here, head.id, toggled):
                    rows += self.session_rows.build(session, place, now, toggled, held)
                    due += self.session_rows.find_due_times(session)
        cost = sum_costs(each.cost.usd for each in sessions)
        next_due = min(due, default=None)
        return ProjectRows(project, sessions, toggled, now, tuple(rows), tuple(closed), holds, next_due, cost)

    def _build_member(
        self, session: Session, place: RowPlace, now: float, toggled: frozenset[RowId], held: RowId | None
    ) -> _Member:
        rows = self.session_rows.build(session, place, now, toggled, held)
        return _Member(session, rows, self.session_rows.find_due_times(session))

    def _join(
        self,
        project: Project,
        sessions: tuple[Session, ...],
        members: list[_Member],
        head: Row,
        now: float,
        toggled: frozenset[RowId],
    ) -> ProjectRows:
        cost = sum_costs(each.session.cost.usd for each in members)
        head = head if head.cost == cost else msgspec.structs.replace(head, cost=cost)
        rows = [head]
        for each in members:
            rows += each.rows
        due = min([end for each in members if each.ends for end in each.ends], default=None)
        return ProjectRows(project, sessions, toggled, now, tuple(rows), (), False, due, cost, tuple(members))

    def _place(self, head: RowId) -> RowPlace:
        indent = self.level + SESSION_INDENT
        return RowPlace(head, indent, f"{indent}  ")

    def _place_sessions(
        self, sessions: list[Session], project: RowId, toggled: Collection[RowId]
    ) -> Iterator[tuple[Session, RowPlace]]:
        """Yields sessions with their places: teammates below their lead, unless it is folded; all others below the project."""
        teams = _group_by_lead(sessions)
        teammates = {each.session_id for team in teams.values() for each in team}
        alone = self._place(project)
        for session in sessions:
            if session.session_id in teammates:
                continue
            team = teams.get(session.session_id, [])
            row_id: RowId = ("session", session.session_id)
            hidden: tuple[Part, ...] = ()
            if row_id in toggled and any(is_waiting(each) for each in team):
                hidden = (*describe_most_urgent(team, self._glyphs), (" · ", "muted"))
            place = msgspec.structs.replace(alone, leads=bool(team), hidden=hidden)
            yield session, place
            for each in team if row_id not in toggled else ():
                is_last = each is team[-1]
                branch, pipe = (self._glyphs.last_branch, " ") if is_last else (self._glyphs.branch, self._glyphs.pipe)
                task = find_current_task(session.tasks, each.membership.name if each.membership else "")
                yield (
                    each,
                    RowPlace(row_id, place.guide + branch, f"{place.guide}{pipe} ", task=task.subject if task else ""),
                )

    def _find_move_time(self, session: Session) -> float | None:
        """Returns when a session moves to "recently closed", epoch seconds: a lost one at once (0), a live one never (None)."""
        if session.liveness is Liveness.LIVE:
            return None
        if session.liveness is Liveness.LOST:
            return 0.0
        return (session.ended_at if session.ended_at is not None else session.since) + self._closed_after

    def _build_head(self, project: Project, sessions: list[Session], toggled: Collection[RowId]) -> Row:
        row_id: RowId = ("project", sessions[0].root)
        folded = row_id in toggled
        name = project.name.removeprefix(f"{sessions[0].machine}:")
        return Row(
            id=row_id,
            parent=("machine", sessions[0].machine) if self.level else None,
            indent=self.level,
            folded=folded,
            glyph=None,
            name=(clean(name) or short_path(row_id[1], self._home) or "no folder", "strong"),
            note=(format_count(len(sessions), "session"), "muted") if folded else ("", "muted"),
            words=describe_most_urgent(sessions, self._glyphs) if folded else (),
            cost=sum_costs(each.cost.usd for each in sessions),
        )


def _stands_alone(session: Session) -> bool:
    return session.liveness is Liveness.LIVE and session.membership is None


def _group_by_lead(sessions: list[Session]) -> dict[str, list[Session]]:
    """Returns the teammates of each session that leads any of the others, by its id. A teammate leads nobody."""
    members = [(each, each.membership) for each in sessions if each.membership is not None]
    leads = [each.session_id for each in sessions if each.membership is None] if members else []
    found = {lead: [each for each, member in members if member.is_of(lead)] for lead in leads}
    return {lead: team for lead, team in found.items() if team}
