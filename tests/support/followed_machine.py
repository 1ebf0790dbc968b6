"""A machine as the live monitor sees it: a state folder, a config folder, a clock and a process for a client."""

import json
import time
from pathlib import Path
from typing import Any

from atm_hooks import journal, payload
from atm_tui.config import Config
from atm_tui.model.session import Session
from atm_tui.monitor.live import LiveMonitor

HOUR = 3600.0


class Machine:
    """A state folder, a config folder, a clock, and a process that stands for a client. Times are seconds after its start."""

    def __init__(self, folder: Path, pid: int) -> None:
        self.state_dir = folder / "state"
        self.config_dir = folder / "claude"
        self.pid = pid
        self.start = time.time()
        self.now = self.start + 10
        self.awake = 0.0

    def make_monitor(self, config: Config | None = None, **given: Any) -> LiveMonitor:
        return LiveMonitor(self.state_dir, [self.config_dir], config or Config(), now=lambda: self.now, **given)

    def send_hook(self, t: float, event: str, session: str = "s", *, pid: int | None = None, **fields: Any) -> None:
        journal.prepare_folders(str(self.state_dir))
        cwd = fields.pop("cwd", "/home/user/work/shop")
        data = {"hook_event_name": event, "session_id": session, "cwd": cwd, **fields}
        environ = {"CLAUDE_PID": str(pid or self.pid)}
        journal.record_event(
            str(self.state_dir), payload.parse_event(json.dumps(data).encode(), self.start + t, environ)
        )

    def send_turn(self, session: str = "s", t: float = 1.0) -> None:
        self.send_hook(t, "SessionStart", session, source="startup")
        self.send_hook(t + 1, "UserPromptSubmit", session, prompt="go on", prompt_id=f"p{t}")
        self.send_hook(t + 2, "Stop", session, background_tasks=[])

    def write_registry(self, session: str = "s", **given: Any) -> None:
        folder = self.config_dir / "sessions"
        folder.mkdir(parents=True, exist_ok=True)
        at = 1000 * (self.start + 1)
        entry = {
            "pid": self.pid,
            "sessionId": session,
            "startedAt": at,
            "updatedAt": at,
            "statusUpdatedAt": at,
            **given,
        }
        (folder / f"{entry['pid']}.json").write_text(json.dumps(entry))

    def list_files(self, session: str = "s") -> list[str]:
        return sorted(path.name for path in self.state_dir.glob(f"*/{session}*"))


def refresh_session(app: LiveMonitor, session: str = "s") -> Session:
    app.refresh()
    return app.fleet.sessions[session]
