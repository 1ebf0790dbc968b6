"""The position of a replay, as text."""

import pytest

from atm_tui.view.replay_position import format_position


@pytest.mark.parametrize(("seconds", "shown"), [(0, "0:00"), (65.9, "1:05"), (600, "10:00"), (7800, "2:10:00")])
def test_a_position_is_in_minutes_and_seconds(seconds: float, shown: str) -> None:
    assert format_position(seconds) == shown
