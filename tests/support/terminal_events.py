"""Events of sessions for the app in a real terminal: those of a recording, and one through a real hook."""

import json
import os
import subprocess
import sys
import time

from atm_hooks import hook, journal, payload
from atm_hooks import sample as hook_sample
from tests.support.timelines import read_recording

WIDE, NARROW = (120, 40), (60, 24)
"""Sizes of the terminal: columns, rows."""


def replay_recording(env: dict[str, str], name: str, until: float) -> None:
    """What the hooks of a recording wrote up to a moment, as if it were now; the session's process is this one."""
    lines = [line for line in read_recording(name) if line["kind"] in ("hook", "statusline") and line["t"] <= until]
    base = time.time() - lines[-1]["t"] - 2
    journal.prepare_folders(env["ATM_STATE_DIR"])
    for line in lines:
        parse = payload.parse_event if line["kind"] == "hook" else hook_sample.parse_sample
        event = parse(json.dumps(line["data"]).encode(), base + line["t"], {"CLAUDE_PID": str(os.getpid())})
        journal.record_event(env["ATM_STATE_DIR"], event)


def send_event(env: dict[str, str], **fields: object) -> None:
    """One event through the real hook process."""
    known = {"session_id": "live-1", "cwd": "/home/user/work/shop", "prompt_id": "p1", "permission_mode": "default"}
    subprocess.run(
        [sys.executable, "-I", "-S", hook.__file__, env["ATM_STATE_DIR"]],
        input=json.dumps({**known, **fields}).encode(),
        env={**env, "CLAUDE_PID": str(os.getpid())},
        check=True,
    )
