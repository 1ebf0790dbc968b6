"""The garbage collector ignores what the app loads at its start, and nothing else."""

import subprocess
import sys

TELL = """
import gc
from atm_tui.monitor import gc_tuning as memory
class Ring: pass
def lose():
    ring = Ring(); ring.itself = ring
{}
print(gc.isenabled(), gc.get_freeze_count() > 1000, sum(type(each) is Ring for each in gc.get_objects()))
"""


def told(*steps: str) -> str:
    """Whether it collects, whether anything was set aside, and how many lost rings are there."""
    command = [sys.executable, "-c", TELL.format("\n".join(steps))]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_nothing_is_collected_during_the_start_and_garbage_is_collected_afterwards() -> None:
    assert told("memory.begin()", "lose()") == "False False 1"
    assert told("memory.begin()", "lose()", "memory.settle()") == "True True 0"
    assert told("memory.begin()", "memory.settle()", "lose()", "gc.collect()") == "True True 0"


def test_an_app_inside_another_program_leaves_the_collector_alone() -> None:
    assert told("lose()", "memory.settle()") == "True False 1"
