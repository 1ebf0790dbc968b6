"""The app gives one notification per condition, and none while it is muted, in the foreground or in quiet hours."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from textual.events import AppBlur, AppFocus

from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.notification import NotifyWay
from atm_tui.model.session import Cost, Limit, Limits, Session, State
from atm_tui.monitor.capabilities import Capabilities
from atm_tui.notify import programs
from atm_tui.notify.programs import Call, Done
from atm_tui.screens.request import RequestScreen
from atm_tui.sources.notify_locks import is_app_in_front, is_app_running
from tests.app.conftest import MemoryAppDriver
from tests.support.app_answers import make_asking_session
from tests.support.effort import sample
from tests.support.fleets import NOW
from tests.support.memory_monitor import MemoryMonitor
from tests.support.waiting import comes_true

CONFIG = Config(notify_by=(NotifyWay.TMUX,), notify_cooldown=0.0)


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The titles of the notifications that were given."""
    titles: list[str] = []

    def run_call(call: Call, _: float) -> Done:
        titles.append(call.command[-1])
        return Done()

    monkeypatch.setattr(programs, "run_call", run_call)
    return titles


def make_failed(name: str, since: float) -> Session:
    activity = Activity(kind=ActivityKind.FAILED, what="overloaded")
    return Session(session_id=name, name=name, state=State.NEEDS_YOU, activity=activity, since=since)


async def test_each_condition_is_notified_once_and_not_while_muted(
    drive: Callable[..., MemoryAppDriver], given: list[str], tmp_path: Path
) -> None:
    async with drive([make_failed("old", NOW - 60)], config=CONFIG) as app:
        app.monitor.capabilities = Capabilities(state_dir=tmp_path)
        app.monitor.time = NOW + 10
        await app.put(make_failed("old", NOW - 60), make_failed("a", NOW + 5), make_failed("b", NOW + 5))
        await app.wait_until(lambda: given == ["2 notifications"])
        await app.put(make_failed("old", NOW - 60), make_failed("a", NOW + 5))

        await app.press("m")
        app.monitor.time = NOW + 20
        await app.put(make_failed("a", NOW + 5), make_failed("muted", NOW + 15))
        await app.wait_until(lambda: any("muted" in key for key in app.app._notifying._notifier.memory.known))
        assert given == ["2 notifications"]

        await app.press("m")
        app.monitor.time = NOW + 30
        await app.put(make_failed("a", NOW + 5), make_failed("muted", NOW + 15), make_failed("c", NOW + 25))
        await app.wait_until(lambda: given == ["2 notifications", "c failed: overloaded"])


@pytest.mark.parametrize(
    ("config", "is_quiet"), [("00:00-23:59", True), ("", False)], ids=["quiet hours", "other hours"]
)
async def test_quiet_hours(
    drive: Callable[..., MemoryAppDriver], given: list[str], config: str, is_quiet: bool
) -> None:
    async with drive([], config=Config(notify_by=(NotifyWay.TMUX,), quiet_hours=config)) as app:
        app.monitor.time = NOW + 10
        await app.put(make_failed("a", NOW + 5))
        notifier = app.app._notifying._notifier
        await app.wait_until(lambda: bool(notifier.memory.known))
        await app.wait_until(lambda: bool(given) is not is_quiet)
        assert given == ([] if is_quiet else ["a failed: overloaded"])


async def test_an_app_in_the_foreground_notifies_only_if_its_terminal_reports_no_focus(
    drive: Callable[..., MemoryAppDriver], given: list[str]
) -> None:
    async with drive([], config=CONFIG) as app:
        app.monitor.time = NOW + 10
        await app.put(make_failed("a", NOW + 5))
        await app.wait_until(lambda: len(given) == 1)
        app.app.post_message(AppBlur())
        await app.wait_until(lambda: not app.app.app_focus)
        await app.put(make_failed("b", NOW + 5))
        await app.wait_until(lambda: len(given) == 2)
        app.app.post_message(AppFocus())
        await app.wait_until(lambda: app.app.app_focus)
        await app.put(make_failed("c", NOW + 5))
        await app.wait_until(lambda: any("c " in key for key in app.app._notifying._notifier.memory.known))
        assert len(given) == 2


async def test_an_app_whose_terminal_tells_at_once_that_it_is_in_front_gives_none(
    drive: Callable[..., MemoryAppDriver], given: list[str]
) -> None:
    async with drive([], config=CONFIG) as app:
        app.app.post_message(AppFocus())
        await app.wait_until(lambda: app.app._notifying._reports_focus)
        app.monitor.time = NOW + 10
        await app.put(make_failed("a", NOW + 5))
        await app.wait_until(lambda: bool(app.app._notifying._notifier.memory.known))
        assert given == []


async def test_what_begins_shortly_after_one_another_is_one_notification(
    drive: Callable[..., MemoryAppDriver], given: list[str]
) -> None:
    async with drive([], config=CONFIG) as app:
        app.monitor.time = NOW + 10
        await app.put(make_failed("a", NOW + 10))
        app.monitor.time = NOW + 10.3
        await app.put(make_failed("a", NOW + 10), make_failed("b", NOW + 10.3))
        app.monitor.time = NOW + 11.3
        await app.wait_until(lambda: bool(given))
        assert given == ["2 notifications"]


