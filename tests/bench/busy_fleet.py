"""A fleet on disk for measurements: sessions with agents, as the real hook code, the client's registry and transcripts leave them.

usage: python -m tests.bench.busy_fleet FOLDER SESSIONS EVENTS_PER_SECOND     (until it is ended: writes events)
"""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from atm_hooks import journal, payload, sample
from atm_hooks.proc import read_start_ticks

ROOT = Path(__file__).parents[2]
AGENTS = 5
PROJECTS = 24
ASKS = 40
"""Tools of a session of which one asks for a permission: at 50 events a second, some person answers once in 2 s."""
Event = tuple[str, dict[str, Any]]


def name(number: int) -> str:
    """The session's id; its title is "part 0042"."""
    return f"bench-{number:04}"


class BusyFleet:
    """A home with its folders `state`, `.claude` and `work`, and what goes on in them."""

    def __init__(self, folder: Path, sessions: int, agents: int = AGENTS) -> None:
        """`agents`: of each session."""
        self.folder = folder
        self.sessions = sessions
        self.agents = agents
        self.state = folder / "state"
        self.config = folder / ".claude"
        self.pids: dict[int, int] = {}
        self.began: dict[int, float] = {}
        """When each session began, epoch seconds."""
        self.clients: list[subprocess.Popen[bytes]] = []
        # the clients end with this process, however it ends: their stdin does
        self._end, self._held = os.pipe()

    def cwd(self, number: int) -> Path:
        """Where the session works."""
        return self.folder / "work" / f"project-{number % min(PROJECTS, self.sessions // 6 + 1):02}"

    def transcript(self, number: int) -> Path:
        """The session's conversation file."""
        return self.config / "projects" / f"p{number % PROJECTS}" / f"{name(number)}.jsonl"

    def fill(self, age: float = 300.0) -> None:
        """Every session has a process, a registry file and a transcript, works on a prompt, and so do its agents."""
        journal.prepare_folders(str(self.state))
        (self.config / "sessions").mkdir(parents=True)
        # monitors that know Claude Code by its name see these processes as well
        client_name = self.folder / "claude"
        client_name.symlink_to(shutil.which("cat") or "/bin/cat")
        for number in range(self.sessions):
            head = self.cwd(number) / ".git" / "HEAD"
            if not head.exists():
                head.parent.mkdir(parents=True)
                head.write_text("ref: refs/heads/main\n")
            client = subprocess.Popen([client_name], stdin=self._end, stdout=subprocess.DEVNULL)
            self.clients.append(client)
            self.begin(number, client.pid, time.time() - age + number / 10)
        # not the first start of the app: nothing stands before the screen
        (self.state / "app").mkdir()
        (self.state / "app" / "told.json").write_text('{"greeted": 1.0}')
        (self.folder / "pids.json").write_text(json.dumps(self.pids))

    def begin(self, number: int, pid: int, at: float) -> None:
        """A session begins in a process: it works on a prompt, and so do its agents."""
        self.pids[number], self.began[number] = pid, at
        self.register(number, "busy", at)
        agents = self.transcript(number).with_suffix("") / "subagents"
        agents.mkdir(parents=True)
        self.say(number, at)
        for agent in range(self.agents):
            self.say(number, at, agents / f"agent-a{number}x{agent}.jsonl")
        for step, (kind, given) in enumerate(_beginning(number, self.agents)):
            self.send_hook(number, kind, at + step / 100, given)

    def settle(self, *, waiting: int, working: int) -> None:
        """Lets so many sessions wait for a permission and so many work on a command; all others have finished."""
        for number in range(self.sessions):
            at = self.began[number] + 1.0
            command = {"tool_name": "Bash", "tool_input": {"command": f"make part-{number}"}}
            if number >= waiting + working:
                self.send_hook(number, "Stop", at, {})
                self.register(number, "idle", at)
                continue
            self.send_hook(number, "PreToolUse", at, {**command, "tool_use_id": f"t{number}"})
            if number < waiting:
                self.send_hook(number, "PermissionRequest", at + 0.1, command)
                self.register(number, "waiting", at + 0.1)

    def work(self) -> None:
        """Lets the last of the sessions begin a tool, now."""
        tool = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": f"t{time.time()}"}
        self.send_hook(self.sessions - 1, "PreToolUse", time.time(), tool)

    def send_hook(self, number: int, kind: str, at: float, given: dict[str, Any]) -> None:
        """One event, by the real hook code."""
        environ = {"CLAUDE_PID": str(self.pids[number])}
        parse = sample.parse_sample if kind == "Sample" else payload.parse_event
        journal.record_event(str(self.state), parse(self.make_payload(number, kind, given), at, environ))

    def make_payload(self, number: int, kind: str, given: dict[str, Any]) -> bytes:
        """Makes the stdin of a hook."""
        common = {
            "session_id": name(number),
            "cwd": str(self.cwd(number)),
            "hook_event_name": kind,
            "transcript_path": str(self.transcript(number)),
            "prompt_id": f"p{number}",
            "permission_mode": "default",
        }
        return json.dumps(common | given).encode()

    def register(self, number: int, status: str, at: float) -> None:
        """The client's own record."""
        pid, ms = self.pids[number], int(at * 1000)
        entry = {
            "pid": pid,
            "sessionId": name(number),
            "cwd": str(self.cwd(number)),
            "startedAt": ms,
            "version": "2.1.332",
        }
        entry |= {
            "kind": "interactive",
            "entrypoint": "cli",
            "procStart": read_start_ticks(pid),
            "status": status,
            "updatedAt": ms,
            "statusUpdatedAt": ms,
        }
        if status == "waiting":
            entry["waitingFor"] = "permission prompt"
        (self.config / "sessions" / f"{pid}.json").write_text(json.dumps(entry))

    def say(self, number: int, at: float, path: Path | None = None) -> None:
        """One answer more in a conversation."""
        usage = {
            "input_tokens": 12,
            "output_tokens": 300,
            "cache_creation_input_tokens": 900,
            "cache_read_input_tokens": 40_000,
        }
        message = {
            "id": f"m{number}-{at}",
            "role": "assistant",
            "model": "claude-opus-5-5",
            "usage": usage,
            "content": [],
        }
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(at))
        line = {
            "type": "assistant",
            "requestId": f"r{number}-{at}",
            "sessionId": name(number),
            "timestamp": stamp,
            "message": message,
        }
        with (path or self.transcript(number)).open("a") as file:
            file.write(json.dumps(line) + "\n")

    def close(self) -> None:
        """Ends the processes."""
        os.close(self._held)
        os.close(self._end)
        for client in self.clients:
            client.wait()


