"""A home with one of every file that hooks, app or commands read: a session that asks for permission, and all around it."""

import json
import os
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import atm_hooks
from atm_hooks import answer_log, answers, journal, payload, sample
from atm_tui.settings.command import Commands
from atm_tui.settings.options import EVENTS, Options

SESSION = "3f0e4b12-0000-4000-8000-000000000001"
ENDED = "3f0e4b12-0000-4000-8000-000000000002"
AGENT = "a1b2c3d4"
LEASE = "1" * 32
COMMAND = {"command": "npm test", "description": "Run the tests"}
USAGE = {"input_tokens": 10, "output_tokens": 20, "cache_creation_input_tokens": 30, "cache_read_input_tokens": 40}
FOLDER = "-work"


class FullHome:
    """The files, by what they are. `close` ends the hook that seems to wait."""

    def __init__(self, folder: Path, pid: int | None = None) -> None:
        """`pid`: the client of the session; by default a process that runs, this one."""
        self.folder = folder
        self.pid = pid or os.getpid()
        self.state, self.claude, self.data = folder / "state", folder / ".claude", folder / "data"
        self.work = folder / "work"
        self.now = time.time()
        self.project = self.claude / "projects" / FOLDER
        self.transcript = self.project / f"{SESSION}.jsonl"
        self.agents = self.transcript.with_suffix("") / "subagents"
        self._fifo: int | None = None
        self._write_project()
        self._write_client_files()
        self._record_events()
        self.nonce = self._write_answers()
        self._write_app_files()
        self._write_settings()

    @property
    def places(self) -> dict[str, Path]:
        """Every kind of file that is read, and where one of it is."""
        state, claude, app = self.state, self.claude, self.state / "app"
        return {
            "state": state / "sessions" / f"{SESSION}.json",
            "journal": state / "journal" / f"{SESSION}.jsonl",
            "old journal": state / "journal" / f"{SESSION}.jsonl.1",
            "hook log": state / "hook.log",
            "lease": state / "answers/lease",
            "request": state / "answers/requests" / f"{self.nonce}.json",
            "verdict": state / "answers/verdicts" / f"{self.nonce}.json",
            "log of answers": state / "answers/log.jsonl",
            "old log of answers": state / "answers/log.jsonl.1",
            "flags": app / "care.json",
            "seen": app / "seen.json",
            "alerts": app / "told.json",
            "theme": app / "theme.json",
            "layout": app / "layout.json",
            "waits": app / "waits.json",
            "registry": claude / "sessions" / f"{self.pid}.json",
            "transcript": self.transcript,
            "agent": self.agents / f"agent-{AGENT}.jsonl",
            "meta": self.agents / f"agent-{AGENT}.meta.json",
            "plan": claude / "plans/brave-fox.md",
            "task": claude / "tasks" / SESSION / "1.json",
            "settings": claude / "settings.json",
            "backup": claude / "settings.json.2026-01-02T03-04-05.atm.bak",
            "project settings": self.work / "api/.claude/settings.json",
            "receipt": self.data / "settings/0123456789abcdef.json",
            "plugin": self.data / "marketplace/plugin/hooks/hooks.json",
            "config": self.folder / ".config/atm-tui/config.toml",
            "branch": self.work / "api/.git/HEAD",
            "worktree": self.work / "tree/.git",
        }

    @property
    def folders(self) -> dict[str, Path]:
        """Every folder that is listed or entered."""
        return {
            "state folder": self.state,
            "sessions": self.state / "sessions",
            "journals": self.state / "journal",
            "locks": self.state / "locks",
            "temporary files": self.state / "tmp",
            "app": self.state / "app",
            "answers": self.state / "answers",
            "requests": self.state / "answers/requests",
            "config folder": self.claude,
            "registry": self.claude / "sessions",
            "projects": self.claude / "projects",
            "project": self.project,
            "agents": self.agents,
            "task lists": self.claude / "tasks",
            "task list": self.claude / "tasks" / SESSION,
            "data": self.data,
            "receipts": self.data / "settings",
            "working directory": self.work / "api",
            "configuration": self.folder / ".config/atm-tui",
        }

    @property
    def environ(self) -> dict[str, str]:
        """The environment in which every path leads here."""
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.folder),
            "ATM_STATE_DIR": str(self.state),
            "ATM_DATA_DIR": str(self.data),
            "XDG_CONFIG_HOME": str(self.folder / ".config"),
            "XDG_CACHE_HOME": str(self.folder / ".cache"),
            "LANG": "C.UTF-8",
            "TZ": os.environ.get("TZ", "UTC"),
            "SHELL": "/bin/sh",
        }

    def restore(self) -> None:
        """Puts back what commands change: settings, the copied hooks, what an installation remembers, written reports."""
        self._write_settings()
        for written in self.folder.glob("*.json"):
            written.unlink()

    def close(self) -> None:
        """Ends the hook that seems to wait."""
        if self._fifo is not None:
            os.close(self._fifo)
            self._fifo = None

    # What is written

    def _write_project(self) -> None:
        git = self.work / "api/.git"
        write(git / "HEAD", "ref: refs/heads/main\n")
        write(git / "worktrees/tree/HEAD", "ref: refs/heads/other\n")
        write(git / "worktrees/tree/commondir", "../..\n")
        write(self.work / "tree/.git", f"gitdir: {git}/worktrees/tree\n")
        write(self.work / "api/.claude/settings.json", '{"statusLine": {"type": "command", "command": "true"}}')

    def _write_client_files(self) -> None:
        ms = int(self.now * 1000)
        entry = {
            "pid": self.pid,
            "sessionId": SESSION,
            "cwd": str(self.work / "api"),
            "startedAt": ms - 700,
            "version": "2.1.332",
            "kind": "interactive",
            "entrypoint": "cli",
            "status": "waiting",
            "name": "api",
            "waitingFor": "permission",
            "statusUpdatedAt": ms - 100,
            "updatedAt": ms - 100,
        }
        write(self.claude / "sessions" / f"{self.pid}.json", json.dumps(entry))
        for thread, path in (("", self.transcript), (AGENT, self.agents / f"agent-{AGENT}.jsonl")):
            write(path, "".join(json.dumps(each) + "\n" for each in self._make_transcript(thread)))
        meta = {"agentType": "Explore", "description": "look around", "toolUseId": "t1", "finished": False}
        write(self.agents / f"agent-{AGENT}.meta.json", json.dumps(meta))
        write(self.project / f"{ENDED}.jsonl", self.transcript.read_text().replace(SESSION, ENDED))
        write(
            self.claude / "tasks" / SESSION / "1.json",
            json.dumps({"id": "1", "subject": "Write the tests", "status": "in_progress"}),
        )
        write(self.claude / "plans/brave-fox.md", "# Plan\n\n1. Look\n2. Leap\n")

    def _make_transcript(self, agent: str) -> list[dict[str, Any]]:
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.900Z", time.gmtime(self.now - 0.2))
        common = {
            "sessionId": SESSION,
            "cwd": str(self.work / "api"),
            "timestamp": stamp,
            "slug": "brave-fox",
            **({"isSidechain": True, "agentId": agent} if agent else {}),
        }
        call = {"type": "tool_use", "id": f"t{agent}", "name": "Bash", "input": COMMAND}
        message = {
            "id": f"m{agent}",
            "role": "assistant",
            "model": "claude-opus-5-5",
            "content": [call],
            "usage": USAGE,
        }
        return [
            {**common, "type": "user", "uuid": "u1", "message": {"role": "user", "content": "run the tests"}},
            {**common, "type": "assistant", "uuid": "u2", "requestId": f"r{agent}", "message": message},
        ]

    def _record_events(self) -> None:
        # all of it within a second: a client that began later than its events would count as another process
        journal.prepare_folders(str(self.state))
        environ = {"CLAUDE_PID": str(self.pid), "CLAUDE_PROJECT_DIR": str(self.work / "api")}
        for ago, name, fields in (
            (0.60, "SessionStart", {"source": "startup"}),
            (0.50, "UserPromptSubmit", {"prompt": "run the tests", "prompt_id": "p1"}),
            (0.40, "PreToolUse", {"tool_name": "Task", "tool_input": {"prompt": "x"}, "tool_use_id": "t1"}),
            (0.39, "SubagentStart", {"agent_id": AGENT, "agent_type": "Explore"}),
            (0.20, "PreToolUse", {"tool_name": "Bash", "tool_input": COMMAND, "tool_use_id": "t2"}),
            (0.19, "PermissionRequest", {"tool_name": "Bash", "tool_input": COMMAND}),
        ):
            raw = self.make_payload(name, **fields)
            self.asked = payload.parse_event(raw, self.now - ago, environ)
            journal.record_event(str(self.state), self.asked)
        line = {
            **json.loads(self.make_payload("Status")),
            "model": {"id": "claude-opus-5-5", "display_name": "Opus"},
            "cost": {"total_cost_usd": 0.5},
            "context_window": {"used_percentage": 40, "context_window_size": 200_000, "current_usage": USAGE},
        }
        journal.record_event(str(self.state), sample.parse_sample(json.dumps(line).encode(), self.now - 0.3, environ))
        path = self.state / "journal" / f"{SESSION}.jsonl"
        write(path.with_name(f"{path.name}.1"), path.read_text())
        write(self.state / "hook.log", f"{self.now - 100:.3f} refused: no JSON\n")

    def make_payload(self, event: str, **fields: Any) -> bytes:
        """Stdin of a hook, as the client writes it."""
        common = {
            "session_id": SESSION,
            "transcript_path": str(self.transcript),
            "cwd": str(self.work / "api"),
            "hook_event_name": event,
            "permission_mode": "default",
        }
        return json.dumps({**common, **fields}).encode()

    def _write_answers(self) -> str:
        root = str(self.state)
        answers.arm(root, {"version": 1, "id": LEASE, "pid": os.getpid(), "wait": 600})
        given = json.loads(self.make_payload("PermissionRequest", tool_name="Bash", tool_input=COMMAND))
        request = answers.make_request(given, self.asked, {"id": LEASE, "wait": 600}, self.asked["at"])
        nonce: str = request["nonce"]
        os.mkfifo(self.state / "answers/wake" / nonce, 0o600)
        self._fifo = os.open(self.state / "answers/wake" / nonce, os.O_RDWR | os.O_NONBLOCK)
        answers.write_new(answers.locate_request(root, nonce), json.dumps(request).encode())
        for outcome in ("given", "void: another input"):
            line = {"at": 1.0, "nonce": "ab" * 16, "session_id": SESSION, "tool": "Bash", "summary": "npm test"}
            answer_log.append_line(root, {**line, "decision": "allow", "by": "app", "after": 2.0, "outcome": outcome})
        log = self.state / "answers/log.jsonl"
        write(log.with_name("log.jsonl.1"), log.read_text())
        return nonce

    def _write_app_files(self) -> None:
        day = {"root": str(self.work / "api"), "spans": [[self.now - 300, self.now - 200]]}
        for name, value in {
            "care": {SESSION: {"pinned": True, "snooze": {"at": 1.0, "seconds": 900.0, "since": 1.0}, "at": 2.0}},
            "seen": {SESSION: self.now - 100},
            "told": {"greeted": 1.0},
            "theme": {"theme": "atm-light", "instead_of": "atm-dark"},
            "layout": {"wide": {"side": 50, "shares": {"status": 10}}, "middle": {}},
            "waits": {"seen": [[SESSION, "|Bash|0", self.now - 90, self.now - 80]], "days": {ENDED: day}},
        }.items():
            write(self.state / "app" / f"{name}.json", json.dumps(value))
        write(
            self.folder / ".config/atm-tui/config.toml", 'closed_after = 20.0\ndangers = ["curl"]\nbudget_day = 5.0\n'
        )

    def _write_settings(self) -> None:
        hooks = self.data / "hooks/atm_hooks"
        hooks.parent.mkdir(parents=True, exist_ok=True)
        hooks.unlink(missing_ok=True)
        hooks.symlink_to(Path(atm_hooks.__file__).parent)
        commands = Commands(Path(os.path.realpath(sys.executable)), hooks, self.state)
        options = Options(answers=True)
        entries = {rule.name: [{"hooks": [options.make_handler(rule, commands)]}] for rule in EVENTS}
        line = {"type": "command", "command": commands.wrap(shlex.join(["printf", "mine"]))}
        path = self.claude / "settings.json"
        write(path, json.dumps({"model": "opus", "hooks": entries, "statusLine": line}, indent=2))
        write(path.with_name("settings.json.2026-01-02T03-04-05.atm.bak"), '{"model": "opus"}\n')
        receipt = {"target": str(path), "created": False, "found": {"hooks": None, "statusLine": None}}
        write(self.data / "settings/0123456789abcdef.json", json.dumps(receipt))
        write(self.data / "marketplace/plugin/hooks/hooks.json", json.dumps({"hooks": entries}))


def write(path: Path, text: str | bytes) -> Path:
    """Writes a file that only its user can read, in folders that only they can enter; returns its path."""
    for folder in reversed([each for each in path.parents if not each.exists()]):
        folder.mkdir(mode=0o700)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    path.chmod(0o600)
    return path


@contextmanager
def enter_full_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FullHome]:
    """Makes a full home the environment and the working directory of this process."""
    home = FullHome(folder)
    for name, value in home.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(home.folder)
    try:
        yield home
    finally:
        home.close()
