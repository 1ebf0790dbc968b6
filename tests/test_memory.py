"""The collector of cycles leaves alone what the app loads at its start, and nobody else's."""

import subprocess
import sys

TELL = "import gc; from atm_tui import memory; {}; print(gc.isenabled(), gc.get_freeze_count() > 1000)"


def told(steps: str) -> str:
    command = [sys.executable, "-c", TELL.format(steps)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_nothing_is_collected_at_the_start_and_then_only_what_came_later() -> None:
    assert told("memory.begin()") == "False False"
    assert told("memory.begin(); memory.settle()") == "True True"


def test_an_app_inside_another_program_leaves_the_collector_as_it_is() -> None:
    assert told("memory.settle()") == "True False"
