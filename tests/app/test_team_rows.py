"""Teammates with panes of their own in the tree: folded with their lead, and found when they ask."""

from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.session import Session, State
from atm_tui.model.team import Membership
from atm_tui.model.wait import Reason, Wait
from tests.support.fleets import NOW

LEAD = Session(session_id="lead-1", name="guide", cwd="/work", since=NOW - 60, started_at=1.0)
ASKING = Session(
    session_id="mate-1",
    name="writer",
    cwd="/work",
    membership=Membership(lead="lead-1", name="writer", color="blue"),
    state=State.NEEDS_YOU,
    activity=Activity(kind=ActivityKind.PERMISSION, tool="Bash", count=1),
    waits=(Wait(key="w", reason=Reason.PERMISSION, tool="Bash", summary="npm test", since=NOW - 9),),
    since=NOW - 9,
    started_at=2.0,
)


async def test_a_folded_lead_says_that_a_teammate_needs_you_and_shows_it_when_chosen(drive) -> None:
    async with drive([LEAD, ASKING], size=(120, 36)) as app:
        tree = app.app.fleet_screen.tree_view

        def write_tree() -> str:
            return "\n".join(line.split("│")[0] for line in app.lines[5:])

        assert "└ ● @writer" in app.text
        tree.select(("session", "lead-1"), by_user=True)
        await app.press("left")
        await app.wait_until(lambda: "@writer" not in write_tree())
        assert "● 1 needs you · " in write_tree()
        tree.select(("session", "mate-1"), by_user=True)
        await app.wait_until(lambda: "└ ● @writer" in write_tree())
        assert tree.key == ("session", "mate-1")
