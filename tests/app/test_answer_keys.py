"""Answering from views of the sessions: real hook processes wait, keys answer them, and their output for the client is checked."""

import pytest

from atm_tui.screens.answer_keys import QUIET, SETTLED, AnswerKeys
from atm_tui.screens.controllers.actions import ActionsController
from atm_tui.screens.fleet import FleetScreen
from atm_tui.screens.peek import PeekScreen
from atm_tui.screens.request import RequestScreen
from tests.support.app_answers import AskingSession, Clock
from tests.support.effort import LONG, sample

TEST = {"command": "npm test"}


async def test_one_key_allows_a_fully_visible_request(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request(given=TEST) as hook:
            await app.wait_for_text("a allow")
            assert "◆ permission    Bash  npm test" in app.text
            asking_session.settle()
            await app.press("a")
            await app.wait_for_text("s1: allowed here")
            assert hook.decision() == {"behavior": "allow"}
            await app.wait_until(lambda: "a allow" not in app.text)
            asking_session.settle()
            await app.press("a")
            assert "allow: nothing waits for an answer here" in app.said


async def test_a_cut_off_request_opens_before_it_can_be_allowed(asking_session: AskingSession) -> None:
    long = "npm run migrate -- --env staging --dry --with " + "x" * 120
    async with asking_session.run_app() as app:
        with asking_session.open_request(given={"command": long}) as hook:
            await app.wait_for_text("a allow")
            asking_session.settle()
            await app.press("a")
            await app.wait_until(lambda: isinstance(app.app.screen, RequestScreen))
            asking_session.settle()
            await app.press("a")
            await app.wait_until(lambda: isinstance(app.app.screen, FleetScreen))
            assert hook.decision() == {"behavior": "allow"}


async def test_a_key_meant_for_the_previous_request_does_not_answer_a_new_one(
    asking_session: AskingSession,
) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request(given=TEST) as hook:
            await app.wait_for_text("a allow")
            await app.press("a")
            await app.wait_until(lambda: isinstance(app.app.screen, RequestScreen))
            # held down, it says nothing in the dialog either
            for _ in range(20):
                asking_session.clock.seconds += 0.1
                await app.press("a")
            await app.wait_until(lambda: isinstance(app.app.screen, RequestScreen))
            assert hook.process.poll() is None
            asking_session.settle()
            await app.press("a")
            await app.wait_for_text("allowed here")
            assert hook.decision() == {"behavior": "allow"}


async def test_a_held_key_answers_only_one_request(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with (
            asking_session.open_request(given=TEST) as first,
            asking_session.open_request(given={"command": "npm run lint"}) as second,
        ):
            await app.wait_until(lambda: len(app.app._monitor.fleet.requests) == 2)  # type: ignore[attr-defined]
            await app.wait_for_text("npm test")
            asking_session.settle()
            for _ in range(40 if LONG else 15):
                await app.press("a")
                asking_session.clock.seconds += 0.1
            await app.wait_until(lambda: first.process.poll() is not None)
            assert first.decision() == {"behavior": "allow"}
            await app.wait_until(lambda: len(app.app._monitor.fleet.requests) == 1)  # type: ignore[attr-defined]
            for _ in range(40 if LONG else 15):
                await app.press("a")
                asking_session.clock.seconds += 0.1
            await app.wait_until(lambda: isinstance(app.app.screen, FleetScreen))
            assert second.process.poll() is None
            asking_session.settle()
            await app.press("a")
            await app.wait_until(lambda: second.process.poll() is not None)
            assert second.decision() == {"behavior": "allow"}


async def test_a_dangerous_request_is_never_allowed_from_a_row(asking_session: AskingSession) -> None:
    async with asking_session.run_app(size=(160, 40)) as app:
        with asking_session.open_request(given={"command": "rm -r src"}) as hook:
            await app.wait_for_text("Bash  rm -r src")
            asking_session.settle()
            await app.press("a")
            await app.wait_until(lambda: isinstance(app.app.screen, RequestScreen))
            assert "⚠ deletes files" in app.text
            assert hook.process.poll() is None


async def test_a_subagents_row_answers_its_own_request(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with (
            asking_session.open_request(given=TEST) as main,
            asking_session.open_request(given={"command": "ls"}, agent_id="a1", agent_type="Explore") as agent,
        ):
            await app.wait_until(lambda: len(app.app._monitor.fleet.requests) == 2)  # type: ignore[attr-defined]
            await app.wait_for_text("Explore")
            await app.press("j")
            assert app.selected == ("agent", "s1", "a1")
            asking_session.settle()
            await app.press("d")
            assert "subagent Explore" in app.text
            await app.press("n", "o", "enter")
            assert "it has only just appeared" in app.text
            asking_session.settle()
            await app.press("enter")
            await app.wait_for_text("Explore: denied here; asks 1 more")
            assert agent.decision()["behavior"] == "deny"
            assert main.process.poll() is None


async def test_allowing_an_earlier_request_does_not_allow_the_next(asking_session: AskingSession) -> None:
    """The row names its oldest wait. What an agent asks stands on the screen too, and is another question."""
    async with asking_session.run_app(size=(160, 40), arm=False) as app:
        asking_session.harness.send_hook("PermissionRequest", tool_name="Bash", tool_input={"command": "ls"})
        await app.wait_for_text("Bash  ls")
        await app.press("A")
        await app.wait_for_text("armed: ")
        with asking_session.open_request(given={"command": "make test"}, agent_id="a1", agent_type="Explore") as agent:
            await app.wait_until(lambda: app.app._monitor.fleet.requests)  # type: ignore[attr-defined]
            await app.wait_for_text("Bash make test")
            await app.wait_for_text("a allow")
            assert app.selected == ("session", "s1")
            asking_session.settle()
            await app.press("a")
            await app.wait_until(lambda: isinstance(app.app.screen, RequestScreen))
            assert agent.process.poll() is None
            await app.press("escape", "j")
            assert app.selected == ("agent", "s1", "a1")
            asking_session.settle()
            await app.press("a")
            await app.wait_for_text("Explore: allowed here")
            assert agent.decision() == {"behavior": "allow"}


async def test_neither_a_lasting_permission_without_suggestions_nor_a_project_can_be_answered(
    asking_session: AskingSession,
) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request(given=TEST, permission_suggestions=[]) as hook:
            await app.wait_for_text("a allow")
            assert "w from now on" not in app.text
            await app.press("w")
            assert "Claude Code suggests nothing to allow from now on" in app.said
            await app.press("k")
            assert app.selected is not None
            assert app.selected[0] == "project"
            assert "a allow" not in app.said
            asking_session.settle()
            await app.press("a")
            assert "this is a project; select one of its sessions" in app.said
            assert hook.process.poll() is None


@pytest.mark.parametrize("view", sample(["b", "L"], "b"))
async def test_the_same_keys_work_in_other_views(asking_session: AskingSession, view: str) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request(given=TEST) as hook:
            await app.wait_for_text("a allow")
            await app.press(view)
            await app.wait_until(lambda: app.view is not app.app.fleet_screen.tree_view)
            await app.wait_for_text("a allow")
            if view == "b":
                assert "◆ permission Bash npm test" in app.text
            asking_session.settle()
            await app.press("a")
            if isinstance(app.app.screen, RequestScreen):
                asking_session.settle()
                await app.press("a")
            await app.wait_for_text("allowed here")
            assert hook.decision() == {"behavior": "allow"}


async def test_the_peek_answers_what_it_shows(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request(given={**TEST, "description": "Run the tests"}) as hook:
            await app.wait_for_text("a allow")
            await app.press("space")
            await app.wait_for_text("command npm test")
            assert "a allow  d deny  w from now on" in app.text
            asking_session.settle()
            await app.press("a")
            await app.wait_until(lambda: hook.process.poll() is not None)
            await app.wait_until(lambda: isinstance(app.app.screen, PeekScreen))
            await app.wait_for_text("s1: allowed here")
            assert hook.decision() == {"behavior": "allow"}


async def test_a_held_enter_that_sent_a_denial_does_not_jump(
    asking_session: AskingSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    jumps: list[object] = []
    monkeypatch.setattr(ActionsController, "jump_to", lambda _, session: jumps.append(session))
    async with asking_session.run_app() as app:
        with asking_session.open_request(given=TEST) as hook:
            await app.wait_for_text("d deny")
            asking_session.settle()
            await app.press("d")
            asking_session.settle()
            await app.press("enter")
            await app.wait_until(lambda: isinstance(app.app.screen, FleetScreen))
            for _ in range(10):
                asking_session.clock.seconds += 0.1
                await app.press("enter")
            assert jumps == []
            assert hook.decision()["behavior"] == "deny"
            asking_session.settle()
            await app.press("enter")
            assert len(jumps) == 1


def test_answer_keys_are_ignored_until_a_pause_in_typing() -> None:
    clock = Clock()
    keys = AnswerKeys(clock)
    assert not keys.drop("a")
    keys.block()
    for _ in range(100):
        clock.advance(QUIET - 0.1, keys)
        assert keys.drop("a")
    assert not keys.drop("j")
    clock.advance(QUIET + 0.1, keys)
    assert not keys.drop("1")
    assert not keys.drop("a")
    keys.block()
    keys.block(frozenset("a"))
    assert keys.drop("d")


def test_a_request_must_be_on_screen_for_a_moment_before_keys_count() -> None:
    clock = Clock()
    keys = AnswerKeys(clock)
    keys.set_shown("tree", "n1")
    assert not keys.is_settled("tree", "n1")
    clock.advance(SETTLED + 0.1, keys)
    keys.set_shown("tree", "n1")
    assert keys.is_settled("tree", "n1")
    assert not keys.is_settled("tree", "n2")
    assert not keys.is_settled("board", "n1")
    keys.set_shown("tree", None)
    keys.set_shown("tree", "n1")
    assert not keys.is_settled("tree", "n1")


def test_keys_typed_while_the_app_was_stopped_are_dropped() -> None:
    clock = Clock()
    keys = AnswerKeys(clock)
    keys.set_shown("tree", "n1")
    keys.block()
    clock.seconds += 60.0
    assert keys.drop("a")
    assert not keys.is_settled("tree", "n1")
    assert keys.drop("a")


def test_the_clock_is_read_only_while_a_request_is_open() -> None:
    clock, woken = Clock(), []
    keys = AnswerKeys(clock)
    keys.wake = lambda: woken.append(clock.seconds)
    keys.set_shown("tree", "n1")
    keys.set_shown("tree", "n1")
    keys.block()
    assert len(woken) == 2
    assert keys.update()
    clock.advance(0.6, keys)
    assert keys.update()
    clock.advance(0.2, keys)
    assert not keys.update()
