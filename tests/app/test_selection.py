"""Selection and folds follow ids, whatever rows are added or removed around them."""

import msgspec
import pytest

from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.session import Agent, AgentState, Liveness, Project, Session, State
from tests.support.fleets import NOW, make_busy_fleet, make_large_fleet

SHOP = Project(root="/src/shop", name="shop")


def make_session(key: str, **given: object) -> Session:
    return msgspec.structs.replace(
        Session(session_id=key, name=key, project=SHOP, since=NOW - 5, started_at=float(ord(key[0]))), **given
    )


async def test_at_the_start_the_longest_wait_is_selected(drive) -> None:
    async with drive(make_busy_fleet()) as app:
        assert app.tree.selected == ("session", "0c11")


async def test_the_selection_stays_on_its_session_when_others_come_and_go(drive) -> None:
    async with drive([make_session("b"), make_session("d")]) as app:
        await app.press("j")
        assert app.tree.selected == ("session", "d")
        await app.put(make_session("a"), make_session("b"), make_session("c"), make_session("d"))
        assert app.tree.selected == ("session", "d")
        await app.put(make_session("d"))
        assert app.tree.selected == ("session", "d")
        assert app.line_with("▌").split()[2] == "d"


@pytest.mark.long
async def test_a_new_wait_does_not_change_the_selection(drive) -> None:
    async with drive([make_session("a"), make_session("b")]) as app:
        await app.press("j")
        await app.put(make_session("a", state=State.NEEDS_YOU), make_session("b"))
        assert app.tree.selected == ("session", "b")


async def test_when_the_selected_session_disappears_its_neighbour_is_selected(drive) -> None:
    async with drive([make_session("a"), make_session("b"), make_session("c")]) as app:
        await app.press("j")
        await app.put(make_session("a"), make_session("c"))
        assert app.tree.selected == ("session", "c")
        await app.put(make_session("a"))
        assert app.tree.selected == ("session", "a")
        await app.put()
        assert app.tree.selected is None
        assert "No sessions yet" in app.text


async def test_the_selected_row_keeps_its_line_when_rows_are_inserted_above(drive) -> None:
    async with drive(make_large_fleet(60), size=(100, 24)) as app:
        for _ in range(3):
            await app.press("pagedown")
        before = app.tree.selected
        line = app.lines.index(app.line_with("▌"))
        first, *rest = make_large_fleet(60)
        agents = (Agent(agent_id="x", type="Explore"), Agent(agent_id="y", type="Plan"))
        await app.put(msgspec.structs.replace(first, agents=agents), *rest)
        assert app.tree.selected == before
        assert app.lines.index(app.line_with("▌")) == line


async def test_an_ended_session_moves_only_after_the_selection_has_left_it(drive) -> None:
    gone = make_session("a", liveness=Liveness.ENDED, ended_at=NOW - 60)
    async with drive([make_session("a"), make_session("b")], size=(120, 24)) as app:
        assert app.tree.selected == ("session", "a")
        await app.put(gone, make_session("b"))
        assert app.ids == [("project", "/src/shop"), ("session", "a"), ("session", "b")]
        await app.press("j")
        closed = [("project", "/src/shop"), ("session", "b"), ("closed",), ("session", "a")]
        assert app.ids == closed
        await app.press("G")
        assert app.tree.selected == ("session", "a")
        assert app.ids == closed


async def test_an_ended_session_moves_after_ten_seconds_without_events(drive) -> None:
    async with drive([make_session("a"), make_session("b", liveness=Liveness.ENDED, ended_at=NOW - 4)]) as app:
        await app.tick(5.9)
        assert ("closed",) not in app.ids
        await app.tick(0.2)
        assert app.ids[-2:] == [("closed",), ("session", "b")]


