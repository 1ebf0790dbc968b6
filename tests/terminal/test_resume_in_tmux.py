"""An ended session resumes in a new window of a real tmux, or in this terminal."""

from collections.abc import Callable
from pathlib import Path

import pytest

from atm_tui.jump.plan import plan_jump_or_resume, plan_resume
from atm_tui.jump.run import run_plan
from atm_tui.jump.values import Outcome
from atm_tui.model.session import Liveness, Session
from tests.support.effort import sample
from tests.support.jumping import CAT, OUTSIDE, TmuxWorkspace
from tests.support.tmux import Pane


@pytest.mark.parametrize("shared", sample([False, True], True))  # tests/terminal/test_app_keys.py resumes in a window
def test_an_ended_session_resumes_in_a_new_window(
    workspace: TmuxWorkspace,
    untouched: Callable[[Pane], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shared: bool,
) -> None:
    folder = tmp_path / "my #(echo OWNED) #{session_id} shop"
    folder.mkdir()
    program = tmp_path / "claude"
    program.write_text('#!/bin/sh\necho "$# in $(pwd): $*"; exec cat\n')
    program.chmod(0o755)
    monkeypatch.setenv("ATM_CLAUDE", str(program))
    ours, other = workspace.inner.start(CAT), workspace.inner.start(CAT)
    session = ours.read_format("#{session_id}")
    second = workspace.attach_client(session if shared else other.target)
    mine = workspace.attach_client(session)
    workspace.press_key_in(mine)
    workspace.read_view(mine)
    untouched(second)
    over = Session(session_id="0a1b2c3d", liveness=Liveness.ENDED, cwd=str(folder))
    jump = plan_resume(over, workspace.make_own_terminal(ours), str(folder))
    assert jump.outcome is Outcome.GO
    if shared:
        untouched(mine)
    run_plan(jump)
    pane = Pane(workspace.inner, workspace.inner.run("list-panes", "-s", "-t", session, "-F", "#{pane_id}").split()[-1])
    assert str(folder) in pane.wait_for("2 in").replace("\n", "")
    assert workspace.read_shown_pane(mine).endswith(ours.target if shared else pane.target)


def test_no_window_is_opened_for_a_client_that_is_not_on_the_path(
    workspace: TmuxWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATM_CLAUDE", "no-such-claude")
    ours = workspace.inner.start(CAT)
    workspace.attach_client(ours.target)
    over = Session(session_id="0a1b2c3d", liveness=Liveness.ENDED, cwd=str(tmp_path))
    for own in (workspace.make_own_terminal(ours), OUTSIDE):
        jump = plan_jump_or_resume(over, str(tmp_path), own)
        assert (jump.outcome, jump.commands, jump.takeover) == (Outcome.REFUSED, (), ())
        assert "no-such-claude is not on the PATH. ATM_CLAUDE can name" in jump.text
        assert jump.copy == f"cd {tmp_path} && no-such-claude --resume 0a1b2c3d"


def test_outside_tmux_an_ended_session_resumes_in_this_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATM_CLAUDE", "cat")
    over = Session(session_id="0a1b2c3d", liveness=Liveness.LOST, cwd=str(tmp_path))
    jump = plan_resume(over, OUTSIDE)
    assert (jump.outcome, jump.directory, jump.takeover[-1]) == (Outcome.RESUME, str(tmp_path), "0a1b2c3d")
    gone = plan_resume(Session(session_id="0a1b2c3d", liveness=Liveness.LOST, cwd="/no/such"), OUTSIDE)
    assert gone.outcome is Outcome.REFUSED
    assert "/no/such is gone" in gone.text
