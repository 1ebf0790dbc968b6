"""Which client the tests run, and that they never skip in silence where it must be there."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.support import needs
from tests.support.needs import CLIENT_VERSION, find_client

find = find_client.__wrapped__


def make_fake_client(folder: Path, version: str) -> Path:
    program = folder / "claude"
    program.write_text(f"#!/bin/sh\necho '{version} (Claude Code)'\n")
    program.chmod(0o755)
    return program


def test_the_configured_program_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = make_fake_client(tmp_path, "any version")
    monkeypatch.setenv("ATM_TEST_CLIENT", str(named))
    assert find() == str(named)


def test_a_missing_configured_program_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATM_TEST_CLIENT", str(tmp_path / "absent"))
    with pytest.raises(pytest.UsageError, match="there is no program at"):
        find()


@pytest.mark.parametrize(("version", "taken"), [(CLIENT_VERSION, True), (f"{CLIENT_VERSION}0", False)])
def test_a_client_on_the_path_is_used_if_its_version_matches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, taken: bool
) -> None:
    program = make_fake_client(tmp_path, version)
    monkeypatch.delenv("ATM_TEST_CLIENT", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find() == (str(program) if taken else None)


@pytest.mark.parametrize(("no_skip", "outcome"), [("0", "skipped"), ("1", "failed")])
def test_a_skip_is_a_failure_where_none_is_allowed(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, no_skip: str, outcome: str
) -> None:
    monkeypatch.setenv("ATM_TEST_NO_SKIP", no_skip)
    monkeypatch.setattr(needs, "find_client", lambda: None)
    with pytest.raises(pytest.skip.Exception) as skip:
        needs.need_client()
    assert f"Claude Code {CLIENT_VERSION} is not here" in str(skip.value)
    report = SimpleNamespace(skipped=True, outcome="skipped", longrepr=(__file__, 1, str(skip.value)))
    plugins = request.config.pluginmanager.get_plugins()
    (rules,) = (
        each for each in plugins if getattr(each, "__file__", None) == str(Path(__file__).parents[1] / "conftest.py")
    )
    wrapper = rules.pytest_runtest_makereport(request.node)
    next(wrapper)
    with pytest.raises(StopIteration):
        wrapper.send(report)
    assert report.outcome == outcome


@pytest.mark.long  # the test before has it in every run, without a pytest of its own
@pytest.mark.parametrize(("no_skip", "status", "word"), [("0", 0, "1 skipped"), ("1", 1, "1 error")])
def test_a_missing_client_skips_tests_only_where_allowed(tmp_path: Path, no_skip: str, status: int, word: str) -> None:
    absent = {key: value for key, value in os.environ.items() if key != "ATM_TEST_CLIENT"}
    test = "tests/client/test_client_as_noted.py::test_a_headless_run_reports_its_cost"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "0", test],
        cwd=Path(__file__).parents[2],
        env={**absent, "PATH": str(tmp_path), "ATM_TEST_NO_SKIP": no_skip},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == status, done.stdout
    assert word in done.stdout.splitlines()[-1]
    assert f"Claude Code {CLIENT_VERSION} is not here" in done.stdout
