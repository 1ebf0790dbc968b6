"""The peek: everything recorded about a session, in full and live. All data comes from real files."""

from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from atm_tui.model.wait import Reason, Wait
from atm_tui.screens.fleet import FleetScreen
from atm_tui.screens.peek import PeekScreen
from atm_tui.sources.tool_input import find_tool_input
from atm_tui.timeline.calls import list_last_calls
from tests.support.app_files import HomeOnDisk
from tests.support.effort import sample
from tests.support.session_ids import A
from tests.support.timelines import make_events

LONG = "set -e\n" + "\n".join(f"  step {number} --with a --lot of --options" for number in range(30)) + "\necho the end"


def record_tool(disk: HomeOnDisk, ago: float, took: float, name: str, key: str, error: str = "", **given: Any) -> None:
    disk.send_hook(ago, "PreToolUse", A, tool_name=name, tool_input=given, tool_use_id=key)
    end = "PostToolUseFailure" if error else "PostToolUse"
    more = {"error": error} if error else {"tool_response": {}}
    disk.send_hook(ago - took, end, A, tool_name=name, tool_input=given, tool_use_id=key, **more)


async def test_it_shows_prompt_reply_tools_and_the_whole_request(disk: HomeOnDisk) -> None:
    given = {"command": LONG, "description": "Run all steps"}
    path = disk.write_transcript(A, ("Bash", {"command": "other"}), ("Bash", given))
    disk.start(A, transcript_path=str(path))
    record_tool(disk, 90, 0.5, "Read", "r1", file_path="/src/model.py")
    record_tool(disk, 80, 72, "Bash", "b1", error="Exit code 1: three tests failed", command="npm test")
    disk.ask(A, 5, given, transcript_path=str(path))
    async with disk.run_app(size=(100, 70)) as app:
        await app.wait_for_text("1 needs you")
        await app.press("space")
        await app.wait_for_text("echo the end")
        await app.wait_until(lambda: isinstance(app.app.screen, PeekScreen))
        # each line of the command is a line, indented as it was
        assert app.line_with("    step 7 ").index("step 7") == app.line_with("  set -e  ").index("set -e") + 2
        assert "description Run all steps" in app.text
        assert "do aaaaaaaa" in app.line_with("│  prompt  ")
        assert "0.5s" in app.line_with("model.py")
        assert "1m12s" in app.line_with("npm test")
        assert "three tests failed" in app.text
        for close in ("space", "escape"):
            await app.press(close)
            await app.wait_until(lambda: isinstance(app.app.screen, FleetScreen))
            await app.press("space")


async def test_the_peek_scrolls_and_updates(disk: HomeOnDisk) -> None:
    disk.start(A)
    async with disk.run_app(size=(80, 20)) as app:
        await app.wait_for_text("1 working")
        await app.press("space")
        await app.wait_for_text("do aaaaaaaa")
        disk.ask(A, 1, {"command": "make live"})
        await app.wait_for_text("│    make live")
        for number in range(15):
            record_tool(disk, 0.5, 0.1, "Read", f"r{number}", file_path=f"/src/file{number}.py")
        await app.wait_for_text("file14.py")
        assert "file0.py" not in app.text
        await app.press("G")
        assert "file0.py" in app.text
        await app.press("g", "j")
        assert "file0.py" not in app.text
        disk.send_hook(0, "Stop", A, last_assistant_message="All is done.", background_tasks=[])
        await app.wait_for_text("All is done.")


async def test_a_subagents_wait_names_it_and_shows_its_own_input(disk: HomeOnDisk) -> None:
    given = {"questions": [{"question": "Which one?", "options": [{"label": "This"}, {"label": "That"}]}], "on": True}
    path = disk.write_transcript(A)
    folder = path.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    disk.write_transcript("agent-a1", ("AskUserQuestion", given)).rename(folder / "agent-a1.jsonl")
    disk.start(A, transcript_path=str(path))
    disk.send_hook(50, "SubagentStart", A, agent_id="a1", agent_type="Explore")
    disk.send_hook(
        20, "PermissionRequest", A, agent_id="a1", agent_type="Explore", tool_name="AskUserQuestion", tool_input=given
    )
    async with disk.run_app() as app:
        await app.wait_for_text("1 needs you")
        await app.press("space")
        await app.wait_for_text("label That")
        assert "question · Explore" in app.text
        assert "on true" in app.text
        assert "● Explore" in app.line_with("  agents ")


