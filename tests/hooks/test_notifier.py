"""With --notify, the hook starts a notifier where something may begin, once, and does not wait for it."""

import fcntl
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from atm_hooks import notifier
from atm_hooks.hook_command import _may_notify
from tests.support.hook_sandbox import HookSandbox
from tests.support.waiting import PATIENCE, wait_until

ASKS = {"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "ls"}}
STAND_IN = """#!/bin/sh
printf '%s\\n' "$*" $$ "$ATM_STATE_DIR" > "$0.new"
mv "$0.new" "$0.started"
while [ ! -e "$0.go" ]; do sleep 0.05; done
: > "$0.ended"
"""


@pytest.mark.parametrize(
    ("event", "starts"),
    [
        ({"event": "PermissionRequest"}, True),
        ({"event": "Elicitation"}, True),
        ({"event": "Stop"}, True),
        ({"event": "StopFailure"}, True),
        ({"event": "Notification", "notification_type": "permission_prompt"}, True),
        ({"event": "Notification", "notification_type": "idle_prompt"}, False),
        ({"event": "PreToolUse", "tool": "AskUserQuestion"}, True),
        ({"event": "PreToolUse", "tool": "ExitPlanMode"}, True),
        *(({"event": kind, "tool": "Bash"}, False) for kind in ("PreToolUse", "PostToolUse", "PostToolUseFailure")),
        ({"event": "PostToolUse", "tool": "AskUserQuestion"}, False),
        ({"event": "PostToolBatch"}, False),
        ({"event": "UserPromptSubmit"}, False),
        ({"event": "SessionEnd"}, False),
    ],
)
def test_events_that_start_a_notifier(event: dict[str, Any], starts: bool) -> None:
    assert _may_notify(event) is starts


class NotifyingSandbox:
    """Runs the hook with a program in place of the Python that gives notifications."""

    def __init__(self, sandbox: HookSandbox, folder: Path) -> None:
        self.sandbox = sandbox
        self.program = folder / "python"
        self.program.write_text(STAND_IN)
        self.program.chmod(0o755)

    def path(self, ending: str) -> Path:
        return Path(f"{self.program}.{ending}")

    def send_hook(self, payload: dict[str, Any], **others: Any) -> None:
        done = subprocess.run(
            [*self.sandbox.make_command(), "--notify", str(self.program)],
            input=json.dumps({"session_id": "s1", **payload}).encode(),
            capture_output=True,
            env={"PATH": "/usr/bin:/bin"},
            timeout=PATIENCE,
            check=False,
            **others,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.fixture
def notifying(sandbox: HookSandbox, tmp_path: Path) -> NotifyingSandbox:
    return NotifyingSandbox(sandbox, tmp_path)


def test_it_runs_in_a_session_of_its_own_without_the_files_of_the_hook_which_does_not_wait(
    notifying: NotifyingSandbox,
) -> None:
    inherited, other = os.pipe()
    try:
        notifying.send_hook(ASKS, pass_fds=(inherited,))
        wait_until(notifying.path("started").exists, "the start of the notifier")
        assert not notifying.path("ended").exists()
        words, pid, root = notifying.path("started").read_text().splitlines()
        assert words == f"-P -m atm_tui notify --since {notifying.sandbox.read_events()[0]['at']}"
        assert root == str(notifying.sandbox.root)
        assert os.getsid(int(pid)) == int(pid)
        links = [str(each.readlink()) for each in Path(f"/proc/{pid}/fd").glob("*")]
        assert links.count("/dev/null") >= 3
        assert not [each for each in links if each.startswith("pipe:")]
    finally:
        notifying.path("go").touch()
        os.close(inherited)
        os.close(other)
    wait_until(notifying.path("ended").exists, "the end of the notifier")


@pytest.mark.parametrize("lock", [notifier.APP_LOCK, notifier.NOTIFIER_LOCK])
def test_none_is_started_while_something_runs_that_notifies_but_it_is_marked(
    notifying: NotifyingSandbox, lock: str
) -> None:
    notifying.path("go").touch()
    folder = notifying.sandbox.root / notifier.FOLDER
    folder.mkdir(parents=True, mode=0o700)
    notifying.sandbox.root.chmod(0o700)
    with (folder / lock).open("w") as held:
        fcntl.flock(held, fcntl.LOCK_SH)
        notifying.send_hook(ASKS)
        mark = (folder / notifier.MARK).read_text()
        assert mark.startswith(f"{notifying.sandbox.read_events()[0]['at']} ")
    notifying.send_hook(ASKS)
    assert (folder / notifier.MARK).read_text() != mark
    wait_until(notifying.path("started").exists, "the start of the notifier")
    assert f"--since {notifying.sandbox.read_events()[1]['at']}" in notifying.path("started").read_text()


def test_without_the_program_the_hook_ends_as_ever_and_logs_it(notifying: NotifyingSandbox) -> None:
    notifying.program.unlink()
    notifying.send_hook(ASKS)
    assert len(notifying.sandbox.read_events()) == 1
    assert "FileNotFoundError" in notifying.sandbox.read_log()
