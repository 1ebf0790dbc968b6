"""Builds the rows of the tree from the fleet: order, nesting, folds, closed sessions. Independent of widths."""

import heapq
from collections.abc import Collection, Iterable, Iterator

import msgspec

from atm_tui.model.board import is_waiting
from atm_tui.model.fleet import Fleet
from atm_tui.model.machine import LinkState
from atm_tui.model.session import OVER, Liveness, Project, Session, Unreadable
from atm_tui.model.sorting import Groups
from atm_tui.model.task_list import find_current_task
from atm_tui.text import clean, format_count
from atm_tui.view.machine_rows import MACHINE_INDENT, place_below_machines, write_machine_row
from atm_tui.view.present import Glyphs, Part, choose_session_glyph, write_session_status
from atm_tui.view.present import shorten_path as short_path
from atm_tui.view.row import CLOSED, OLDER, Row, RowId
from atm_tui.view.session_rows import SESSION_INDENT, RowPlace, SessionRows
from atm_tui.view.urgency import describe_most_urgent

MOST_CLOSED = 500
"""Number of closed sessions that are listed, those that ended last."""


class TreeRows(msgspec.Struct, frozen=True):
    """The rows in order, and when they change next without a change of the fleet."""

    rows: tuple[Row, ...] = ()
    holds: bool = False
    """Whether a row stays in its place only because it is selected."""
    due: float | None = None
    """Epoch seconds at which the next session or agent moves because it ended a while ago; None: never."""


class _ProjectRows(msgspec.Struct, frozen=True):
    """The rows of one project, and what they were built from."""

    sessions: tuple[Session, ...]
    toggled: frozenset[RowId]
    built_at: float
    rows: tuple[Row, ...]
    closed: tuple[Session, ...]
    """The sessions that belong under "recently closed"."""
    holds: bool
    due: float | None
    """As in TreeRows."""

    def is_current(self, sessions: tuple[Session, ...], toggled: frozenset[RowId], now: float) -> bool:
        is_due = now < self.built_at or (self.due is not None and self.due <= now)
        return self.sessions is sessions and not is_due and self.toggled == toggled