async def test_limits_and_budgets_give_one_unless_the_user_is_in_front_of_the_app(
    drive: Callable[..., MemoryAppDriver], given: list[str]
) -> None:
    config = msgspec.structs.replace(CONFIG, budget_day=5.0, budget_session=3.0)
    five_hours, week = Limit(percent=91.0, resets_at=NOW + 3600), Limit(percent=95.0, resets_at=NOW + 86400)
    async with drive([], config=config) as app:
        known = app.app._notifying._notifier

        async def change(seconds: float, usd: float, today: float, limits: Limits) -> None:
            app.monitor.fleet.today = today
            await app.put(Session(session_id="s1", name="s1", cost=Cost(usd=usd), limits=limits))
            app.monitor.time = NOW + seconds  # they hold long enough

        await change(10, 3.5, 1.0, Limits(five_hour=five_hours, at=NOW))
        await app.wait_until(lambda: bool(given))
        assert given == ["2 notifications"]
        app.app.post_message(AppFocus())
        await app.wait_until(lambda: app.app._notifying._reports_focus)
        before = len(known.memory.known)
        await change(20, 3.5, 5.5, Limits(five_hour=five_hours, seven_day=week, at=NOW))
        await app.wait_until(lambda: len(known.memory.known) == before + 2)
        assert given == ["2 notifications"]


async def test_why_a_way_fails_is_shown_once(
    drive: Callable[..., MemoryAppDriver], monkeypatch: pytest.MonkeyPatch
) -> None:
    failing: list[Call] = []

    def fail(call: Call, _: float) -> Done:
        failing.append(call)
        return Done(failure="tmux is not on the PATH")

    monkeypatch.setattr(programs, "run_call", fail)
    async with drive([], config=CONFIG) as app:
        app.monitor.time = NOW + 10
        await app.put(make_failed("a", NOW + 5))
        await app.wait_until(lambda: len(app.app._notifications) == 1)
        await app.put(make_failed("a", NOW + 5), make_failed("b", NOW + 5))
        await app.wait_until(lambda: len(failing) == 2)
        await app.wait_until(lambda: not app.app._notifying._is_busy)
        (toast,) = app.app._notifications
        assert toast.message == "a notification was not given: tmux is not on the PATH"


async def test_hooks_start_no_notifier_while_the_app_runs_and_is_not_suspended(tmp_path: Path) -> None:
    monitor = MemoryMonitor()
    monitor.capabilities = Capabilities(state_dir=tmp_path)
    app = AtmApp(monitor, CONFIG)
    async with app.run_test():
        assert is_app_running(tmp_path)
        app.app_suspend_signal.publish(app)
        assert not is_app_running(tmp_path)
        app.app_resume_signal.publish(app)
        assert await comes_true(lambda: is_app_running(tmp_path))
    assert not is_app_running(tmp_path)


class TwoApps:
    """Two apps that follow the same sessions, and share a state folder."""

    def __init__(self, folder: Path) -> None:
        self.monitors = [MemoryMonitor(), MemoryMonitor()]
        for each in self.monitors:
            each.capabilities = Capabilities(state_dir=folder)
        self.apps = [AtmApp(each, CONFIG) for each in self.monitors]

    async def fail(self, name: str, *, first: int) -> None:
        """A session fails, and the app with this number notices it first; returns when both know it."""
        for number in (first, 1 - first):
            monitor, app = self.monitors[number], self.apps[number]
            monitor.time += 10
            monitor.put([*monitor.fleet.sessions.values(), make_failed(name, monitor.time - 5)])
            keys = app._notifying._notifier
            assert await comes_true(lambda keys=keys: any(f" {name} " in key for key in keys.memory.known))  # type: ignore[misc]


@pytest.mark.parametrize("first", sample((0, 1), 1))
async def test_of_two_apps_one_notifies_and_none_while_the_user_is_in_front_of_one(
    given: list[str], tmp_path: Path, first: int
) -> None:
    two = TwoApps(tmp_path)
    async with two.apps[0].run_test() as pilot, two.apps[1].run_test():
        await two.fail("a", first=first)
        assert await comes_true(lambda: given == ["a failed: overloaded"])
        two.apps[0].post_message(AppFocus())
        two.apps[1].post_message(AppBlur())
        assert await comes_true(lambda: is_app_in_front(tmp_path))
        await two.fail("b", first=first)
        two.apps[0].post_message(AppBlur())
        assert await comes_true(lambda: not is_app_in_front(tmp_path))
        await two.fail("c", first=first)
        assert await comes_true(lambda: len(given) == 2)
        await pilot.pause()
        assert given == ["a failed: overloaded", "c failed: overloaded"]


async def test_the_action_of_a_notification_opens_the_request_in_the_app(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With real processes: the hook that waits, and the program that gives the notification, here one that chooses at once."""
    program = tmp_path / "bin" / "notify-send"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nfor each; do printf "%s\\n" "$each"; done >"{tmp_path}/got"\necho show\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    config = Config(notify_by=(NotifyWay.NOTIFY_SEND,))
    for session in make_asking_session(tmp_path, monkeypatch):
        async with session.run_app(config=config) as app:
            await app.press("t")  # another view
            with session.open_request(given={"command": "npm test"}) as hook:
                await app.wait_until(lambda: isinstance(app.app.screen, RequestScreen))
                assert "npm test" in app.text
                session.settle()
                await app.press("a")
                assert hook.decision() == {"behavior": "allow"}
        assert "--action=show=Show in atm-tui" in (tmp_path / "got").read_text().splitlines()
