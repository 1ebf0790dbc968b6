"""The board, driven by keys: columns, cursor, and switching from and to the tree."""

import msgspec
import pytest
from rich.cells import cell_len

from atm_tui.config import Config
from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.session import Liveness, Project, Session, State
from atm_tui.model.wait import Reason, Wait
from atm_tui.screens.help import HelpScreen
from atm_tui.widgets.board_view import BoardView
from atm_tui.widgets.tree_view import TreeView
from tests.support.effort import sample
from tests.support.fleets import NOW, make_busy_fleet

SHOP = Project(root="/src/shop", name="shop", branch="main")
QUESTION = Activity(kind=ActivityKind.QUESTION, count=1)


def make_sessions(name: str, state: State = State.WORKING, **values: object) -> Session:
    return Session(session_id=name, name=name, project=SHOP, **{"state": state, "since": NOW - 60, **values})


def make_waiting(name: str, **values: object) -> Session:
    asked = Activity(kind=ActivityKind.PERMISSION, tool="Bash", count=1)
    return make_sessions(name, State.NEEDS_YOU, **{"activity": asked, **values})


def get_board(app) -> BoardView:
    assert isinstance(app.view, BoardView), app.text
    return app.view


def list_names(app) -> list[list[str]]:
    return [[session.name for session in column] for column in get_board(app).board.columns]


def get_selected(app) -> str | None:
    return get_board(app).board.selected


async def test_each_session_is_in_its_column_in_order_and_a_click_selects_it(drive) -> None:
    async with drive(make_busy_fleet(), size=(140, 45)) as app:
        await app.press("b")
        assert list_names(app) == [
            ["upgrade-postgres", "my-feature", "login-bug", "docs", "Why is the test suite slow on CI but not here?"],
            ["日本語の翻訳を直す", "terraform-drift", "refactor-db"],
            ["css-cleanup", "spike-graphql", "nightly-report"],
        ]
        head = app.line_with("Running")
        assert head.split() == ["Needs", "you", "3", "+2", "to", "review", "Running", "3", "Done", "3", "1", "lost"]
        row = next(index for index, line in enumerate(app.lines) if "terraform-drift" in line)
        await app.pilot.click(offset=(app.lines[row].index("terraform-drift"), row))
        assert get_selected(app) == "0c12"


async def test_a_card_shows_name_project_activity_and_cost(drive) -> None:
    wait = Wait(
        key="w", agent_id="a1", reason=Reason.PERMISSION, tool="Bash", summary="npm run migrate", since=NOW - 72
    )
    shown = msgspec.structs.replace(make_busy_fleet()[0], waits=(wait,), since=NOW - 72, cache_until=NOW + 200)
    async with drive([shown], size=(140, 30)) as app:
        await app.press("b")
        lines = [line[1:46].strip(" │┃") for line in app.lines]
        at = next(index for index, line in enumerate(lines) if "my-feature" in line)
        assert lines[at].split() == ["●", "my-feature", "1m12s"]
        assert lines[at + 1] == "shop-api · main ▸ Explore"
        assert lines[at + 2] == "permission Bash npm run migrate"
        assert lines[at + 3].split() == ["━━╸─", "61%", "warm", "3m", "3▸", "$3.20"]


async def test_the_selection_of_a_session_or_agent_follows_to_the_board_and_back(drive) -> None:
    async with drive(make_busy_fleet(), size=(140, 45)) as app:
        app.tree.select(("session", "0b11"), by_user=True)
        await app.press("b")
        assert get_selected(app) == "0b11"
        await app.press("j", "j")
        there = get_selected(app)
        await app.press("t")
        assert isinstance(app.view, TreeView)
        assert app.tree.selected == ("session", there)
        app.tree.select(("agent", "0a11", "a2"), by_user=True)
        await app.press("b")
        assert get_selected(app) == "0a11"
        await app.press("escape")
        assert app.tree.selected == ("agent", "0a11", "a2")


