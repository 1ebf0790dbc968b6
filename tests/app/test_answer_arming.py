"""Arming: off by default, shown in the header, released while the app is suspended. The lease is a real file."""

import os
import time
from pathlib import Path

import pytest

from atm_hooks import answer_log, answers
from atm_hooks.answer_log import REFUSED
from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.model.caller import Ancestor
from atm_tui.model.facts import ProcessFact
from atm_tui.model.request import Arming
from atm_tui.monitor import lease_keeper
from atm_tui.monitor.recording import read_entries
from atm_tui.monitor.replay import Replay
from atm_tui.sources.answers import read_log
from tests.support.answering import list_part
from tests.support.app_answers import AskingSession
from tests.support.app_files import AppDriver
from tests.support.effort import sample
from tests.support.timelines import RECORDINGS


def read_lease(asking_session: AskingSession) -> Path:
    return asking_session.harness.sandbox.root / "answers" / "lease"


async def test_the_same_key_arms_and_disarms(asking_session: AskingSession) -> None:
    async with asking_session.run_app(arm=False) as app:
        assert "armed" not in app.text
        assert not read_lease(asking_session).exists()
        await app.press("A")
        await app.wait_for_text("◆ armed")
        await app.wait_until(read_lease(asking_session).exists)
        assert "armed: what sessions ask from now on can be answered here" in app.said
        await app.press("A")
        await app.wait_until(lambda: not read_lease(asking_session).exists())
        assert app.said == "not armed"
        await app.wait_until(lambda: "◆ armed" not in app.text)


