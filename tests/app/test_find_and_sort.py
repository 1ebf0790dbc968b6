"""Finding with `/` and sorting with `s`: through real state files where files matter, from memory where figures do."""

import msgspec
import pytest
from textual.events import Key

from atm_tui.model.session import Context, Cost, Project, Session, State
from atm_tui.view.columns import fit_columns, write_headings, write_row
from atm_tui.view.present import ROLES
from atm_tui.view.row import Row
from tests.support.app_files import HomeOnDisk
from tests.support.effort import sample
from tests.support.fleets import make_busy_fleet
from tests.support.session_ids import A, B, C

SHOP, WEB = (Project(root=f"/src/{name}", name=name) for name in ("shop", "web"))


def make_priced(key: str, usd: float | None, percent: float, project: Project = SHOP, at: float = 1.0) -> Session:
    return Session(
        session_id=key,
        name=key,
        project=project,
        cost=Cost(usd=usd),
        context=Context(percent=percent),
        started_at=at,
        is_reported=True,
    )


PRICED = [make_priced("one", 1.0, 50, at=1), make_priced("two", 2.0, 90, at=2), make_priced("six", 6.0, 10, WEB, at=3)]


def list_sessions(app) -> list[str]:
    return [row.id[1] for row in app.tree.rows if row.id[0] == "session"]


async def test_the_list_is_filtered_and_counted_as_you_type(disk: HomeOnDisk) -> None:
    for session in (A, B, C):
        disk.start(session)
    disk.ask(B, 20, {"command": "make"})
    async with disk.run_app() as app:
        await app.wait_until(lambda: all(key[:8] in app.text for key in (A, B, C)))
        await app.press("slash", *"do aa")
        assert app.line_with(" / do aa").split("┬")[0].rstrip().endswith("1 of 3")
        tree = app.tree
        assert [row.id[1] for row in tree.rows if row.id[0] == "session"] == [A]
        assert app.selected == ("session", A)
        await app.press("escape")
        assert " of 3" not in app.text
        assert len([row for row in tree.rows if row.id[0] == "session"]) == 3
        assert app.selected == ("session", B)
        assert app.app.focused is tree


async def test_a_waiting_session_stays_selected_when_it_is_answered(disk: HomeOnDisk) -> None:
    for session in (A, B, C):
        disk.start(session)
    for session in (B, C):
        disk.ask(session, 20, {"command": "make"})
    async with disk.run_app() as app:
        tree = app.tree

        def list_found() -> list[str]:
            return [row.id[1] for row in tree.rows if row.id[0] == "session"]

        await app.wait_until(lambda: "2 need you" in app.text)
        await app.press("slash", *"state:needs", "enter")
        assert list_found() == [B, C]
        assert app.app.focused is tree
        chosen = app.selected
        disk.send_hook(1, "PostToolUse", B, tool_name="Bash", tool_input={"command": "make"}, tool_use_id="t20")
        await app.wait_until(lambda: "1 need" in app.lines[0])
        assert (list_found(), app.selected) == ([B, C], chosen)
        await app.press("j")
        assert list_found() == [C]
        await app.press("escape")
        assert list_found() == [A, B, C]


async def test_a_filter_without_matches_says_so_and_keeps_everything(drive) -> None:
    async with drive(PRICED) as app:
        await app.press("down", "down")
        chosen = app.tree.selected
        await app.press("slash", *"zzz")
        assert list_sessions(app) == []
        assert "0 of 3" in app.text
        assert "No sessions yet" not in app.text
        await app.press(*["backspace"] * 3)
        assert list_sessions(app) == ["one", "two", "six"]
        assert app.tree.selected == chosen
        await app.press("enter")
        assert not app.main.has_class("-filtering")


async def test_the_filter_compares_figures(drive) -> None:
    async with drive(PRICED) as app:
        await app.press("slash", *">80%", "enter")
        assert list_sessions(app) == ["two"]
        await app.press("escape", "slash", *">$1.5", "down")
        assert list_sessions(app) == ["two", "six"]
        assert app.app.focused is app.tree


async def test_a_folded_session_is_found_and_folded_again_afterwards(drive) -> None:
    async with drive(PRICED) as app:
        await app.press("g", "left")
        assert list_sessions(app) == ["six"]
        await app.press("slash", *"two")
        assert list_sessions(app) == ["two"]
        await app.press("escape")
        assert list_sessions(app) == ["six"]


