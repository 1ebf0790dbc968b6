"""The base of dialogs: the screen behind one shows through, and each of its styles is tinted once."""

from collections.abc import Collection
from functools import lru_cache

from rich.console import RenderableType
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.color import Color
from textual.css.styles import RulesMap
from textual.events import Key
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen, ScreenResultType
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual
from textual.widget import Widget

from atm_tui.screens.app_screen import AppScreen
from atm_tui.screens.motion_keys import scroll_text


class DialogScreen(AppScreen[ScreenResultType], ModalScreen[ScreenResultType]):
    """A screen in front of another one."""

    CSS_PATH = "dialogs.tcss"
    openers: Collection[str] = ()
    """The keys that opened it: they close it, too."""
    scrolled: Widget
    """What the keys that move scroll, where a dialog has such keys."""

    def render(self) -> RenderableType:
        """Renders what lies around the dialog."""
        return tint_background(super().render())

    def on_key(self, event: Key) -> None:
        """Closes with the key that opened it, whatever it is."""
        if event.key in self.openers:
            event.stop()
            self.action_close()

    def action_close(self) -> None:
        """Closes the dialog, with nothing chosen."""
        self.dismiss(None)

    def action_scroll(self, motion: str) -> None:
        """Scrolls as a cursor would move."""
        scroll_text(self.scrolled, motion)


def tint_background(rendered: RenderableType) -> RenderableType:
    """Returns what Textual renders behind a dialog in a form that is quicker to render; anything else unchanged."""
    if not isinstance(rendered, BackgroundScreen):
        return rendered
    return TintedScreen(rendered.screen, rendered.color)  # type: ignore[return-value]  # Textual renders visuals as well


class TintedScreen(Visual):
    """A screen in other colours. Textual's own BackgroundScreen looks the same, but works out each style for each text."""

    def __init__(self, screen: Screen[object], color: Color) -> None:
        self._screen = screen
        self._color = color

    def render_strips(
        self,
        width: int,
        height: int | None,
        style: Style,
        options: RenderOptions,  # noqa: ARG002 (textual's signature)
    ) -> list[Strip]:
        """Renders the screen, cut to the size."""
        color, base = self._color, style.rich_style
        return [
            Strip([Segment(text, _tint(own, color, base)) for text, own, _ in strip], strip.cell_length).crop(0, width)
            for strip in self._screen._compositor.render_strips()[:height]  # noqa: SLF001 (as Textual's own)
        ]

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:  # noqa: ARG002 (textual's signature)
        """Returns the width of the screen."""
        return self._screen.size.width

    def get_height(self, rules: RulesMap, width: int) -> int:  # noqa: ARG002 (textual's signature)
        """Returns the height of the screen."""
        return self._screen.size.height


@lru_cache(maxsize=2048)
def _tint(style: RichStyle | None, color: Color, base: RichStyle) -> RichStyle:
    """Returns a style under a colour; what it leaves open is as in `base`."""
    (segment,) = BackgroundScreen.process_segments([Segment("", style)], color)
    return base + segment.style
