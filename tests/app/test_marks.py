"""Marks: pin, snooze and dismiss of many at once, undone at once; on each view; never for answers."""

from tests.support.app_answers import AskingSession
from tests.support.app_files import AppDriver, HomeOnDisk
from tests.support.session_ids import A, B, C, D


def list_order(app: AppDriver) -> list[str]:
    return [row.id[1] for row in app.tree.rows if row.id[0] == "session"]


async def test_marked_sessions_are_pinned_snoozed_and_dismissed_together(disk: HomeOnDisk) -> None:
    for n, session in enumerate((A, B, C, D)):
        disk.start(session, ago=100 - n)
    async with disk.run_app(size=(120, 40)) as app:
        fleet = app.app.fleet_screen._fleet
        await app.wait_until(lambda: list_order(app) == [A, B, C, D])
        await app.press("3", "v", "4", "v")
        assert "2 marked" in app.said
        assert "p pin   z snooze   x dismiss   Esc unmark" in app.said
        assert "✚" in app.line_with(f"do {C[:5]}")
        await app.press("2", "p")
        await app.wait_until(lambda: list_order(app) == [C, D, A, B])
        assert "2 sessions: pinned" in app.said
        await app.press("z")
        await app.wait_until(lambda: set(fleet.snoozed) == {C, D})
        await app.press("b")
        await app.wait_until(lambda: "marked snoozed" in app.text or "marked pinned" in app.text)
        await app.press("t", "x")
        assert "dismiss: none of the marked: it is still running" in app.said
        disk.send_hook(1, "SessionEnd", C, reason="exit")
        await app.wait_until(lambda: fleet.sessions[C].liveness.value == "ended")
        await app.press("x")
        await app.wait_for_text("dismissed")
        assert "not 1 other: it is still running" in app.said
        await app.wait_until(lambda: app.app.fleet_screen._marks.marked == {D})
        await app.press("U", "U", "U")
        await app.wait_until(
            lambda: not any(each.pinned or each.snooze or each.dismissed for each in fleet.flags.values())
        )
        await app.press("escape")
        await app.wait_until(lambda: "marked" not in app.said)
        await app.press("g", "v")  # a project: all of its sessions
        assert "4 marked" in app.said
        await app.press("v", "j")
        assert "marked" not in app.said
        await app.press("p")
        await app.wait_until(lambda: sum(each.pinned for each in fleet.flags.values()) == 1)


async def test_an_answer_goes_to_the_selected_session_only(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request(given={"command": "npm test"}) as hook:
            await app.wait_for_text("a allow")
            await app.press("v", "k", "k")
            assert app.selected != ("session", "s1")
            asking_session.settle()
            await app.press("a", "d", "w")
            assert hook.process.poll() is None
            await app.press("escape", "n")
            asking_session.settle()
            await app.press("a")
            await app.wait_for_text("s1: allowed here")
            assert hook.decision() == {"behavior": "allow"}
