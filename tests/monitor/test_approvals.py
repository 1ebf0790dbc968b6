"""Approvals beside real hook processes: arming, requests in the fleet, and requests that are settled elsewhere."""

import asyncio
import os
import threading
import time
from pathlib import Path

import msgspec
import pytest

from atm_hooks import answers
from atm_tui.config import Config
from atm_tui.model.request import AnswerOutcome, Arming, Decision
from atm_tui.monitor import lease_keeper
from atm_tui.monitor.live import LiveMonitor
from atm_tui.monitor.risk_checker import PENDING
from tests.support.answering import MODE, RULE, list_part
from tests.support.answers_on_disk import AnswerHarness, get_only_request, list_requests, make_armed, refresh_until
from tests.support.waiting import PATIENCE

ALLOW = Decision(kind="allow")


def open_app(app: LiveMonitor) -> None:
    """Starts to follow, as the app does."""
    asyncio.run(anext(app.watch(threading.Event()), None))  # type: ignore[arg-type]


# --- arming


def test_answers_are_off_until_the_app_is_armed_and_after_it_is_disarmed(harness: AnswerHarness) -> None:
    app = harness.make_monitor()
    app.refresh()
    assert app.fleet.arming is Arming.OFF
    assert not (harness.sandbox.root / "answers").exists()
    assert app.arm(True) is None
    assert app.refresh()
    assert app.fleet.arming is Arming.ON
    lease = answers.find_lease(str(harness.sandbox.root), time.time())
    assert lease
    assert (lease["pid"], lease["wait"]) == (os.getpid(), 600.0)
    assert app.fleet.drain().asked
    assert not app.refresh()
    assert app.arm(False) is None
    app.refresh()
    assert app.fleet.arming is Arming.OFF
    assert not (harness.sandbox.root / "answers" / "lease").exists()


def test_arming_says_why_it_is_impossible(harness: AnswerHarness) -> None:
    harness.install(answers=False)
    app = harness.make_monitor()
    app.refresh()
    assert app.fleet.arming is Arming.NOT_INSTALLED
    assert "atm-tui install --answers" in (app.arm(True) or "")
    harness.install()
    app.refresh()
    assert app.fleet.arming is Arming.OFF
    app = harness.make_monitor(Config(read_only=True))
    app.refresh()
    assert app.fleet.arming is Arming.READ_ONLY
    assert "--read-only" in (app.arm(True) or "")
    (harness.sandbox.root / "answers").mkdir(mode=0o777, parents=True)
    (harness.sandbox.root / "answers").chmod(0o777)
    assert "not yours alone" in (harness.make_monitor().arm(True) or "")


def test_a_second_app_takes_the_lease_over_and_the_first_one_notices(harness: AnswerHarness) -> None:
    first, second = make_armed(harness), harness.make_monitor()
    second.refresh()
    assert second.fleet.arming is Arming.ELSEWHERE
    assert second.arm(True) is None
    assert refresh_until(first, lambda: first.fleet.arming is Arming.ELSEWHERE) is not None
    second.refresh()
    assert second.fleet.arming is Arming.ON
    first.arm(False)
    assert answers.find_lease(str(harness.sandbox.root), time.time())


def test_a_lease_that_is_not_renewed_expires(harness: AnswerHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_keeper, "BEAT", PATIENCE)
    make_armed(harness)
    old = time.time() - 6
    os.utime(harness.sandbox.root / "answers" / "lease", (old, old))
    other = harness.make_monitor()
    other.refresh()
    assert other.fleet.arming is Arming.OFF


# --- requests


def test_a_request_is_in_the_fleet_complete_and_without_its_secret(harness: AnswerHarness) -> None:
    app = make_armed(harness)
    with harness.open_request("Bash", {"command": "rm -r src"}) as hook:
        request = get_only_request(app)
        assert (request.nonce, request.session_id, request.tool) == (hook.nonce, "s1", "Bash")
        assert request.input == {"command": "rm -r src"}
        assert request.suggestions == (RULE, MODE)
        assert request.key == app.fleet.sessions["s1"].waits[0].key
        assert app.fleet.list_requests("s1") == (request,)
        assert app.fleet.dangers[hook.nonce] == ("deletes files",)
        assert hook.request["secret"] not in msgspec.json.encode(request).decode()


def test_the_project_is_the_folder_where_the_session_was_started(harness: AnswerHarness) -> None:
    app = make_armed(harness)
    harness.sandbox.send_hook(
        {"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup", "cwd": "/srv/tree"},
        CLAUDE_PID=str(harness.pid),
        CLAUDE_PROJECT_DIR="/srv/tree",
    )
    with harness.open_request("Write", {"file_path": "/srv/tree/a", "content": ""}, cwd="/"):
        nonce = get_only_request(app).nonce
        assert app.fleet.dangers[nonce] == ()
    with harness.open_request("Write", {"file_path": "/srv/other", "content": ""}, cwd="/"):
        refresh_until(app, lambda: any(app.fleet.dangers.values()))
        assert ("writes outside the project",) in app.fleet.dangers.values()


def test_a_request_whose_hook_is_dead_is_removed(harness: AnswerHarness) -> None:
    app = make_armed(harness)
    with harness.open_request() as hook:
        request = get_only_request(app)
        hook.process.kill()
        hook.process.wait()
        assert app.answer(request, ALLOW) is AnswerOutcome.GONE
        assert refresh_until(app, lambda: not app.fleet.requests) is not None
        assert refresh_until(app, lambda: not list_part(harness.sandbox, "requests")) is not None
    assert app.answer(request, ALLOW) is not AnswerOutcome.GIVEN


