"""Rules for all tests: markers by folder, and no silent skips where the programs are required."""

import gc
import os
import time
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support import callers, idle, noon, rewriting, stylesheets, translations
from tests.support.effort import LONG
from tests.support.needs import find_client, find_tmux

TESTS = Path(__file__).parent
settings.register_profile("here", deadline=None, max_examples=100 if LONG else 40, derandomize="CI" in os.environ)
settings.load_profile("here")
os.environ["COLORTERM"] = "truecolor"  # pictures have the same colours whatever terminal the tests run in
callers.install()
idle.install()
noon.install()
stylesheets.install()
translations.install()
MARKED = ("client", "terminal")
"""Folders whose tests need a program that may be absent; each gives its name to its tests as a marker."""


def pytest_configure(config: pytest.Config) -> None:
    rewriting.rewrite_share(config, TESTS)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None, None, None]:
    """Marks the tests of some folders, and leaves out those that only a long run takes.

    They are left out last: the plugin for pictures must have seen them, or it reports their pictures as unused.
    """
    folders: dict[Path, str] = {}
    for item in items:
        path = item.path
        if path not in folders:
            folders[path] = path.relative_to(TESTS).parts[0] if path.is_relative_to(TESTS) else ""
        if folders[path] in MARKED:
            item.add_marker(folders[path])
    yield
    if not LONG and (left_out := [item for item in items if item.get_closest_marker("long")]):
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("long")]
    if workers := int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "0")):
        items[:] = _spread_long_files(items, workers)


def _spread_long_files(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """Orders tests so that each worker begins with its share of the files that take long: none is left for the end.

    pytest-xdist gives each worker a consecutive part of equal length, from which idle workers later take the last ones.
    """
    long: dict[Path, list[pytest.Item]] = {}
    rest: list[pytest.Item] = []
    for item in items:
        (long.setdefault(item.path, []) if any(map(item.get_closest_marker, MARKED)) else rest).append(item)
    found: list[pytest.Item] = []
    for worker in range(workers):
        found += [item for file in list(long.values())[worker::workers] for item in file]
        end = len(items) * (worker + 1) // workers
        found, rest = found + rest[: max(0, end - len(found))], rest[max(0, end - len(found)) :]
    return found + rest


def pytest_runtest_setup() -> None:
    """Goes by the zone of the environment again: a test before may have had one of its own."""
    time.tzset()


def pytest_collection_finish() -> None:
    """Spares the garbage collector what stays until the end: it would go through all of it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def pytest_report_header() -> str:
    return f"tmux: {find_tmux() or 'none'}, Claude Code: {find_client() or 'none'}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With ATM_TEST_NO_SKIP=1 a test that would be skipped for want of a program fails."""
    report = yield
    needs_program = any(item.get_closest_marker(name) for name in MARKED)
    skipped = report.skipped and not hasattr(report, "wasxfail")
    if os.environ.get("ATM_TEST_NO_SKIP") == "1" and needs_program and skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{reason} (ATM_TEST_NO_SKIP is set)"
    return report
