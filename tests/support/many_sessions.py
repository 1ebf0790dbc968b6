"""A state folder with many sessions, most of which are over, and a clock."""

import json
import os
import time
from pathlib import Path
from typing import Any

from atm_hooks import journal, payload
from atm_tui.config import Config
from atm_tui.monitor.live import LiveMonitor

HOUR, DAY = 3600.0, 86400.0
NOW = time.time() + 90 * DAY
"""When the tests take place, epoch seconds: all that they tell of a running process is younger than it."""
DEAD = 4_194_305
"""A pid that no process has: it is above the largest one of Linux."""
ALIVE = os.getpid()
ASKS = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "t1", "prompt_id": "p1"}


class Folder:
    """A state folder, a config folder, and a clock."""

    def __init__(self, root: Path) -> None:
        self.state_dir, self.config_dir = root / "state", root / "claude"
        self.now = NOW
        self.number = 0
        journal.prepare_folders(str(self.state_dir))

    def locate(self, session: str) -> Path:
        return self.state_dir / "sessions" / f"{session}.json"

    def send(self, session: str, event: str, *, ago: float = 0.0, pid: int = DEAD, **fields: Any) -> None:
        data = {"hook_event_name": event, "session_id": session, "cwd": "/w", **fields}
        found = payload.parse_event(json.dumps(data).encode(), self.now - ago, {"CLAUDE_PID": str(pid)} if pid else {})
        journal.record_event(str(self.state_dir), found)
        self.number += 1
        os.utime(self.locate(session), (NOW + self.number,) * 2)

    def end(self, session: str, *, ago: float = 9 * DAY) -> None:
        self.send(session, "SessionStart", ago=ago, source="startup")
        self.send(session, "SessionEnd", ago=ago - 1, reason="other")

    def fill(self, count: int) -> None:
        """As many sessions that ended, the files of which are newer than all others."""
        self.end("n0")
        text = self.locate("n0").read_text()
        for number in range(1, count):
            self.number += 1
            path = self.locate(f"n{number}")
            path.write_text(text.replace('"n0"', f'"n{number}"'))
            os.utime(path, (NOW + self.number,) * 2)

    def register(self, session: str, pid: int = ALIVE, folder: Path | None = None) -> None:
        path = (folder or self.config_dir) / "sessions" / f"{pid}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"pid": pid, "sessionId": session, "startedAt": 1000 * NOW, "status": "idle"}))

    def monitor(self, most_whole: int | None = 1, forget_after: float = 9000.0, **given: Any) -> LiveMonitor:
        return LiveMonitor(
            self.state_dir,
            [self.config_dir],
            Config(forget_after=forget_after),
            now=lambda: self.now,
            most_whole=most_whole,
            **given,
        )
