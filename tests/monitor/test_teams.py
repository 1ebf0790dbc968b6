"""Agent teams, from the client's files to rows: teammates under their lead, their tasks, and inboxes that stay closed."""

import json
import os
import sys
from pathlib import Path

import pytest

from atm_tui.config import Config
from atm_tui.model.session import Session
from atm_tui.model.task import TaskState
from atm_tui.monitor.live import LiveMonitor
from atm_tui.sources.task_files import MOST_TASKS, TaskFiles
from atm_tui.view.present import UNICODE
from atm_tui.view.status_json import build_session_json
from atm_tui.view.tree_rows import TreeBuilder
from tests.support.team import LEAD, TEAM, Team, watch_opens


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(tmp_path, os.getpid())


def open_app(team: Team) -> LiveMonitor:
    app = LiveMonitor(team.state, [team.claude], Config(), now=lambda: team.now)
    app.refresh()
    return app


def refresh_lead(app: LiveMonitor) -> Session:
    app.reader.sweep_soon()
    app.refresh()
    return app.fleet.sessions[LEAD]


def write_rows(app: LiveMonitor) -> list[str]:
    """Each row of the tree: sign and name, the column beside it, the state."""
    rows = TreeBuilder(UNICODE, 60.0, "/home/user").build(app.fleet, app.now(), (), None).rows
    return [
        f"{row.indent}{row.glyph[0]} {row.name[0]} | {row.note[0]} | {''.join(text for text, _ in row.words)}"
        for row in rows
        if row.glyph
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="inotify tells what is opened")
def test_a_lead_has_its_teammates_and_tasks_and_no_inbox_is_opened(team: Team) -> None:
    with watch_opens(team.claude) as opened:
        app = open_app(team)
        lead = refresh_lead(app)
        listed = build_session_json(lead, team.now)
    assert write_rows(app) == [
        "  ◐ write the guide |  | 1 agent · 1/3 tasks",
        "    ├○ @researcher | Research it | idle",
        "    └◐ @writer | Write the tests | thinking",
    ]
    assert [(each["name"], each["color"], each["state"], each["task_id"]) for each in listed["agents"]] == [
        ("researcher", "blue", "idle", None),
        ("writer", "green", "working", "1"),
    ]
    assert listed["tasks"][2] == {
        "task_id": "3", "subject": "Third thing", "state": "pending", "owner": None, "blocked_by": ["1"]
    }  # fmt: skip
    assert {"1.json", "2.json", "3.json"} <= set(opened), "the watch tells of what is read"
    assert not {"team-lead.json", "researcher.json", "writer.json", "inboxes", "config.json"} & set(opened)


@pytest.mark.skipif(sys.platform != "linux", reason="inotify tells what is opened")
def test_teammates_with_panes_of_their_own_are_sessions_below_their_lead(team: Team) -> None:
    team.start_teammate("tester", "269b10df-403b-41f9-b5c2-f4e30bac0f1e", "cyan")
    team.start_teammate("editor", "8c021f96-6d86-48fc-9b2c-02f5af3a0d85", "pink")
    team.write_task("3", "Third thing", "in_progress", owner="tester")
    team.send_hook(9, "Stop", "8c021f96-6d86-48fc-9b2c-02f5af3a0d85", background_tasks=[])
    team.send_hook(9.1, "TeammateIdle", "8c021f96-6d86-48fc-9b2c-02f5af3a0d85", teammate_name="editor", team_name=TEAM)
    team.send_hook(
        9, "PreToolUse", "269b10df-403b-41f9-b5c2-f4e30bac0f1e", tool_name="Agent", tool_use_id="a", tool_input={}
    )
    team.send_hook(9.1, "SubagentStart", "269b10df-403b-41f9-b5c2-f4e30bac0f1e", agent_id="a1", agent_type="Explore")
    with watch_opens(team.teams) as opened:
        app = open_app(team)
        assert write_rows(app)[1:] == [
            "    ├○ @researcher | Research it | idle",
            "    ├◐ @writer | Write the tests | thinking",
            "    ├◐ @tester | Third thing | Agent",
            "    │ └◐ Explore |  | thinking",
            "    └✓ @editor |  | finished",
        ]
    assert {"config.json"} <= set(opened)
    assert not {"team-lead.json", "inboxes"} & set(opened)
    rows = {row.name[0]: row for row in TreeBuilder(UNICODE, 60.0, "").build(app.fleet, app.now(), (), None).rows}
    assert (rows["@tester"].name[1], rows["@editor"].name[1]) == ("teammate-cyan", "teammate-pink")
    folded = TreeBuilder(UNICODE, 60.0, "").build(app.fleet, app.now(), {("session", LEAD)}, None).rows
    assert [row.name[0] for row in folded if row.glyph] == ["write the guide"]
    (team.teams / "config.json").unlink()  # as when the lead has ended
    assert build_session_json(open_app(team).fleet.sessions["269b10df-403b-41f9-b5c2-f4e30bac0f1e"], team.now)["team"] == {
        "lead": LEAD[:8], "name": "tester", "color": ""
    }  # fmt: skip


def test_team_files_complete_what_earlier_events_reported(team: Team) -> None:
    app = open_app(team)
    # the client reports what a teammate that stops still has in progress as completed
    team.send_hook(13, "TaskCompleted", task_id="1", task_subject="Write the tests", teammate_name="writer")
    team.send_hook(14, "TaskCreated", task_id="4", task_subject="Not written yet")
    assert [(each.task_id, each.state, each.owner) for each in refresh_lead(app).tasks] == [
        ("1", TaskState.IN_PROGRESS, "writer"),
        ("2", TaskState.COMPLETED, "researcher"),
        ("3", TaskState.PENDING, ""),
        ("4", TaskState.PENDING, ""),
    ]
    (team.tasks / "3.json").unlink()  # deleting a task fires no event
    os.utime(team.tasks, (team.start + 13.5,) * 2)
    team.write_task("1", "Write the tests", "completed", owner="writer")
    assert [(each.task_id, each.done) for each in refresh_lead(app).tasks] == [("1", True), ("2", True), ("4", False)]


def test_without_a_team_the_task_list_is_named_after_the_session(team: Team) -> None:
    own = team.tasks.rename(team.tasks.with_name(LEAD))
    app = open_app(team)
    assert len(app.fleet.sessions[LEAD].tasks) == 3
    for path in own.iterdir():
        path.unlink()
    own.rmdir()
    assert [each.owner for each in refresh_lead(app).tasks] == ["", "", ""], "what the hooks know is left"


def test_a_list_of_any_size_is_read_up_to_a_bound(tmp_path: Path) -> None:
    folder = tmp_path / "tasks/s"
    folder.mkdir(parents=True)
    for n in range(MOST_TASKS + 50):
        (folder / f"{n}.json").write_text(json.dumps({"subject": f"task {n}", "status": "odd", "owner": 7}))
    os.mkfifo(folder / "9999.json")
    (folder / "5.json").write_text("{")
    files = TaskFiles(str(tmp_path))
    files.refresh()
    found = files.read(["none", "s"])
    assert found is not None
    assert len(found.tasks) == MOST_TASKS - 1
    assert [each.subject for each in found.tasks[4:6]] == ["task 4", "task 6"]
    (folder / "5.json").write_text(json.dumps({"subject": "half no more"}))
    assert files.read(["s"]).tasks[5].subject == "half no more"  # type: ignore[union-attr]