def test_an_unarmed_app_also_removes_requests_of_dead_hooks(harness: AnswerHarness) -> None:
    """A read-only one does not, and neither does a command."""
    make_armed(harness)
    with harness.open_request() as hook:
        hook.process.kill()
        hook.process.wait()
    for app in (harness.make_monitor(), harness.make_monitor(Config(read_only=True))):
        assert app.arm(False) is None
        if app.config.read_only:
            open_app(app)
        app.refresh()
        assert list_part(harness.sandbox, "requests") == [f"{hook.nonce}.json"]
    app = harness.make_monitor()
    open_app(app)
    app.refresh()
    assert list_part(harness.sandbox, "requests") == []


@pytest.mark.parametrize("how", ["link", "mode", "json", "digest"])
def test_a_planted_request_is_reported_and_never_shown(harness: AnswerHarness, tmp_path: Path, how: str) -> None:
    app = make_armed(harness)
    with harness.open_request() as hook:
        path = Path(answers.locate_request(str(harness.sandbox.root), hook.nonce))
        data = path.read_bytes()
        other = path.with_name(f"{'f' * 32}.json")
        if how == "link":
            (tmp_path / "x").write_bytes(data)
            other.symlink_to(tmp_path / "x")
        else:
            changed = {"json": b"{", "digest": data.replace(b"npm test", b"npm tesu")}.get(how, data)
            other.write_bytes(changed)
            other.chmod(0o644 if how == "mode" else 0o600)
        app.approvals._source.remove_leftovers = lambda now: None  # type: ignore[method-assign]  # which would remove it
        assert [each.nonce for each in list_requests(app)] == [hook.nonce]
        (notice,) = (each for each in app.fleet.health.notices if other.name in each)
        assert "not shown as a request" in notice
        app.fleet.drain()
        assert not app.refresh()
        other.unlink()
        assert [each.nonce for each in list_requests(app)] == [hook.nonce]
        assert not any(other.name in each for each in app.fleet.health.notices)


def test_a_slow_user_pattern_delays_no_refresh_and_asks_twice_until_it_is_done(harness: AnswerHarness) -> None:
    app = harness.make_monitor(Config(dangers=("(a|a)+$",)), portion=1 << 20)
    app.refresh()
    assert app.arm(True) is None
    with harness.open_request("Bash", {"command": "a" * 60 + "!"}) as hook:
        request = get_only_request(app)
        assert app.fleet.dangers[hook.nonce] == (PENDING,)
        assert app.fleet.list_dangers(request, ALLOW) == (PENDING,)
        assert refresh_until(app, lambda: app.fleet.dangers[hook.nonce] != (PENDING,)) is not None
        assert "(a|a)+$" in app.fleet.dangers[hook.nonce][0]


# --- settled elsewhere


def test_allowing_in_the_terminal_removes_the_request_and_ends_the_hook(harness: AnswerHarness) -> None:
    app = make_armed(harness)
    harness.write_registry("busy")
    with harness.open_request() as hook:
        harness.write_registry("waiting", waiting="permission prompt")
        request = get_only_request(app)
        refresh_until(app, lambda: False, 0.5)
        harness.write_registry("busy")
        assert refresh_until(app, lambda: not app.fleet.requests) is not None
        assert refresh_until(app, lambda: hook.process.poll() is not None) is not None
        assert hook.is_silent()
        assert app.answer(request, ALLOW) is AnswerOutcome.ELSEWHERE


def test_events_after_the_request_end_its_wait(harness: AnswerHarness) -> None:
    app = make_armed(harness)
    with harness.open_request() as hook:
        get_only_request(app)
        harness.send_hook("PostToolUse", tool_use_id="t1")
        harness.send_hook("PostToolBatch", tool_calls=[{"tool_use_id": "t1"}])
        assert refresh_until(app, lambda: not app.fleet.requests) is not None
        assert refresh_until(app, lambda: hook.process.poll() is not None) is not None
        assert hook.is_silent()


def test_the_end_of_the_session_ends_its_wait(harness: AnswerHarness) -> None:
    app = make_armed(harness)
    with harness.open_request() as hook:
        get_only_request(app)
        harness.send_hook("SessionEnd", reason="other")
        assert refresh_until(app, lambda: not app.fleet.requests) is not None
        assert refresh_until(app, lambda: hook.process.poll() is not None) is not None


def test_an_app_that_is_not_armed_withdraws_nothing(harness: AnswerHarness) -> None:
    first, second = make_armed(harness), harness.make_monitor()
    with harness.open_request() as hook:
        assert get_only_request(second)
        harness.send_hook("PostToolBatch", tool_calls=[])
        harness.send_hook("Stop", background_tasks=[])
        begin = time.monotonic()
        while time.monotonic() - begin < 1.5:
            first.note_alive()
            second.refresh()
            time.sleep(0.1)
        assert second.fleet.requests == {}
        assert hook.process.poll() is None


def test_a_registry_that_stayed_busy_ends_no_wait(harness: AnswerHarness) -> None:
    """As with `claude -p`, which shows no dialog at all."""
    harness.write_registry("busy", time.time() - 5)
    app = make_armed(harness)
    with harness.open_request() as hook:
        request = get_only_request(app)
        assert refresh_until(app, lambda: not app.fleet.requests, 2.5) is None
        assert app.fleet.sessions["s1"].waits[0].key == request.key
        assert app.answer(request, ALLOW) is AnswerOutcome.GIVEN
        assert hook.decision() == {"behavior": "allow"}


def test_a_request_stays_until_its_wait_is_written(harness: AnswerHarness) -> None:
    app = make_armed(harness)
    with harness.open_request():
        (harness.sandbox.root / "sessions" / "s1.json").unlink()
        assert len(list_requests(app)) == 1
        assert refresh_until(app, lambda: not app.fleet.requests, 2.0) is None
