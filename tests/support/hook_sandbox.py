"""The real hook and statusLine command, run on a state folder."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import atm_hooks
from tests.support.timelines import read_raw_events

HOOK = Path(atm_hooks.__file__).parent / "hook.py"
STATUSLINE = Path(atm_hooks.__file__).parent / "statusline.py"
PYTHON = os.path.realpath(sys.executable)
PATH_ONLY = {"PATH": "/usr/bin:/bin"}


class HookSandbox:
    """A state folder, and the real hook and statusLine command run on it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def make_command(self, script: Path = HOOK) -> list[str]:
        return [PYTHON, "-I", "-S", str(script), str(self.root)]

    def run(self, payload: object, **environ: str) -> subprocess.CompletedProcess[bytes]:
        """Runs the hook on a payload: bytes as they are, anything else as JSON."""
        raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        return subprocess.run(
            self.make_command(), input=raw, capture_output=True, env=PATH_ONLY | environ, timeout=60, check=False
        )

    def send_hook(self, payload: object, **environ: str) -> None:
        """The same, and it must be silent and end with 0."""
        done = self.run(payload, **environ)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")

    def read_state(self, session: str = "s1") -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.root / "sessions" / f"{session}.json").read_text())
        return found

    def read_log(self) -> str:
        path = self.root / "hook.log"
        return path.read_text() if path.exists() else ""

    def list_files(self) -> list[str]:
        """All files, relative to the state folder."""
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*") if path.is_file())

    def read_events(self, session: str = "s1") -> list[dict[str, Any]]:
        return read_raw_events(str(self.root), session)
