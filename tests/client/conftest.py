"""Fixtures for tests with the real Claude Code."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.client.lab import Lab
from tests.support.needs import need_client, need_tmux


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A scratch home with the real client; skips when the client or tmux is not here."""
    with ExitStack() as stack:
        made = Lab(tmp_path, need_client(), need_tmux())
        stack.callback(made.close)
        yield made
