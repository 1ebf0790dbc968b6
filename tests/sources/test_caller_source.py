"""The processes above a process, and its terminal, in trees of real processes: with stand-ins for the client in them."""

import json
import os
import pty
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.callers import StandIns, make_terminal_command
from tests.support.waiting import wait_until

LOOK = """
import json, os, sys
from atm_tui.model.caller import is_client
from atm_tui.sources.caller import has_controlling_terminal, read_caller_ancestors

found = [(each.process.pid, is_client(each.name, each.command)) for each in read_caller_ancestors()]
with open("new", "w") as file:
    json.dump([found, has_controlling_terminal()], file)
os.rename("new", "found")
"""
PYTHON = (sys.executable, "-c", LOOK)
IN_PSEUDO_TERMINAL = (sys.executable, "-c", "import pty, sys; pty.spawn(sys.argv[1:])")
ZOMBIE_LEADER = textwrap.dedent(
    """
    import ctypes, subprocess, sys, threading, time

    def run():
        time.sleep(0.05)
        subprocess.run(sys.argv[1:])
        import os
        os._exit(0)

    threading.Thread(target=run).start()
    ctypes.CDLL(None).pthread_exit(None)
    """
)
"""A program whose first thread ends: the process table shows a zombie, which still has children."""


class SeenCallers(NamedTuple):
    """What a process saw of its callers."""

    clients: list[bool]
    """Whether each process above it is a client, nearest first, up to the tests' own."""
    has_terminal: bool


def read_callers(folder: Path, *words: str) -> SeenCallers:
    """Runs a command in a session of its own, and returns what the process at its end saw."""
    subprocess.run(words, cwd=folder, start_new_session=True, stdin=subprocess.DEVNULL, check=True)
    wait_until((folder / "found").exists, "what was seen")
    found, has_terminal = json.loads((folder / "found").read_text())
    pids = [pid for pid, _ in found]
    end = pids.index(os.getpid()) if os.getpid() in pids else len(pids)
    return SeenCallers([is_client for _, is_client in found[:end]], has_terminal)


@pytest.fixture
def stands(tmp_path: Path) -> StandIns:
    return StandIns(tmp_path / "programs")


def test_no_client_among_other_programs(stands: StandIns) -> None:
    assert read_callers(stands.folder, *stands.launcher(*PYTHON)) == SeenCallers([False], has_terminal=False)


def test_a_client_is_found_by_its_name_at_any_distance(stands: StandIns) -> None:
    words = stands.claude("/bin/sh", "-c", '"$@"; true', "x", "env", "-u", "CLAUDECODE", "setsid", "-f", "-w", *PYTHON)
    assert read_callers(stands.folder, *words).clients == [False, False, True]


def test_a_client_run_by_node_is_found(stands: StandIns) -> None:
    assert read_callers(stands.folder, *stands.node(*PYTHON)).clients == [True]


def test_a_terminal_created_by_an_agent_hides_no_client(stands: StandIns) -> None:
    seen = read_callers(stands.folder, *stands.claude(*IN_PSEUDO_TERMINAL, *PYTHON))
    assert seen == SeenCallers([False, True], has_terminal=True)


@pytest.mark.skipif(sys.platform != "linux", reason="ends the first thread of a process, as Linux can")
def test_a_zombie_in_between_hides_no_client(stands: StandIns) -> None:
    seen = read_callers(stands.folder, *stands.claude(sys.executable, "-c", ZOMBIE_LEADER, *PYTHON))
    assert seen.clients == [False, True]


def test_an_orphan_is_traced_through_the_leader_of_its_session(stands: StandIns) -> None:
    orphaned = 'sh -c \'"$@" &\' x "$@"; while [ ! -e found ]; do sleep 0.02; done'
    seen = read_callers(stands.folder, *stands.claude("setsid", "-w", "sh", "-c", orphaned, "x", *PYTHON))
    assert True in seen.clients


def test_an_orphan_with_a_session_of_its_own_has_no_terminal(stands: StandIns) -> None:
    seen = read_callers(stands.folder, *stands.claude("sh", "-c", 'setsid "$@" &', "x", *PYTHON))
    assert not seen.has_terminal


def test_a_controlling_terminal_counts_even_with_redirected_output(stands: StandIns) -> None:
    ours, terminal = pty.openpty()
    try:
        assert read_callers(stands.folder, *make_terminal_command(terminal, *PYTHON)).has_terminal
    finally:
        os.close(ours)
        os.close(terminal)
