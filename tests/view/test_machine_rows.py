"""Machines as rows of the tree: their links in words, their sessions below them, and what is faint."""

import msgspec
import pytest
from rich.cells import cell_len

from atm_tui.model.elsewhere import adopt
from atm_tui.model.fleet import Fleet
from atm_tui.model.host import Host
from atm_tui.model.machine import LinkState, Machine
from atm_tui.model.request import Request
from atm_tui.model.session import Cost, Project, Session, State
from atm_tui.model.wait import Reason, Wait
from atm_tui.view import peek, status_pane
from atm_tui.view.columns import fit_columns, write_row
from atm_tui.view.machine_text import describe_clock, describe_link
from atm_tui.view.pane import RenderContext
from atm_tui.view.peek import PeekContent, find_request_line
from atm_tui.view.present import UNICODE, choose_session_glyph, write_session_status
from atm_tui.view.tree_rows import TreeBuilder

NOW = 1_795_000_000.0
GPU = Machine(name="gpu", link=LinkState.LIVE)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"link": LinkState.LIVE}, ""),
        ({"link": LinkState.CONNECTING}, "connecting"),
        ({"link": LinkState.SILENT, "silent_since": NOW - 20}, "no word for 20s"),
        (
            {"link": LinkState.BROKEN, "silent_since": NOW - 130, "retry_at": NOW + 8, "problem": "cut"},
            "no word for 2m · next try in 8s · cut",
        ),
        ({"link": LinkState.BROKEN, "silent_since": NOW - 7200}, "no word for 2h00 · trying now"),
        ({"link": LinkState.BROKEN, "retry_at": NOW + 3, "problem": "refused"}, "no link · next try in 3s · refused"),
        (
            {"link": LinkState.REFUSED, "retry_at": NOW + 60, "problem": "update it"},
            "not shown · update it",
        ),
    ],
)
def test_a_link_in_words(fields: dict, text: str) -> None:
    assert "".join(part for part, _ in describe_link(Machine(name="gpu", **fields), NOW)) == text


def test_a_clock_in_words() -> None:
    assert [describe_clock(each) for each in (0.0, 3600.0, -90.0)] == ["", "1h00 ahead", "1m30s behind"]


def make_fleet(*, silent: bool = False) -> Fleet:
    here = Session(session_id="h", name="here", project=Project(root="/app", name="app"), since=NOW, started_at=1.0)
    there = msgspec.structs.replace(here, session_id="t", name="there", state=State.WORKING, cost=Cost(usd=1.5))
    fleet = Fleet()
    fleet.machines = (GPU, Machine(name="box"))
    silent_since = NOW - 60 if silent else None
    fleet.update([here, adopt(there, "gpu", Host(ssh="gpu"), ahead=0.0, silent_since=silent_since)])
    return fleet


def test_machines_are_a_level_above_projects_of_the_same_name() -> None:
    rows = TreeBuilder(UNICODE, 10.0, "/root").build(make_fleet(), NOW, (), None).rows
    assert [(row.indent, row.name[0], row.parent) for row in rows] == [
        ("", "this machine", None),
        ("  ", "app", ("machine", "")),
        ("    ", "here", ("project", "/app")),
        ("", "gpu", None),
        ("  ", "app", ("machine", "gpu")),
        ("    ", "there", ("project", "gpu:/app")),
        ("", "box", None),
    ]
    assert [row.cost for row in rows if row.id[0] == "machine"] == [None, 1.5, None]


def test_a_folded_machine_shows_how_many_and_what_is_most_urgent() -> None:
    rows = TreeBuilder(UNICODE, 10.0, "/root").build(make_fleet(), NOW, {("machine", "gpu")}, None).rows
    gpu = next(row for row in rows if row.id == ("machine", "gpu"))
    assert gpu.folded
    assert (gpu.note[0], "".join(text for text, _ in gpu.words)) == ("1 session", "◐ 1 working")
    assert ("session", "gpu:t") not in {row.id for row in rows}


def test_a_machine_with_a_link_and_no_sessions_says_so() -> None:
    fleet = make_fleet()
    fleet.machines = (GPU, Machine(name="box", link=LinkState.LIVE))
    rows = TreeBuilder(UNICODE, 10.0, "/root").build(fleet, NOW, (), None).rows
    words = {row.name[0]: "".join(text for text, _ in row.words) for row in rows if row.id[0] == "machine"}
    assert words == {"this machine": "", "gpu": "", "box": "no sessions listed"}


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("name", ["gpu", "build-3.eu-central.example"])
def test_name_and_link_of_a_broken_machine_stay_whole(name: str, width: int) -> None:
    fleet = make_fleet()
    problem = "ssh: connect to host build-3.eu-central.example port 22: Connection refused by the other side"
    since = NOW - 130
    fleet.machines = (Machine(name=name, link=LinkState.BROKEN, silent_since=since, retry_at=NOW + 8, problem=problem),)
    rows = TreeBuilder(UNICODE, 10.0, "/root").build(fleet, NOW, (), None).rows
    row = next(row for row in rows if row.id == ("machine", name))
    line = "".join(text for text, _ in write_row(row, fit_columns(width), "", UNICODE, (60, 80, 90), selected=False))
    assert cell_len(line) == width
    assert "no word for 2m" in line
    assert (name in line) == (width > 40 or name == "gpu")
    assert ("next try in 8s" in line) == (width > (40 if name == "gpu" else 60))
    assert line.rstrip().endswith("…")


def test_what_may_be_out_of_date_is_faint_everywhere() -> None:
    fleet = make_fleet(silent=True)
    session = fleet.sessions["gpu:t"]
    assert choose_session_glyph(session, UNICODE)[1] == "faint"
    assert {role for _, role in write_session_status(session, UNICODE)} == {"faint"}
    rows = TreeBuilder(UNICODE, 10.0, "/root").build(fleet, NOW, (), None).rows
    row = next(row for row in rows if row.id == ("session", "gpu:t"))
    parts = write_row(row, fit_columns(100), "5m", UNICODE, (60, 80, 90), selected=False)
    assert {role for _, role in parts} == {"faint"}


@pytest.mark.parametrize("reason", [Reason.PERMISSION, Reason.QUESTION])
@pytest.mark.parametrize("silent_since", [None, NOW - 60])
def test_peek_and_pane_say_that_there_is_no_word(silent_since: float | None, reason: Reason) -> None:
    wait = Wait(key="k", reason=reason, tool="Bash", summary="npm test", since=NOW - 72)
    waiting = Session(session_id="s", name="s", state=State.NEEDS_YOU, since=NOW - 72, waits=(wait,))
    session = adopt(waiting, "gpu", Host(ssh="gpu"), ahead=0.0, silent_since=silent_since)
    context = RenderContext(80, NOW, UNICODE, (50, 70, 90), "/home/user")
    request = Request(nonce="n", session_id="s", key="k", digest="d", tool="Bash", input={"command": "npm test"})
    content = PeekContent(session, inputs={"k": request.input})
    peeked, pane = peek.write(content, context), status_pane.write(session, context)
    for lines in (peeked, pane):
        assert any("no word for" in text for line in lines for text, _ in line) is (silent_since is not None)
        assert any(role == "needs" for line in lines for _, role in line) is (silent_since is None)
    at = find_request_line(content, context, request)
    assert at is not None
    assert "npm test" in "".join(text for text, _ in peeked[at])
