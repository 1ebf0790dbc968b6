"""Fixtures for tests with the real Claude Code."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.client.sandbox import Sandbox
from tests.support.needs import need_client, need_tmux


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    """A scratch home with the real client; skips when the client or tmux is not here."""
    with ExitStack() as stack:
        made = Sandbox(tmp_path, need_client(), need_tmux())
        stack.callback(made.close)
        yield made
