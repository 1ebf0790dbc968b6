"""Sessions that no hook speaks of: the client's registry tells what it knows, and the header what to do."""

import re
import threading
from typing import Any

import pytest

from atm_tui.config import Config
from atm_tui.monitor.live import LiveMonitor
from tests.client.api import Hold, Text, Tool
from tests.client.gaps import PERMISSION, RULE, SLOW, DrivenSession
from tests.client.sandbox import Sandbox


def read_notices(sandbox: Sandbox) -> tuple[int, tuple[str, ...]]:
    """How many live sessions are unheard, and what the header says."""
    monitor = LiveMonitor(sandbox.state_dir, [sandbox.config_dir], Config())
    monitor.refresh()
    return monitor.fleet.health.without_hooks, monitor.fleet.health.notices


def pick_facts(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["heard"], row["liveness"], row["evidence"]["source"]


def test_a_session_from_before_the_install_is_shown_from_the_registry(sandbox: Sandbox) -> None:
    gate = threading.Event()
    sandbox.api.script("wait for it", Hold(gate, Text("There it is.")))
    sandbox.api.script("remove it", Tool("Bash", {"command": "rm -f a"}), Text("Gone."))
    watched = DrivenSession(sandbox, sandbox.start_client(sandbox.make_project("shop", SLOW), *RULE))
    record = watched.client.wait_status("idle")
    assert (record["sessionId"], record["kind"]) == (watched.session_id, "interactive")
    assert re.fullmatch(r".+:@\d+\.%\d+", record["tmux"])
    row = watched.wait_for_state("idle", "new")
    assert pick_facts(row) == (False, "live", "registry")
    assert (row["pid"], row["cwd"], row["kind"]) == (watched.client.pid, str(sandbox.work / "shop"), "interactive")
    assert (row["terminal"]["kind"], row["terminal"]["pane"]) == ("tmux", watched.client.pane.target)
    unheard, said = read_notices(sandbox)
    assert unheard == 1
    assert any("atm-tui install" in notice for notice in said)
    watched.send_prompt("wait for it")
    sandbox.api.wait_for_call("wait for it")
    watched.client.wait_status("busy")
    watched.wait_for_state("working", "thinking")
    gate.set()
    watched.client.wait_status("idle")
    watched.client.wait_screen("There it is")
    row = watched.wait_for_state("idle", "finished")
    assert (row["turns"], row["last_prompt"]) == (1, "please wait for it")
    watched.send_prompt("remove it")
    watched.client.wait_screen(PERMISSION)
    row = watched.wait_for_state("needs_you", "permission.*", waits=1)
    assert pick_facts(row) == (False, "live", "registry")
    watched.client.answer(PERMISSION, "Escape")
    watched.client.wait_status("idle")
    watched.wait_for_state("idle", "interrupted")
    watched.client.kill()
    assert sandbox.read_status()["sessions"] == []
    assert read_notices(sandbox)[0] == 0


@pytest.mark.long
def test_a_bare_client_is_counted_as_without_hooks(sandbox: Sandbox) -> None:
    sandbox.install()
    heard = DrivenSession(sandbox, sandbox.start_client(sandbox.make_project("shop", SLOW), *RULE))
    bare = DrivenSession(sandbox, sandbox.start_client(sandbox.make_project("garage"), "--bare"))
    assert heard.wait_for_state("idle", "new")["heard"] is True
    assert pick_facts(bare.wait_for_state("idle", "new")) == (False, "live", "registry")
    unheard, said = read_notices(sandbox)
    assert unheard == 1
    assert any(notice.startswith("1 of 2 live sessions") and "restart" in notice for notice in said)
