"""The rows of a fleet: order, nesting, folds, closed sessions, and that nothing moves under the cursor."""

import random

import msgspec
import pytest

from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.elsewhere import adopt
from atm_tui.model.filter import parse_filter
from atm_tui.model.flags import SessionFlags
from atm_tui.model.fleet import Fleet
from atm_tui.model.host import Host
from atm_tui.model.machine import LinkState, Machine
from atm_tui.model.session import Agent, AgentState, Cost, Liveness, Project, Session, State, Unreadable
from atm_tui.model.team import Membership
from atm_tui.view.present import UNICODE
from atm_tui.view.row import CLOSED, OLDER, Row, RowId
from atm_tui.view.tree_rows import MOST_CLOSED, TreeBuilder
from atm_tui.view.visible_sessions import VisibleSessions
from tests.support.effort import examples

SHOP = Project(root="/src/shop", name="shop", branch="main")


def make_session(key: str, **given: object) -> Session:
    return msgspec.structs.replace(Session(session_id=key, name=key, project=SHOP), **given)


def make_outline(
    sessions: list[Session],
    *,
    now: float = 1000.0,
    toggled: frozenset[RowId] = frozenset(),
    held: RowId | None = None,
    unreadable: tuple[Unreadable, ...] = (),
    spaced: bool = False,
) -> list[Row]:
    fleet = Fleet()
    fleet.update(sessions, unreadable)
    return list(TreeBuilder(UNICODE, 10.0, "/home/user").build(fleet, now, toggled, held, spaced=spaced).rows)


def draw_rows(rows: list[Row]) -> list[str]:
    """Indent, fold mark, glyph and name, as the tree shows them."""
    result = []
    for row in rows:
        mark = " " if row.folded is None else "▸" if row.folded else "▾"
        glyph = "" if row.glyph is None else row.glyph[0] if row.nested else f" {row.glyph[0]}"
        result.append(f"{row.indent}{mark}{glyph} {row.name[0]}".rstrip())
    return result


def make_agent(key: str, **given: object) -> Agent:
    return Agent(agent_id=key, name=key, **given)  # type: ignore[arg-type]


def test_agents_nest_as_they_were_started() -> None:
    agents = (
        make_agent("a"),
        make_agent("b", parent="a"),
        make_agent("c", parent="b"),
        make_agent("d", parent="a"),
        make_agent("e"),
    )
    assert draw_rows(make_outline([make_session("s", agents=agents)])) == [
        "▾ shop",
        "  ▾ ○ s",
        "    ├▾◐ a",
        "    │ ├▾◐ b",
        "    │ │ └ ◐ c",
        "    │ └ ◐ d",
        "    └ ◐ e",
    ]


def test_agents_in_a_circle_or_with_an_unknown_starter_are_shown() -> None:
    agents = (
        make_agent("a", parent="b"),
        make_agent("b", parent="a"),
        make_agent("c", parent="gone"),
        make_agent("d", parent="d"),
    )
    names = [row.name[0] for row in make_outline([make_session("s", agents=agents)])]
    assert sorted(names) == ["a", "b", "c", "d", "s", "shop"]


def test_ended_agents_are_folded_away_after_a_while() -> None:
    agents = (
        make_agent("busy"),
        make_agent("fresh", state=AgentState.DONE, ended_at=995.0),
        make_agent("old", state=AgentState.DONE, ended_at=900.0),
        make_agent("broken", state=AgentState.FAILED, ended_at=900.0),
    )
    sessions = [make_session("s", agents=agents)]
    rows = make_outline(sessions)
    assert draw_rows(rows)[2:] == ["    ├ ◐ busy", "    ├ ✓ fresh", "    └▸✓ 2 done"]
    assert rows[-1].words == (("1 failed", "error"),)
    unfolded = make_outline(sessions, toggled=frozenset({("done", "s")}))
    assert draw_rows(unfolded)[4:] == ["    └▾✓ 2 done", "      ├ ✓ old", "      └ ✗ broken"]


def test_an_ended_agent_stays_while_a_child_works_or_it_is_selected() -> None:
    old = {"state": AgentState.DONE, "ended_at": 900.0}
    agents = (make_agent("a", **old), make_agent("b", parent="a"), make_agent("c", **old))
    assert draw_rows(make_outline([make_session("s", agents=agents)]))[2:] == [
        "    ├▾✓ a",
        "    │ └ ◐ b",
        "    └▸✓ 1 done",
    ]
    held = make_outline([make_session("s", agents=agents)], held=("agent", "s", "c"))
    assert draw_rows(held)[2:] == ["    ├▾✓ a", "    │ └ ◐ b", "    └ ✓ c"]


def test_an_ended_session_moves_to_closed_after_ten_seconds_and_a_lost_one_at_once() -> None:
    sessions = [
        make_session("live"),
        make_session("fresh", liveness=Liveness.ENDED, ended_at=991.0),
        make_session("gone", liveness=Liveness.ENDED, ended_at=989.0),
        make_session("lost", liveness=Liveness.LOST, ended_at=999.0, state=State.WORKING),
    ]
    assert draw_rows(make_outline(sessions)) == [
        "▾ shop", "    · fresh", "    ○ live", "▾ recently closed", "    ◌ lost", "    · gone",
    ]  # fmt: skip


