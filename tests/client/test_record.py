"""The recorder of `CONTRIBUTING.md` records a session of the real client so that our own code can replay it."""

import json
import sys
from pathlib import Path

import pytest

from atm_tui.monitor.recording import read_entries
from atm_tui.monitor.replay import Replay
from tests.client.api import Text, Tool
from tests.client.client import READY
from tests.client.sandbox import Sandbox

ROOT = Path(__file__).parents[2]


@pytest.mark.long
def test_a_recorded_session_can_be_replayed(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.api.script("read it", Tool("Read", {"file_path": "a.txt"}), Text("It says hello."))
    project, out = sandbox.make_project("shop", {"a.txt": "hello\n"}), tmp_path / "new.jsonl"
    recorder = [sys.executable, "-m", "tests.client.record", str(out), "--in", str(project), "--", "--model", "opus"]
    pane = sandbox.tmux.start(recorder, cwd=ROOT, env={**sandbox.client_env, "ATM_CLAUDE": sandbox.program}, stay=True)
    sandbox.panes.append(pane)
    pane.wait_for(READY)
    sandbox.measure_until(lambda: list((sandbox.config_dir / "sessions").glob("*.json")))
    pane.type_text("please read it")
    sandbox.measure_until(lambda: "please read it" in sandbox.read_screen(pane))
    pane.press_keys("Enter")
    pane.wait_for("It says hello")
    sandbox.measure_until(
        lambda: '"Stop"' in "".join(path.read_text() for path in sandbox.temporary.glob("atm-record-*/spool.jsonl"))
    )
    pane.type_text("/exit")
    sandbox.measure_until(lambda: "/exit" in sandbox.read_screen(pane))
    pane.press_keys("Enter")
    pane.wait_for("lines in")
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert {line["kind"] for line in lines} == {"hook", "registry", "transcript", "statusline"}
    assert str(sandbox.home) not in out.read_text("utf-8")
    events = [line["data"]["hook_event_name"] for line in lines if line["kind"] == "hook"]
    assert events[0] == "SessionStart"
    assert {"UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"} <= set(events)
    assert [line["t"] for line in lines] == sorted(line["t"] for line in lines)
    replay = Replay(read_entries(out))
    replay.seek(replay.end)
    replay.refresh()
    [session] = replay.fleet.sessions.values()
    assert (session.liveness, session.turns, session.tools_used) == ("ended", 1, {"Read": 1})