def _beginning(number: int, agents: int) -> Iterator[Event]:
    yield "SessionStart", {"source": "startup"}
    yield "UserPromptSubmit", {"prompt": f"part {number:04}"}
    for agent in range(agents):
        key = f"a{number}x{agent}"
        given = {"description": f"Look at {key}", "prompt": "look", "subagent_type": f"w{key}"}
        yield "PreToolUse", {"tool_name": "Agent", "tool_input": given, "tool_use_id": f"start-{key}"}
        yield "SubagentStart", {"agent_id": key, "agent_type": f"w{key}"}


def continue_session(number: int, chance: random.Random, step: int = 0) -> Iterator[Event]:
    """Yields endless events of a session: tools of the main thread and of its agents, now and then a permission, and samples."""
    while True:
        step += 1
        agent = chance.randrange(-1, AGENTS)
        who = {} if agent < 0 else {"agent_id": f"a{number}x{agent}", "agent_type": f"wa{number}x{agent}"}
        command = {"command": f"make part-{step} # {'x' * chance.randrange(60)}"}
        tool = {"tool_name": "Bash", "tool_input": command, "tool_use_id": f"t{number}-{step}", **who}
        yield "PreToolUse", tool
        if step % ASKS == 0:
            yield "PermissionRequest", {"tool_name": "Bash", "tool_input": command, **who}
        yield "PostToolUse", {**tool, "tool_response": {"stdout": "done"}}
        if step % 4 == 0:
            cost = {"total_cost_usd": step / 100, "total_duration_ms": step * 1000}
            window = {"context_window_size": 200_000, "used_percentage": step % 100}
            yield "Sample", {"model": {"id": "claude-opus-5-5"}, "cost": cost, "context_window": window}


def load(fleet: BusyFleet, rate: float) -> None:
    """Writes `rate` events a second over all sessions, until it is ended; registry and transcripts follow."""
    chance = random.Random(7)
    events = [continue_session(number, chance, chance.randrange(ASKS)) for number in range(fleet.sessions)]
    next_at = time.monotonic()
    while True:
        time.sleep(max(0.0, next_at - time.monotonic()))
        next_at += 1 / rate
        number = chance.randrange(fleet.sessions)
        kind, given = next(events[number])
        now = time.time()
        fleet.send_hook(number, kind, now, given)
        if kind == "PermissionRequest":
            fleet.register(number, "waiting", now)
        elif kind == "PostToolUse":
            fleet.say(number, now)
            fleet.register(number, "busy", now)


def start_load(folder: Path, sessions: int, rate: float) -> "subprocess.Popen[bytes]":
    """The load of a filled fleet as a process of its own."""
    words = [sys.executable, "-m", __spec__.name, str(folder), str(sessions), str(rate)]
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, cwd=ROOT)


if __name__ == "__main__":
    given = BusyFleet(Path(sys.argv[1]), int(sys.argv[2]))
    given.pids = {int(key): pid for key, pid in json.loads((given.folder / "pids.json").read_text()).items()}
    load(given, float(sys.argv[3]))
