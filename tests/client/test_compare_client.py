"""The recorded version of the client, led through the scenarios again: it does what it did, and nothing new."""

from pathlib import Path

import pytest

from atm_hooks.payload import EVENTS
from tests.client.charges import describe_charges
from tests.client.compare import find_shape
from tests.client.sandbox import Sandbox
from tests.client.scenarios import SCENARIOS, play_scenario
from tests.client.shape import SOMETIMES, compare_shapes, read_shape
from tests.support.effort import mark_long
from tests.support.needs import CLIENT_VERSION, need_client, need_tmux

KNOWN = read_shape(find_shape(CLIENT_VERSION))


def lacks(shape: frozenset[str], start: str) -> set[str]:
    """What the recorded version always did, of the lines with this start, and this shape does not."""
    return {line for line in KNOWN if line.startswith(start)} - {line.removeprefix(SOMETIMES) for line in shape}


@pytest.mark.parametrize("name", mark_long(SCENARIOS, short=["foreground_agent"]))
def test_the_recorded_version_does_nothing_new(name: str, tmp_path: Path) -> None:
    shape = play_scenario(name, tmp_path / name, need_client(), need_tmux(), EVENTS)
    assert f"played {name}" in shape, (tmp_path / name / "stopped.txt").read_text()
    assert compare_shapes(KNOWN, shape)[0] == []
    assert lacks(shape, f"event {name}: ") == set()


@pytest.mark.long  # tests/client/test_figures_client.py compares them with our own figures
def test_the_recorded_version_charges_what_it_did(sandbox: Sandbox) -> None:
    shape = frozenset(describe_charges(sandbox, ["claude-haiku-5-5"], ["opus"]))
    assert compare_shapes(KNOWN, shape)[0] == []
    assert lacks(shape, "price claude-haiku-5-5: ") == set()
