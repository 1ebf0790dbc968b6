"""Fixtures for the command line: a temporary home, and what runs in it."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.answer_home import AnswerHome
from tests.support.answers_on_disk import run_client
from tests.support.command_home import Home
from tests.support.compiled_hooks import reuse_compiled_hooks
from tests.support.effort import LONG
from tests.support.forked import CommandResult


@pytest.fixture(autouse=True)
def _compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiles the hooks once for all tests of a short run."""
    if not LONG:
        reuse_compiled_hooks(monkeypatch)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def python_of() -> Callable[[str, Home], CommandResult]:
    """Runs a line of Python in the home, for what only a fresh process shows."""

    def run(code: str, home: Home) -> CommandResult:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=home.folder, env=home.environ, check=False
        )
        return CommandResult(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The process that forks the commands has loaded them: that takes longer than a lease holds on a busy machine."""
    Home(tmp_path_factory.mktemp("loaded")).run("--version")


@pytest.fixture
def shell(tmp_path: Path, loaded: None) -> Iterator[AnswerHome]:
    """A home with an armed app, beside which `atm-tui answer` is run."""
    with run_client() as process:
        yield AnswerHome(tmp_path, process.pid)
