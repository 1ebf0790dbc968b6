"""The screen that is made anew for another configuration: what the person looked at stays in view, and keeps the focus."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from atm_tui.sources.followed_config import FollowedConfig
from atm_tui.widgets.scroll_pane import ScrollPane
from tests.support.effort import sample
from tests.support.fleets import NOW, make_busy_fleet, make_journal, make_large_fleet


def make_prompt(number: int) -> dict[str, object]:
    at = NOW - 2000 + number
    return {
        "at": at,
        "event": "UserPromptSubmit",
        "session_id": "0a11",
        "prompt": f"go {number}",
        "prompt_id": f"p{number}",
    }


def get_pane(app) -> ScrollPane:
    return app.main.panes.widget.panes["timeline"]


def get_rows(app) -> list[str]:
    """The screen without footer and scrollbar."""
    return [line[:-1] for line in app.lines[:-1]]


Change = Callable[[], Awaitable[None]]
"""Changes the configuration; returns once the screen is made anew."""


async def scroll_pane(app) -> None:
    """A pane that is scrolled has the focus."""
    app.main.tree_view.select(("session", "0a11"), by_user=True)
    await app.press("tab", "4")
    await app.wait_until(lambda: get_pane(app).line_count > 20)
    await app.press("up", "up")


async def look_at_a_pane(app, change: Change) -> None:
    await scroll_pane(app)
    app.tree.scroll_to(y=5, animate=False)
    await app.pilot.pause()
    seen, top = get_rows(app), get_pane(app).top
    assert 0 < top < get_pane(app).line_count - get_pane(app).page
    await change()
    await app.wait_until(lambda: get_rows(app) == seen)
    assert app.tree.selected == ("session", "0a11")
    assert app.app.focused is get_pane(app)
    await app.press("up")
    assert get_pane(app).top == top - 1


async def look_at_a_zoomed_pane(app, change: Change) -> None:
    await scroll_pane(app)
    await app.press("f")
    seen = get_rows(app)
    await change()
    await app.wait_until(lambda: get_rows(app) == seen)
    await app.press("f", "escape")
    await app.wait_until(lambda: "SESSION" in app.text)
    assert app.app.focused is app.tree


async def type_a_filter(app, change: Change) -> None:
    await app.press("slash", *"state:w")
    await change()
    await app.press(*"orking")
    assert app.main.visible_sessions.filter.text == "state:working"


async def look_at_cards_further_down(app, change: Change) -> None:
    await app.press("b", "G", "G")
    seen = get_rows(app)
    await change()
    await app.wait_until(lambda: get_rows(app) == seen)


async def look_at_a_paused_timeline(app, change: Change) -> None:
    await app.press("L")
    await app.wait_until(lambda: "live" in app.text and len(app.view.lines.known) > 3)
    await app.press("up", "up", "up")
    seen = get_rows(app)
    await change()
    await app.wait_until(lambda: get_rows(app) == seen)
    assert not app.view.lines.is_live


LOOKS = (
    look_at_a_pane,
    look_at_a_zoomed_pane,
    type_a_filter,
    look_at_cards_further_down,
    look_at_a_paused_timeline,
)


@pytest.mark.parametrize("look", sample(LOOKS, look_at_a_pane), ids=lambda look: look.__name__)
async def test_what_is_in_view_stays_and_keeps_the_focus(
    drive, tmp_path: Path, look: Callable[[object, Change], Awaitable[None]]
) -> None:
    path = tmp_path / "config.toml"
    path.write_text("closed_after = 1\n")
    async with drive([*make_busy_fleet(), *make_large_fleet(20)], size=(130, 26), followed=FollowedConfig(path)) as app:
        app.monitor.events["0a11"] = [*map(make_prompt, range(40)), *make_journal()["0a11"]]

        async def change() -> None:
            before = app.main
            path.write_text("closed_after = 2\n")
            await app.wait_until(lambda: app.main is not before and app.main.is_loaded)
            assert not before.is_attached

        await look(app, change)
