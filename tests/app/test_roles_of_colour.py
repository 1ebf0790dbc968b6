"""Colours of the fleet: all of a theme's roles, greys alone, and no state that only a colour shows."""

import pytest

from atm_tui.app import AtmApp
from atm_tui.config import Config
from tests.support.fleets import make_busy_fleet
from tests.support.memory_monitor import MemoryMonitor


async def test_an_unknown_theme_falls_back_to_our_own() -> None:
    app = AtmApp(MemoryMonitor(), Config(theme="nope"))
    assert app.theme == "atm-dark"


async def test_themes_define_every_color_of_the_roles(drive) -> None:
    themes = ("textual-light", "nord", "gruvbox", "atm-dark")
    async with drive(make_busy_fleet(), config=Config(theme=themes[0])) as app:
        for theme in themes:
            app.app.set_theme(theme)
            await app.pilot.pause()
            glyph = next(
                segment
                for strip in app.app.screen._compositor.render_strips()
                for segment in strip
                if segment.text.startswith("●")
            )
            assert glyph.style is not None
            assert glyph.style.color is not None
            warning = app.app.get_css_variables()["warning"].lower()
            assert glyph.style.color.get_truecolor().hex == warning, theme


async def test_no_color_shows_only_greys(drive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with drive(make_busy_fleet()) as app:
        for line in app.tree.render_lines(app.tree.size.region):
            for segment in line:
                if segment.style and segment.style.color and not segment.style.color.is_default:
                    red, green, blue = segment.style.color.get_truecolor()
                    assert red == green == blue
        assert "● my-feature" in app.text


async def test_state_is_never_shown_by_colour_alone(drive) -> None:
    async with drive(make_busy_fleet()) as app:
        for name, word in [
            ("login-bug", "question"),
            ("docs", "finished"),
            ("✗ upgrade-po", "failed"),
            ("css-cl", "lost"),
        ]:
            assert word in app.line_with(name)
