"""The queue above the tree: which sessions wait, in which order and how many; it changes neither selection nor focus nor rows."""

import re

import msgspec
import pytest
from rich.cells import cell_len

from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.elsewhere import adopt
from atm_tui.model.host import Host
from atm_tui.model.session import Agent, Context, Cost, Project, Session, State
from atm_tui.model.wait import Reason, Wait
from atm_tui.view.card import write_card
from atm_tui.view.present import ASCII, UNICODE
from atm_tui.widgets.queue import compute_max_rows, format_wait, write_row
from tests.support.app_files import HomeOnDisk
from tests.support.effort import sample
from tests.support.fleets import NOW, make_large_fleet
from tests.support.session_ids import A, B, C


def make_waiting(key: str, ago: float, **given: object) -> Session:
    wait = Wait(key="k", reason=Reason.PERMISSION, tool="Bash", summary="npm test", since=NOW - ago)
    base = Session(
        session_id=key,
        name=key,
        project=Project(root="/src/shop", name="shop"),
        state=State.NEEDS_YOU,
        activity=Activity(kind=ActivityKind.PERMISSION, tool="Bash", count=1),
        since=NOW - ago,
        waits=(wait,),
    )
    return msgspec.structs.replace(base, **given)


def read_queue(lines: list[str]) -> list[str]:
    """The lines of the queue below its title."""
    at = next((n for n, line in enumerate(lines) if "waiting for you" in line), None)
    if at is None:
        return []
    end = next(n for n in range(at + 1, len(lines)) if not lines[n].startswith((" ●", " ✗")))
    return lines[at + 1 : end]


def test_a_small_screen_has_few_rows() -> None:
    sizes = ((60, 9), (60, 10), (40, 15), (60, 16), (59, 60), (200, 23), (80, 24), (99, 60), (100, 29), (100, 30))
    assert [compute_max_rows(*size) for size in sizes] == [0, 1, 1, 2, 2, 2, 2, 2, 2, 5]


@pytest.mark.parametrize("silent_since", [None, NOW - 60])
def test_row_and_card_of_a_session_elsewhere_are_faint_without_a_word_of_it(silent_since: float | None) -> None:
    waiting = make_waiting("s", 72, cost=Cost(usd=1.5), context=Context(percent=95.0), cache_until=NOW + 600)
    session = adopt(waiting, "gpu", Host(ssh="gpu"), ahead=0.0, silent_since=silent_since)
    card = write_card(session, 40, NOW, UNICODE, (50, 70, 90), selected=True)
    parts = [*write_row(session, "1m12s", 100, UNICODE), *(part for line in card[1:-1] for part in line[1:-1])]
    roles = {role for text, role in parts if text.strip()}
    assert (roles == {"faint"}) is (silent_since is not None), roles


@pytest.mark.parametrize("width", [60, 80, 120, 300])
def test_a_row_shows_name_request_and_age_in_its_width(width: int) -> None:
    agent = Agent(agent_id="e", name="Explore")
    wait = Wait(key="k", agent_id="e", reason=Reason.PERMISSION, tool="Bash", summary="npm \x1b[2J run", since=NOW - 72)
    session = make_waiting("日本語 feature", 72, agents=(agent,), waits=(wait, wait))
    for glyphs in (UNICODE, ASCII):
        text = "".join(part for part, _ in write_row(session, format_wait(session, NOW), width, glyphs))
        assert cell_len(text) == width
        assert "shop/日本語" in text
        assert text.endswith(" 1m12s ")
        assert "\x1b" not in text
    if width >= 80:
        assert " > Explore" in text
        assert "permission +1 Bash  npm" in text


def _read_age(row: str) -> int:
    """Returns the age at the end of a row, such as 1m02s, in seconds."""
    minutes, seconds = re.fullmatch(r"(?:(\d+)m)?(\d+)s", row.rsplit(maxsplit=1)[-1]).groups()  # type: ignore[union-attr]
    return 60 * int(minutes or 0) + int(seconds)


async def test_the_queue_is_shown_only_while_sessions_wait_oldest_first(disk: HomeOnDisk) -> None:
    for session in (A, B, C):
        disk.start(session)
    async with disk.run_app() as app:
        await app.wait_for_text(f"do {C[:8]}")
        assert "waiting for you" not in app.text
        disk.ask(B, 20, {"command": "make later"})
        disk.ask(A, 50, {"command": "make earlier"})
        await app.wait_until(lambda: len(read_queue(app.lines)) == 2)
        first, second = read_queue(app.lines)
        assert "permission    Bash  make earlier" in first
        assert "permission    Bash  make later" in second
        assert 49 <= _read_age(first) < 50 + 240  # the test would have ended before
        assert 29 <= _read_age(first) - _read_age(second) <= 31
        disk.send_hook(1, "Stop", A)
        disk.send_hook(1, "Stop", B)
        await app.wait_until(lambda: "waiting for you" not in app.text)


