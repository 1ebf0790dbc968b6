"""A team on disk, as the real client leaves it: a lead, two teammates, three tasks, and inboxes that nobody may open."""

import ctypes
import json
import os
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from atm_hooks import journal, payload

LEAD = "c38139b9-c3f4-44b7-a962-63877bc2d6e3"
TEAM = f"session-{LEAD[:8]}"
RESEARCHER, WRITER = "aresearcher-a6a81061ad206355", "awriter-2cee4ac945a53aca"
_IN_ACCESS, _IN_OPEN, _IN_NONBLOCK = 0x1, 0x20, 0o4000


class Team:
    """The researcher has completed its task and is idle; the writer works; the third task is open.

    It is 15 seconds after the start.
    """

    def __init__(self, folder: Path, pid: int) -> None:
        """`pid`: the lead's client."""
        self.state, self.claude, self.work = folder / "state", folder / ".claude", folder / "work"
        self.work.mkdir(parents=True)
        self.pid = pid
        self.start = time.time()
        self.now = self.start + 15
        self.transcript = self.claude / "projects/-work" / f"{LEAD}.jsonl"
        self.tasks = self.claude / "tasks" / TEAM
        self.teams = self.claude / "teams" / TEAM
        self._begin()
        self._launch("researcher", RESEARCHER, "Research it", "blue")
        self._launch("writer", WRITER, "Write it", "green")
        self.send_hook(
            9, "Stop", background_tasks=[{"id": f"t{n}", "type": "teammate", "status": "running"} for n in "12"]
        )
        self.send_hook(12, "SubagentStop", agent_id=RESEARCHER, agent_type="researcher", background_tasks=[])
        self.send_hook(12, "TeammateIdle", agent_id=RESEARCHER, agent_type="researcher", teammate_name="researcher")

    def send_hook(self, t: float, event: str, session: str = LEAD, **fields: Any) -> None:
        """Records an event, `t` seconds after the start."""
        journal.prepare_folders(str(self.state))
        path = self.transcript.with_name(f"{session}.jsonl")
        data = {"hook_event_name": event, "session_id": session, "cwd": str(self.work), "transcript_path": str(path)}
        given = json.dumps(data | fields).encode()
        event_ = payload.parse_event(given, self.start + t, {"CLAUDE_PID": str(fields.get("pid", self.pid))})
        journal.record_event(str(self.state), event_)

    def write_task(self, task_id: str, subject: str, status: str, **fields: Any) -> None:
        """Writes the file of a task as the client does."""
        self.tasks.mkdir(parents=True, exist_ok=True)
        given = {"id": task_id, "subject": subject, "description": "d", "status": status, "blocks": [], "blockedBy": []}
        (self.tasks / f"{task_id}.json").write_text(json.dumps(given | fields, indent=2))

    def _begin(self) -> None:
        self.send_hook(0, "SessionStart", source="startup")
        self.send_hook(1, "UserPromptSubmit", prompt="write the guide", prompt_id="p1")
        for n, subject in enumerate(("Write the tests", "Research the topic", "Third thing"), 1):
            self.send_hook(1 + n / 10, "TaskCreated", task_id=str(n), task_subject=subject)
        self.write_task("1", "Write the tests", "in_progress", owner="writer")
        self.write_task("2", "Research the topic", "completed", owner="researcher")
        self.write_task("3", "Third thing", "pending", blockedBy=["1"])
        (self.tasks / ".lock").touch()
        (self.teams / "inboxes").mkdir(parents=True)
        (self.teams / "config.json").write_text(json.dumps({"name": TEAM, "leadSessionId": LEAD, "members": []}))
        for name in ("team-lead", "researcher", "writer"):
            (self.teams / "inboxes" / f"{name}.json").write_text(json.dumps([{"from": "x", "text": "a secret"}]))

    def _launch(self, name: str, agent_id: str, description: str, color: str) -> None:
        given = {"description": description, "prompt": "go", "subagent_type": "general-purpose", "name": name}
        call = {"tool_name": "Agent", "tool_input": given, "tool_use_id": f"toolu_{name}"}
        self.send_hook(5, "PreToolUse", **call)
        answer = {"status": "teammate_spawned", "agentId": agent_id, "name": name, "color": color, "team_name": TEAM}
        self.send_hook(6, "PostToolUse", tool_response=answer, **call)
        self.send_hook(6.1, "SubagentStart", agent_id=agent_id, agent_type=name)
        folder = self.transcript.with_suffix("") / "subagents"
        folder.mkdir(parents=True, exist_ok=True)
        meta = {"agentType": name, "name": name, "description": description, "color": color, "teamName": TEAM}
        (folder / f"agent-{agent_id}.meta.json").write_text(json.dumps(meta | {"taskKind": "in_process_teammate"}))
        line = {"type": "user", "isSidechain": True, "agentId": agent_id, "message": {"role": "user", "content": "go"}}
        (folder / f"agent-{agent_id}.jsonl").write_text(json.dumps(line) + "\n")
        self.transcript.touch()

    def start_teammate(self, name: str, session: str, color: str) -> None:
        """Starts a teammate in a pane of its own: a session that no registry lists, with the team in its transcript."""
        path = self.teams / "config.json"
        given = json.loads(path.read_text())
        given["members"].append({"agentId": f"{name}@{TEAM}", "name": name, "color": color, "tmuxPaneId": "%1"})
        path.write_text(json.dumps(given))
        line = {"type": "user", "teamName": TEAM, "agentName": name, "sessionId": session, "cwd": str(self.work)}
        line |= {"message": {"role": "user", "content": "<teammate-message>a secret</teammate-message>"}}
        self.transcript.with_name(f"{session}.jsonl").write_text(json.dumps(line) + "\n")
        self.send_hook(7, "SessionStart", session, source="startup", agent_type="general-purpose")
        self.send_hook(
            8, "UserPromptSubmit", session, prompt="<teammate-message>a secret</teammate-message>", prompt_id="p"
        )


@contextmanager
def watch_opens(folder: Path) -> Iterator[list[str]]:
    """Collects the names of all that any process opens or reads in a folder and the folders below, until the block ends.

    Needs Linux.
    """
    assert sys.platform == "linux"
    libc = ctypes.CDLL(None, use_errno=True)
    queue = libc.inotify_init1(_IN_NONBLOCK)
    opened: list[str] = []
    try:
        for place in [folder, *(each for each in folder.rglob("*") if each.is_dir())]:
            assert libc.inotify_add_watch(queue, os.fsencode(place), _IN_ACCESS | _IN_OPEN) >= 0
        yield opened
        while True:
            try:
                data = os.read(queue, 1 << 16)
            except BlockingIOError:
                break
            while data:
                length = struct.unpack_from("iIII", data)[3]
                opened.append(data[16 : 16 + length].rstrip(b"\0").decode())
                data = data[16 + length :]
    finally:
        os.close(queue)