def test_of_many_closed_sessions_the_newest_are_listed_and_the_selected_one() -> None:
    sessions = [
        make_session(f"s{number}", liveness=Liveness.ENDED, ended_at=float(number))
        for number in range(MOST_CLOSED + 30)
    ]
    fleet, builder = Fleet(), TreeBuilder(UNICODE, 10.0, "/home/user")
    fleet.update(sessions)
    rows = builder.build(fleet, 9000.0, frozenset(), None).rows
    newest = MOST_CLOSED + 29
    assert [row.id for row in rows[:2]] == [CLOSED, ("session", f"s{newest}")]
    assert (len(rows), rows[-1].id, rows[-1].name[0]) == (MOST_CLOSED + 2, OLDER, "+30 older")
    rows = builder.build(fleet, 9000.0, frozenset(), ("session", "s3")).rows
    assert (rows[-2].id, rows[-1].name[0]) == (("session", "s3"), "+29 older")
    assert len(make_outline(sessions[:MOST_CLOSED], now=9000.0)) == MOST_CLOSED + 1
    assert rows[-1].words[0][0] == "the history lists them, and a filter finds them"
    fleet.older = 70  # those that are only counted
    older = builder.build(fleet, 9000.0, frozenset(), None).rows[-1]
    assert (older.name[0], older.words[0][0]) == ("+100 older", "the history lists them")
    folded = builder.build(fleet, 9000.0, frozenset({CLOSED}), None).rows
    assert [row.note[0] for row in folded] == [f"{MOST_CLOSED + 100} sessions"]
    assert builder.build(fleet, 9000.0, frozenset(), None, groups=(), whole=False).rows == ()


def test_the_outline_knows_when_it_will_change_next() -> None:
    fleet = Fleet()
    done = make_agent("a", state=AgentState.DONE, ended_at=997.0)
    fleet.update([make_session("s", agents=(done,)), make_session("e", liveness=Liveness.ENDED, ended_at=995.0)])
    outliner = TreeBuilder(UNICODE, 10.0, "/home/user")
    assert outliner.build(fleet, 1000.0, (), None).due == 1005.0
    assert outliner.build(fleet, 1005.0, (), None).due == 1007.0
    assert outliner.build(fleet, 1007.0, (), None).due is None


def test_the_selected_session_stays_in_its_place_when_it_ends() -> None:
    sessions = [make_session("a"), make_session("b", liveness=Liveness.ENDED, ended_at=900.0), make_session("c")]
    assert [row.id for row in make_outline(sessions, held=("session", "b"))] == [
        ("project", "/src/shop"), ("session", "a"), ("session", "b"), ("session", "c"),
    ]  # fmt: skip


def test_a_folded_project_shows_its_most_urgent_state() -> None:
    sessions = [make_session("a", state=State.WORKING), make_session("b", state=State.NEEDS_YOU), make_session("c")]
    (row,) = make_outline(sessions, toggled=frozenset({("project", "/src/shop")}))
    assert row.note[0] == "3 sessions"
    assert "".join(text for text, _ in row.words) == "● 1 needs you"


def test_sums_leave_out_unknown_figures() -> None:
    head, *_ = make_outline([make_session("a"), make_session("b")])
    assert head.cost is None


def test_unreadable_files_are_rows_with_a_reason() -> None:
    rows = make_outline(
        [make_session("a")], unreadable=(Unreadable(path="/state/3f9a.json", problem="cut at byte 512"),)
    )
    assert rows[-1].name[0] == "3f9a.json"
    assert "cut at byte 512" in rows[-1].words[1][0]


def test_blank_lines_are_only_between_groups() -> None:
    other = Project(root="/src/web", name="web")
    rows = make_outline([make_session("a"), make_session("b", project=other)], spaced=True)
    assert [row.id[0] for row in rows] == ["project", "session", "gap", "project", "session"]
    assert len({row.id for row in rows}) == len(rows)


def test_sessions_without_a_repository_are_grouped_by_their_folder() -> None:
    sessions = [
        make_session("a", project=Project(), cwd="/home/user/notes"),
        make_session("b", project=Project(), cwd="/tmp/x"),
    ]
    assert draw_rows(make_outline(sessions)) == ["▾ ~/notes", "    ○ a", "▾ /tmp/x", "    ○ b"]


def test_rows_of_unchanged_sessions_are_reused() -> None:
    fleet = Fleet()
    fleet.update([make_session("a"), make_session("b")])
    outliner = TreeBuilder(UNICODE, 10.0, "/home/user")
    before = outliner.build(fleet, 1000.0, (), None).rows
    fleet.update([make_session("a", activity=Activity(kind=ActivityKind.FINISHED)), make_session("b")])
    outliner.forget(["a"])
    after = outliner.build(fleet, 1000.0, (), None).rows
    assert after[1] != before[1]
    assert after[2] is before[2]


