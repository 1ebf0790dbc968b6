"""The lines of `watch`."""

import time

import msgspec

from atm_tui.model.changes import Change, ChangeKind
from atm_tui.model.fleet_index import Totals
from atm_tui.model.session import Liveness, Project, Session, State
from atm_tui.model.wait import Reason, Wait
from atm_tui.text import MARK
from atm_tui.view.change_lines import build_change_json, build_heartbeat_json, format_change, format_heartbeat

AT = 1_795_000_000.0
WHEN = time.strftime("%H:%M:%S", time.localtime(AT))
WAITS = Session(
    session_id="0a1b2c3d-9999",
    name="fix\x1b[2J it",
    project=Project(name="shop"),
    state=State.NEEDS_YOU,
    waits=(
        Wait(key="k", reason=Reason.PERMISSION, tool="Bash", summary="npm test"),
        Wait(key="l", reason=Reason.QUESTION),
    ),
)


def test_a_line_gives_time_change_session_and_reason() -> None:
    line = format_change(Change(kind=ChangeKind.STATE, session=WAITS), AT)
    assert line == f"{WHEN}  needs you  0a1b2c3d  fix{MARK}[2J it  shop  permission Bash npm test; question"


def test_a_session_without_a_process_has_no_activity() -> None:
    over = msgspec.structs.replace(WAITS, liveness=Liveness.ENDED)
    line = format_change(Change(kind=ChangeKind.ENDED, session=over), AT)
    assert line.split() == [WHEN, "ended", "0a1b2c3d", f"fix{MARK}[2J", "it", "shop"]


def test_the_json_holds_the_session_and_the_state_before() -> None:
    old = msgspec.structs.replace(WAITS, state=State.WORKING, waits=())
    found = build_change_json(Change(kind=ChangeKind.STATE, session=WAITS, before=old), AT)
    assert (found["schema"], found["at"], found["change"]) == (1, AT, "state")
    assert found["before"] == {"state": "working", "reason": None, "liveness": "live"}
    assert found["session"]["waits"][0]["summary"] == "npm test"
    assert build_change_json(Change(kind=ChangeKind.NEW, session=WAITS), AT)["before"] is None


def test_a_heartbeat_has_the_totals() -> None:
    totals = Totals(needs_you=1, working=2, idle=3)
    assert format_heartbeat(totals, AT) == f"{WHEN}  heartbeat  1 need you, 2 working, 3 idle"
    assert build_heartbeat_json(totals, AT) == {
        "schema": 1,
        "at": AT,
        "change": "heartbeat",
        "totals": {"needs_you": 1, "working": 2, "idle": 3},
    }
