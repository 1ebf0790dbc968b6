"""The request dialog: the full request, the conditions for allowing it, and the decision that the client gets. Real hooks wait."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from atm_hooks import answers
from atm_tui.screens.controllers import body_writer
from atm_tui.screens.fleet import FleetScreen
from atm_tui.screens.request import RequestScreen
from atm_tui.view import request_limit
from atm_tui.view.request_text import Body, BodySource, write_body
from tests.hooks.answering import MODE, RULE, WaitingHook
from tests.support.app_answers import AskingSession, make_asking_session
from tests.support.app_files import AppDriver
from tests.support.effort import LONG, sample
from tests.support.waiting import PATIENCE

STEPS = "\n".join(f"step {number}" for number in range(60))
COLOUR: dict[str, Any] = {
    "question": "Which colour?",
    "header": "Colour",
    "options": [{"label": "Red", "description": "as it was"}, {"label": "Blue"}],
}
FRUIT: dict[str, Any] = {
    "question": "Which fruits?",
    "header": "Fruit",
    "multiSelect": True,
    "options": [{"label": "Fig"}, {"label": "Apple"}],
}


@pytest.fixture
def asking_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AskingSession]:
    yield from make_asking_session(tmp_path, monkeypatch)


async def open_dialog(asking_session: AskingSession, app: AppDriver, key: str = "w") -> None:
    """The dialog is on the screen, and has been for a while."""
    await app.until(lambda: app.app._monitor.fleet.requests)  # type: ignore[attr-defined]
    await app.until_text("d deny")
    await app.press("w" if key == "w" and "w from" in app.text else "d")
    await app.until(lambda: isinstance(app.app.screen, RequestScreen))
    await app.press("escape")
    await app.until(lambda: isinstance(app.app.screen, RequestScreen))
    asking_session.settle()


def count_unseen(app: AppDriver) -> int:
    """How many lines are not seen yet, as the dialog says."""
    found = re.search(r"(\d+) lines? not seen yet", app.text)
    assert found
    return int(found[1])


async def wait_for_answer(app: AppDriver, hook: WaitingHook) -> dict[str, Any]:
    """What the client is told once the dialog is closed."""
    await app.until(lambda: isinstance(app.app.screen, FleetScreen))
    return hook.decision()


async def test_the_dialog_shows_session_tool_folder_and_input(asking_session: AskingSession) -> None:
    given = {"command": "npm test", "description": "Run the tests", "run_in_background": True}
    async with asking_session.run_app() as app:
        with asking_session.open_request(given=given):
            await open_dialog(asking_session, app)
            for part in ("permission for Bash", "session s1", "cwd /home/user/work/api", "mode manual", "waits for"):
                assert part in app.text
            for part in ("npm test", "description Run the tests", "run_in_background true"):
                assert part in app.text
            await app.press("escape")
            await app.until(lambda: isinstance(app.app.screen, FleetScreen))


async def test_an_edit_is_a_diff(asking_session: AskingSession) -> None:
    given = {"file_path": "/home/user/work/api/a.py", "old_string": "a\nb\n", "new_string": "a\nc\n"}
    async with asking_session.run_app() as app:
        with asking_session.open_request("Edit", given) as hook:
            await open_dialog(asking_session, app)
            assert "- b" in app.text
            assert "+ c" in app.text
            assert "file /home/user/work/api/a.py" in app.text
            await app.press("a")
            assert (await wait_for_answer(app, hook)) == {"behavior": "allow"}


@pytest.mark.parametrize("reason", sample(["", "not that one, please"], "not that one, please"))
async def test_a_denial_has_an_optional_reason(asking_session: AskingSession, reason: str) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request() as hook:
            await open_dialog(asking_session, app)
            await app.press("d", *("x" for _ in range(3)), "escape")
            assert "deny: Enter sends" not in app.text
            await app.press("d", *("space" if each == " " else each for each in reason))
            await app.press("enter")
            told = await wait_for_answer(app, hook)
            assert told["behavior"] == "deny"
            assert told.get("message", "").endswith(reason)
            await app.until_text("s1: denied here")


async def test_lasting_permissions_quote_the_clients_suggestions(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        rule = {**RULE, "rules": [{"toolName": "Bash", "ruleContent": "npm test"}]}
        with asking_session.open_request(given={"command": "npm test"}, permission_suggestions=[rule, MODE]) as hook:
            await open_dialog(asking_session, app)
            assert "Bash(npm test)" not in app.text
            await app.press("1")
            assert hook.process.poll() is None
            await app.press("w")
            assert "1 allow Bash(npm test)" in app.text
            assert "2 permission mode accept edits" in app.text
            assert app.text.count("until this session ends") == 2
            await app.press("3")
            await app.press("escape")
            assert "Bash(npm test)" not in app.text
            await app.press("w")
            asking_session.settle()
            await app.press("1")
            assert (await wait_for_answer(app, hook)) == {"behavior": "allow", "updatedPermissions": [rule]}
            await app.until_text("allowed here from now on")


async def test_a_dangerous_request_needs_a_second_different_key(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request(given={"command": "rm -r src"}) as hook:
            await open_dialog(asking_session, app)
            assert "⚠ deletes files" in app.text
            for _ in range(30):
                await app.press("a")
                asking_session.clock.seconds += 0.1
            assert "y says yes anyway" in app.text
            await app.press("escape", "y")
            await app.until(lambda: isinstance(app.app.screen, RequestScreen))
            assert hook.process.poll() is None
            asking_session.settle()
            await app.press("w")
            asking_session.settle()
            await app.press("1")
            assert "y says yes anyway" in app.text
            asking_session.settle()
            await app.press("j", "1")
            assert "y says yes anyway" not in app.text
            asking_session.settle()
            await app.press("a")
            asking_session.settle()
            await app.press("y")
            assert (await wait_for_answer(app, hook)) == {"behavior": "allow"}


@pytest.mark.parametrize("size", sample([(80, 24), (40, 10)], (40, 10)))
async def test_a_request_cannot_be_allowed_before_all_of_it_was_seen(
    asking_session: AskingSession, size: tuple[int, int]
) -> None:
    async with asking_session.run_app(size=size) as app:
        with asking_session.open_request(given={"command": STEPS}) as hook:
            await app.until(lambda: app.app._monitor.fleet.requests)  # type: ignore[attr-defined]
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


async def test_one_question_with_one_choice_needs_one_key(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request(
            "AskUserQuestion", {"questions": [COLOUR]}, permission_suggestions=None
        ) as hook:
            await open_dialog(asking_session, app, "d")
            assert "as it was" in app.text
            assert "●" not in app.line_with(" Red")
            await app.press("a")
            assert "choose with the number keys" in app.text
            await app.press("7")
            assert "there are 2 options" in app.text
            await app.press("2")
            told = await wait_for_answer(app, hook)
            assert told["updatedInput"] == {"questions": [COLOUR], "answers": {"Which colour?": "Blue"}}
            await app.until_text("s1: answered here")


async def test_several_questions_and_several_answers_are_sent_together(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request(
            "AskUserQuestion", {"questions": [COLOUR, FRUIT]}, permission_suggestions=None
        ) as hook:
            await open_dialog(asking_session, app, "d")
            await app.press("enter")
            assert "2 questions without an answer" in app.text
            await app.press("1")
            assert "1 of 2 answered" in app.text
            await app.press("1", "2", "1")
            assert "[x]" in app.line_with(" Apple")
            assert "[ ]" in app.line_with(" Fig")
            await app.press("3", *"Kiwi", "enter")
            assert "other: Kiwi" in app.text
            await app.press("tab", "2", "2")
            assert "Enter sends the answer" in app.text
            assert hook.process.poll() is None
            asking_session.settle()
            await app.press("tab", "2")
            await app.press("enter")
            told = await wait_for_answer(app, hook)
            assert told["updatedInput"]["answers"] in (
                {"Which colour?": "Blue", "Which fruits?": "Apple, Kiwi"},
                {"Which colour?": "Blue", "Which fruits?": "Kiwi"},
            )


async def test_a_question_can_be_answered_in_other_words(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request(
            "AskUserQuestion", {"questions": [COLOUR]}, permission_suggestions=None
        ) as hook:
            await open_dialog(asking_session, app, "d")
            await app.press("o", "escape")
            await app.until(lambda: isinstance(app.app.screen, RequestScreen))
            await app.press("3", *"Green1", "enter")
            told = await wait_for_answer(app, hook)
            assert told["updatedInput"]["answers"] == {"Which colour?": "Green1"}


@pytest.mark.parametrize("yes", sample([True, False], True))
async def test_a_plan_is_approved_or_refused(asking_session: AskingSession, yes: bool) -> None:
    async with asking_session.run_app() as app:
        given = {"plan": "# The plan\n\n1. Begin\n2. End"}
        with asking_session.open_request("ExitPlanMode", given, permission_suggestions=None) as hook:
            await open_dialog(asking_session, app, "d")
            assert "2. End" in app.text
            assert "a approve" in app.text
            await app.press("a") if yes else await app.press("d", *"later", "enter")
            told = await wait_for_answer(app, hook)
            assert told["behavior"] == ("allow" if yes else "deny")
            assert told.get("message", "later").endswith("later")
            await app.until_text("approved here" if yes else "denied here")


@pytest.mark.long  # the next test shows it as well
async def test_the_dialog_closes_with_a_message_when_answered_elsewhere(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request(given={"command": "npm test"}):
            await open_dialog(asking_session, app)
            asking_session.harness.event(
                "PostToolUse", tool_name="Bash", tool_input={"command": "npm test"}, tool_use_id="t1"
            )
            await app.until_text("answered elsewhere")
            await app.until(lambda: isinstance(app.app.screen, RequestScreen))
            asking_session.settle()
            await app.press("a")
            await app.until(lambda: isinstance(app.app.screen, FleetScreen))
            assert "s1: answered elsewhere" in app.said


async def test_text_being_typed_is_kept_when_the_request_ends(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request(given={"command": "npm test"}):
            await open_dialog(asking_session, app)
            await app.press("d", *"qq")
            asking_session.harness.event(
                "PostToolUse", tool_name="Bash", tool_input={"command": "npm test"}, tool_use_id="t1"
            )
            await app.until_text("answered elsewhere")
            await app.pilot.pause(2.0)
            await app.press("q", "q")
            await app.until(lambda: isinstance(app.app.screen, RequestScreen))
            await app.press("enter")
            await app.until(lambda: isinstance(app.app.screen, FleetScreen))
            assert "s1: answered elsewhere" in app.said


async def test_only_the_first_of_two_answers_counts(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request(given={"command": "npm test"}) as hook:
            await open_dialog(asking_session, app)
            assert answers.give_verdict(hook.root, hook.request, {"kind": "deny", "message": "no"}, "shell", 1.0)
            await app.press("a")
            await app.until_text("answered elsewhere")
            assert hook.decision()["behavior"] == "deny"


async def test_arrows_move_between_requests_and_each_is_answered_separately(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with (
            asking_session.open_request(given={"command": "one"}) as one,
            asking_session.open_request(given={"command": "two"}) as two,
        ):
            await app.until(lambda: len(app.app._monitor.fleet.requests) == 2)  # type: ignore[attr-defined]
            await open_dialog(asking_session, app)
            assert "permission for Bash · 1 of 2" in app.text
            await app.press("right")
            assert "2 of 2" in app.text
            # it has only just appeared: no key is meant for it yet
            await app.press("a")
            assert "it has only just appeared" in app.text
            asking_session.settle()
            await app.press("a")
            assert (await wait_for_answer(app, two)) == {"behavior": "allow"}
            await app.until_text("s1: allowed here; asks 1 more")
            assert one.process.poll() is None


@pytest.mark.parametrize("size", sample([(40, 10), (80, 24), (200, 50)], (40, 10)))
async def test_hostile_text_is_shown_literally_and_in_full(
    asking_session: AskingSession, size: tuple[int, int]
) -> None:
    evil = "[/] [red]x \x1b]52;c;ZXZpbA==\x07\x9b31m \u202etxt \u200d 日本語 " + "y" * 300 + "\n\tnext\r\nline"
    question = {"question": evil, "header": evil, "options": [{"label": evil, "description": evil}, {"label": "b"}]}
    async with asking_session.run_app(size=size) as app:
        with asking_session.open_request("AskUserQuestion", {"questions": [question], evil: [evil, {evil: None}]}):
            await app.until(lambda: app.app._monitor.fleet.requests)  # type: ignore[attr-defined]
            await app.press("d", "escape")
            await app.until(lambda: isinstance(app.app.screen, RequestScreen))
            seen = 0
            for _ in range(400):
                assert not any(bad in app.text for bad in "\x1b\x9b\x07\r\u202e\u200d")
                assert all(cell_len(line) <= size[0] for line in app.lines)
                seen = max(seen, app.text.count("y"))
                if "not seen yet" not in app.text:
                    break
                await app.press("space")
            assert "not seen yet" not in app.text
            assert seen


@pytest.mark.long  # test_second_yes.py shows it as well, with a clock and without hooks
async def test_an_immediate_second_click_or_key_does_not_confirm(asking_session: AskingSession) -> None:
    """A double click, or a word that is pasted where a terminal brackets nothing, is one yes at most."""
    async with asking_session.run_app() as app:
        with asking_session.open_request(given={"command": "rm -r src"}) as hook:
            await open_dialog(asking_session, app)
            await app.press("a", "y")
            app.app.screen.action_sure()  # type: ignore[attr-defined]
            assert "press again" in app.text
            assert hook.process.poll() is None
            await app.press("escape")
            asking_session.settle()
            await app.press("w", "1")
            assert "press again" in app.text
            assert hook.process.poll() is None


async def test_a_dangerous_lasting_permission_says_why_and_asks_twice(asking_session: AskingSession) -> None:
    wide = {"type": "setMode", "mode": "bypassPermissions", "destination": "session"}
    async with asking_session.run_app() as app:
        with asking_session.open_request(permission_suggestions=[wide]) as hook:
            await open_dialog(asking_session, app)
            await app.press("w")
            asking_session.settle()
            await app.press("1")
            assert "y says yes anyway" in app.text
            assert "permission mode bypass permissions" in app.text
            assert "switches to a mode that asks less, or no more" in app.text
            assert hook.process.poll() is None
            asking_session.settle()
            await app.press("y")
            assert (await wait_for_answer(app, hook)) == {"behavior": "allow", "updatedPermissions": [wide]}


async def test_identical_questions_can_only_be_denied(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request("AskUserQuestion", {"questions": [COLOUR, COLOUR]}) as hook:
            await open_dialog(asking_session, app, "d")
            assert "asks the same twice" in app.text
            await app.press("a", "1")
            asking_session.settle()
            await app.press("2", "enter")
            assert hook.process.poll() is None
            await app.press("d", "enter")
            assert (await wait_for_answer(app, hook)) == {"behavior": "deny"}


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
            await app.until_text("d deny")
            await app.press("a")
            await app.until_text("preparing the whole request")
            assert "file /home" not in app.text
            asking_session.settle()
            await app.press("a")
            assert "its text is still being prepared" in app.text
            await app.press("d", *"no", "escape")
            slow.goes_on.set()
            await app.until_text("it is too long to be shown whole: allow it in its pane")
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
            await app.until_text("a allow")
            await app.press("a")
            await app.until_text("preparing the whole")
            slow.goes_on.set()
            await app.until_text("lines not seen yet")
            await app.press("space", "space")
            assert "not seen yet" not in app.text
            asking_session.settle()
            await app.press("a")
            assert (await wait_for_answer(app, hook)) == {"behavior": "allow"}


@pytest.mark.usefixtures("uncovered")
async def test_a_request_does_not_count_as_seen_when_a_line_does_not_fit(asking_session: AskingSession) -> None:
    async with asking_session.run_app(size=(24, 12)) as app:
        with asking_session.open_request(given={"command": "echo " + "c" * 300}) as hook:
            await app.until(lambda: app.app._monitor.fleet.requests)  # type: ignore[attr-defined]
            await app.press("d", "escape")
            await app.until(lambda: isinstance(app.app.screen, RequestScreen))
            asking_session.settle()
            await app.press("end", *("space" for _ in range(30)), "a")
            assert len(app.app.screen._text.unseen) == len(app.app.screen._text.lines)
            assert hook.process.poll() is None
            await app.pilot.resize_terminal(60, 20)
            await app.press("home", *("space" for _ in range(8)))
            asking_session.settle()
            await app.press("a")
            assert (await wait_for_answer(app, hook)) == {"behavior": "allow"}
