"""A home in which every text that atm-tui reads is hostile: names of folders and files, and all fields of all that they hold."""

import json
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from atm_hooks import answer_log, journal
from atm_hooks.payload import EVENTS
from atm_tui.monitor.live import LiveMonitor
from atm_tui.timeline.event import Event
from tests.support.answering import WaitingHook, make_payload, start_asker
from tests.support.answers_on_disk import AnswerHarness, make_armed, run_client
from tests.support.command_home import Home
from tests.support.safe_text import HOSTILE

NOT_UTF8 = os.fsdecode(b"A\x9b31m\xff\x90B\xc2")
"""As HOSTILE, in bytes that are no UTF-8: in the name of a folder, or on the command line."""
LIVE, ASKS, PLANS, OVER, FOLDED = "live0001", "asks0002", "plan0003", "over0004", "fold0005"
"""Sessions: one that asks for a permission, one that asks questions, one with a plan, a transcript alone, hostile events alone."""
_TEXTS = {
    field.name: HOSTILE
    for field in msgspec.structs.fields(Event)
    if field.type is str and field.name not in ("session_id", "event", "key", "hash")
}
_QUESTIONS = {
    "questions": [
        {
            "question": HOSTILE,
            "header": HOSTILE,
            "multiSelect": True,
            "options": [{"label": HOSTILE, "description": HOSTILE, "preview": HOSTILE}, {"label": f"x{HOSTILE}"}],
            HOSTILE: HOSTILE,
        }
    ]
}
_RULE = {
    "type": "addRules",
    "rules": [{"toolName": HOSTILE, "ruleContent": HOSTILE}],
    "behavior": "allow",
    "destination": HOSTILE,
}


class HostileHome:
    """The home, armed, with three hooks that wait for an answer while it is open."""

    def __init__(self, folder: Path, pids: Mapping[str, int]) -> None:
        """`pids`: a process for each session that lives."""
        self.folder = folder / HOSTILE
        self.folder.mkdir()
        self.pids = pids
        self.harness = AnswerHarness(self.folder, pids[LIVE])
        self.home = Home(self.folder)
        self.home.environ["CLAUDE_CONFIG_DIR"] = str(self.harness.config_dir)
        self.work = self.folder / "work" / HOSTILE
        (self.work / ".git").mkdir(parents=True)
        (self.work / ".git" / "HEAD").write_text(f"ref: refs/heads/{HOSTILE}\n")
        (self.folder / "work" / NOT_UTF8).mkdir()
        self._fill_state()
        self._fill_config()
        self._add_programs()
        self.monitor: LiveMonitor = make_armed(self.harness)

    def _fill_state(self) -> None:
        root = str(self.harness.sandbox.root)
        journal.prepare_folders(root)
        now = time.time() - 60
        for number, kind in enumerate(sorted(EVENTS - {"SessionEnd"})):
            for agent in ("", HOSTILE):
                event = {**_TEXTS, "session_id": FOLDED, "event": kind, "at": now + number, "pid": self.pids[FOLDED]}
                event |= {"cwd": str(self.work), "agent_id": agent, "prompt_kind": "human"}
                event |= {"terminal": {"TERM_PROGRAM": HOSTILE, "TMUX_PANE": HOSTILE}, "other_fields": [HOSTILE]}
                event["background_tasks"] = [dict.fromkeys(("id", "type", "status", "description"), HOSTILE)]
                event["metrics"] = {"at": now, "cost_usd": 1.5, "model_name": HOSTILE}
                journal.record_event(root, event)
        start = {**_TEXTS, "session_id": LIVE, "event": "SessionStart", "at": now, "pid": self.pids[LIVE]}
        journal.record_event(root, start | {"terminal": {"TMUX": f"/tmp/{HOSTILE},1,0", "TMUX_PANE": "%1"}})
        sessions = self.harness.sandbox.root / "sessions"
        for name in (HOSTILE, NOT_UTF8, f"{OVER}x"):
            (sessions / f"{name}.json").write_text(json.dumps({"schema": 1, "session_id": HOSTILE}))
        journal.write_log(root, now, HOSTILE)
        self.answer = dict.fromkeys(
            ("session_id", "decision", "tool", "summary", "by", "message", "outcome", "attempt", "sign"), HOSTILE
        )

    def _fill_config(self) -> None:
        config = self.harness.config_dir
        stamp = int(1000 * time.time())
        for session, pid in self.pids.items():
            entry = {"pid": pid, "sessionId": session, "startedAt": stamp, "updatedAt": stamp, "cwd": str(self.work)}
            entry |= dict.fromkeys(("name", "status", "waitingFor", "version", "tmux"), HOSTILE)
            (config / "sessions").mkdir(exist_ok=True)
            (config / "sessions" / f"{pid}.json").write_text(json.dumps(entry))
        projects = config / "projects" / HOSTILE
        for session in (LIVE, OVER):
            agents = projects / session / "subagents"
            agents.mkdir(parents=True)
            (projects / f"{session}.jsonl").write_text(_write_transcript(session, str(self.work)))
            (agents / "agent-a1.jsonl").write_text(_write_transcript(session, str(self.work)))
            meta = dict.fromkeys(("agentType", "description", "name", "model"), HOSTILE)
            (agents / "agent-a1.meta.json").write_text(json.dumps(meta))
        settings = json.loads((config / "settings.json").read_text())
        settings["hooks"]["Stop"] = [{"matcher": HOSTILE, "hooks": [{"type": "command", "command": HOSTILE}]}]
        settings |= {"statusLine": {"type": "command", "command": HOSTILE}, HOSTILE: HOSTILE, "disableAllHooks": True}
        (config / "settings.json").write_text(json.dumps(settings, ensure_ascii=False, indent=2))
        (config / "settings.json.2026-01-01T00-00-00.atm.bak").write_text("{}")
        plans = config / "plans"
        plans.mkdir()
        (plans / "plan.md").write_text(HOSTILE)

    def _add_programs(self) -> None:
        """A tmux and a client that answer everything with hostile text, and fail."""
        folder = self.folder / "bin"
        folder.mkdir()
        (folder / "text").write_text(f"{HOSTILE}\t{HOSTILE}\n")
        for name in ("tmux", "claude"):
            (folder / name).write_text('#!/bin/sh\ncat "${0%/*}/text"\ncat "${0%/*}/text" >&2\nexit 1\n')
            (folder / name).chmod(0o755)
        self.home.environ["PATH"] = f"{folder}:/usr/bin:/bin"

    def keep_armed(self, stop: threading.Event) -> None:
        """Renews the lease until `stop`, so that the hooks go on waiting however slow the machine is."""
        while not stop.wait(1):
            self.monitor.note_alive()

    @contextmanager
    def asking(self) -> Iterator[list[WaitingHook]]:
        """Runs a hook that waits for each kind of request."""
        projects = self.harness.config_dir / "projects" / HOSTILE
        common = {"agent_type": HOSTILE, "permission_mode": HOSTILE, "cwd": str(self.work), "session_title": HOSTILE}
        command = {"command": f"rm -rf {HOSTILE}", "description": HOSTILE, HOSTILE: [HOSTILE, {HOSTILE: HOSTILE}]}
        plan = {"plan": HOSTILE, "planFilePath": str(self.harness.config_dir / "plans" / "plan.md")}
        given: list[tuple[str, str, dict[str, Any]]] = [
            (LIVE, "Bash", command),
            (ASKS, "AskUserQuestion", _QUESTIONS),
            (PLANS, "ExitPlanMode", plan),
        ]
        with ExitStack() as stack:
            yield [
                stack.enter_context(
                    start_asker(
                        self.harness.sandbox,
                        make_payload(
                            tool,
                            each,
                            session_id=session,
                            transcript_path=str(projects / f"{session}.jsonl"),
                            permission_suggestions=[_RULE],
                            **common,
                        ),
                        CLAUDE_PID=str(self.pids[session]),
                        TMUX=HOSTILE,
                        TMUX_PANE=HOSTILE,
                    )
                )
                for session, tool, each in given
            ]