@pytest.mark.parametrize("size", sample([(40, 12), (80, 24), (200, 50)], (80, 24)))
async def test_hostile_text_is_shown_literally_at_every_size(disk: HomeOnDisk, size: tuple[int, int]) -> None:
    evil = "[/] [red]x \x1b]52;c;ZXZpbA==\x07\x9b31m \u202etxt \u200d 日本語 " + "y" * 300 + "\n\tnext\r\nline"
    path = disk.write_transcript(A, ("Bash", {"command": evil, evil: [evil, {evil: None}]}))
    disk.start(A, transcript_path=str(path))
    record_tool(disk, 80, 1, "Bash", "b1", error=evil, command=evil)
    disk.send_hook(6, "Stop", A, last_assistant_message=evil, background_tasks=[])
    disk.send_hook(5, "UserPromptSubmit", A, prompt=evil, prompt_id="p2")
    disk.ask(A, 4, {"command": evil, evil: [evil, {evil: None}]})
    async with disk.run_app(size=size) as app:
        await app.wait_for_text("1 need" if size[0] > 40 else "permission")
        await app.press("space")
        await app.wait_for_text("permission Bash")
        before, lines = [""], app.lines
        while lines != before:
            assert not any(bad in "\n".join(lines) for bad in "\x1b\x9b\x07\r\u202e\u200d")
            assert all(cell_len(line) <= size[0] for line in lines)
            await app.press("pagedown")
            before, lines = lines, app.lines


async def test_the_peek_keeps_showing_a_session_that_is_gone(disk: HomeOnDisk) -> None:
    disk.start(A)
    async with disk.run_app() as app:
        await app.wait_for_text("1 working")
        await app.press("space")
        await app.wait_for_text("do aaaaaaaa")
        (disk.state / "sessions" / f"{A}.json").unlink()
        await app.wait_for_text("gone")
        assert "do aaaaaaaa" in app.text


def test_an_input_is_found_only_by_its_hash(tmp_path: Path, disk: HomeOnDisk) -> None:
    path = str(disk.write_transcript(A, ("Bash", {"command": "one"}), ("ExitPlanMode", {"plan": "# all"})))
    assert find_tool_input(path, Wait(key="|Bash|0123", reason=Reason.PERMISSION, tool="Bash")) is None
    assert find_tool_input(path, Wait(key="|ExitPlanMode|0123", reason=Reason.PLAN, tool="ExitPlanMode")) == {
        "plan": "# all"
    }
    assert (
        find_tool_input(path, Wait(key="../x|Bash|0", agent_id="../x", reason=Reason.PERMISSION, tool="Bash")) is None
    )
    assert find_tool_input(str(tmp_path / "none.jsonl"), Wait(key="|Bash|0", tool="Bash")) is None
    Path(path).write_bytes(b'"tool_use"\n{"message":{"content":[{"type":"tool_use"}, 3]}}\n{"tool_use": [[[\n')
    assert find_tool_input(path, Wait(key="|Bash|0123", tool="Bash")) is None


def test_calls_are_matched_in_any_order_and_end_with_their_turn() -> None:
    pre = {"session_id": "s", "event": "PreToolUse", "tool": "Bash", "tool_use_id": "a", "summary": "make", "at": 10.0}
    post = {"session_id": "s", "event": "PostToolUse", "tool": "Bash", "tool_use_id": "a", "at": 14.0}
    for events in ([pre, post], [post, pre]):
        (call,) = list_last_calls(make_events(*events), 5)
        assert (call.at, call.ended_at, call.timed, call.summary) == (10.0, 14.0, True, "make")
    (call,) = list_last_calls(make_events(pre, {"session_id": "s", "event": "Stop", "at": 20.0}), 5)
    assert call.ended_at is not None
    assert not call.timed
    (call,) = list_last_calls(make_events(pre, {"session_id": "s", "event": "Stop", "at": 20.0, "agent_id": "b"}), 5)
    assert call.ended_at is None
    many = [{**pre, "tool_use_id": str(number), "at": float(number)} for number in range(9)]
    assert [call.at for call in list_last_calls(make_events(*many), 3)] == [6.0, 7.0, 8.0]
