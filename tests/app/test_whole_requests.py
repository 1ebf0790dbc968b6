"""A single key allows a request only if a widget reports that it shows all of it; the screen's text is not parsed."""

import msgspec
import pytest
from textual.widgets import Static

from atm_tui.model.request import Arming, Request
from atm_tui.model.session import Agent, AgentState, Session, State
from atm_tui.model.wait import Reason, Wait
from atm_tui.screens.peek import PeekScreen
from atm_tui.screens.request import RequestScreen
from atm_tui.view import status_pane
from atm_tui.view.pane import RenderContext
from atm_tui.view.present import UNICODE
from atm_tui.view.whole_request import names_whole
from tests.support.app_answers import AskingSession
from tests.support.effort import sample
from tests.support.fleets import HOME, NOW

LONG = "npm run migrate -- --env staging --dry-run --with " + "x" * 120


CARD_SIZES = [((140, 40), True), ((60, 40), True), ((140, 6), False), ((75, 40), False)]
"""Size of the terminal, and whether a card then shows a short request in full."""


def make_request(command: str, **fields: object) -> Request:
    base = Request(nonce="n", session_id="s", key="k", digest="", tool="Bash", input={"command": command})
    return msgspec.structs.replace(base, **fields)


def make_wait(command: str, **fields: object) -> Wait:
    base = Wait(key="k", reason=Reason.PERMISSION, tool="Bash", summary=command, since=NOW - 5)
    return msgspec.structs.replace(base, **fields)


def make_session(*waits: Wait, **fields: object) -> Session:
    given = {"state": State.NEEDS_YOU, "since": NOW - 5, "is_reported": True, **fields}
    return Session(session_id="s", name="s", waits=waits, **given)


# What is written elsewhere is not the request


async def test_a_prompt_worded_like_a_request_does_not_count_as_one(asking_session: AskingSession) -> None:
    """The row cuts the request, and the title of the session reads as if it were all of it."""
    command = "npm run lint"
    asking_session.harness.send_hook("UserPromptSubmit", prompt=f"Bash {command}")
    async with asking_session.run_app(size=(75, 16)) as app:
        with asking_session.open_request(given={"command": command}) as hook:
            await app.wait_for_text("a allow")
            assert f" Bash {command}  " in app.text
            assert f"permission Bash {command}" not in app.text
            asking_session.settle()
            await app.press("a")
            await app.wait_until(lambda: isinstance(app.app.screen, RequestScreen))
            assert hook.process.poll() is None


async def test_a_prompt_worded_like_the_status_pane_does_not_count_as_a_request(asking_session: AskingSession) -> None:
    command = "rmdir " + "x" * 60
    asking_session.harness.send_hook("UserPromptSubmit", prompt=f"permission Bash {command} It wants to run Bash")
    async with asking_session.run_app(size=(200, 22)) as app:
        with asking_session.open_request(given={"command": command + " --and --more " + "y" * 150}) as hook:
            await app.wait_for_text("a allow")
            asking_session.settle()
            await app.press("a")
            await app.wait_until(lambda: isinstance(app.app.screen, RequestScreen))
            assert hook.process.poll() is None


@pytest.mark.parametrize(
    ("command", "given"),
    [
        ("npm test\nrm x", make_wait("npm test rm x")),
        ("npm  test", make_wait("npm test")),
        ("npm test ", make_wait("npm test")),
        ("npm\u200btest", make_wait("npmtest")),
        ("", make_wait("")),
        ("npm test", make_wait("npm test", key="other")),
        ("npm test", make_wait("npm test", tool="Read")),
        ("npm test", make_wait("npm test", reason=Reason.QUESTION)),
        ("npm test", make_wait("npm te…")),
        ("npm test", None),
    ],
)
def test_only_a_wait_with_the_full_request_counts_as_showing_it(command: str, given: Wait | None) -> None:
    assert not names_whole(given, make_request(command))
    assert names_whole(make_wait("npm test"), make_request("npm test"))


# What each widget says


async def test_a_tree_row_reports_whether_the_request_fits(drive) -> None:
    async with drive([make_session(make_wait("npm test")), Session(session_id="t", name="t")], size=(180, 20)) as app:
        tree = app.main.tree_view
        assert tree.key == ("session", "s")
        assert tree.shows_whole(make_request("npm test"))
        assert not tree.shows_whole(make_request("npm test", key="other"))
        await app.put(make_session(make_wait(LONG)), Session(session_id="t", name="t"))
        assert not tree.shows_whole(make_request(LONG))
        await app.put(make_session(make_wait("npm test"), problem="end at byte 3"))
        assert not tree.shows_whole(make_request("npm test"))