def _write_transcript(session: str, cwd: str) -> str:
    base = {"sessionId": session, "cwd": cwd, "gitBranch": HOSTILE, "version": HOSTILE, "timestamp": _format_now()}
    usage = {"input_tokens": 100, "output_tokens": 50}
    tool = {"type": "tool_use", "id": "t1", "name": HOSTILE, "input": {"command": HOSTILE}}
    answer = {"id": "m1", "role": "assistant", "model": HOSTILE, "usage": usage}
    lines = [
        {**base, "type": "user", "message": {"role": "user", "content": HOSTILE}},
        {**base, "type": "assistant", "requestId": "r1", "message": {**answer, "content": [tool]}},
        {**base, "type": "assistant", "isApiErrorMessage": True, "error": HOSTILE, "message": {**answer, "id": "m2"}},
        {**base, "type": "custom-title", "customTitle": HOSTILE},
        {**base, "type": "agent-name", "agentName": HOSTILE},
        {**base, "type": "last-prompt", "lastPrompt": HOSTILE},
        {**base, "type": "permission-mode", "permissionMode": HOSTILE},
    ]
    return "".join(json.dumps(each) + "\n" for each in lines)


def _format_now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - 120))


@contextmanager
def open_hostile_home(folder: Path) -> Iterator[HostileHome]:
    """The home, with processes that stand in for clients, and their waiting hooks."""
    with ExitStack() as stack:
        pids = {session: stack.enter_context(run_client()).pid for session in (LIVE, ASKS, PLANS, FOLDED, HOSTILE)}
        home = HostileHome(folder, pids)
        stack.enter_context(home.asking())
        answer_log.append_line(str(home.harness.sandbox.root), {"at": 1.0, **home.answer})
        stop = threading.Event()
        beating = threading.Thread(target=home.keep_armed, args=(stop,))
        beating.start()
        stack.callback(beating.join)
        stack.callback(stop.set)
        yield home
