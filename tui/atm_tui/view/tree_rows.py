"""Builds the rows of the tree from the fleet: order, nesting, folds, closed sessions. Independent of widths."""

import heapq
from collections.abc import Collection, Iterable, Mapping

import msgspec

from atm_tui.model.costs import sum_costs
from atm_tui.model.fleet import Fleet
from atm_tui.model.machine import LinkState, Machine
from atm_tui.model.session import Liveness, Session, Unreadable
from atm_tui.model.sorting import Groups
from atm_tui.text import clean, format_count
from atm_tui.view.machine_rows import MACHINE_INDENT, place_below_machines, write_machine_row
from atm_tui.view.present import Glyphs, choose_session_glyph, write_session_status
from atm_tui.view.project_rows import ProjectBuilder, ProjectRows
from atm_tui.view.row import CLOSED, OLDER, Row, RowId

MOST_CLOSED = 500
"""Number of closed sessions that are listed, those that ended last."""


class TreeRows(msgspec.Struct, frozen=True, gc=False):
    """The rows in order, and when they change next without a change of the fleet."""

    rows: tuple[Row, ...] = ()
    holds: bool = False
    """Whether a row stays in its place only because it is selected."""
    due: float | None = None
    """Epoch seconds at which the next session or agent moves because it ended a while ago; None: never."""


class _Section(msgspec.Struct, frozen=True, gc=False):
    """The rows of one machine, or of all projects where there is but one, and what they were built from."""

    machine: Machine | None
    groups: Groups
    built_at: float
    rows: tuple[Row, ...]
    closed: tuple[Session, ...]
    """The sessions that belong under "recently closed"."""
    holds: bool
    due: float | None
    """As in TreeRows; with a link that is not live, a second from then."""

    def is_current(self, machine: Machine | None, groups: Groups, now: float) -> bool:
        is_due = now < self.built_at or (self.due is not None and self.due <= now)
        is_same = self.machine == machine and len(self.groups) == len(groups) and not is_due
        return is_same and all(old[1] is new[1] for old, new in zip(self.groups, groups, strict=True))


