"""Commands whose stdin is closed: they work, or say that they need a terminal, and change nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_home import Home
from tests.support.effort import sample


def run_without_stdin(home: Home, *words: str) -> subprocess.CompletedProcess[str]:
    command = ["sh", "-c", 'exec "$@" <&-', "sh", sys.executable, "-m", "atm_tui", *words]
    return subprocess.run(command, env=home.environ, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("words", sample(["status", "status --json", "doctor", "usage", "answers"], "status --json"))
def test_commands_work_without_stdin(home: Home, words: str) -> None:
    (home.folder / ".claude").mkdir()  # `usage` refuses to guess where transcripts are
    done = run_without_stdin(home, *words.split())
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", sample(["", "demo", "install"], "install"))
def test_what_needs_a_terminal_says_so(home: Home, tmp_path: Path, words: str) -> None:
    before = sorted(tmp_path.rglob("settings.json"))
    done = run_without_stdin(home, *words.split())
    assert done.returncode == 2, done
    assert "terminal" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(tmp_path.rglob("settings.json")) == before
