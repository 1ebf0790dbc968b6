"""A temporary home for the command line: none of the user's files are read or written."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from atm_hooks import journal, payload, sample
from tests.support.forked import CommandResult, run_command, run_commands
from tests.support.timelines import read_recording


class Home:
    """A scratch home with state and config folders, and the command line in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "state"
        self.environ = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(folder),
            "ATM_STATE_DIR": str(self.state),
            "ATM_DATA_DIR": str(folder / "data"),
            "LANG": "C.UTF-8",
            "TZ": os.environ["TZ"],
        }

    def run(self, *words: str, stdin: str = "", **environ: str) -> CommandResult:
        """Runs `atm-tui` as a person starts it, without a terminal."""
        return run_command(words, self.folder, {**self.environ, **environ}, stdin)

    def run_each(self, *each: Sequence[str], **environ: str) -> list[CommandResult]:
        """Runs `atm-tui` with each of these arguments, in one process: for commands that only print."""
        return run_commands(each, self.folder, {**self.environ, **environ})

    @contextmanager
    def open(
        self,
        *words: str,
        stdin: int = subprocess.DEVNULL,
        stdout: Any = subprocess.PIPE,
        program: Sequence[str] = (sys.executable, "-m", "atm_tui"),
    ) -> "Iterator[subprocess.Popen[str]]":
        """Runs `atm-tui` with open pipes, while it goes on; kills it at the end."""
        process = subprocess.Popen(
            [*program, *words],
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environ,
            cwd=self.folder,
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    with suppress(BrokenPipeError):  # what was not read is lost
                        stream.close()

    def start(self, words: Sequence[str], **environ: str) -> CommandResult:
        """Runs any program in the home, in a session of its own."""
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={**self.environ, **environ},
            start_new_session=True,
            check=False,
        )
        return CommandResult(done.returncode, done.stdout, done.stderr)

    def status(self) -> dict[str, Any]:
        done = self.run("status", "--json")
        assert done.code == 0, done.err
        found: dict[str, Any] = json.loads(done.out)
        return found

    def record(self, session_id: str, kind: str, *, later: float = 0.0, **fields: Any) -> None:
        """Records a hook event of a session whose client is this process, as of now, or some seconds `later`."""
        raw = {"session_id": session_id, "hook_event_name": kind, "cwd": str(self.folder), **fields}
        event = payload.parse_event(json.dumps(raw).encode(), time.time() + later, {"CLAUDE_PID": str(os.getpid())})
        journal.prepare_folders(str(self.state))
        journal.record_event(str(self.state), event)

    def replay(self, name: str, until: float = 1e9) -> None:
        """Records the hooks of a recording up to a moment, as if that moment were now."""
        lines = [line for line in read_recording(name) if line["kind"] in ("hook", "statusline") and line["t"] <= until]
        base = time.time() - lines[-1]["t"] - 1
        journal.prepare_folders(str(self.state))
        for line in lines:
            parse = payload.parse_event if line["kind"] == "hook" else sample.parse_sample
            journal.record_event(str(self.state), parse(json.dumps(line["data"]).encode(), base + line["t"], {}))
