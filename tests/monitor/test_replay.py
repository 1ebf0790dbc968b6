"""A recording with a clock that can be paused, stepped, moved and sped up."""

import asyncio
import json
import threading
from pathlib import Path

import pytest

from atm_hooks import journal
from atm_tui.model.request import AnswerOutcome, Arming, Decision, Request
from atm_tui.monitor.recording import RecordingError, read_entries
from atm_tui.monitor.replay import Replay
from atm_tui.view.status_text import describe_activity
from tests.support.timelines import DATA


class Clock:
    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def replay(clock: Clock) -> Replay:
    return Replay(read_entries(DATA / "recordings" / "04-interrupt.jsonl"), clock)


def state(replay: Replay) -> tuple[str, str]:
    replay.refresh()
    (session,) = replay.fleet.sessions.values()
    return session.state.value, describe_activity(session.activity)


def test_the_replay_runs_at_the_speed_of_the_recording(replay: Replay, clock: Clock) -> None:
    assert state(replay) == ("idle", "new")
    clock.at += 3.0
    assert state(replay)[0] == "needs_you"
    clock.at += 2.5
    assert state(replay)[0] == "working"
    clock.at += 4.5
    assert state(replay) == ("idle", "interrupted")


def test_speed_and_pause(replay: Replay, clock: Clock) -> None:
    replay.change_speed(+1)
    assert replay.speed == 2.0
    clock.at += 1.5
    assert replay.now() - replay.begin == pytest.approx(3.0)
    replay.toggle()
    clock.at += 100
    assert replay.now() - replay.begin == pytest.approx(3.0)
    replay.toggle()
    clock.at += 1
    assert replay.now() - replay.begin == pytest.approx(5.0)
    for _ in range(20):
        replay.change_speed(-1)
    assert replay.speed == 0.25


def test_steps_go_from_entry_to_entry_and_back(replay: Replay) -> None:
    first = replay.describe_entry()
    replay.step(+1)
    second = replay.now()
    assert replay.paused
    replay.step(+1)
    third = replay.now()
    assert third > second > replay.begin
    replay.step(-1)
    assert replay.now() == second
    for _ in range(5):
        replay.step(-1)
    assert replay.now() == replay.begin
    assert replay.describe_entry() == first == "SessionStart"


def test_a_seek_back_shows_the_state_of_that_time(replay: Replay) -> None:
    replay.paused = True
    replay.seek(replay.end)
    assert state(replay) == ("idle", "interrupted")
    replay.seek(replay.begin + 2.6)
    assert state(replay)[0] == "needs_you"
    replay.seek(replay.begin - 50)
    assert replay.now() == replay.begin
    assert state(replay) == ("idle", "new")


def test_the_replay_stops_at_the_end_and_can_be_restarted(replay: Replay, clock: Clock) -> None:
    clock.at += 1000
    assert replay.now() == replay.end
    replay.toggle()
    assert replay.now() == replay.begin
    assert not replay.paused


def test_our_own_journals_can_be_replayed(tmp_path: Path) -> None:
    journal.prepare_folders(str(tmp_path))
    for at, kind in ((1000.0, "SessionStart"), (1002.0, "UserPromptSubmit"), (1009.0, "Stop")):
        journal.record_event(
            str(tmp_path), {"at": 1_700_000_000 + at, "session_id": "s", "event": kind, "prompt_kind": "human"}
        )
    path = Path(journal.locate_journal(str(tmp_path), "s"))
    with path.open("ab") as file:
        file.write(b'{"at":17')
    replay = Replay(read_entries(path))
    replay.paused = True
    replay.seek(replay.begin + 3)
    assert state(replay) == ("working", "thinking")


@pytest.mark.parametrize("text", ["", "nonsense\n", '{"journal":1,"generation":1}\n', "[1]\n"])
def test_a_file_without_events_is_refused_and_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    with pytest.raises(RecordingError, match=r"x\.jsonl"):
        read_entries(path)
    with pytest.raises(RecordingError, match="No such file"):
        read_entries(tmp_path / "none")


def test_in_long_journals_a_step_back_starts_from_a_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    lines = [
        {"at": 1.7e9 + n, "session_id": "s", "event": "PreToolUse", "tool": "Bash", "tool_use_id": f"t{n}"}
        for n in range(450)
    ]
    path.write_text("\n".join(json.dumps(line) for line in lines))
    replay = Replay(read_entries(path))
    replay.paused = True
    replay.seek(replay.end)
    replay.refresh()
    there = replay.fleet.sessions["s"]
    replay.seek(replay.begin + 120)
    replay.refresh()
    assert replay.fleet.sessions["s"] != there
    replay.seek(replay.end)
    replay.refresh()
    assert replay.fleet.sessions["s"] == there


async def test_refreshes_are_triggered_while_playing_and_after_seeking(replay: Replay) -> None:
    hints = replay.watch(threading.Event())
    await asyncio.wait_for(anext(hints), 1)
    replay.paused = True
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(anext(hints), 0.3)
    await hints.aclose()
    hints = replay.watch(threading.Event())
    replay.seek(replay.end)
    await asyncio.wait_for(anext(hints), 1)
    await hints.aclose()


def test_nothing_can_be_answered_in_a_recording(replay: Replay) -> None:
    replay.refresh()
    assert replay.fleet.arming is Arming.RECORDING
    assert "recording" in (replay.arm(True) or "")
    assert replay.arm(False) is None
    replay.note_alive()
    request = Request(nonce="0", session_id="s", key="k", digest="d")
    assert replay.answer(request, Decision(kind="allow")) is AnswerOutcome.GONE
    assert replay.fleet.arming is Arming.RECORDING


def test_a_recording_has_time_controls_and_cannot_be_acted_on(replay: Replay) -> None:
    can = replay.capabilities
    assert can.recording is replay
    assert (can.jumps, can.answers, can.flags, can.state_dir) == (False, False, False, None)