async def test_a_row_scrolled_away_or_covered_does_not_show_its_request(drive) -> None:
    others = [Session(session_id=f"t{n}", name=f"t{n}", started_at=5.0 + n) for n in range(40)]
    async with drive([make_session(make_wait("npm test")), *others], size=(99, 12)) as app:
        tree = app.main.tree_view
        assert tree.shows_whole(make_request("npm test"))
        tree.session_tree.scroll_to(y=20, animate=False, immediate=True)
        await app.pilot.pause()
        assert not tree.shows_whole(make_request("npm test"))
        tree.session_tree.scroll_to(y=0, animate=False, immediate=True)
        await app.pilot.pause()
        assert tree.shows_whole(make_request("npm test"))
        cover = Static("covered")
        cover.styles.layer = "_toastrack"
        row = next(at for at, line in enumerate(app.lines) if line.startswith("▌"))
        cover.styles.offset = (60, row)
        await app.main.mount(cover)
        await app.wait_until(lambda: "covered" in app.text)
        assert not tree.shows_whole(make_request("npm test"))


async def test_an_agents_request_is_shown_by_its_own_row(drive) -> None:
    agents = (Agent(agent_id="a", name="Explore", state=AgentState.NEEDS_YOU),)
    asked = make_request("make", agent_id="a")
    async with drive([make_session(make_wait("make", agent_id="a"), agents=agents)], size=(120, 20)) as app:
        tree = app.main.tree_view
        assert not tree.shows_whole(asked)
        await app.press("j")
        assert tree.key == ("agent", "s", "a")
        assert tree.shows_whole(asked)


async def test_a_queue_row_reports_whether_the_request_fits(drive) -> None:
    async with drive([make_session(make_wait("npm test"))], size=(120, 40)) as app:
        assert app.main._queue.shows_whole(make_request("npm test"))
        assert not app.main._queue.shows_whole(make_request("npm test", session_id="t"))
        await app.put(make_session(make_wait(LONG)))
        assert not app.main._queue.shows_whole(make_request(LONG))
        await app.put(make_session(make_wait("npm test")))
        await app.resize((120, 9))  # too low for a queue
        assert not app.main._queue.shows_whole(make_request("npm test"))


async def test_the_status_pane_reports_whether_the_request_is_in_view(drive) -> None:
    async with drive([make_session(make_wait("npm test"))], size=(160, 40)) as app:
        assert app.main.panes.shows_whole(make_request("npm test"))
        assert not app.main.panes.shows_whole(make_request(LONG))
        await app.put(make_session(make_wait("x" * 100), make_wait("npm test", key="k2")))
        assert app.main.panes.shows_whole(make_request("npm test", key="k2"))
        assert not app.main.panes.shows_whole(make_request("x" * 100))
        await app.pilot.resize_terminal(50, 40)
        await app.pilot.pause(0.1)
        assert not app.main.panes.shows_whole(make_request("npm test", key="k2"))


def test_the_status_pane_finds_its_lines_of_the_request() -> None:
    subject, on = (
        make_session(make_wait("ls", key="k1"), make_wait("npm test")),
        RenderContext(40, NOW, UNICODE, (60, 80, 90), HOME),
    )
    lines = status_pane.write(subject, on)
    found = status_pane.find_request_lines(subject, on, make_request("npm test"))
    assert found is not None
    assert ["".join(text for text, _ in lines[at]) for at in found] == ["It wants to run Bash", "  npm test"]


@pytest.mark.usefixtures("uncovered")
async def test_a_card_reports_whether_the_request_fits(drive) -> None:
    async with drive([make_session(make_wait("npm test"))], size=(140, 40)) as app:
        await app.press("b")
        for size, whole in sample(CARD_SIZES, *CARD_SIZES[1:]):
            await app.put(make_session(make_wait("npm test")))
            await app.resize(size)
            assert app.view.shows_whole(make_request("npm test")) is whole, size
            assert not app.view.shows_whole(make_request("npm test", key="other")), size
            await app.put(make_session(make_wait(LONG)))
            assert not app.view.shows_whole(make_request(LONG)), size


async def test_timeline_and_history_never_show_a_request(drive) -> None:
    async with drive([make_session(make_wait("npm test"))], size=(140, 40)) as app:
        for key in "LH":
            before = app.view
            await app.press(key)
            await app.wait_until(lambda before=before: app.view is not before)
            assert not app.view.shows_whole(make_request("npm test")), key


async def test_the_peek_reports_whether_the_input_is_in_view(drive) -> None:
    asked = make_request("npm test", input={"command": "npm test", "description": "Run the tests"})
    async with drive([make_session(make_wait("npm test"), last_prompt="words " * 400)], size=(100, 20)) as app:
        app.monitor.fleet.update_requests([asked], {}, Arming.ON)
        await app.press("space")
        peek = app.app.screen
        assert isinstance(peek, PeekScreen)
        await app.wait_until(lambda: "command npm test" in app.text)
        assert peek.shows_whole(asked)
        assert not peek.shows_whole(make_request("npm test", key="other"))
        assert not peek.shows_whole(make_request(LONG))
        await app.press("G")
        assert "command npm test" not in app.text
        assert not peek.shows_whole(asked)