@pytest.mark.long  # the next test shows it as well
async def test_the_lease_is_renewed_each_second_and_ends_with_the_app(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        os.utime(read_lease(asking_session), (1.0, 1.0))
        await app.wait_until(lambda: read_lease(asking_session).stat().st_mtime > 1.0)
    assert not read_lease(asking_session).exists()


@pytest.mark.parametrize("blocked", sample([0.0, answers.LEASE_SECONDS + 3], 0.0))
async def test_the_lease_is_renewed_and_hooks_wait_while_the_event_loop_is_blocked(
    asking_session: AskingSession, monkeypatch: pytest.MonkeyPatch, blocked: float
) -> None:
    monkeypatch.setattr(lease_keeper, "BEAT", min(1.0, 0.05 + blocked))
    async with asking_session.run_app() as app:
        with asking_session.open_request(given={"command": "npm test"}) as hook:
            await app.wait_for_text("a allow")
            os.utime(read_lease(asking_session), (1.0, 1.0))
            begin = time.monotonic()
            while read_lease(asking_session).stat().st_mtime == 1.0 or time.monotonic() - begin < blocked:
                time.sleep(0.01)  # noqa: ASYNC251 (blocks the loop on purpose)
            assert answers.find_lease(str(asking_session.harness.sandbox.root), time.time())
            assert hook.process.poll() is None
            asking_session.settle()
            await app.press("a")
            await app.wait_for_text("s1: allowed here")
            assert hook.decision() == {"behavior": "allow"}
    assert not read_lease(asking_session).exists()


@pytest.mark.parametrize("plain", sample([False, True], True))
async def test_the_header_shows_armed_at_every_size(asking_session: AskingSession, plain: bool) -> None:
    sizes = sample(((40, 10), (60, 20), (80, 24), (140, 45)), (40, 10), (140, 45))
    async with asking_session.run_app(size=sizes[0], config=Config(ascii=plain)) as app:
        for size in sizes:
            await app.resize(size)
            assert ("# armed" if plain else "◆ armed") in app.lines[0], size
        with asking_session.open_request():
            await app.wait_until(lambda: "1" in app.lines[0])
            for size in sizes:
                await app.resize(size)
                assert "armed" in app.lines[0], size
                row = app.line_with("permission")
                assert ("# " if plain else "◆ ") in row, size


async def test_a_notice_says_that_another_app_took_over(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        other = {"version": 1, "id": "f" * 32, "pid": os.getpid(), "wait": 60}
        answers.arm(str(asking_session.harness.sandbox.root), other)
        await app.wait_for_text("armed elsewhere")
        await app.press("a")
        assert "another atm-tui is armed: A takes over" in app.said
        await app.press("A")
        await app.wait_for_text("◆ armed")
    assert answers.find_lease(str(asking_session.harness.sandbox.root), 0.0) is None


@pytest.mark.long  # tests/hooks/test_answers_protocol.py shows it without an app
async def test_an_app_that_lost_the_lease_does_not_remove_it(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        answers.arm(
            str(asking_session.harness.sandbox.root), {"version": 1, "id": "f" * 32, "pid": os.getpid(), "wait": 60}
        )
        await app.wait_for_text("armed elsewhere")
    assert read_lease(asking_session).exists()


async def test_arming_explains_how_to_enable_answers_when_they_are_not_installed(asking_session: AskingSession) -> None:
    asking_session.harness.install(answers=False)
    async with asking_session.run_app(arm=False) as app:
        for key in "Aaw":
            await app.press(key)
            assert "answering is not installed: press i, then choose answering" in app.said
        assert not read_lease(asking_session).exists()
        assert "A arm" not in app.text


async def test_arming_is_refused_in_read_only_mode(asking_session: AskingSession) -> None:
    async with asking_session.run_app(arm=False, config=Config(read_only=True)) as app:
        await app.press("A")
        assert "read only" in app.said
        assert not read_lease(asking_session).exists()


async def test_arming_is_refused_in_a_recording(asking_session: AskingSession) -> None:
    replay = Replay(read_entries(RECORDINGS / "02-nested-subagents.jsonl"))
    replay.paused = True
    app = AtmApp(replay, Config())
    async with app.run_test(size=(120, 40)) as pilot:
        driver = AppDriver(app, pilot)
        await driver.wait_until(lambda: app.screen_stack[0].has_class("-loaded"))
        await driver.press("A")
        assert "this is a recording" in driver.said


async def test_hooks_do_not_wait_while_the_app_is_suspended_by_another_program(
    asking_session: AskingSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    async with asking_session.run_app() as app:
        running = app.app
        assert isinstance(running, AtmApp)
        running.app_suspend_signal.publish(running)
        seen.append(read_lease(asking_session).exists())
        running.app_resume_signal.publish(running)
        await app.wait_until(read_lease(asking_session).exists)
        assert seen == [False]
        await app.press("A")
        await app.wait_until(lambda: running._monitor.fleet.arming is Arming.OFF)
        running.app_suspend_signal.publish(running)
        running.app_resume_signal.publish(running)
        await app.pilot.pause(0.2)
        assert not read_lease(asking_session).exists()


async def test_disarming_ends_waiting_requests_and_reports_the_remaining_ones(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request() as hook:
            await app.wait_for_text("d deny")
            await app.press("d", "escape")
            answers.disarm(str(asking_session.harness.sandbox.root), hook.request["lease"])
            await app.wait_until(lambda: "not armed any more" in app.text or "waits here no longer" in app.text)
            assert hook.end() == b""


async def test_d_starts_the_demo_only_without_sessions(
    asking_session: AskingSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    asides: list[object] = []
    monkeypatch.setattr("atm_tui.screens.controllers.actions.run_suspended", lambda *given: asides.append(given[1:]))
    async with asking_session.run_app() as app:
        await app.press("d")
        assert len(asides) == 1
        with asking_session.open_request():
            await app.wait_for_text("d deny")
            await app.press("d")
            await app.wait_for_text("deny: Enter sends")
            assert len(asides) == 1


@pytest.mark.parametrize("name", ["CLAUDECODE", "CLAUDE_PID"])
async def test_an_app_started_by_an_agent_cannot_be_armed(
    asking_session: AskingSession, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "1")
    async with asking_session.run_app(arm=False, size=(100, 30)) as app:
        await app.press("A")
        await app.wait_until(lambda: f"Only a person answers, and {name} is set here" in app.said)
        (toast,) = app.app._notifications  # the line is too short for what to do instead
        assert "use a terminal that no agent started" in toast.message
        assert not read_lease(asking_session).exists()
        assert "◆ armed" not in app.text
        await app.wait_for_text("Refused: an agent")
        [line] = read_log(str(asking_session.harness.sandbox.root))
        assert (line["attempt"], line["sign"], line["outcome"]) == ("arm", name, REFUSED)


async def test_an_app_started_below_a_client_cannot_be_armed(
    asking_session: AskingSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Ancestor(ProcessFact(pid=7), "claude", ("claude",))
    monkeypatch.setattr("atm_tui.sources.caller.read_caller_ancestors", lambda: (client,))
    async with asking_session.run_app(arm=False, size=(160, 40)) as app:
        await app.press("A")
        await app.wait_until(lambda: "Claude Code started this (process 7)" in app.said)
        assert not read_lease(asking_session).exists()


async def test_an_armed_app_sends_no_answer_from_an_agent(
    asking_session: AskingSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asking_session.run_app(size=(160, 40)) as app:
        with asking_session.open_request() as hook:
            await app.wait_for_text("d deny")
            monkeypatch.setenv("CLAUDECODE", "1")
            asking_session.settle()
            await app.press("a")
            await app.wait_until(lambda: "refused: only a person answers" in app.said)
            assert list_part(asking_session.harness.sandbox, "verdicts") == []
            assert hook.process.poll() is None


async def test_the_header_shows_an_attempt_by_an_agent(asking_session: AskingSession) -> None:
    async with asking_session.run_app(size=(160, 40)) as app:
        with asking_session.open_request():
            root = str(asking_session.harness.sandbox.root)
            answer_log.append_line(root, answer_log.make_refusal(time.time(), "s1", "answer", "CLAUDECODE"))
            await app.wait_for_text("Refused: an agent of s1 tried to answer for you at ")
