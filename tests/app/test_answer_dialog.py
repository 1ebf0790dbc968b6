"""A request in the dialog: what it shows, what each key does, and what ends it."""

import pytest
from rich.cells import cell_len

from atm_hooks import answers
from atm_tui.screens.fleet import FleetScreen
from atm_tui.screens.request import RequestScreen
from tests.support.answer_dialogs import open_dialog, wait_for_answer
from tests.support.answering import MODE, RULE
from tests.support.app_answers import AskingSession
from tests.support.effort import sample


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
            await app.wait_until(lambda: isinstance(app.app.screen, FleetScreen))


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
            await app.wait_for_text("s1: denied here")


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
            await app.wait_for_text("allowed here from now on")


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
            await app.wait_until(lambda: isinstance(app.app.screen, RequestScreen))
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


@pytest.mark.long  # the next test shows it as well
async def test_the_dialog_closes_with_a_message_when_answered_elsewhere(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request(given={"command": "npm test"}):
            await open_dialog(asking_session, app)
            asking_session.harness.send_hook(
                "PostToolUse", tool_name="Bash", tool_input={"command": "npm test"}, tool_use_id="t1"
            )
            await app.wait_for_text("answered elsewhere")
            await app.wait_until(lambda: isinstance(app.app.screen, RequestScreen))
            asking_session.settle()
            await app.press("a")
            await app.wait_until(lambda: isinstance(app.app.screen, FleetScreen))
            assert "s1: answered elsewhere" in app.said


async def test_text_being_typed_is_kept_when_the_request_ends(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request(given={"command": "npm test"}):
            await open_dialog(asking_session, app)
            await app.press("d", *"qq")
            asking_session.harness.send_hook(
                "PostToolUse", tool_name="Bash", tool_input={"command": "npm test"}, tool_use_id="t1"
            )
            await app.wait_for_text("answered elsewhere")
            await app.pilot.pause(2.0)
            await app.press("q", "q")
            await app.wait_until(lambda: isinstance(app.app.screen, RequestScreen))
            await app.press("enter")
            await app.wait_until(lambda: isinstance(app.app.screen, FleetScreen))
            assert "s1: answered elsewhere" in app.said


async def test_only_the_first_of_two_answers_counts(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request(given={"command": "npm test"}) as hook:
            await open_dialog(asking_session, app)
            assert answers.give_verdict(hook.root, hook.request, {"kind": "deny", "message": "no"}, "shell", 1.0)
            await app.press("a")
            await app.wait_for_text("answered elsewhere")
            assert hook.decision()["behavior"] == "deny"


async def test_arrows_move_between_requests_and_each_is_answered_separately(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with (
            asking_session.open_request(given={"command": "one"}) as one,
            asking_session.open_request(given={"command": "two"}) as two,
        ):
            await app.wait_until(lambda: len(app.app._monitor.fleet.requests) == 2)  # type: ignore[attr-defined]
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
            await app.wait_for_text("s1: allowed here; asks 1 more")
            assert one.process.poll() is None


@pytest.mark.parametrize("size", sample([(40, 10), (80, 24), (200, 50)], (40, 10)))
async def test_hostile_text_is_shown_literally_and_in_full(
    asking_session: AskingSession, size: tuple[int, int]
) -> None:
    evil = "[/] [red]x \x1b]52;c;ZXZpbA==\x07\x9b31m \u202etxt \u200d 日本語 " + "y" * 300 + "\n\tnext\r\nline"
    question = {"question": evil, "header": evil, "options": [{"label": evil, "description": evil}, {"label": "b"}]}
    async with asking_session.run_app(size=size) as app:
        with asking_session.open_request("AskUserQuestion", {"questions": [question], evil: [evil, {evil: None}]}):
            await app.wait_until(lambda: app.app._monitor.fleet.requests)  # type: ignore[attr-defined]
            await app.press("d", "escape")
            await app.wait_until(lambda: isinstance(app.app.screen, RequestScreen))
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
