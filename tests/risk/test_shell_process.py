"""Commands are read in a process of its own: nothing that ends it, or holds it up, ends or holds up more."""

import os
import signal

import pytest

from atm_tui.risk import shell_process
from atm_tui.risk.shell import UnreadableError, read_commands
from atm_tui.risk.shell_process import ShellProcess


@pytest.fixture
def process():
    process = ShellProcess()
    yield process
    process.close()


def pid_of(process):
    assert process._process is not None
    return process._process.pid


@pytest.mark.parametrize("text", ["ls -l", "cat <<E | sh\n$(a)\nE", "a > x; b | c", "für \ud800 \u2028", ""])
def test_the_process_gives_the_same_result_as_the_reader(process, text):
    assert process.read_commands(text) == read_commands(text)


def test_unreadable_commands_are_reported_and_the_process_continues(process):
    with pytest.raises(UnreadableError, match="syntax error"):
        process.read_commands("echo 'a")
    before = pid_of(process)
    assert process.read_commands("a")[0].words == ["a"]
    assert pid_of(process) == before


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL])
def test_a_process_that_ended_is_started_again(process, number):
    process.read_commands("a")
    first = pid_of(process)
    os.kill(first, number)
    process._process.wait()
    assert process.read_commands("a")[0].words == ["a"]
    assert pid_of(process) != first


def test_a_crash_while_parsing_counts_as_an_unreadable_command(process, monkeypatch):
    process.read_commands("a")
    os.kill(pid_of(process), signal.SIGSTOP)
    monkeypatch.setattr(shell_process, "PATIENCE", 0.2)
    with pytest.raises(UnreadableError, match="gave up"):
        process.read_commands("b")
    monkeypatch.undo()
    assert process.read_commands("c")[0].words == ["c"]


def test_the_process_ends_with_its_parent(process):
    process.read_commands("a")
    process._process.stdin.close()
    assert process._process.wait(timeout=60) == 0


def test_texts_that_are_hard_to_parse_crash_nothing(process):
    """Some of these made it read memory that is not its own."""
    rare = "\u00b82\u0008{\U000771a8\U000ee563k:\U000d6963"
    texts = [rare, f"echo {rare}", f"<<{rare}\n{rare}", f"${rare}", "<<" + "E" * 5000 + "\n", "<<E <<F <<G\n" * 300]
    for text in texts * 50:
        try:
            process.read_commands(text)
        except UnreadableError:
            continue
    assert process.read_commands("a")[0].words == ["a"]