class TreeBuilder:
    """Builds tree rows; caches those of sessions that did not change."""

    def __init__(self, glyphs: Glyphs, closed_after: float, home: str, budget: float = 0.0) -> None:
        """`budget`: USD that a session may cost; 0: no limit."""
        self._glyphs = glyphs
        self._closed_after = closed_after
        self._home = home
        self._session_rows = SessionRows(glyphs, closed_after, budget)
        self._closed: list[Session] = []
        """The sessions that were below "recently closed" in the last `build`."""
        self._projects: dict[str, _ProjectRows] = {}
        """By root: the last built rows of each project."""
        self._level = ""
        """What stands before the rows of projects: they are below their machines when there is more than one."""

    def forget(self, session_ids: Iterable[str]) -> None:
        """Drops the cached rows of sessions that are gone."""
        self._session_rows.forget(session_ids)

    def build(
        self,
        fleet: Fleet,
        now: float,
        toggled: Collection[RowId],
        held: RowId | None,
        *,
        spaced: bool = False,
        groups: Groups | None = None,
        whole: bool = True,
    ) -> TreeRows:
        """Builds the rows of a fleet, or of some `groups` of its sessions; unreadable files are shown only with the `whole` fleet.

        `toggled`: ids whose fold differs from the default. `held`: the selected row; its session and agent stay in place even
        after they ended, so that no row moves under the cursor. `spaced`: whether there is an empty line before each group.
        """
        held_session = held[1] if held and held[0] in {"session", "agent", "done"} else None
        rows: list[Row] = []
        closed: list[Session] = []
        holds = False
        due: list[float] = []
        before, self._projects, folds = self._projects, {}, frozenset(toggled)
        owner = fleet.sessions.get(held_session) if held_session is not None else None
        if owner is not None and owner.liveness is not Liveness.LIVE:
            was_closed = any(each.session_id == held_session for each in self._closed)
            held_session = None if was_closed else held_session
        held_root = None if owner is None else owner.root
        level = MACHINE_INDENT if fleet.machines else ""
        if level != self._level:
            self._level, before = level, {}
        for head, members in place_below_machines(fleet, fleet.group_by_project() if groups is None else groups, whole):
            is_folded = False
            if head is not None:
                row = write_machine_row(head, members, self._glyphs, now, folded=("machine", head.name) in folds)
                rows += [_make_gap(row), row] if spaced and rows else [row]
                is_folded = bool(row.folded)
                due += [now + 1.0] if head.link is not LinkState.LIVE else []
            for project, sessions in members:
                root = sessions[0].root
                built = before.get(root)
                is_held = root == held_root
                if is_held or built is None or built.holds or not built.is_current(sessions, folds, now):
                    built = self._build_sessions(project, sessions, now, folds, held, held_session)
                if not is_held:  # the rows around the selected one depend on it
                    self._projects[root] = built
                if built.rows and not is_folded:
                    is_first = not rows or rows[-1].id[0] == "machine"
                    rows += [_make_gap(built.rows[0]), *built.rows] if spaced and not is_first else built.rows
                closed += built.closed
                holds |= built.holds
                due += [built.due] if built.due is not None else []
        rows += [self._build_unreadable(each) for each in fleet.unreadable if whole]
        over = self._build_closed(closed, toggled, owner)
        rows += [_make_gap(over[0]), *over] if spaced and rows and over else over
        self._closed = closed
        return TreeRows(tuple(rows), holds, min(due, default=None))

    def _build_sessions(
        self,
        project: Project,
        sessions: tuple[Session, ...],
        now: float,
        toggled: frozenset[RowId],
        held: RowId | None,
        held_session: str | None,
    ) -> _ProjectRows:
        here: list[Session] = []
        closed: list[Session] = []
        rows: list[Row] = []
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
        if here:
            head = self._build_project(project, here, toggled)
            rows.append(head)
            if not head.folded:
                for session, place in self._place_sessions(here, head.id, toggled):
                    rows += self._session_rows.build(session, place, now, toggled, held)
                    due += self._session_rows.find_due_times(session)
        return _ProjectRows(sessions, toggled, now, tuple(rows), tuple(closed), holds, min(due, default=None))

    def _place_sessions(
        self, sessions: list[Session], project: RowId, toggled: Collection[RowId]
    ) -> Iterator[tuple[Session, RowPlace]]:
        """Yields sessions with their places: teammates below their lead, unless it is folded; all others below the project."""
        teams = _group_by_lead(sessions)
        teammates = {each.session_id for team in teams.values() for each in team}
        for session in sessions:
            if session.session_id in teammates:
                continue
            team = teams.get(session.session_id, [])
            row_id: RowId = ("session", session.session_id)
            hidden: tuple[Part, ...] = ()
            if row_id in toggled and any(is_waiting(each) for each in team):
                hidden = (*describe_most_urgent(team, self._glyphs), (" · ", "muted"))
            indent = self._level + SESSION_INDENT
            place = RowPlace(project, indent, f"{indent}  ", leads=bool(team), hidden=hidden)
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

    def _build_project(self, project: Project, sessions: list[Session], toggled: Collection[RowId]) -> Row:
        row_id: RowId = ("project", sessions[0].root)
        folded = row_id in toggled
        costs = [session.cost.usd for session in sessions if session.cost.usd is not None]
        name = project.name.removeprefix(f"{sessions[0].machine}:")
        return Row(
            id=row_id,
            parent=("machine", sessions[0].machine) if self._level else None,
            indent=self._level,
            folded=folded,
            glyph=None,
            name=(clean(name) or short_path(row_id[1], self._home) or "no folder", "strong"),
            note=(format_count(len(sessions), "session"), "muted") if folded else ("", "muted"),
            words=describe_most_urgent(sessions, self._glyphs) if folded else (),
            cost=sum(costs) if costs else None,
        )

    def _build_unreadable(self, broken: Unreadable) -> Row:
        return Row(
            id=("unreadable", broken.path),
            parent=None,
            indent="  ",
            folded=None,
            glyph=(self._glyphs.warning, "needs"),
            name=(clean(broken.path.rsplit("/", 1)[-1]), "plain"),
            words=(("unreadable ", "needs"), (clean(broken.problem), "muted")),
            spans=True,
        )

    def _build_closed(self, sessions: list[Session], toggled: Collection[RowId], held: Session | None) -> list[Row]:
        """Builds the rows of the newest closed sessions, and of the one that is selected."""
        if not sessions:
            return []
        folded = CLOSED in toggled
        costs = [session.cost.usd for session in sessions if session.cost.usd is not None]
        head = Row(
            id=CLOSED,
            parent=None,
            indent="",
            folded=folded,
            glyph=None,
            name=("recently closed", "muted"),
            note=(format_count(len(sessions), "session"), "faint") if folded else ("", "faint"),
            cost=sum(costs) if costs else None,
        )
        if folded:
            return [head]
        newest = heapq.nsmallest(
            MOST_CLOSED, sessions, key=lambda each: (-(each.ended_at or each.since), each.session_id)
        )
        older = len(sessions) - len(newest)
        if older and held in sessions and held not in newest:
            newest.append(held)
            older -= 1
        rows = [head, *map(self._build_closed_session, newest)]
        return [*rows, self._build_older(older)] if older else rows

    def _build_older(self, count: int) -> Row:
        return Row(
            id=OLDER,
            parent=CLOSED,
            indent="  ",
            folded=None,
            glyph=None,
            name=(f"+{count:,} older", "muted"),
            words=(("a filter finds them, and the history lists them", "faint"),),
            spans=True,
            has_cost=False,
        )

    def _build_closed_session(self, session: Session) -> Row:
        return Row(
            id=("session", session.session_id),
            parent=CLOSED,
            indent="  ",
            folded=None,
            glyph=choose_session_glyph(session, self._glyphs),
            name=(clean(session.name), "muted"),
            note=(clean(session.project.name), "faint"),
            words=tuple(write_session_status(session, self._glyphs)),
            context=session.context,
            cost=session.cost.usd,
            since=session.ended_at if session.ended_at is not None else session.since,
        )


def _group_by_lead(sessions: list[Session]) -> dict[str, list[Session]]:
    """Returns the teammates of each session that leads any of the others, by its id. A teammate leads nobody."""
    members = [(each, each.membership) for each in sessions if each.membership is not None]
    leads = [each.session_id for each in sessions if each.membership is None] if members else []
    found = {lead: [each for each, member in members if member.is_of(lead)] for lead in leads}
    return {lead: team for lead, team in found.items() if team}


def _make_gap(row: Row) -> Row:
    return Row(id=("gap", *row.id), parent=None, indent="", folded=None, glyph=None, name=("", "plain"), has_cost=False)
