"""The app gives one notification per condition, and none while it is muted, in the foreground or in quiet hours."""

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.events import AppBlur, AppFocus

from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.notification import NotifyWay
from atm_tui.model.session import Session, State
from atm_tui.monitor.protocol import Capabilities
from atm_tui.notify import programs
from atm_tui.notify.programs import Call
from atm_tui.sources.notify_locks import is_app_running
from tests.app.conftest import MemoryAppDriver
from tests.support.fleets import NOW
from tests.support.memory_monitor import MemoryMonitor
from tests.support.waiting import comes_true

CONFIG = Config(notify_by=(NotifyWay.TMUX,), notify_cooldown=0.0)


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The titles of the notifications that were given."""
    titles: list[str] = []

    def run_call(call: Call, _: float) -> str:
        titles.append(call.command[-1])
        return ""

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
        await app.until(lambda: given == ["2 notifications"])
        await app.put(make_failed("old", NOW - 60), make_failed("a", NOW + 5))

        await app.press("m")
        app.monitor.time = NOW + 20
        await app.put(make_failed("a", NOW + 5), make_failed("muted", NOW + 15))
        await app.until(lambda: any("muted" in key for key in app.app._notifying._notifier.memory.known))
        assert given == ["2 notifications"]

        await app.press("m")
        app.monitor.time = NOW + 30
        await app.put(make_failed("a", NOW + 5), make_failed("muted", NOW + 15), make_failed("c", NOW + 25))
        await app.until(lambda: given == ["2 notifications", "c failed: overloaded"])


@pytest.mark.parametrize(
    ("config", "is_quiet"), [("00:00-23:59", True), ("", False)], ids=["quiet hours", "other hours"]
)
async def test_quiet_hours(
    drive: Callable[..., MemoryAppDriver], given: list[str], config: str, is_quiet: bool
) -> None:
    async with drive([], config=Config(notify_by=(NotifyWay.TMUX,), quiet_hours=config)) as app:
        await app.put(make_failed("a", NOW + 5))
        notifier = app.app._notifying._notifier
        await app.until(lambda: bool(notifier.memory.known))
        await app.until(lambda: bool(given) is not is_quiet)
        assert given == ([] if is_quiet else ["a failed: overloaded"])


async def test_an_app_in_the_foreground_notifies_only_if_its_terminal_reports_no_focus(
    drive: Callable[..., MemoryAppDriver], given: list[str]
) -> None:
    async with drive([], config=CONFIG) as app:
        await app.put(make_failed("a", NOW + 5))
        await app.until(lambda: len(given) == 1)
        app.app.post_message(AppBlur())
        await app.until(lambda: not app.app.app_focus)
        await app.put(make_failed("b", NOW + 5))
        await app.until(lambda: len(given) == 2)
        app.app.post_message(AppFocus())
        await app.until(lambda: app.app.app_focus)
        await app.put(make_failed("c", NOW + 5))
        await app.until(lambda: any("c " in key for key in app.app._notifying._notifier.memory.known))
        assert len(given) == 2


async def test_an_app_whose_terminal_tells_at_once_that_it_is_in_front_gives_none(
    drive: Callable[..., MemoryAppDriver], given: list[str]
) -> None:
    async with drive([], config=CONFIG) as app:
        app.app.post_message(AppFocus())
        await app.until(lambda: app.app._notifying._reports_focus)
        await app.put(make_failed("a", NOW + 5))
        await app.until(lambda: bool(app.app._notifying._notifier.memory.known))
        assert given == []


async def test_why_a_way_fails_is_shown_once(
    drive: Callable[..., MemoryAppDriver], monkeypatch: pytest.MonkeyPatch
) -> None:
    failing: list[Call] = []

    def fail(call: Call, _: float) -> str:
        failing.append(call)
        return "tmux is not on the PATH"

    monkeypatch.setattr(programs, "run_call", fail)
    async with drive([], config=CONFIG) as app:
        await app.put(make_failed("a", NOW + 5))
        await app.until(lambda: len(app.app._notifications) == 1)
        await app.put(make_failed("a", NOW + 5), make_failed("b", NOW + 5))
        await app.until(lambda: len(failing) == 2)
        await app.until(lambda: not app.app._notifying._is_busy)
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