async def test_arrows_move_within_a_column_and_to_the_adjacent_card(drive) -> None:
    fleet = [
        make_waiting("a", since=NOW - 3),
        make_waiting("b", since=NOW - 2),
        make_waiting("c", since=NOW - 1),
        make_sessions("r"),
        make_sessions("s"),
    ]
    async with drive(fleet, size=(120, 40)) as app:
        await app.press("b", "g")
        assert get_selected(app) == "a"
        await app.press("j", "down")
        assert get_selected(app) == "c"
        await app.press("down")
        assert get_selected(app) == "c"
        await app.press("k")
        await app.press("l")
        assert get_selected(app) == list_names(app)[1][1]
        await app.press("right")
        assert get_selected(app) == list_names(app)[1][1]  # Done is empty
        await app.press("h")
        assert get_selected(app) == "b"
        await app.press("G")
        assert get_selected(app) == "c"


async def test_a_new_wait_moves_neither_the_selection_nor_its_card(drive) -> None:
    fleet = [make_waiting("a"), make_waiting("b", activity=QUESTION), make_sessions("r")]
    async with drive(fleet, size=(120, 40)) as app:
        await app.press("b", "g", "j")
        before = [line[:40] for line in app.lines]
        await app.put(*fleet, make_waiting("new", since=NOW - 1))
        assert get_selected(app) == "b"
        assert list_names(app)[0] == ["a", "b", "new"]
        row = next(index for index, line in enumerate(before) if " b " in line)
        assert " b " in app.lines[row]


async def test_the_selected_card_stays_in_place_until_the_selection_moves(drive) -> None:
    fleet = [make_waiting("a"), make_waiting("b", activity=QUESTION), make_sessions("r")]
    async with drive(fleet, size=(120, 40)) as app:
        await app.press("b", "g")
        await app.put(make_sessions("a"), *fleet[1:])
        assert list_names(app)[0] == ["a", "b"]
        assert "Needs you  1" in app.text
        assert "Running  2" in app.text
        await app.press("j")
        assert get_selected(app) == "b"
        assert list_names(app) == [["b"], ["a", "r"], []]


async def test_when_a_card_disappears_the_card_in_its_place_is_selected(drive) -> None:
    fleet = [make_waiting("a", since=NOW - 3), make_waiting("b", since=NOW - 2), make_waiting("c", since=NOW - 1)]
    async with drive(fleet, size=(120, 40)) as app:
        await app.press("b", "g", "j")
        await app.put(fleet[0], fleet[2])
        assert get_selected(app) == "c"
        await app.put()
        assert get_selected(app) is None
        assert "nothing waits for you" in app.text
        await app.put(make_sessions("z"))
        assert get_selected(app) == "z"


async def test_a_card_selected_for_a_while_is_marked_as_seen_in_place(drive) -> None:
    fleet = [
        make_waiting("a"),
        make_sessions("done", State.IDLE, unseen=True, activity=Activity(kind=ActivityKind.FINISHED)),
    ]
    async with drive(fleet, size=(120, 40)) as app:
        await app.press("b", "g", "j")
        assert get_selected(app) == "done"
        app.monitor.time += 2
        app.main._tick()
        await app.wait_until(lambda: app.monitor.seen == ["done"])
        await app.wait_until(lambda: "Done  1" in app.text)
        assert list_names(app)[0] == ["a", "done"]
        await app.press("k")
        assert list_names(app) == [["a"], [], ["done"]]


async def test_a_cache_expiry_moves_no_card(drive) -> None:
    fleet = [
        make_waiting("warm", since=NOW - 90, cache_until=NOW + 90),
        make_waiting("b"),
        make_waiting("c", activity=QUESTION),
    ]
    async with drive(fleet, size=(120, 40)) as app:
        await app.press("b", "G")
        assert list_names(app)[0] == ["warm", "b", "c"]
        assert "warm 2m" in app.text
        app.monitor.time += 100
        app.main._tick()
        await app.pilot.pause()
        assert list_names(app)[0] == ["warm", "b", "c"]
        assert "warm 2m" not in app.text
        assert get_selected(app) == "c"


