"""Runs one of our commands on a sample payload, as Claude Code would: in a temporary folder, or in the real one."""

import json
import secrets
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from atm_hooks import journal
from atm_hooks.regular_file import read_regular
from atm_tui.settings.answering import is_answering_command
from atm_tui.settings.command import Commands, find_wrapped, split_command
from atm_tui.sources.exists import exists, is_file
from atm_tui.sources.scratch import find_scratch_folder
from atm_tui.sources.state import TRIAL_SESSION

LIMIT = 10
"""Timeout in seconds; the client's own is shorter."""

SAMPLE = {
    "session_id": "atm-tui-doctor",
    "transcript_path": "/nowhere/projects/-/atm-tui-doctor.jsonl",
    "cwd": "/",
    "hook_event_name": "UserPromptSubmit",
    "prompt": "a sample from atm-tui doctor",
}
ASKED_SAMPLE = {
    **SAMPLE,
    "hook_event_name": "PermissionRequest",
    "tool_name": "Bash",
    "tool_input": {"command": "true"},
}
"""The hook does not wait: no app is armed in a temporary folder."""
LINE_SAMPLE = {
    **SAMPLE,
    "hook_event_name": "Status",
    "model": {"id": "claude-sample", "display_name": "Sample"},
    "workspace": {"current_dir": "/", "project_dir": "/"},
    "cost": {"total_cost_usd": 0.0, "total_duration_ms": 0},
    "version": "0",
}


@dataclass(frozen=True, slots=True)
class Trial:
    """`ms`: wall time of the shell and its children. `problem`: empty if it worked.

    `silent`: the user's own command, if it printed nothing.
    """

    ms: float
    problem: str = ""
    silent: str = ""


def try_command(command: str, *, is_line: bool) -> Trial:
    """Runs one of our commands with a temporary state folder, so that no sample session shows up. Raises OSError."""
    known = split_command(command)
    if known is None:
        return Trial(0.0, "a command of an older atm-tui")
    interpreter, script, _ = known
    with find_scratch_folder("atm-tui-doctor-") as folder:
        state = folder / "state"
        commands = Commands(interpreter, script.parent, state)
        original = find_wrapped(command)
        line = commands.make_statusline_command() if original is None else commands.wrap(original)
        asks = is_answering_command(command) and not is_line
        tried = line if is_line else commands.make_hook_command(answers=asks)
        payload = json.dumps(LINE_SAMPLE if is_line else ASKED_SAMPLE if asks else SAMPLE).encode()
        started = time.perf_counter()
        try:
            result = subprocess.run(
                ["/bin/sh", "-c", tried], input=payload, capture_output=True, timeout=LIMIT, check=False, cwd="/"
            )
        except subprocess.TimeoutExpired:
            return Trial(LIMIT * 1000.0, f"did not end within {LIMIT} s")
        ms = (time.perf_counter() - started) * 1000
        recorded = is_file(state / "sessions" / "atm-tui-doctor.json")
    if not recorded:
        return Trial(ms, "it recorded nothing")
    if is_line and not result.stdout.strip():
        return Trial(ms, "it printed no line") if original is None else Trial(ms, silent=original)
    if not is_line and (result.returncode or result.stdout or result.stderr):
        return Trial(ms, f"it should be silent and exit 0, but exit code {result.returncode}")
    return Trial(ms)


@dataclass(frozen=True, slots=True)
class Recording:
    """`folder`: the hook's state folder. `problem`: empty if the event was recorded. `ms`: wall time, as in Trial."""

    folder: str
    problem: str = ""
    ms: float = 0.0


def try_recording(command: str) -> Recording:
    """Runs an installed hook unchanged for a made-up session, looks for its event on the disk, and removes it again.

    The app shows no such session.
    """
    known = split_command(command)
    if known is None:
        return Recording("", "a command of an older atm-tui")
    root, session = str(known[2]), f"{TRIAL_SESSION}{secrets.token_hex(4)}"
    payload = json.dumps({**SAMPLE, "session_id": session}).encode()
    is_new = not exists(known[2])
    started = time.perf_counter()
    try:
        subprocess.run(
            ["/bin/sh", "-c", command], input=payload, capture_output=True, timeout=LIMIT, check=False, cwd="/"
        )
    except subprocess.TimeoutExpired:
        return Recording(root, f"the hook did not end within {LIMIT} s", LIMIT * 1000.0)
    ms = (time.perf_counter() - started) * 1000
    try:
        lines = read_regular(journal.locate_journal(root, session)).splitlines()
        is_folded = is_file(journal.locate_state(root, session))
    except OSError as error:
        reason = "it is not there" if isinstance(error, FileNotFoundError) else error.strerror
        return Recording(root, f"the hook ran, but the journal of its event can't be read: {reason}; events are lost")
    finally:
        _remove_session(root, session)
        if is_new:
            _remove_empty(known[2])
    if not any(b"UserPromptSubmit" in line for line in lines):
        return Recording(root, "the hook ran, but its event is not in the journal; events are lost")
    if not is_folded:
        return Recording(root, "the hook wrote its event, but no state file; sessions are shown late or not at all")
    return Recording(root, ms=ms)


def _remove_session(root: str, session: str) -> None:
    """Removes all files of a made-up session, even if one of the folders is broken."""
    with suppress(OSError):
        journal.remove_session(root, session)
    parts = [locate(root, session) for locate in (journal.locate_state, journal.locate_journal, journal.locate_lock)]
    for path in (*parts, f"{root}/{journal.FOLDERS[-1]}/{session}"):
        with suppress(OSError):
            Path(path).unlink()


def _remove_empty(folder: Path) -> None:
    """Removes a state folder that the trial created, unless something else was written to it."""
    for each in (*(folder / part for part in journal.FOLDERS), folder):
        with suppress(OSError):
            each.rmdir()
