"""Clicks as a terminal reports them: button down, button up, both through the app, which may drop them."""

from textual.events import MouseDown, MouseUp
from textual.pilot import Pilot


async def click(pilot: Pilot[object], x: int, y: int, button: int = 1) -> None:
    """Clicks on a cell of the screen. The pilot's own click bypasses the app."""
    for kind in (MouseDown, MouseUp):
        event = kind(None, x, y, 0, 0, button, shift=False, meta=False, ctrl=False, screen_x=x, screen_y=y)
        pilot.app.post_message(event)
    await pilot.pause()
