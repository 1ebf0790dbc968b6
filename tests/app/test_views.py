"""Tree, board, timeline and history as views of one fleet: the same keys, one filter, one selection, one undo."""

import time
from collections.abc import Callable

import pytest

from atm_tui.config import Config
from atm_tui.view.timeline_row import format_text
from atm_tui.widgets.board_view import BoardView
from atm_tui.widgets.history_view import HistoryView
from atm_tui.widgets.timeline_view import TimelineView
from atm_tui.widgets.tree_view import TreeView
from tests.support.app_files import AppDriver, HomeOnDisk
from tests.support.effort import sample
from tests.support.session_ids import A, B, C, D
from tests.support.waiting import PATIENCE

VIEWS = {"t": TreeView, "b": BoardView, "L": TimelineView, "H": HistoryView}


@pytest.fixture
def disk(disk: HomeOnDisk) -> HomeOnDisk:
    """Two that run, of which the second asks, and two that are over."""
    for n, session in enumerate((A, B, C, D)):
        disk.start(session, ago=100 - n)
    disk.ask(B, 20, {"command": "make"})
    for n, session in enumerate((C, D)):
        disk.send_hook(30 - n, "SessionEnd", session, reason="prompt_input_exit")
    return disk


async def wait_until_loaded(app: AppDriver) -> None:
    await app.wait_until(lambda: len(app.app._monitor.fleet.sessions) == 4 and "do bbbb" in app.text)  # type: ignore[attr-defined]


async def wait_until_still(app: AppDriver) -> list[str]:
    """The screen once it stays as it is: what panes read in a thread comes later."""
    last, since = app.lines, time.monotonic()
    deadline = since + PATIENCE
    while time.monotonic() - since < 0.3 and time.monotonic() < deadline:
        await app.pilot.pause(0.05)
        if app.lines != last:
            last, since = app.lines, time.monotonic()
    return last


async def get_view(app: AppDriver, key: str) -> None:
    await app.press(key)
    await app.wait_until(lambda: isinstance(app.view, VIEWS[key]))
    shown = app.view
    if isinstance(shown, TimelineView):
        await app.wait_until(lambda: shown.lines.known)
    if isinstance(shown, HistoryView):
        await app.wait_until(lambda: not shown.progress)
    await app.pilot.pause(0.05)


def get_selected(app: AppDriver) -> str | None:
    session = app.app.screen.selection.session  # type: ignore[attr-defined]
    return session.session_id if session else None


def list_shown(app: AppDriver) -> set[str]:
    """The sessions on the view that is shown."""
    view = app.view
    if isinstance(view, TreeView):
        return {row.id[1] for row in view.session_tree.rows if row.id[0] == "session"}
    if isinstance(view, BoardView):
        return {each.session_id for column in view.board.columns for each in column}
    if isinstance(view, TimelineView):
        return {each.session_id for each in view.lines.events}
    assert isinstance(view, HistoryView)
    return {each.session.session_id for each in view.list.entries}


def list_marked(app: AppDriver) -> list[str]:
    strips = app.app.screen._compositor.render_strips()
    return [s.text for strip in strips for s in strip if s.style and s.style.underline and s.text.strip()]


def get_flags(app: AppDriver, session: str) -> object:
    return app.app._monitor.fleet.flags.get(session)  # type: ignore[attr-defined]


# The selection


@pytest.mark.long
async def test_the_selection_survives_going_through_all_views(disk: HomeOnDisk) -> None:
    async with disk.run_app() as app:
        await wait_until_loaded(app)
        await app.press("1")
        assert app.selected == ("session", A)
        for key in ("b", "L", "H", "t"):
            await get_view(app, key)
            if key != "H":  # what lives is no history
                assert get_selected(app) == A
        assert app.selected == ("session", A)


