"""While nothing changes, sources without hints are checked less often; a change ends that at once."""

from pathlib import Path

import pytest

from atm_hooks import journal, payload
from atm_tui.cost.pricing import load_default_table
from atm_tui.monitor.reading import FactReader
from atm_tui.monitor.schedule import CALM_SWEEP_INTERVAL, CALM_SWEEPS, STILL_SWEEP_INTERVAL, STILL_SWEEPS


class SweepCounter:
    """A reader that reads once a second, and at which seconds it swept."""

    def __init__(self, state: Path, config: Path) -> None:
        self.second = 0.0
        self.sweeps: list[float] = []
        self.reader = FactReader(state, [config], load_default_table(), monotonic=lambda: self.second)
        refresh = self.reader.processes.refresh

        def record(*args: object, sweep: bool) -> object:
            if sweep:
                self.sweeps.append(self.second)
            return refresh(*args, sweep=sweep)  # type: ignore[arg-type]

        self.reader.processes.refresh = record  # type: ignore[method-assign, assignment]

    def count(self, seconds: int) -> int:
        """How many sweeps there are in so many seconds."""
        before = len(self.sweeps)
        for _ in range(seconds):
            self.second += 1.0
            self.reader.read({}, 0.0)
        return len(self.sweeps) - before


@pytest.fixture
def swept(tmp_path: Path) -> SweepCounter:
    journal.prepare_folders(str(tmp_path / "state"))
    return SweepCounter(tmp_path / "state", tmp_path / "claude")


def test_sweeps_become_less_frequent_after_many_without_changes(swept: SweepCounter) -> None:
    assert swept.count(CALM_SWEEPS) == CALM_SWEEPS
    assert swept.count(10 * int(CALM_SWEEP_INTERVAL)) == 10


def test_sweeps_become_rare_after_a_minute_of_few(swept: SweepCounter) -> None:
    swept.count(CALM_SWEEPS + (STILL_SWEEPS - CALM_SWEEPS) * int(CALM_SWEEP_INTERVAL))
    assert swept.count(10 * int(STILL_SWEEP_INTERVAL)) == 10


def test_a_change_makes_them_frequent_again(swept: SweepCounter, tmp_path: Path) -> None:
    swept.count(2 * CALM_SWEEPS)
    event = b'{"session_id": "one", "cwd": "/x", "hook_event_name": "SessionStart", "source": "startup"}'
    journal.record_event(str(tmp_path / "state"), payload.parse_event(event, 1000.0, {}))
    assert swept.count(10) == 10


def test_a_requested_sweep_runs_at_once(swept: SweepCounter) -> None:
    swept.count(2 * CALM_SWEEPS)
    swept.reader.sweep_soon()
    assert swept.count(1) == 1
