"""The collector of cycles leaves alone what the app loads at its start, and nobody else's."""

import subprocess
import sys

TELL = """
import gc
from atm_tui import memory
class Ring: pass
def ring():
    one = Ring(); one.itself = one; return one
{}
print(gc.get_freeze_count() > 1000, sum(type(each) is Ring for each in gc.get_objects()))
"""
SPIN = "rings = [[] for _ in range(80_000)]; ring()"
"""As many objects as make Python go through all of them as a rule."""


def told(*steps: str) -> str:
    """Whether anything was set aside, and how many lost rings are there."""
    command = [sys.executable, "-c", TELL.format("\n".join(steps))]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_what_is_there_once_all_is_loaded_is_set_aside_but_for_what_is_lost() -> None:
    assert told("memory.begin()", "ring()", "memory.settle()") == "True 0"


def test_what_is_lost_later_goes_when_it_is_time_for_it() -> None:
    settled = ("memory.begin()", "memory.settle()")
    assert told(*settled, "ring()", "memory.tidy()") == "True 1"
    assert told(*settled, "lost = ring(); gc.collect(1); gc.collect(1); del lost", SPIN, "memory.tidy()") == "True 0"


def test_an_app_inside_another_program_leaves_the_collector_as_it_is() -> None:
    assert told("gc.disable()", SPIN, "memory.settle()", "memory.tidy()") == "False 1"