async def test_board_queue_and_next_agree_on_order_and_counts(drive) -> None:
    plan = Activity(kind=ActivityKind.PLAN, count=1)
    fleet = [
        make_waiting("new", since=NOW - 9, cache_until=NOW + 200),
        make_waiting("plan", activity=plan, since=NOW - 900, cache_until=NOW - 100),
        make_waiting("asleep", since=NOW - 5000),
        make_waiting("middle", activity=QUESTION, since=NOW - 70),
        make_sessions("seen", State.IDLE, unseen=True),
    ]
    async with drive(fleet, size=(140, 45)) as app:
        assert "4 need you" in app.lines[0]
        app.tree.select(("session", "asleep"), by_user=True)
        await app.press("z")
        await app.wait_until(lambda: "asleep" in app.monitor.fleet.snoozed)
        queue = [line.split("/")[1].split()[0] for line in app.lines[2:5]]
        assert queue == ["plan", "middle", "new"]
        await app.press("b")
        assert list_names(app)[0][:3] == queue
        assert "3 need you" in app.lines[0]
        assert "1 snoozed" in app.lines[0]
        assert "Needs you  3  +2 to review" in app.text
        order = []
        for _ in queue:
            await app.press("n")
            order.append(get_selected(app))
        start = queue.index(order[0])
        assert order == queue[start:] + queue[:start]


@pytest.mark.parametrize("view", ["t", "b"])
async def test_a_digit_selects_the_row_that_shows_it_after_a_reorder(drive, view: str) -> None:
    fleet = [make_waiting("a", since=NOW - 10), make_waiting("c", since=NOW - 5)]
    async with drive(fleet, size=(140, 45)) as app:
        await app.press(view)
        before = app.main.view.list_numbered()[1]
        app.monitor.fleet.update([make_waiting("0", since=NOW - 900, started_at=-1.0), *fleet])
        app.main._show_all()
        assert app.main.view.list_numbered()[1] != before
        app.main.handlers["nth"]("2")
        assert app.main.selection.session.session_id == before[1] == "c"
        await app.pilot.pause()
        after = app.main.view.list_numbered()[1]
        app.main.handlers["nth"]("2")
        assert app.main.selection.session.session_id == after[1] != "c"


async def test_next_waiting_help_and_the_footer_work_as_in_the_tree(drive) -> None:
    async with drive(make_busy_fleet(), size=(140, 45)) as app:
        await app.press("b", "n")
        assert get_selected(app) in {"0a11", "0b11", "0c11"}
        assert "↵ jump" in app.lines[-1]
        assert "t tree" in app.lines[-1]
        await app.press("question_mark")
        await app.wait_until(lambda: isinstance(app.app.screen, HelpScreen))
        await app.press("b")
        await app.wait_until(lambda: isinstance(app.app.screen, HelpScreen))
        await app.press("escape")
        assert get_board(app)


async def test_a_column_scrolls_to_the_selected_card(drive) -> None:
    fleet = [make_waiting(f"a{number:02}", since=NOW - 60 + number) for number in range(12)]
    async with drive(fleet, size=(100, 24)) as app:
        await app.press("b", "g")
        assert "a00" in app.text
        await app.press("G")
        assert get_selected(app) == "a11"
        assert "a11" in app.text
        assert "a00" not in app.text
        await app.press("pageup")
        assert get_selected(app) == "a08"