class TreeBuilder:
    """Builds tree rows; caches those of sessions, projects and machines that did not change."""

    def __init__(self, glyphs: Glyphs, closed_after: float, home: str, budget: float = 0.0) -> None:
        """`budget`: USD that a session may cost; 0: no limit."""
        self._glyphs = glyphs
        self._builder = ProjectBuilder(glyphs, closed_after, home, budget)
        self._closed: list[Session] = []
        """The sessions that were below "recently closed" in the last `build`."""
        self._projects: dict[str, dict[str, ProjectRows]] = {}
        """By name of the machine, then by root: the last built rows of each project."""
        self._sections: dict[str, _Section] = {}
        """By name of the machine."""
        self._given: tuple[object, ...] = ()
        """Of what all sections were built besides."""
        self._gaps: dict[RowId, Row] = {}
        """The empty lines by the ids of the rows below them: always the same ones, so that no list differs by them."""

    def forget(self, session_ids: Iterable[str]) -> None:
        """Drops the cached rows of sessions that are gone."""
        self._builder.session_rows.forget(session_ids)

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
        owner = fleet.sessions.get(held_session) if held_session is not None else None
        if owner is not None and owner.liveness is not Liveness.LIVE:
            was_closed = any(each.session_id == held_session for each in self._closed)
            held_session = None if was_closed else held_session
        folds = frozenset(toggled)
        level = MACHINE_INDENT if fleet.machines else ""
        if level != self._builder.level:
            self._builder.level, self._projects, self._sections = level, {}, {}
        projects, self._projects = self._projects, {}
        given = (folds, spaced)
        sections, self._sections = (self._sections if given == self._given else {}), {}
        self._given = given
        rows: list[Row] = []
        closed: list[Session] = []
        holds = False
        due: list[float] = []
        for head, members in place_below_machines(fleet, fleet.group_by_project() if groups is None else groups, whole):
            name = head.name if head is not None else ""
            section = sections.get(name)
            is_held = owner is not None and (head is None or owner.machine == name)
            if is_held or section is None or section.holds or not section.is_current(head, members, now):
                root = owner.root if owner is not None else None
                before = projects.get(name, {})
                section = self._build_section(
                    head, members, now, folds, held, held_session, root, before, spaced=spaced
                )
            else:
                self._projects[name] = projects[name]
            if not is_held:  # the rows around the selected one depend on it
                self._sections[name] = section
            if section.rows:
                rows += [self._make_gap(section.rows[0]), *section.rows] if spaced and rows else section.rows
            closed += section.closed
            holds |= section.holds
            due += [section.due] if section.due is not None else []
        rows += [self._build_unreadable(each) for each in fleet.unreadable if whole]
        over = self._build_closed(closed, toggled, owner, fleet.older if whole else 0)
        rows += [self._make_gap(over[0]), *over] if spaced and rows and over else over
        self._closed = closed
        return TreeRows(tuple(rows), holds, min(due, default=None))

    def _build_section(
        self,
        machine: Machine | None,
        groups: Groups,
        now: float,
        folds: frozenset[RowId],
        held: RowId | None,
        held_session: str | None,
        held_root: str | None,
        before: Mapping[str, ProjectRows],
        *,
        spaced: bool,
    ) -> _Section:
        """Builds the rows of a machine.

        `held_root`: the root of the project with the selected row; `before`: the rows of its projects before.
        """
        found = []
        kept = self._projects[machine.name if machine is not None else ""] = {}
        for project, sessions in groups:
            root = sessions[0].root
            built = before.get(root)
            is_held = root == held_root
            if is_held or built is None or built.holds or not built.is_current(sessions, folds, now):
                known = None if is_held or built is None or built.holds else built
                built = self._builder.build(project, sessions, now, folds, held, held_session, known)
            if not is_held:  # the rows around the selected one depend on it
                kept[root] = built
            found.append(built)
        rows: list[Row] = []
        due = [each.due for each in found if each.due is not None]
        is_folded = False
        if machine is not None:
            row = write_machine_row(machine, found, self._glyphs, now, folded=("machine", machine.name) in folds)
            rows.append(row)
            is_folded = bool(row.folded)
            due += [now + 1.0] if machine.link is not LinkState.LIVE else []
        for each in found if not is_folded else ():
            if each.rows:
                is_first = not rows or rows[-1].id[0] == "machine"
                rows += [self._make_gap(each.rows[0]), *each.rows] if spaced and not is_first else each.rows
        closed = tuple([session for each in found for session in each.closed])
        holds = any(each.holds for each in found)
        return _Section(machine, groups, now, tuple(rows), closed, holds, min(due, default=None))

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

    def _build_closed(
        self, sessions: list[Session], toggled: Collection[RowId], held: Session | None, counted: int
    ) -> list[Row]:
        """Builds the rows of the newest closed sessions, and of the one that is selected. `counted`: those that the fleet lacks."""
        if not sessions:
            return []
        folded = CLOSED in toggled
        head = Row(
            id=CLOSED,
            parent=None,
            indent="",
            folded=folded,
            glyph=None,
            name=("recently closed", "muted"),
            note=(format_count(len(sessions) + counted, "session"), "faint") if folded else ("", "faint"),
            cost=sum_costs(each.cost.usd for each in sessions),
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
        return [*rows, self._build_older(older, counted)] if older or counted else rows

    def _build_older(self, listed: int, counted: int) -> Row:
        """`listed`: those that the fleet has; `counted`: those that it lacks, so that no filter finds them."""
        return Row(
            id=OLDER,
            parent=CLOSED,
            indent="  ",
            folded=None,
            glyph=None,
            name=(f"+{listed + counted:,} older", "muted"),
            words=((f"the history lists them{'' if counted else ', and a filter finds them'}", "faint"),),
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

    def _make_gap(self, row: Row) -> Row:
        if (gap := self._gaps.get(row.id)) is None:
            gap = self._gaps[row.id] = Row(
                id=("gap", *row.id), parent=None, indent="", folded=None, glyph=None, name=("", "plain"), has_cost=False
            )
        return gap
