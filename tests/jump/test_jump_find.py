"""Which sessions a text matches, by what, and which names are nearest where none does."""

import pytest

from atm_tui.jump.find import Candidate, Match, find_nearest, find_sessions, make_candidate
from atm_tui.jump.tmux_panes import may_be_pane
from atm_tui.model.session import Liveness, Project, Session, Terminal

KNOWN = (
    Candidate(
        session_id="0a1b2c3d-1111-4000-8000-000000000000", names=("shop",), project="store", panes=("%5",), is_live=True
    ),
    Candidate(session_id="0a1b2c3d-2222-4000-8000-000000000000", names=("shop front", "Fix the till"), project="store"),
    Candidate(session_id="facade00-3333-4000-8000-000000000000", names=("facade", "Straße"), project="house"),
    Candidate(session_id="facade01-4444-4000-8000-000000000000", names=("blog",), project="web"),
    Candidate(
        session_id="facade02-5555-4000-8000-000000000000",
        names=("blog",),
        project="house",
        panes=("%50", "my work:1.0", "twin:10.2"),
        is_live=True,
    ),
    Candidate(session_id="add00000-6666-4000-8000-000000000000", names=("night job",), project="add", panes=("%6",)),
    Candidate(session_id="99999999-7777-4000-8000-000000000000", names=("add login",), project="web"),
    Candidate(session_id="88888888-8888-4000-8000-000000000000", names=("100% done",), project="a/b", is_live=True),
)


def list_ids(text: str) -> list[str]:
    return [each.session_id[9:13] for each in find_sessions(text, KNOWN).candidates]


@pytest.mark.parametrize(
    ("text", "expected", "match"),
    [
        # ids
        ("0a1b2c3d-2222-4000-8000-000000000000", ["2222"], Match.WHOLE),
        ("0a1b2c3d-2", ["2222"], Match.ID),
        ("0A1B2C3D2", ["2222"], Match.ID),
        ("0a1b-2c3d-2222", ["2222"], Match.ID),
        ("0a1b", ["1111"], Match.ID),  # both fit; the live one is meant
        ("facade0", ["5555"], Match.ID),
        ("add0", ["6666"], Match.ID),
        ("0a1", ["1111"], Match.SHORT_ID),
        ("9", ["7777"], Match.SHORT_ID),
        # panes
        ("%5", ["1111"], Match.WHOLE),
        ("%50", ["5555"], Match.WHOLE),
        ("%6", ["6666"], Match.WHOLE),
        ("my work:1.0", ["5555"], Match.WHOLE),
        ("My Work:1", ["5555"], Match.PANE),
        ("my work:", ["5555"], Match.PANE),
        ("twin:10.", ["5555"], Match.PANE),
        ("twin:1", [], None),
        ("%", ["8888"], Match.PART),
        ("%7", [], None),
        # names
        ("shop", ["1111"], Match.WHOLE),  # a whole name before the start of one
        ("shop f", ["2222"], Match.NAME),
        ("FIX", ["2222"], Match.NAME),
        ("strasse", ["3333"], Match.WHOLE),
        ("facade", ["3333"], Match.WHOLE),  # a whole name before the start of an id
        ("blog", ["5555"], Match.WHOLE),
        ("add", ["7777"], Match.NAME),  # the start of a name before three digits of an id
        # project/name
        ("web/blog", ["4444"], Match.WHOLE),
        ("house/blog", ["5555"], Match.WHOLE),
        ("store/shop f", ["2222"], Match.PROJECT),
        ("house/", ["5555"], Match.PROJECT),
        ("web", ["4444", "7777"], Match.PROJECT),
        ("a/b/100% done", ["8888"], Match.WHOLE),
        # any part of a name
        ("the till", ["2222"], Match.PART),
        ("log", ["5555"], Match.PART),
        ("% d", ["8888"], Match.PART),
        # nothing
        ("nothing", [], None),
        ("", [], None),
        ("-", [], None),
        (" ", [], None),
        ("/", [], None),
    ],
)
def test_which_sessions_match(text: str, expected: list[str], match: Match | None) -> None:
    assert (list_ids(text), find_sessions(text, KNOWN).match) == (expected, match)


def test_all_matching_ended_sessions_are_found() -> None:
    ended = [Candidate(session_id=each.session_id, names=each.names) for each in KNOWN]
    assert len(find_sessions("0a1b2c3d", ended).candidates) == 2
    assert len(find_sessions("blog", ended).candidates) == 2


def test_a_session_given_twice_counts_once() -> None:
    assert len(find_sessions("facade00", [KNOWN[2], KNOWN[2]]).candidates) == 1


def test_a_live_session_does_not_hide_a_better_match() -> None:
    known = [Candidate(session_id="1", names=("api",)), Candidate(session_id="2", names=("api docs",), is_live=True)]
    assert [each.session_id for each in find_sessions("api", known).candidates] == ["1"]


@pytest.mark.parametrize(
    ("text", "first"),
    [("shopp", "1111"), ("web/blag", "4444"), ("add logn", "7777"), ("fix the tiles", "2222"), ("facade09", "5555")],
)
def test_the_most_similar_names_are_suggested(text: str, first: str) -> None:
    found = find_nearest(text, KNOWN)
    assert len(found) == 5
    assert found[0].session_id[9:13] == first
    assert find_nearest(text, ()) == ()


def test_a_candidate_of_the_fleet() -> None:
    session = Session(
        session_id="s",
        name="api",
        title="Fix it",
        cwd="/w",
        project=Project(root="/w", name="w"),
        terminal=Terminal(kind="tmux", pane="%3"),
        liveness=Liveness.ENDED,
    )
    found = make_candidate(session)
    assert (found.names, found.project, found.panes, found.is_live) == (("api", "Fix it"), "w", ("%3",), False)
    assert make_candidate(session, ("%4", "work:1.0")).panes == ("%4", "work:1.0")
    assert make_candidate(Session(session_id="s", terminal=Terminal(kind="kitty", pane="3"))).panes == ()


@pytest.mark.parametrize(
    ("text", "asks"), [("%5", True), (" %", True), ("work:1.0", True), ("shop", False), ("a/b", False)]
)
def test_tmux_is_asked_only_for_possible_panes(text: str, asks: bool) -> None:
    assert may_be_pane(text) is asks
