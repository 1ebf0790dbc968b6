"""When an app wakes up: at whole seconds of the clock."""

import pytest

from atm_tui.sources.wakeups import measure_pause


@pytest.mark.parametrize(
    ("now", "step", "pause"),
    [(1000.25, 1.0, 0.75), (1000.0, 1.0, 1.0), (1003.5, 15.0, 1.5), (1000.999, 1.0, 1.001), (1004.98, 15.0, 15.02)],
)
def test_a_pause_ends_at_a_multiple_that_is_not_just_now(now: float, step: float, pause: float) -> None:
    assert measure_pause(now, step) == pytest.approx(pause)
