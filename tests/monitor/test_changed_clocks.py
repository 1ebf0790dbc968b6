"""Sleep, and clocks that jump: no false alarm, and no session is lost."""

from atm_tui.text import format_age
from atm_tui.view.status_text import describe_activity
from tests.support.followed_machine import HOUR, Machine, refresh_session


def test_after_an_hour_of_sleep_there_is_no_false_alarm(machine: Machine) -> None:
    """A prompt was sent, and the machine slept before the client's registry could follow."""
    machine.send_hook(1, "SessionStart", source="startup")
    machine.write_registry(status="idle")
    machine.send_hook(10, "UserPromptSubmit", prompt="go on", prompt_id="p1")
    app = machine.make_monitor(awake=lambda: machine.awake)
    machine.now, machine.awake = machine.start + 10.1, 10.1
    assert describe_activity(refresh_session(app).activity) == "thinking"
    machine.now, machine.awake = machine.start + HOUR, 10.3
    assert describe_activity(refresh_session(app).activity) == "thinking"
    machine.write_registry(status="busy", statusUpdatedAt=1000 * (machine.start + HOUR + 0.1))
    machine.now, machine.awake = machine.start + HOUR + 30, 40.3
    assert describe_activity(refresh_session(app).activity) == "thinking"


def test_a_clock_that_jumps_both_ways_loses_no_session(machine: Machine) -> None:
    machine.send_turn()
    app = machine.make_monitor()
    assert describe_activity(refresh_session(app).activity) == "finished"
    machine.now += 24 * HOUR
    machine.send_hook(24 * HOUR, "UserPromptSubmit", prompt="tomorrow", prompt_id="p2")
    assert describe_activity(refresh_session(app).activity) == "thinking"
    machine.now -= 24 * HOUR
    for number, kind in enumerate(("Stop", "UserPromptSubmit", "Stop", "UserPromptSubmit")):
        machine.send_hook(10 + number, kind, prompt="today", prompt_id=f"p{3 + number}", background_tasks=[])
        session = refresh_session(app)
        assert describe_activity(session.activity) == ("finished" if kind == "Stop" else "thinking")
        assert not format_age(machine.now - session.since).startswith("-")
    assert session.turns == 4


def test_an_hour_without_new_lines_is_evidence_of_an_interruption(machine: Machine) -> None:
    machine.send_hook(1, "SessionStart", source="startup")
    machine.write_registry(status="idle")
    machine.send_hook(10, "UserPromptSubmit", prompt="go on", prompt_id="p1")
    app = machine.make_monitor(awake=lambda: machine.awake)
    machine.now, machine.awake = machine.start + HOUR, HOUR - 10
    assert describe_activity(refresh_session(app).activity) == "interrupted"
