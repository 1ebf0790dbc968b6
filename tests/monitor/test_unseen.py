"""From disk to fleet: which sessions have news that nobody has looked at."""

from atm_tui.model.session import State
from atm_tui.view.status_text import describe_activity
from tests.support.followed_machine import HOUR, Machine, refresh_session


def test_a_finished_session_is_unseen_until_looked_at_even_after_a_restart(machine: Machine) -> None:
    machine.send_turn()
    app = machine.make_monitor()
    assert refresh_session(app).unseen
    assert refresh_session(machine.make_monitor()).unseen
    app.mark_seen("s")
    assert not refresh_session(app).unseen
    assert not refresh_session(machine.make_monitor()).unseen
    machine.send_hook(12, "UserPromptSubmit", prompt="more", prompt_id="p2")
    machine.send_hook(13, "Stop", background_tasks=[])
    machine.now += 5
    assert refresh_session(machine.make_monitor()).unseen


def test_a_look_before_the_clock_was_set_back_does_not_count(machine: Machine) -> None:
    machine.send_turn()
    app = machine.make_monitor()
    app.refresh()
    machine.now += HOUR
    app.mark_seen("s")
    machine.now -= HOUR
    assert refresh_session(app).unseen
    app.mark_seen("s")
    assert not refresh_session(app).unseen


def test_two_apps_share_what_was_seen(machine: Machine) -> None:
    machine.send_turn("a")
    machine.send_turn("b")
    one, two = machine.make_monitor(), machine.make_monitor()
    for app in (one, two):
        app.refresh()
    one.mark_seen("a")
    two.mark_seen("b")
    for app in (one, two):
        assert not refresh_session(app, "a").unseen
        assert not refresh_session(app, "b").unseen


def test_a_wait_is_unseen_and_the_users_own_actions_are_not(machine: Machine) -> None:
    machine.send_turn()
    app = machine.make_monitor()
    app.refresh()
    app.mark_seen("s")
    machine.send_hook(11, "UserPromptSubmit", prompt="more", prompt_id="p2")
    machine.send_hook(12, "PreToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_use_id="t")
    machine.now += 3
    assert not refresh_session(app).unseen
    machine.send_hook(
        12.1, "PermissionRequest", tool_name="Bash", tool_input={"command": "ls"}, permission_mode="default"
    )
    session = refresh_session(app)
    assert (session.state, session.unseen) == (State.NEEDS_YOU, True)
    app.mark_seen("s")
    assert not refresh_session(app).unseen
    at = 1000 * (machine.start + 12.5)
    machine.write_registry(status="idle", statusUpdatedAt=at)
    session = refresh_session(app)
    assert (describe_activity(session.activity), session.unseen) == ("interrupted", False)