async def test_an_agent_and_a_project_stay_selected_on_the_tree(disk: HomeOnDisk) -> None:
    disk.send_hook(50, "SubagentStart", A, agent_id="e1", agent_type="Explore")
    async with disk.run_app() as app:
        await wait_until_loaded(app)
        tree = app.tree
        await app.wait_until(lambda: any(row.id[0] == "agent" for row in tree.rows))
        for row_id in (("agent", A, "e1"), tree.rows[0].id):
            tree.select(row_id, by_user=True)
            for key in ("b", "L", "H", "t"):
                await get_view(app, key)
            assert app.selected == row_id


async def test_all_views_share_the_selection(disk: HomeOnDisk) -> None:
    async with disk.run_app() as app:
        await wait_until_loaded(app)
        await get_view(app, "H")
        await app.press("j")
        over = get_selected(app)
        assert over in (C, D)
        await get_view(app, "b")
        assert get_selected(app) == over
        await get_view(app, "t")
        assert app.selected == ("session", over)
        await get_view(app, "L")
        await app.press("k")
        await get_view(app, "t")
        assert app.selected == ("session", get_selected(app))


# The filter


async def test_all_views_share_the_filter(disk: HomeOnDisk) -> None:
    async with disk.run_app() as app:
        await wait_until_loaded(app)
        for first in sample(("t", "b", "L", "H"), "L"):
            assert list_shown(app) == {A, B, C, D}, first
            await get_view(app, first)
            await app.press("slash", *"ccc", "enter")
            for key in ("t", "b", "L", "H"):
                await get_view(app, key)
                assert list_shown(app) == {C}, (first, key)
                assert " / ccc" in app.text, (first, key)
                assert "ccc" in list_marked(app), (first, key)
                line = app.line_with(" / ccc").split("┬")[0].split()
                assert line[-2] == "of", (first, key)
                assert int(line[-3]) < int(line[-1]), (first, key)
            await app.press("escape")
            assert isinstance(app.view, HistoryView), first
            assert list_shown(app) == {C, D}, first
            for key, everyone in (("b", {A, B, C, D}), ("t", {A, B, C, D}), ("L", {A, B, C, D})):
                await get_view(app, key)
                assert list_shown(app) == everyone, (first, key)
                assert not any(line.startswith(" / ") for line in app.lines), (first, key)
            await app.press("escape")
            assert isinstance(app.view, TreeView), first


async def test_escape_while_typing_restores_all_rows_and_the_selection(disk: HomeOnDisk) -> None:
    async with disk.run_app() as app:
        await wait_until_loaded(app)
        for key in sample(("b", "L", "H"), "b", "L"):
            await get_view(app, key)
            await app.press("g" if key != "L" else "k")
            before, everyone = get_selected(app), list_shown(app)
            other = D if before != D else C
            await app.press("slash", *other[:3])
            assert list_shown(app) == {other}, key
            assert get_selected(app) == other, key
            await app.press("escape")
            assert (get_selected(app), list_shown(app)) == (before, everyone), key
            assert isinstance(app.view, VIEWS[key]), key


