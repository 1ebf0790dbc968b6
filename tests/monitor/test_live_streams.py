"""After any sequence of changes, a monitor that reads only what is new shows the same as a new one that reads everything."""

import json
import os
import random
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from atm_hooks import journal, payload
from atm_tui.config import Config
from atm_tui.model.session import Session
from atm_tui.monitor.live import LiveMonitor
from tests.support.effort import sample

NAMES = ("a", "b", "c", "d")


class StreamHarness:
    """Four sessions, some with a registry file and a transcript, and a clock."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.state_dir, self.config_dir, self.work = folder / "state", folder / "claude", folder / "work"
        journal.prepare_folders(str(self.state_dir))
        (self.config_dir / "sessions").mkdir(parents=True)
        self.work.mkdir()
        self.now = time.time()
        self.count = 0
        # processes that run: ours and its parent
        self.pids = dict(zip(NAMES, (os.getpid(), os.getppid(), 1, 0), strict=True))
        self.served: dict[str, int] = {}

    def monitor(self) -> LiveMonitor:
        return LiveMonitor(self.state_dir, [self.config_dir], Config(), now=lambda: self.now)

    def shown(self, app: LiveMonitor) -> dict[str, Session]:
        """The sessions without their time waited, which a new monitor can't know."""
        app.refresh()
        return {key: replace(session, waited=()) for key, session in app.fleet.sessions.items()}

    def transcript(self, name: str) -> Path:
        return self.config_dir / "projects" / "p" / f"{name}.jsonl"

    def step(self, app: LiveMonitor) -> str:
        self.count += 1
        self.now += self.chance.choice([0.05, 0.3, 0.7, 2.0, 60.0])
        name = self.chance.choice(NAMES)
        steps = (
            self.send_hook,
            self.send_hook,
            self.send_hook,
            self.registry,
            self.say,
            self.look,
            self.cut,
            self.branch,
            self.forget,
        )
        act = self.chance.choice(steps)
        act(app, name)
        return f"{self.count}: {act.__name__} {name}"

    def send_hook(self, app: LiveMonitor, name: str) -> None:
        tool = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": f"t{self.count}"}
        kind, given = self.chance.choice(
            [
                ("SessionStart", {"source": "startup"}),
                ("UserPromptSubmit", {"prompt": "go on", "prompt_id": f"p{self.count}"}),
                ("PreToolUse", tool),
                ("PermissionRequest", tool),
                ("PostToolUse", tool),
                ("SubagentStart", {"agent_id": f"a{self.count % 3}", "agent_type": "Explore"}),
                ("Stop", {"background_tasks": []}),
                ("SessionEnd", {"reason": "other"}),
            ]
        )
        data = {"hook_event_name": kind, "session_id": name, "cwd": str(self.work), **given}
        data["transcript_path"] = str(self.transcript(name))
        environ = {"CLAUDE_PID": str(self.pids[name])} if self.pids[name] else {}
        journal.record_event(str(self.state_dir), payload.parse_event(json.dumps(data).encode(), self.now, environ))

    def registry(self, app: LiveMonitor, name: str) -> None:
        path = self.config_dir / "sessions" / f"{self.pids[name]}.json"
        if self.chance.random() < 0.2:
            path.unlink(missing_ok=True)
            return
        at, status = 1000 * self.now, self.chance.choice(["busy", "idle", "waiting"])
        # after /clear a process serves another session; two with one session are not told apart
        served = name if self.chance.random() < 0.8 else self.chance.choice(NAMES)
        if self.served.get(served, self.pids[name]) != self.pids[name]:
            return
        self.served = {
            **{each: pid for each, pid in self.served.items() if pid != self.pids[name]},
            served: self.pids[name],
        }
        entry = {"pid": self.pids[name], "sessionId": served, "startedAt": at, "updatedAt": at, "status": status}
        path.write_text(json.dumps({**entry, "statusUpdatedAt": at, "waitingFor": "permission prompt"}))

    def say(self, app: LiveMonitor, name: str) -> None:
        self.transcript(name).parent.mkdir(parents=True, exist_ok=True)
        usage = {"input_tokens": 10, "output_tokens": 5}
        message = {"id": f"m{self.count}", "model": "claude-opus-5-5", "usage": usage, "content": []}
        with self.transcript(name).open("a") as file:
            file.write(json.dumps({"type": "assistant", "requestId": f"r{self.count}", "message": message}) + "\n")
        app.reader.sweep_soon()

    def look(self, app: LiveMonitor, name: str) -> None:
        app.mark_seen(name)

    def cut(self, app: LiveMonitor, name: str) -> None:
        path = self.state_dir / "sessions" / f"{name}.json"
        if path.exists() and self.chance.random() < 0.5:
            path.write_bytes(path.read_bytes()[:-3])

    def branch(self, app: LiveMonitor, name: str) -> None:
        (self.work / ".git").mkdir(exist_ok=True)
        (self.work / ".git" / "HEAD").write_text(f"ref: refs/heads/b{self.count}\n")
        app.reader.sweep_soon()

    def forget(self, app: LiveMonitor, name: str) -> None:
        if self.chance.random() < 0.3:
            journal.remove_session(str(self.state_dir), name)


class NamedChanges:
    """A watcher that names just the files that changed since it was last asked."""

    problem = None
    transcripts: frozenset[str] = frozenset()

    def __init__(self, *folders: Path) -> None:
        self._folders = folders
        self._stamps: dict[str, object] = {}

    def take_transcripts(self) -> frozenset[str]:
        return frozenset()

    def take_changed(self) -> frozenset[str] | None:
        before = self._stamps
        files = [path for folder in self._folders for path in (folder / "sessions").iterdir()]
        self._stamps = {str(path): (path.stat().st_ino, path.stat().st_mtime_ns, path.stat().st_size) for path in files}
        return frozenset(key for key in before | self._stamps if before.get(key) != self._stamps.get(key))

    def limit_wait(self, seconds: float | None) -> None:
        pass

    def hold_back(self, seconds: float) -> None:
        pass


def find_differences(one: Session, other: Session) -> dict[str, tuple[object, object]]:
    """The fields that differ."""
    names = one.__struct_fields__
    return {
        name: (getattr(one, name), getattr(other, name)) for name in names if getattr(one, name) != getattr(other, name)
    }


@pytest.mark.parametrize("seed", sample(range(12), 0, 1, 2, 3))
def test_reading_incrementally_gives_the_same_as_reading_everything(tmp_path: Path, seed: int) -> None:
    harness = StreamHarness(tmp_path, seed)
    app = harness.monitor()
    if seed % 2:
        app._watcher = NamedChanges(harness.state_dir, harness.config_dir)  # type: ignore[assignment]
    for _ in range(60):
        step = harness.step(app)
        shown, afresh = harness.shown(app), harness.shown(harness.monitor())
        if any(session.problem for session in shown.values()):
            # the last good value stays, which a new one never saw
            afresh = {**afresh, **{key: each for key, each in shown.items() if each.problem}}
            afresh = {key: afresh[key] for key in afresh if key in shown}
        assert sorted(shown) == sorted(afresh), step
        assert {key: find_differences(each, afresh[key]) for key, each in shown.items() if each != afresh[key]} == {}, (
            step
        )