async def test_a_click_on_a_row_selects_its_session(disk: HomeOnDisk) -> None:
    for session in (A, B):
        disk.start(session)
        disk.ask(session, 50 if session == A else 20, {"command": "make"})
    async with disk.run_app() as app:
        await app.wait_until(lambda: len(read_queue(app.lines)) == 2)
        assert app.selected == ("session", A)
        assert await app.pilot.click("#queue", offset=(10, 2))
        await app.wait_until(lambda: app.selected == ("session", B))


async def test_waits_that_do_not_fit_are_counted(drive) -> None:
    waiting = [make_waiting(f"s{n}", 100 - n) for n in range(8)]
    async with drive(waiting) as app:
        assert [line.split()[1] for line in read_queue(app.lines)] == [f"shop/s{n}" for n in range(5)]
        assert app.line_with("waiting for you").endswith(" +3 more ─")
    async with drive(waiting, size=(80, 24)) as app:
        assert len(read_queue(app.lines)) == 2
        assert app.line_with("waiting for you").endswith(" +6 more ─")
    async with drive(waiting, size=(80, 14)) as app:
        assert len(read_queue(app.lines)) == 1
        assert app.line_with("waiting for you").endswith(" +7 more ─")


async def test_a_new_wait_changes_neither_selection_nor_focus_nor_rows(drive) -> None:
    fleet = [
        msgspec.structs.replace(each, state=State.IDLE, activity=Activity(), waits=()) for each in make_large_fleet(54)
    ]
    async with drive(fleet) as app:
        await app.press("pagedown", "pagedown", *["up"] * 8, "tab")
        chosen, focused = app.tree.selected, app.app.focused

        def find_place() -> int:
            return next(n for n, line in enumerate(app.lines) if line.startswith("▌"))

        before = find_place()
        await app.put(*fleet, make_waiting("late", 5), make_waiting("later", 3))
        assert len(read_queue(app.lines)) == 2
        assert (app.tree.selected, app.app.focused) == (chosen, focused)
        assert find_place() == before
        await app.put(*fleet)
        assert read_queue(app.lines) == []
        assert (app.tree.selected, find_place()) == (chosen, before)


async def test_ages_in_the_queue_advance(drive) -> None:
    async with drive([make_waiting("s", 10)]) as app:
        assert read_queue(app.lines)[0].endswith("  10s ")
        await app.tick(3)
        assert read_queue(app.lines)[0].endswith("  13s ")


async def test_the_number_of_more_waits_is_shown_at_every_width(drive) -> None:
    agent = Agent(agent_id="e", name="Explore the whole of the repository")
    waits = tuple(
        Wait(key=key, agent_id="e", reason=Reason.PERMISSION, tool="Bash", summary="npm run migrate", since=NOW - 72)
        for key in "abc"
    )
    async with drive([make_waiting("s", 72, agents=(agent,), waits=waits)], size=(48, 24)) as app:
        for size in sample(((48, 24), (60, 24), (80, 24), (140, 45)), (48, 24), (60, 24)):
            await app.resize(size)
            rows = [line for line in app.lines if "permission +2" in line]
            assert any("▌" in line for line in rows), app.text
            assert len(rows) >= (2 if size[0] >= 60 else 1), size


async def test_later_waits_and_answers_move_no_row(drive) -> None:
    calm = [make_waiting(key, 9, state=State.IDLE, activity=Activity(), waits=()) for key in ("a", "b", "c")]

    def find_place() -> int:
        return next(n for n, line in enumerate(app.lines) if line.startswith(("▌", "2")) and " b " in line)

    async with drive(calm, size=(120, 40)) as app:
        assert not any("wait" in line for line in app.lines[1:4])
        app.tree.select(("session", "b"), by_user=True)
        await app.put(make_waiting("a", 5), *calm[1:])
        chosen, there = app.tree.selected, find_place()
        await app.put(*calm)
        assert "nobody waits" in app.lines[1]
        assert (app.tree.selected, find_place()) == (chosen, there)
        await app.put(*calm[:2], make_waiting("c", 5))
        assert len(read_queue(app.lines)) == 1
        assert find_place() == there
        await app.put(*calm)
        await app.press("g")
        assert not any("nobody waits" in line for line in app.lines)


async def test_a_click_on_an_empty_line_does_nothing(drive) -> None:
    calm = [make_waiting(key, 9, state=State.IDLE, activity=Activity(), waits=()) for key in ("a", "b")]
    async with drive([make_waiting("a", 5), calm[1]], size=(120, 40)) as app:
        await app.put(*calm)
        await app.pilot.click("#queue", offset=(10, 1))
        assert app.tree.selected == ("session", "a")


def test_the_reason_is_whole_from_40_columns_on() -> None:
    for width in (40, 44, 60, 80):
        row = "".join(text for text, _ in write_row(make_waiting("a" * 40, 72), "1m12s", width, UNICODE))
        assert "permission" in row
        assert cell_len(row) == width
