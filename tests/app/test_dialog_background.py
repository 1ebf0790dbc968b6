"""The background of a dialog is what Textual itself would render."""

from collections.abc import Callable
from itertools import product

import pytest
from rich.segment import Segment
from textual.color import Color
from textual.renderables.background_screen import BackgroundScreen
from textual.strip import Strip
from textual.visual import RenderOptions, RichVisual, Visual

from atm_tui.screens.dialog_screen import DialogScreen, TintedScreen
from tests.support.effort import sample
from tests.support.fleets import make_busy_fleet


def simplify(strips: list[Strip]) -> list[list[tuple[str, object, object]]]:
    """Text and colours of each row."""
    return [
        [(part.text, part.style and str(part.style), part.control) for part in Segment.simplify(strip)]
        for strip in strips
    ]


@pytest.mark.parametrize(
    ("alpha", "size"),
    sample(product([0.0, 0.6], [(120, 40), (70, 30)]), (0.0, (120, 40)), (0.6, (70, 30))),
)
async def test_a_dialog_shows_what_is_behind_it_as_textual_does(drive: Callable, alpha: float, size) -> None:
    async with drive(make_busy_fleet(), size=(120, 40)) as app:
        await app.press("question_mark")
        await app.wait_until(lambda: isinstance(app.app.screen, DialogScreen))
        color = Color(20, 30, 40, alpha)
        with app.app._context():
            help_screen, style = app.app.screen, app.app.screen.visual_style
            options = RenderOptions(help_screen._get_style, help_screen.styles, None, None)

            def render(visual: Visual) -> list[list[tuple[str, object, object]]]:
                return simplify(visual.render_strips(*size, style, options))

            ours = render(TintedScreen(app.main, color))
            assert ours == render(RichVisual(help_screen, BackgroundScreen(app.main, color)))
            assert "need you" in "".join(text for text, _, _ in ours[0])
