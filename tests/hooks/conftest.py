"""What the tests of the hooks share: the real processes, and events in our own words."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.hook_sandbox import HookSandbox


@pytest.fixture
def sandbox(tmp_path: Path) -> HookSandbox:
    return HookSandbox(tmp_path / "state")


@pytest.fixture
def armed(sandbox: HookSandbox) -> HookSandbox:
    """The same, with an app that takes answers."""
    from tests.support.answering import arm

    arm(sandbox)
    return sandbox


class Clock:
    """Makes events of one session, each a second after the one before unless told when."""

    def __init__(self, session: str = "s1", start: float = 1000.0) -> None:
        self.session = session
        self.times: Iterator[int] = itertools.count(1)
        self.start = start

    def __call__(self, kind: str, at: float | None = None, **fields: Any) -> dict[str, Any]:
        """An event; `at` counts from the start."""
        when = self.start + (at if at is not None else next(self.times))
        return {"at": when, "session_id": self.session, "event": kind, **fields}


@pytest.fixture
def make() -> Callable[..., dict[str, Any]]:
    return Clock()
