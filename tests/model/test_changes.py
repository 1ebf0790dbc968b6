"""What counts as a change of a session."""

from typing import Any

import msgspec
import pytest

from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.changes import Change, ChangeKind, list_changes
from atm_tui.model.session import Cost, Liveness, Session, State
from atm_tui.model.wait import Reason, Wait

WORKING = Session(session_id="a", name="shop", state=State.WORKING, activity=Activity(kind=ActivityKind.THINKING))
FINISHED = Session(session_id="a", state=State.IDLE, activity=Activity(kind=ActivityKind.FINISHED), since=10.0)
WAITING = Session(session_id="a", state=State.NEEDS_YOU, waits=(Wait(key="k", reason=Reason.PERMISSION),))
TOOL = Activity(kind=ActivityKind.TOOL, tool="Bash")


def replace(session: Session, **fields: Any) -> Session:
    return msgspec.structs.replace(session, **fields)


def list_kinds(old: Session | None, new: Session | None, *, details: bool = True) -> list[ChangeKind]:
    before, after = ({each.session_id: each} if each else {} for each in (old, new))
    return [each.kind for each in list_changes(before, after, details=details)]


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        (None, WORKING, ChangeKind.NEW),
        (WORKING, None, ChangeKind.REMOVED),
        (WORKING, FINISHED, ChangeKind.STATE),
        (WORKING, WAITING, ChangeKind.STATE),
        (FINISHED, replace(FINISHED, since=20.0), ChangeKind.STATE),
        (WAITING, replace(WAITING, waits=(*WAITING.waits, Wait(key="l"))), ChangeKind.STATE),
        (WORKING, replace(WORKING, problem="truncated"), ChangeKind.STATE),
        (WORKING, replace(WORKING, name="api"), ChangeKind.NAME),
        (WORKING, replace(WORKING, activity=TOOL), ChangeKind.DETAIL),
        (WORKING, replace(WORKING, liveness=Liveness.LOST), ChangeKind.LOST),
        (WORKING, replace(FINISHED, liveness=Liveness.ENDED), ChangeKind.ENDED),
        (replace(WORKING, liveness=Liveness.ENDED), WORKING, ChangeKind.BACK),
        (WORKING, replace(WORKING, since=5.0, cost=Cost(usd=1.0), turns=3), None),
    ],
)
def test_each_kind_of_change(old: Session | None, new: Session | None, kind: ChangeKind | None) -> None:
    assert list_kinds(old, new) == ([] if kind is None else [kind])


def test_tools_are_listed_on_demand_only() -> None:
    assert list_kinds(WORKING, replace(WORKING, activity=TOOL), details=False) == []


def test_waiting_sessions_come_first_and_changes_keep_the_old_state() -> None:
    before = {"a": WORKING, "b": replace(WORKING, session_id="b"), "c": replace(FINISHED, session_id="c")}
    after = {"a": FINISHED, "b": replace(WAITING, session_id="b"), "d": replace(WORKING, session_id="d")}
    changes = list_changes(before, after)
    assert changes == [
        Change(kind=ChangeKind.STATE, session=after["b"], before=before["b"]),
        Change(kind=ChangeKind.STATE, session=after["a"], before=before["a"]),
        Change(kind=ChangeKind.NEW, session=after["d"]),
        Change(kind=ChangeKind.REMOVED, session=before["c"], before=before["c"]),
    ]
