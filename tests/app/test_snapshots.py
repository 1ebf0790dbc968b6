"""The composition of the screens, as pictures; what they say is tested as text elsewhere."""

import time

import pytest

from tests.support.effort import mark_long
from tests.support.pictures import PICTURES, make_app


@pytest.mark.parametrize(
    "name",
    mark_long(
        (
            *("busy", "busy-light", "medium", "no-color", "empty", "unreadable", "request", "notices"),
            *("board", "board-narrow", "timeline", "timeline-narrow"),
            *("history", "history-narrow", "usage"),
        ),
        short=("busy", "no-color", "request", "board", "timeline-narrow", "history", "usage"),
    ),
)
def test_picture(snap_compare, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    picture = PICTURES[name]
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    if picture.no_color:
        monkeypatch.setenv("NO_COLOR", "1")

    async def settle(pilot) -> None:
        await pilot.pause(0.1)
        await pilot.press(*picture.keys)
        await pilot.pause(picture.settle)

    try:
        assert snap_compare(make_app(picture), terminal_size=picture.size, run_before=settle)
    finally:
        monkeypatch.undo()
        time.tzset()
