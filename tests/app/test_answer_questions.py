"""Questions and plans in the dialog: one choice, several, other words, approved or refused."""

from typing import Any

import pytest

from atm_tui.screens.request import RequestScreen
from tests.support.answer_dialogs import open_dialog, wait_for_answer
from tests.support.app_answers import AskingSession
from tests.support.effort import sample

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
            await app.wait_for_text("s1: answered here")


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
            await app.wait_until(lambda: isinstance(app.app.screen, RequestScreen))
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
            await app.wait_for_text("approved here" if yes else "denied here")


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
