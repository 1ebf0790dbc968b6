"""A transcript of a session without hooks is read as soon as it changes, although nothing else changes with it."""

import asyncio
import json
import os
import threading
import time
from pathlib import Path

import pytest

from atm_hooks import journal
from atm_tui.config import Config
from atm_tui.monitor.live import LiveMonitor
from atm_tui.sources import watch
from tests.support.waiting import PATIENCE

NEVER = 10 * PATIENCE


def add_step(path: Path, number: int) -> None:
    usage = {"input_tokens": 10, "output_tokens": 5}
    tool = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": f"make step-{number}"}}
    message = {"id": f"m{number}", "model": "claude-opus-5-5", "role": "assistant", "usage": usage, "content": [tool]}
    record = {"type": "assistant", "uuid": f"u{number}", "requestId": f"r{number}", "timestamp": "2026-01-01T00:00:00Z"}
    with path.open("a") as file:
        file.write(json.dumps({**record, "message": message}) + "\n")


def run_session(folder: Path) -> tuple[LiveMonitor, Path]:
    """A session of this process that only the registry knows; returns its monitor and transcript."""
    state, config, work = folder / "state", folder / "claude", folder / "work"
    journal.prepare_folders(str(state))
    (config / "sessions").mkdir(parents=True)
    work.mkdir()
    at = 1000 * time.time()
    entry = {"pid": os.getpid(), "sessionId": "s1", "cwd": str(work), "startedAt": at, "updatedAt": at}
    entry |= {"status": "busy", "statusUpdatedAt": at}
    (config / "sessions" / f"{os.getpid()}.json").write_text(json.dumps(entry))
    monitor = LiveMonitor(state, [config], Config())
    monitor.refresh()
    (path,) = monitor.reader.list_watched_transcripts()
    Path(path).parent.mkdir(parents=True)
    Path(path).write_text("")
    monitor.reader.sweep_soon()
    return monitor, Path(path)


async def test_a_transcript_gives_hints_where_no_hook_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monitor, transcript = run_session(tmp_path)
    hints = monitor.watch(threading.Event())
    await anext(hints)
    monitor.refresh()
    await anext(hints)  # now the folder of the transcript is watched
    monitor.refresh()
    # from here on, neither the heartbeat nor a sweep brings anything
    monkeypatch.setattr(watch, "HEARTBEAT", NEVER)
    monkeypatch.setattr(monitor.reader._turns, "pick", lambda *_: set())
    number, end = 0, time.monotonic() + PATIENCE
    while "make step-" not in monitor.fleet.sessions["s1"].activity.what:
        hint = asyncio.ensure_future(anext(hints))
        while not hint.done():  # the thread that watches may not have begun at the first one
            assert time.monotonic() < end, "no hint came"
            number += 1
            add_step(transcript, number)
            await asyncio.wait({hint}, timeout=1)
        monitor.refresh()
    await hints.aclose()  # type: ignore[attr-defined]
