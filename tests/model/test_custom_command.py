"""Commands of the configuration: when they can run, and what they run."""

import pytest

from atm_tui.model.custom_command import CustomCommand, Enabled, fill_in, find_obstacle
from atm_tui.model.session import Liveness, Project, Session, State, Terminal

SESSION = Session(
    session_id="0a1b2c3d",
    cwd="/home/user/my shop; $(touch x)",
    project=Project(branch="main"),
    terminal=Terminal(kind="tmux", pane="%5"),
    transcript_path="/t/0a1b2c3d.jsonl",
    state=State.WORKING,
)
BARE = Session(session_id="x")


def make_command(*run: str, enabled: Enabled = Enabled.SESSION) -> CustomCommand:
    return CustomCommand(key="f", title="try", run=run, enabled=enabled)


def test_each_field_is_filled_into_its_argument() -> None:
    command = make_command("prog", "{id}", "in {cwd}!", "{pane}{branch}", "{{id}}", "--file={transcript}")
    assert find_obstacle(command, SESSION) is None
    assert fill_in(command, SESSION) == (
        "prog",
        "0a1b2c3d",
        "in /home/user/my shop; $(touch x)!",
        "%5main",
        "{id}",
        "--file=/t/0a1b2c3d.jsonl",
    )


@pytest.mark.parametrize("field", ["cwd", "pane", "branch", "transcript"])
def test_without_its_field_a_command_is_disabled_and_says_why(field: str) -> None:
    command = make_command("prog", f"{{{field}}}")
    assert find_obstacle(command, SESSION) is None
    reason = find_obstacle(command, BARE) or ""
    assert reason.startswith("it")
    assert len(reason) > 10


@pytest.mark.parametrize(
    ("branch", "argument", "is_refused"),
    [
        ("-delete", "{branch}", True),
        ("-x", "a{branch}", False),
        ("a\0b", "b={branch}", True),
        ("main", "{branch}", False),
    ],
)
def test_text_of_a_session_is_never_an_option(branch: str, argument: str, is_refused: bool) -> None:
    session = Session(session_id="x", project=Project(branch=branch))
    assert (find_obstacle(make_command("git", argument), session) is not None) is is_refused


@pytest.mark.parametrize("enabled", Enabled)
def test_a_command_is_enabled_for_its_states(enabled: Enabled) -> None:
    sessions = {
        None: None,
        "working": SESSION,
        "needs_you": Session(session_id="x", state=State.NEEDS_YOU),
        "idle": Session(session_id="x", state=State.IDLE),
        "ended": Session(session_id="x", liveness=Liveness.LOST),
    }
    able = {
        key
        for key, session in sessions.items()
        if find_obstacle(make_command("prog", enabled=enabled), session) is None
    }
    live = {"working", "needs_you", "idle"}
    assert able == {
        Enabled.ALWAYS: {None, *live, "ended"},
        Enabled.SESSION: {*live, "ended"},
        Enabled.RUNNING: live,
    }.get(enabled, {enabled.value})


def test_a_command_that_is_always_enabled_needs_a_session_for_its_fields() -> None:
    assert find_obstacle(make_command("prog", "{id}", enabled=Enabled.ALWAYS), None) == "there is no session selected"
