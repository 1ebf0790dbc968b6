"""How long sessions waited for the user today: in the header if it fits, and in the pane of a session or project."""

from msgspec.structs import replace

from atm_tui.model.session import Project, Session, State
from atm_tui.model.wait import Wait
from tests.support.effort import sample
from tests.support.fleets import NOW, make_busy_fleet

SHOP = Project(root="/home/user/shop", name="shop")


def make_session(name: str, *spans: tuple[float, float], waits: tuple[Wait, ...] = ()) -> Session:
    waited = tuple((NOW - before, NOW - after) for before, after in spans)
    state = State.NEEDS_YOU if waits else State.IDLE
    return Session(
        session_id=name,
        name=name,
        project=SHOP,
        state=state,
        since=NOW - 9,
        waited=waited,
        waits=waits,
        started_at=NOW - 900,
    )


FLEET = [make_session("one", (500, 380)), make_session("two", (500, 320), waits=(Wait(key="k", since=NOW - 30),))]


async def test_the_header_sums_todays_waits_and_keeps_counting(drive) -> None:
    async with drive(FLEET, size=(100, 30)) as app:
        assert "waited 5m" in app.lines[0]
        await app.tick(60)
        assert "waited 6m" in app.lines[0]


async def test_the_time_waited_today_displaces_nothing_in_a_narrow_header(drive) -> None:
    fleet = make_busy_fleet()
    more = [replace(fleet[0], waited=((NOW - 9000, NOW - 5000),)), *fleet[1:]]
    for width in sample((40, 60, 80, 100), 40, 100):
        async with drive(fleet, size=(width, 24)) as app:
            before = app.lines[0]
            await app.put(*more)
            assert app.lines[0] == before
    async with drive(more, size=(160, 24)) as app:
        assert "waited 1h" in app.lines[0]


async def test_the_panes_show_the_time_waited_of_a_session_or_project(drive) -> None:
    async with drive(FLEET, size=(120, 40)) as app:
        await app.main.go_to("one")
        await app.pilot.pause()
        assert "waited  2m on you today" in app.text
        app.monitor.fleet.waited_before = {"/home/user/shop": (((NOW - 900, NOW - 840),),)}
        await app.press("home")
        assert "waited  6m on you today" in app.text


async def test_nothing_is_shown_without_waits(drive) -> None:
    async with drive([make_session("one")], size=(140, 40)) as app:
        await app.main.go_to("one")
        await app.pilot.pause()
        assert "waited" not in app.text
