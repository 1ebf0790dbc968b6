"""What the tests of the hooks share: the real processes, and events in our own words."""

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

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


@pytest.fixture
def sandbox(tmp_path: Path) -> HookSandbox:
    return HookSandbox(tmp_path / "state")


@pytest.fixture
def armed(sandbox: HookSandbox) -> HookSandbox:
    """The same, with an app that takes answers."""
    from tests.hooks.answering import arm

    arm(sandbox)
    return sandbox


class Clock:
    """Makes events of one session, each a second after the one before unless told when."""

    def __init__(self, session: str = "s1", start: float = 1000.0) -> None:
        self.session = session
        self.times: Iterator[int] = itertools.count(1)
        self.start = start

    def __call__(self, kind: str, at: float | None = None, **fields: Any) -> dict[str, Any]:
        """An event; `at` counts from the start."""
        when = self.start + (at if at is not None else next(self.times))
        return {"at": when, "session_id": self.session, "event": kind, **fields}


@pytest.fixture
def make() -> Callable[..., dict[str, Any]]:
    return Clock()