def test_reused_rows_equal_newly_built_ones() -> None:
    agents = tuple(
        make_agent(f"a{number}", parent=parent, state=state, ended_at=ended)
        for number, (parent, state, ended) in enumerate(
            [
                (None, AgentState.WORKING, None),
                ("a0", AgentState.DONE, 985.0),
                (None, AgentState.DONE, 995.0),
                ("a2", AgentState.FAILED, 1003.5),
                ("a3", AgentState.STOPPED, 993.25),
            ]
        )
    )
    fleet, outliner, folded = Fleet(), TreeBuilder(UNICODE, 10.0, "/home/user"), frozenset({("session", "t")})
    fleet.update(
        [make_session("s", agents=agents), make_session("t", agents=agents, liveness=Liveness.ENDED, ended_at=1002.0)]
    )
    for now in (1000.0, 1003.0, 1003.25, 1004.0, 1005.0, 1011.0, 1011.9, 1013.5, 1020.0, 1004.0, 1030.0):
        for toggled in (frozenset[RowId](), folded):
            afresh = TreeBuilder(UNICODE, 10.0, "/home/user").build(fleet, now, toggled, None, spaced=True)
            assert outliner.build(fleet, now, toggled, None, spaced=True) == afresh, now


def test_an_agent_is_folded_away_once_the_selection_has_left_it() -> None:
    fleet, outliner = Fleet(), TreeBuilder(UNICODE, 10.0, "/home/user")
    fleet.update([make_session("s", agents=(make_agent("a", state=AgentState.DONE, ended_at=995.0), make_agent("b")))])
    held: RowId = ("agent", "s", "a")
    names = [[row.name[0] for row in outliner.build(fleet, at, (), on).rows] for at, on in ((1000, held), (1006, held))]
    assert names == [["shop", "s", "a", "b"]] * 2
    assert [row.name[0] for row in outliner.build(fleet, 1007, (), ("agent", "s", "b")).rows] == [
        "shop",
        "s",
        "b",
        "1 done",
    ]


def make_session_by_chance(chance: random.Random, key: str, now: float, machine: str) -> Session:
    agents = tuple(
        make_agent(f"{key}{number}", state=chance.choice(list(AgentState)), ended_at=now - number)
        for number in range(chance.randrange(3))
    )
    session = make_session(
        key,
        agents=agents,
        turns=chance.randrange(9),
        state=chance.choice(list(State)),
        liveness=chance.choice([*[Liveness.LIVE] * 5, Liveness.ENDED, Liveness.LOST]),
        ended_at=now - chance.choice([0.0, 5.0]),
        project=Project(root=f"/p{chance.randrange(2)}", name="p"),
        membership=Membership(lead="a", name="mate") if chance.random() < 0.1 else None,
        cost=Cost(usd=chance.choice([None, 0.5, 1.25])),
    )
    silent_since = now if chance.random() < 0.2 else None
    return adopt(session, machine, Host(), ahead=0.0, silent_since=silent_since) if machine else session


@pytest.mark.parametrize("machines", ["", "gpu box"])
def test_rows_that_are_kept_are_those_that_would_be_built_afresh(machines: str) -> None:
    chance, fleet, builder = random.Random(5), Fleet(), TreeBuilder(UNICODE, 10.0, "/home/user")
    visible, sessions, flags, now = VisibleSessions(fleet), dict[str, Session](), dict[str, SessionFlags](), 1000.0
    for _ in range(examples(300)):
        now += chance.choice([-2.0, 0.0, 0.0, 0.5, 3.0, 20.0])
        key = chance.choice("abcdefgh")
        machine = {"e": "gpu", "f": "gpu", "g": "gpu", "h": "box"}.get(key, "") if machines else ""
        if chance.random() < 0.1:
            sessions.pop(key, None)
        else:
            sessions[key] = make_session_by_chance(chance, key, now, machine)
        link = chance.choice([LinkState.LIVE, LinkState.LIVE, LinkState.BROKEN])
        fleet.machines = tuple(Machine(name=name, link=link, silent_since=now) for name in machines.split())
        if chance.random() < 0.2:
            flags = {key: SessionFlags(pinned=chance.random() < 0.5, dismissed=now)}
            visible.filter = parse_filter(chance.choice(["", "", "a", "state:working"]))
        fleet.update(sessions.values())
        fleet.apply_flags(flags, now)
        fresh = VisibleSessions(fleet)
        fresh.filter = visible.filter
        held: RowId | None = chance.choice([None, ("session", key), ("agent", key, f"{key}0")])
        toggled = frozenset[RowId](
            chance.choice([(), (), (), (("project", "/p0"),), (("session", key),), (("machine", "gpu"),)])
        )
        groups, spaced = visible.group_sessions(None), chance.random() < 0.9
        assert groups == fresh.group_sessions(None)
        found = builder.build(fleet, now, toggled, None, groups=groups, spaced=spaced)
        afresh = TreeBuilder(UNICODE, 10.0, "/home/user")
        assert found == afresh.build(fleet, now, toggled, None, groups=groups, spaced=spaced)
        if chance.random() < 0.5:
            builder.build(fleet, now, toggled, held, groups=groups, spaced=spaced)
