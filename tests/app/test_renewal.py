"""The screen that is made anew for another configuration: what the person looked at stays in view, and keeps the focus."""

from pathlib import Path

from atm_tui.sources.followed_config import FollowedConfig
from atm_tui.widgets.scroll_pane import ScrollPane
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


async def test_what_is_in_view_stays_and_keeps_the_focus(drive, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("closed_after = 1\n")
    sessions = [*make_busy_fleet(), *make_large_fleet(20)]
    async with drive(sessions, size=(130, 26), followed=FollowedConfig(path)) as app:
        app.monitor.events["0a11"] = [*map(make_prompt, range(40)), *make_journal()["0a11"]]
        changes = iter(range(2, 20))

        async def change() -> None:
            """The configuration changes, and the screen is made anew."""
            before = app.main
            path.write_text(f"closed_after = {next(changes)}\n")
            await app.until(lambda: app.main is not before and app.main.is_loaded)
            assert not before.is_attached

        # a pane that is scrolled has the focus, beside a list that is scrolled
        app.main.tree_view.select(("session", "0a11"), by_user=True)
        await app.press("tab", "4")
        await app.until(lambda: get_pane(app).line_count > 20)
        await app.press("up", "up")
        app.tree.scroll_to(y=5, animate=False)
        await app.pilot.pause()
        seen, top = get_rows(app), get_pane(app).top
        assert 0 < top < get_pane(app).line_count - get_pane(app).page
        await change()
        await app.until(lambda: get_rows(app) == seen)
        assert app.tree.selected == ("session", "0a11")
        assert app.app.focused is get_pane(app)
        await app.press("up")
        assert get_pane(app).top == top - 1

        # it is zoomed
        await app.press("f")
        seen = get_rows(app)
        await change()
        await app.until(lambda: get_rows(app) == seen)
        await app.press("f", "escape")
        await app.until(lambda: "SESSION" in app.text)
        assert app.app.focused is app.tree

        # what is typed into the filter goes on
        await app.press("slash", *"state:w")
        await change()
        await app.press(*"orking")
        assert app.main.visible_sessions.filter.text == "state:working"
        await app.press("escape")

        # cards further down, and a timeline that is paused
        await app.press("b", "G", "G")
        seen = get_rows(app)
        await change()
        await app.until(lambda: get_rows(app) == seen)
        await app.press("L")
        await app.until(lambda: "live" in app.text and app.view.lines.known > 3)
        await app.press("up", "up", "up")
        seen = get_rows(app)
        await change()
        await app.until(lambda: get_rows(app) == seen)
        assert not app.view.lines.is_live
