"""The machine that the live monitor follows in these tests."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.answers_on_disk import AnswerHarness
from tests.support.followed_machine import Machine


@pytest.fixture
def client() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


@pytest.fixture
def machine(tmp_path: Path, client: subprocess.Popen[bytes]) -> Machine:
    return Machine(tmp_path, client.pid)


@pytest.fixture
def harness(tmp_path: Path, client: subprocess.Popen[bytes]) -> AnswerHarness:
    """Files, hooks and a client for requests and answers."""
    return AnswerHarness(tmp_path, client.pid)