async def test_going_to_a_filtered_session_says_so(drive) -> None:
    waiting = msgspec.structs.replace(make_priced("late", 1.0, 1), state=State.NEEDS_YOU, since=5.0)
    async with drive([*PRICED, waiting]) as app:
        await app.press("slash", *"two", "enter", "n")
        assert app.tree.selected == ("session", "two")
        assert "the filter hides it; Esc clears the filter" in app.lines[-1]


async def test_opening_the_filter_moves_no_row(drive) -> None:
    async with drive(make_busy_fleet()) as app:
        before = app.lines
        await app.press("slash")
        after = app.lines
        assert [n for n, pair in enumerate(zip(before, after, strict=True)) if pair[0][:80] != pair[1][:80]] == [
            next(n for n, text in enumerate(after) if text.startswith(" / "))
        ]


async def test_there_is_no_filter_without_sessions(drive) -> None:
    async with drive([]) as app:
        await app.press("slash")
        assert "filter: there are no sessions yet" in app.lines[-1]


def test_matches_are_marked_in_the_name() -> None:
    row = Row(
        id=("session", "s"), parent=None, indent="", folded=None, glyph=None, name=("Migrate the migration", "plain")
    )
    from atm_tui.view.present import UNICODE

    parts = write_row(row, fit_columns(100), "", UNICODE, (60, 80, 90), selected=False, marks=("mig", "migra"))
    assert [text for text, role in parts if role == "match"] == ["Migra", "migra"]
    assert "match" in ROLES


async def test_the_key_sorts_and_the_heading_shows_the_order(drive) -> None:
    async with drive(PRICED) as app:
        assert list_sessions(app) == ["one", "two", "six"]
        assert "SESSION · started" in app.text
        shown = {}
        for _ in range(5):
            await app.press("s")
            order = app.line_with("SESSION · ").split("·")[1].split()[0]
            shown[order] = list_sessions(app)
        assert list(shown) == ["attention", "newest", "cost", "context", "started"]
        assert shown["newest"] == ["six", "two", "one"]
        assert shown["cost"] == ["six", "two", "one"]
        assert shown["context"] == ["two", "one", "six"]


async def test_rows_are_reordered_only_when_the_user_goes_to_the_top(drive) -> None:
    async with drive(PRICED) as app:
        await app.press("s", "s", "s", "G")
        assert list_sessions(app) == ["six", "two", "one"]
        richer = make_priced("one", 9.0, 50, at=1)
        await app.put(*PRICED[1:], richer, make_priced("new", 20.0, 1, at=9))
        assert list_sessions(app) == ["six", "two", "one", "new"]
        await app.press("up")
        assert list_sessions(app) == ["six", "two", "one", "new"]
        await app.press("g")
        assert list_sessions(app) == ["new", "one", "two", "six"]
        assert app.tree.selected == app.tree.rows[0].id


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_every_order_fits_the_heading(width: int) -> None:
    for order in ("started", "attention", "newest", "cost", "context"):
        (text, _), *_ = write_headings(fit_columns(width), order)
        assert f"· {order} " in text or f"SESSION·{order} " in text


@pytest.mark.parametrize("view", sample(["t", "b", "L"], "t"))
async def test_no_letter_is_lost_in_fast_typing(drive, view: str) -> None:
    async with drive(PRICED) as app:
        await app.press(view)
        for key, letter in (("slash", "/"), ("t", "t"), ("w", "w"), ("o", "o")):
            app.app._driver.send_message(Key(key, letter))
        await app.wait_until(lambda: any(write_row.startswith(" / two") for write_row in app.lines))
        assert app.main.visible_sessions.filter.text == "two"


async def test_a_key_right_after_the_filter_is_a_command(drive) -> None:
    async with drive(PRICED) as app:
        for key, letter in (
            ("slash", "/"),
            ("t", "t"),
            ("w", "w"),
            ("o", "o"),
            ("enter", None),
            ("b", "b"),
            ("q", "q"),
        ):
            app.app._driver.send_message(Key(key, letter))
        await app.wait_until(lambda: app.app._exit)
        assert (app.main.visible_sessions.filter.text, app.main.view.VIEW) == ("two", "board")


async def test_the_key_that_opens_the_filter_can_be_typed_in_it(drive) -> None:
    async with drive(PRICED) as app:
        await app.press("slash", *"src", "slash", *"shop")
        assert app.main.visible_sessions.filter.text == "src/shop"