async def test_at_every_size_lines_fit_and_cuts_are_marked(drive) -> None:
    hostile = make_sessions(
        "日本語[/]\x1b[2Jの翻訳を直す",
        State.IDLE,
        activity=Activity(kind=ActivityKind.TOOL, tool="x\u202ey" * 30),
        last_reply="👩\u200d💻 [b]" * 40,
    )
    async with drive([*make_busy_fleet(), hostile], size=(40, 10)) as app:
        await app.press("b")
        for size in sample([(40, 10), (60, 24), (80, 24), (140, 45), (300, 100)], (40, 10), (80, 24)):
            await app.resize(size)
            await app.press("h", "h", "g")
            assert all(cell_len(line) == size[0] for line in app.lines), size
            assert "\x1b" not in app.text
            for left, right in ("╭╮", "┏┓", "╰╯", "┗┛"):
                assert app.text.count(left) == app.text.count(right), size
            for key in ("l", "l", "j", "G", "h", "k"):
                await app.press(key)
                assert sum(line.count("┃") for line in app.lines) >= 8, (size, app.text)


async def test_wide_columns_show_cards_side_by_side_and_arrows_follow(drive) -> None:
    fleet = [make_waiting(f"a{number}", since=NOW - 60 + number) for number in range(5)]
    async with drive(fleet, size=(300, 40)) as app:
        await app.press("b", "g", "l")
        assert get_selected(app) == "a1"
        await app.press("j")
        assert get_selected(app) == "a3"
        await app.press("h", "j")
        assert get_selected(app) == "a4"


async def test_an_idle_fleet_renders_nothing(drive, monkeypatch: pytest.MonkeyPatch) -> None:
    fleet = [
        make_sessions(
            f"s{number}", State.IDLE, activity=Activity(kind=ActivityKind.FINISHED), since=NOW - 3600 - 60 * number
        )
        for number in range(20)
    ]
    async with drive(fleet, size=(140, 45)) as app:
        await app.press("b")
        painted: list[object] = []
        for lane in get_board(app).board._lanes:
            monkeypatch.setattr(lane, "refresh", lambda *regions, **_: painted.append(regions))
        for _ in range(10):
            app.monitor.time += 1
            app.main._tick()
        assert painted == []


async def test_ascii_mode_uses_only_ascii(drive) -> None:
    async with drive(
        [make_waiting("a"), make_sessions("b"), make_sessions("c", State.IDLE)], config=Config(ascii=True)
    ) as app:
        await app.press("b")
        assert app.text.isascii()
        assert "+----" in app.text
        assert "#====" in app.text


async def test_ended_and_lost_sessions_are_done(drive) -> None:
    over = make_sessions("gone", State.NEEDS_YOU, liveness=Liveness.LOST, ended_at=NOW - 5)
    async with drive([over]) as app:
        await app.press("b")
        assert list_names(app) == [[], [], ["gone"]]


async def test_the_filter_of_the_tree_applies_to_the_board_and_is_shown(drive) -> None:
    async with drive(make_busy_fleet(), size=(140, 45)) as app:
        await app.press("slash", *"state:needs", "enter")
        await app.press("b")
        assert [len(column) for column in list_names(app)] == [3, 0, 0]
        assert app.line_with(" / state:needs").rstrip().endswith("3 of 11")
        await app.press("t", "escape", "b")
        assert sum(len(column) for column in list_names(app)) == 11
        assert "state:needs" not in app.text


async def test_a_snoozed_session_is_last_and_dim_and_a_dismissed_one_is_hidden(drive) -> None:
    over = make_sessions("gone", State.IDLE, liveness=Liveness.ENDED, ended_at=NOW - 5)
    async with drive([make_waiting("a", since=NOW - 1), make_waiting("b", since=NOW - 2), over], size=(140, 45)) as app:
        app.tree.select(("session", "a"), by_user=True)
        await app.press("z")
        app.tree.select(("session", "gone"), by_user=True)
        await app.press("x")
        await app.wait_until(lambda: "a" in app.monitor.fleet.snoozed)
        await app.press("b")
        assert list_names(app) == [["b", "a"], [], []]
        assert "Needs you  1  +1 to review" in app.text
        assert "snoozed permission" in app.text