async def test_the_filter_line_is_in_the_same_place_in_all_views(
    disk: HomeOnDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.send_hook(10, "PostToolUse", B, tool_name="Bash", tool_input={"command": "make"}, tool_use_id="t20")
    now = disk.clock()
    monkeypatch.setattr(disk, "clock", lambda: now)  # no age changes meanwhile
    async with disk.run_app(size=(90, 30)) as app:
        await wait_until_loaded(app)
        for key in sample(VIEWS, "t", "L"):
            await get_view(app, key)
            before = await wait_until_still(app)
            await app.press("slash")
            differ = [n for n, (old, new) in enumerate(zip(before, app.lines, strict=True)) if old != new]
            rule = next(n for n, line in enumerate(before) if line.startswith("───"))
            # the first line may tell today's cost meanwhile
            assert [n for n in differ if 0 < n < 29] == [rule], key
            assert app.lines[rule].startswith(" / "), key
            await app.press("escape")
            assert app.lines[1:29] == before[1:29], key
            assert app.lines[0].partition("idle")[:2] == before[0].partition("idle")[:2], key


async def test_the_timeline_filter_matches_sessions_and_entries(disk: HomeOnDisk) -> None:
    async with disk.run_app() as app:
        await wait_until_loaded(app)
        await get_view(app, "L")
        await app.press("slash", *"make")
        assert list_shown(app) == {B}
        assert all("make" in format_text(each) for each in app.view.lines.events)  # type: ignore[attr-defined]
        await app.press("escape", "slash", *"state:perm")
        assert list_shown(app) == {B}
        assert len(app.view.lines.events) > 2  # type: ignore[attr-defined]
        await app.press("escape", "slash", *"zzz")
        assert list_shown(app) == set()
        assert "nothing matches" in app.text
        await app.press("enter", "y")
        assert "copied" not in app.said


async def test_a_selection_that_no_longer_matches_stays_until_the_user_moves(disk: HomeOnDisk) -> None:
    disk.ask(A, 21, {"command": "make"})
    async with disk.run_app() as app:
        await wait_until_loaded(app)
        await get_view(app, "b")
        await app.press("slash", *"state:needs", "enter", "g")
        held = get_selected(app)
        assert list_shown(app) == {A, B}
        assert held is not None
        disk.send_hook(1, "PostToolUse", held, tool_name="Bash", tool_input={"command": "make"}, tool_use_id="t20")
        disk.send_hook(1, "PostToolUse", held, tool_name="Bash", tool_input={"command": "make"}, tool_use_id="t21")
        await app.wait_until(lambda: "1 need" in app.lines[0])
        assert (get_selected(app), list_shown(app)) == (held, {A, B})
        await app.press("j")
        await app.wait_until(lambda: list_shown(app) == {A, B} - {held})


# The keys


def is_view(app: AppDriver, key: str) -> Callable[[], bool]:
    return lambda: app.view.__class__ is VIEWS[key]


@pytest.mark.parametrize("key", ["b", "L", "H"])
async def test_the_same_keys_act_on_the_selected_session(disk: HomeOnDisk, key: str) -> None:
    async with disk.run_app() as app:
        await wait_until_loaded(app)
        await get_view(app, key)
        await app.press("2")
        session = get_selected(app)
        assert session is not None
        await app.press("p")
        await app.wait_until(lambda: get_flags(app, session) is not None)
        assert "pinned" in app.said
        await app.press("s")
        assert "sort: the " in app.said
        over = session in (C, D)
        await app.press("z")
        assert ("it has ended; dismiss it instead" in app.said) is over
        for pressed in ("y", "y"):  # at once
            app.app.simulate_key(pressed)
        await app.wait_for_text("copied")
        await app.press("9")
        assert "sessions on the screen" in app.said
        await app.press("space")
        await app.wait_until(lambda: app.app.screen is not app.app.fleet_screen)
        await app.press("escape")
        assert get_selected(app) == session


async def test_undo_reverts_a_change_made_in_another_view(disk: HomeOnDisk) -> None:
    async with disk.run_app() as app:
        await wait_until_loaded(app)
        await get_view(app, "b")
        app.view.select(("session", A), by_user=True)
        await app.pilot.pause()
        await app.press("p")
        await app.wait_until(lambda: "pinned" in app.text and get_flags(app, A) is not None)
        await get_view(app, "H")
        await app.press("2", "x")
        over = get_selected(app)
        await app.wait_until(lambda: "1 dismissed, but here" in app.text)
        assert "dismissed" in app.line_with("▌")
        assert list_shown(app) == {C, D}
        for key in ("t", "b", "L"):
            await get_view(app, key)
            assert over not in list_shown(app)
        await app.press("U")
        await app.wait_until(lambda: over in list_shown(app))
        await get_view(app, "t")
        assert list_shown(app) == {A, B, C, D}
        await app.press("U")
        await app.wait_until(lambda: not getattr(get_flags(app, A), "pinned", False))
        await app.press("U")
        assert "undo: nothing was" in app.said


async def test_the_history_restores_sessions_dismissed_long_ago(disk: HomeOnDisk) -> None:
    async with disk.run_app() as app:
        await wait_until_loaded(app)
        await get_view(app, "H")
        await app.press("1", "x")
        session = get_selected(app)
        await app.wait_until(lambda: "dismissed" in app.line_with("▌"))
    async with disk.run_app() as app:
        await app.wait_until(lambda: len(list_shown(app)) == 3)
        await get_view(app, "H")
        assert get_selected(app) == session
        await app.press("x")
        assert "is in the list again" in app.said
        await get_view(app, "t")
        await app.wait_until(lambda: session in list_shown(app))


async def test_a_pinned_card_moves_to_the_top_once_the_selection_leaves_it(disk: HomeOnDisk) -> None:
    for n, session in enumerate("efg"):
        disk.start(f"{session * 8}-0000-4000-8000-000000000000", ago=60 - n)
    async with disk.run_app() as app:
        await app.wait_for_text("do gggg")
        await get_view(app, "b")
        board = app.view.board  # type: ignore[attr-defined]

        def running() -> list[str]:
            return [each.session_id[0] for each in board.columns[1]]

        assert running() == ["g", "f", "e", "a"]
        board.select(A)
        await app.press("p")
        await app.wait_until(lambda: "pinned" in app.text)
        assert running() == ["g", "f", "e", "a"]
        await app.press("k")
        assert running()[0] == "a"


async def test_next_waiting_works_in_every_view(disk: HomeOnDisk) -> None:
    async with disk.run_app() as app:
        await wait_until_loaded(app)
        for key in ("b", "L", "t"):
            await get_view(app, key)
            await app.press("n")
            assert get_selected(app) == B


async def test_in_the_timeline_a_digit_goes_to_the_nearest_entry_of_its_session(disk: HomeOnDisk) -> None:
    async with disk.run_app() as app:
        await wait_until_loaded(app)
        await get_view(app, "L")
        lines = app.view.lines  # type: ignore[attr-defined]
        numbers = [line[0] for line in app.lines if line[:1].isdigit()]
        assert numbers == ["1", "2", "3", "4"]
        await app.press("1")
        assert (get_selected(app), lines.is_live) == (A, True)
        await app.press("k", "1")
        assert get_selected(app) == A
        assert lines.selected.session_id == A


# Hidden


def add_headless(disk: HomeOnDisk) -> None:
    for session in (A, D):
        disk.send_hook(101, "SessionStart", session, source="startup", env={"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"})


async def test_sessions_without_a_screen_are_hidden_and_shown_by_a_key(disk: HomeOnDisk) -> None:
    add_headless(disk)
    async with disk.run_app() as app:
        await wait_until_loaded(app)
        await app.wait_until(lambda: sum(s.kind == "headless" for s in app.app._monitor.fleet.sessions.values()) == 2)  # type: ignore[attr-defined]
        await app.press("V")
        await app.wait_until(lambda: list_shown(app) == {B, C})
        assert "headless and background sessions are hidden (2); V shows them" in app.said
        assert "2 hidden" in app.lines[0]
        for key, here in (("b", {B, C}), ("H", {C}), ("L", {B, C})):
            await get_view(app, key)
            assert list_shown(app) == here
        await app.press("V")
        await app.wait_until(lambda: list_shown(app) == {A, B, C, D})
        moments = app.view.lines.events  # type: ignore[attr-defined]
        assert len(moments) == len(set(moments))
        assert "hidden" not in app.lines[0]


async def test_a_key_toggles_the_sessions_hidden_by_the_configuration(disk: HomeOnDisk) -> None:
    add_headless(disk)
    async with disk.run_app(config=Config(hide_headless=True)) as app:
        await app.wait_until(lambda: list_shown(app) == {B, C})
        assert "2 hidden" in app.lines[0]
        await app.press("V")
        await app.wait_until(lambda: list_shown(app) == {A, B, C, D})
        await app.press("V")
        await app.wait_until(lambda: list_shown(app) == {B, C})
        assert "headless sessions are hidden (2)" in app.said