async def test_keys_move_and_fold(drive) -> None:
    agents = (Agent(agent_id="x", type="Explore"),)
    async with drive([make_session("a", agents=agents), make_session("b")]) as app:
        steps = {
            "G": ("session", "b"),
            "k": ("agent", "a", "x"),
            "h": ("session", "a"),
            "up": ("project", "/src/shop"),
            "end": ("session", "b"),
            "home": ("project", "/src/shop"),
            "l": ("session", "a"),
            "right": ("agent", "a", "x"),
            "pagedown": ("session", "b"),
            "pageup": ("project", "/src/shop"),
            "down": ("session", "a"),
        }
        for key, expected in steps.items():
            await app.press(key)
            assert app.tree.selected == expected, key
        await app.press("left")
        assert ("agent", "a", "x") not in app.ids
        await app.press("left", "left")
        assert app.ids == [("project", "/src/shop")]
        await app.press("right")
        assert app.ids == [("project", "/src/shop"), ("session", "a"), ("session", "b")]


async def test_a_folded_row_stays_folded_when_its_content_changes(drive) -> None:
    async with drive([make_session("a"), make_session("b")]) as app:
        await app.press("g", "h")
        await app.put(make_session("a", state=State.WORKING), make_session("b"), make_session("c"))
        assert app.ids == [("project", "/src/shop")]
        assert "3 sessions" in app.text
        assert "1 working" in app.line_with("▌")


async def test_folding_with_the_mouse_selects_the_folded_row(drive) -> None:
    async with drive([make_session("a", agents=(Agent(agent_id="x"),)), make_session("b")]) as app:
        await app.press("j")
        assert app.tree.selected == ("agent", "a", "x")
        await app.pilot.click(app.tree, offset=(3, 1))
        await app.pilot.pause()
        assert app.ids == [("project", "/src/shop"), ("session", "a"), ("session", "b")]
        assert app.tree.selected == ("session", "a")


async def test_a_click_selects_and_the_wheel_scrolls(drive) -> None:
    async with drive(make_large_fleet(60), size=(120, 24)) as app:
        await app.pilot.click(app.tree, offset=(20, 4))
        await app.pilot.pause()
        assert app.tree.selected == app.ids[4]
        app.tree.scroll_to(y=10, animate=False)
        await app.pilot.pause()
        await app.pilot.click(app.tree, offset=(20, 4))
        await app.pilot.pause()
        assert app.tree.selected == app.ids[14]


async def test_when_a_selected_agent_is_folded_away_the_done_row_is_selected(drive) -> None:
    done = Agent(agent_id="x", state=AgentState.DONE, ended_at=NOW - 60)
    async with drive([make_session("a", agents=(Agent(agent_id="x"), Agent(agent_id="y")))]) as app:
        await app.press("j")
        await app.put(make_session("a", agents=(done, Agent(agent_id="y"))))
        assert app.tree.selected == ("agent", "a", "x")
        await app.press("j")
        assert app.ids[-1] == ("done", "a")
        await app.press("j", "l", "j")
        assert app.tree.selected == ("agent", "a", "x")
        assert app.ids[-2:] == [("done", "a"), ("agent", "a", "x")]


async def test_a_finished_session_selected_for_a_while_is_marked_as_seen(drive) -> None:
    async with drive(
        [make_session("a"), make_session("b", unseen=True, activity=Activity(kind=ActivityKind.FINISHED))]
    ) as app:
        assert "✓ b" in app.text
        await app.tick(5)
        assert app.monitor.seen == []
        await app.press("j")
        await app.tick(0.5)
        assert app.monitor.seen == []
        await app.tick(1)
        await app.wait_until(lambda: app.monitor.seen == ["b"])
        await app.wait_until(lambda: "○ b" in app.text)


async def test_passing_over_a_session_does_not_mark_it(drive) -> None:
    async with drive([make_session("a"), make_session("b", unseen=True), make_session("c")]) as app:
        await app.press("j", "j")
        await app.tick(3)
        assert app.monitor.seen == []
