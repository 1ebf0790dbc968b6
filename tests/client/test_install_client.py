"""Install and uninstall as the real client sees them: other tools' hooks go on, ours are heard, running sessions too."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.client.api import Text, Tool
from tests.client.sandbox import Sandbox
from tests.support.effort import LONG

EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd")


class OtherHooks:
    """Settings full of other tools' hooks, each of which notes that it ran; `text` is the file as their owner typed it."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.file = sandbox.config_dir / "settings.json"
        self.log = sandbox.home / "ran.log"
        self.log.touch()
        note = f"cat >/dev/null; echo %s >>{self.log}"
        hooks: dict[str, list[dict[str, Any]]] = {}
        self.expected: Counter[str] = Counter()
        for event in EVENTS:
            first, second = f"{event}.first", f"{event}.second"
            hooks[event] = [
                {"hooks": [{"type": "command", "command": note % first}, {"type": "command", "command": note % second}]}
            ]
            self.expected.update([first, second])
        hooks["PreToolUse"].append({"matcher": "Read", "hooks": [{"type": "command", "command": note % "read"}]})
        hooks["PreToolUse"].append({"matcher": "Bash", "hooks": [{"type": "command", "command": note % "bash"}]})
        self.expected.update(["read"])
        content = {
            "cleanupPeriodDays": 30,
            "hooks": hooks,
            "permissions": {"allow": ["Read"]},
            "env": {"OTHER": "1"},
        }
        # An indent of a kind of its own, no last newline: a rewrite of the whole file would show.
        self.text = json.dumps(content, indent=3, ensure_ascii=False).encode()
        self.file.write_bytes(self.text)

    def count_runs(self) -> Counter[str]:
        """How often each of them ran since the last look."""
        found = Counter(self.log.read_text().split())
        self.log.write_text("")
        return found


def count_events(sandbox: Sandbox, session_id: str) -> Counter[str]:
    """How often each event of a session reached our journal."""
    found: Counter[str] = Counter()
    for path in (sandbox.state_dir / "journal").glob(f"{session_id}*"):
        events = [json.loads(line).get("event") for line in path.read_text().splitlines()]
        found.update(event for event in events if event)
    return found


@pytest.fixture
def project(sandbox: Sandbox) -> Path:
    sandbox.api.script("read it", Tool("Read", {"file_path": "a.txt"}), Text("It says hello."))
    return sandbox.make_project("shop", {"a.txt": "hello\n"})


def test_every_hook_fires_once_with_ours_and_again_without(sandbox: Sandbox, project: Path) -> None:
    others = OtherHooks(sandbox)
    if LONG:  # before the install the file is the same as after the uninstall
        sandbox.run_headless("read it", project=project)
        assert others.count_runs() == others.expected
    sandbox.install()
    assert others.file.read_bytes() != others.text
    result = sandbox.run_headless("read it", project=project)
    assert others.count_runs() == others.expected
    heard = count_events(sandbox, result["session_id"])
    assert {event: heard[event] for event in EVENTS} == dict.fromkeys(EVENTS, 1)
    assert sandbox.read_session(result["session_id"])["turns"] == 1
    sandbox.run_atm_tui("uninstall", "--yes", "--config-dir", str(sandbox.config_dir))
    assert others.file.read_bytes() == others.text
    result = sandbox.run_headless("read it", project=project)
    assert others.count_runs() == others.expected
    assert not count_events(sandbox, result["session_id"])


@pytest.mark.long
def test_hooks_reach_a_running_session_seconds_after_the_install(sandbox: Sandbox, project: Path) -> None:
    others = OtherHooks(sandbox)
    sandbox.api.script("once more", Text("Again."))
    client = sandbox.start_client(project)
    client.type_prompt("read it")
    client.wait_screen("It says hello")
    client.wait_status("idle")
    session_id = client.session_id
    assert not count_events(sandbox, session_id)
    sandbox.install()

    # What is typed at the very moment of a write may still run on the old hooks.
    def is_heard() -> bool:
        client.type_prompt("once more")
        client.wait_status("idle")
        return count_events(sandbox, session_id)["Stop"] > 0

    took = sandbox.measure_until(is_heard)
    print(f"heard {took:.1f} s after the install")
    assert sandbox.read_session(session_id)["liveness"] == "live"
    others.count_runs()
    sandbox.run_atm_tui("uninstall", "--yes", "--config-dir", str(sandbox.config_dir))
    assert others.file.read_bytes() == others.text
    client.exit()
    assert others.count_runs()["SessionEnd.first"] == 1
