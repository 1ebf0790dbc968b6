"""A request counts as seen line by line: nothing can be allowed before all of it was on the screen."""

import threading
from typing import Any

import pytest

from atm_tui.screens.controllers import body_writer
from atm_tui.screens.request import RequestScreen
from atm_tui.view import request_limit
from atm_tui.view.request_text import Body, BodySource, write_body
from tests.support.answer_dialogs import STEPS, count_unseen, open_dialog, wait_for_answer
from tests.support.app_answers import AskingSession
from tests.support.effort import LONG, sample
from tests.support.waiting import PATIENCE


@pytest.mark.parametrize("size", sample([(80, 24), (40, 10)], (40, 10)))
async def test_a_request_cannot_be_allowed_before_all_of_it_was_seen(
    asking_session: AskingSession, size: tuple[int, int]
) -> None:
    async with asking_session.run_app(size=size) as app:
        with asking_session.open_request(given={"command": STEPS}) as hook:
            await app.wait_until(lambda: app.app._monitor.fleet.requests)  # type: ignore[attr-defined]
            asking_session.settle()
            await app.press("d", "escape")
            asking_session.settle()
            assert "lines not seen yet" in app.text
            await app.press("G")
            assert "step 59" in app.text
            # the end is seen, what was jumped over is not
            await app.press("a")
            assert "lines not seen yet" in app.text
            assert "step 59" not in app.text
            for _ in range(40):
                if "not seen yet" not in app.text:
                    break
                assert hook.process.poll() is None
                asking_session.settle()
                await app.press("a")
            asking_session.settle()
            await app.press("a")
            assert (await wait_for_answer(app, hook)) == {"behavior": "allow"}


async def test_lines_stay_seen_when_the_size_changes(asking_session: AskingSession) -> None:
    async with asking_session.run_app(size=(80, 24)) as app:
        with asking_session.open_request(given={"command": STEPS}) as hook:
            await open_dialog(asking_session, app)
            await app.press("space", "space")
            await app.pilot.resize_terminal(50, 20)
            await app.pilot.pause(0.1)
            left = count_unseen(app)
            await app.press("g")
            assert left - 1 <= count_unseen(app) <= left < 35
            await app.press("space", "space", "space", "space", "space")
            assert "not seen yet" not in app.text
            await app.press("a")
            assert (await wait_for_answer(app, hook)) == {"behavior": "allow"}


class SlowWriter:
    """Writes the text of a request once a test lets it, and remembers the threads that wrote."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.goes_on = threading.Event()
        self.threads: set[int] = set()
        monkeypatch.setattr(body_writer, "write_body", self.write)

    def write(self, source: BodySource) -> Body:
        self.threads.add(threading.get_ident())
        assert self.goes_on.wait(PATIENCE)
        return write_body(source)


EDITS = [{"old_string": "\nbefore" * 40, "new_string": "\nafter" * 40}] * 150


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        pytest.param("MultiEdit", {"file_path": "/home/user/work/api/x", "edits": EDITS}, marks=pytest.mark.long),
        ("Write", {"file_path": "/home/user/work/api/x", "content": "hello world\n" * (12_000 if LONG else 1200)}),
    ],
)
async def test_a_request_that_is_too_long_can_only_be_allowed_in_its_terminal(
    asking_session: AskingSession, monkeypatch: pytest.MonkeyPatch, tool: str, given: dict[str, Any]
) -> None:
    if not LONG:
        monkeypatch.setattr(request_limit, "LINES", 1000)  # 10,000 take seconds to show
    slow = SlowWriter(monkeypatch)
    async with asking_session.run_app() as app:
        with asking_session.open_request(tool, given, permission_suggestions=None) as hook:
            await app.wait_for_text("d deny")
            await app.press("a")
            await app.wait_for_text("preparing the whole request")
            assert "file /home" not in app.text
            asking_session.settle()
            await app.press("a")
            assert "its text is still being prepared" in app.text
            await app.press("d", *"no", "escape")
            slow.goes_on.set()
            await app.wait_for_text("it is too long to be shown whole: allow it in its pane")
            assert threading.get_ident() not in slow.threads
            assert "file /home/user/work/api/x" in app.text
            assert "a allow" not in app.line_with("Esc close")
            asking_session.settle()
            await app.press("end")
            assert "lines are left out" in app.text
            for key in ("a", "w", "1", "y"):
                await app.press(key)
                asking_session.settle()
            assert hook.process.poll() is None
            await app.press("d", "enter")
            assert (await wait_for_answer(app, hook))["behavior"] == "deny"


async def test_a_long_request_is_allowed_once_all_of_it_was_rendered_and_seen(
    asking_session: AskingSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = SlowWriter(monkeypatch)
    async with asking_session.run_app(size=(120, 60)) as app:
        with asking_session.open_request(
            "Write", {"file_path": "/home/user/work/api/x", "content": f"{'x' * 90}\n" * 80}
        ) as hook:
            await app.wait_for_text("a allow")
            await app.press("a")
            await app.wait_for_text("preparing the whole")
            slow.goes_on.set()
            await app.wait_for_text("lines not seen yet")
            for _ in range(4):  # the dialog may still grow to its height at the first one
                if "not seen yet" in app.text:
                    await app.press("space")
            assert "not seen yet" not in app.text
            asking_session.settle()
            await app.press("a")
            assert (await wait_for_answer(app, hook)) == {"behavior": "allow"}


@pytest.mark.usefixtures("uncovered")
async def test_a_request_does_not_count_as_seen_when_a_line_does_not_fit(asking_session: AskingSession) -> None:
    async with asking_session.run_app(size=(24, 12)) as app:
        with asking_session.open_request(given={"command": "echo " + "c" * 300}) as hook:
            await app.wait_until(lambda: app.app._monitor.fleet.requests)  # type: ignore[attr-defined]
            await app.press("d", "escape")
            await app.wait_until(lambda: isinstance(app.app.screen, RequestScreen))
            asking_session.settle()
            await app.press("end", *("space" for _ in range(30)), "a")
            assert len(app.app.screen._text.unseen) == len(app.app.screen._text.lines)
            assert hook.process.poll() is None
            await app.pilot.resize_terminal(60, 20)
            await app.press("home", *("space" for _ in range(8)))
            asking_session.settle()
            await app.press("a")
            assert (await wait_for_answer(app, hook)) == {"behavior": "allow"}
