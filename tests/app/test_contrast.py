"""Every theme can be read, in true colour, 256 and 16 colours: computed from its variables, and from the cells that are painted."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.color import ColorSystem, ColorType
from rich.segment import Segment
from textual.geometry import Region
from textual.theme import Theme

from atm_tui.screens.palette import PaletteScreen
from atm_tui.sources.followed_config import FollowedConfig
from atm_tui.view.contrast import compute_contrast, get_palette_color, measure_difference
from atm_tui.view.legible import ENOUGH, correct_variables
from atm_tui.view.themes import THEMES
from tests.support import contrasts
from tests.support.contrasts import ALL_THEMES, BARS, SYSTEMS
from tests.support.effort import LONG, sample
from tests.support.fleets import make_busy_fleet
from tests.support.memory_monitor import InventedUsage

LINES = set("─│├┬└┐┌┘┤┴┼╭╮╰╯ ")
"""What only divides or frames; nobody has to read it."""
SIGNS = set("●◐✓○✗◌⚠⚑☾◆▾▸▌━╸·▁▂▃▄▅▆▇█")
GLYPH = 3.0
VIEWS = {
    "tree": ("t", "g", "j"),
    "filter": ("t", "slash", *"state"),
    "board": ("b", "g"),
    "timeline": ("L",),
    "history": ("H",),
    "usage": ("u",),
    "help": ("question_mark",),
    "palette": ("ctrl+p", *"or"),
    "themes": ("T",),
    "peek": ("t", "g", "j", "space"),
    "welcome": ("W",),
    "notices": ("D",),
    "settings": ("comma",),
    "command line": ("colon", "t"),
    "zoomed pane": ("t", "g", "j", "tab", "f"),
}
SHORT = {"true colour": ("tree", "filter", "peek"), "256": ("tree", "board"), "16": ("tree", "usage")}
"""By terminal: the views of a default run."""
TERMINALS = {"true colour": ("xterm", "truecolor"), "256": ("xterm-256color", ""), "16": ("xterm", "")}


@pytest.mark.parametrize("name", SYSTEMS)
def test_all_text_of_every_theme_can_be_read_and_the_cursor_bar_is_seen(name: str) -> None:
    system = SYSTEMS[name]
    names = [theme.name for theme in ALL_THEMES]
    some = sample(names, "atm-dark", "atm-light", "nord", "solarized-light", "catppuccin-frappe", "textual-light")
    for theme in ALL_THEMES:
        if system is ColorSystem.EIGHT_BIT and theme.name not in some:
            continue
        variables = contrasts.list_corrected(theme, system)
        for ink, paper, found in contrasts.measure(variables, theme, system):
            assert found >= ENOUGH, f"{theme.name}: {ink} on {paper}"
        ground = contrasts.resolve(variables["background"], theme, system, (0, 0, 0))
        works, *alarms = (
            contrasts.resolve(variables[each], theme, system, ground, ink=True)
            for each in ("accent", "warning", "error")
        )
        for each in alarms:
            assert measure_difference(works, each) > 3000, f"{theme.name}: what works looks like what needs the user"
        for bar in BARS:
            shown = contrasts.resolve(variables[bar], theme, system, ground)
            assert shown != ground, f"{theme.name}: {bar}"
            assert compute_contrast(shown, ground) <= 1.6, f"{theme.name}: {bar} leaves no room for colours"


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_dimmed_text_is_dimmer_than_plain_text_and_states_differ(theme: Theme) -> None:
    for system in (ColorSystem.TRUECOLOR, ColorSystem.EIGHT_BIT):
        variables = correct_variables(contrasts.list_given(theme), theme, system)
        least: dict[str, float] = {}
        for ink, _, found in contrasts.measure(variables, theme, system):
            least[ink] = min(found, least.get(ink, found))
        assert least["foreground"] > least["foreground-muted"] > least["foreground-disabled"]
        assert len({variables[name] for name in ("accent", "warning", "error", "success")}) == 4


def list_painted(app, region: Region) -> Iterator[Segment]:
    """What is painted in a region, as pieces of one style."""
    for y, strip in enumerate(app.app.screen._compositor.render_strips()):
        if region.y <= y < region.bottom:
            yield from strip.crop(region.x, region.right)


def _name_color(color: RichColor | None) -> str:
    if color is None or color.is_default:
        return "ansi_default"
    if color.type is ColorType.STANDARD:
        return "#{:02x}{:02x}{:02x}".format(*get_palette_color(color.number or 0, ColorSystem.STANDARD))
    return color.get_truecolor().hex


def find_unreadable(app, theme: Theme, system: ColorSystem, region: Region) -> list[str]:
    """Pieces of text in a region whose contrast is too low."""
    found = set()
    for text, style, _ in list_painted(app, region):
        shown = set(text) - LINES
        if not shown or style is None or "@mouse.down" in style.meta:  # the last: a scrollbar
            continue
        ink, paper = _name_color(style.color), _name_color(style.bgcolor)
        behind = contrasts.resolve(paper, theme, system, (0, 0, 0))
        if style.reverse or style.dim:
            found.add(f"{text!r} is reversed or dim")
        contrast = compute_contrast(contrasts.resolve(ink, theme, system, behind, ink=True), behind)
        if contrast < (GLYPH if shown <= SIGNS else ENOUGH):
            found.add(f"{text.strip()!r} {contrast:.1f}: {ink} on {paper}")
    return sorted(found)


@pytest.mark.timeout(1200)  # in a long run: every view in every theme
@pytest.mark.parametrize("terminal", sample(TERMINALS, "true colour", "256", "16"))
async def test_what_is_painted_can_be_read(
    drive, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, terminal: str
) -> None:
    name, depth = TERMINALS[terminal]
    monkeypatch.setenv("TERM", name)
    monkeypatch.setenv("COLORTERM", depth)
    system, unreadable = SYSTEMS[terminal], []
    by_name = {theme.name: theme for theme in ALL_THEMES}
    few = {"true colour": "solarized-light", "256": "nord", "16": "ansi-dark"}[terminal]
    file = tmp_path / "config.toml"
    file.write_text(f'theme = "{few}"\n')
    async with drive(make_busy_fleet(), size=(100, 30), followed=FollowedConfig(file)) as app:
        app.monitor.usage = InventedUsage()
        assert app.app.console.color_system == {"true colour": "truecolor", "256": "256", "16": "standard"}[terminal]
        for view in sample(VIEWS, *(SHORT[terminal])):
            await app.press(*VIEWS[view])
            if view == "usage":
                await app.wait_until(lambda: "by project" in app.text)
            await app.pilot.pause(0.3 if LONG else 0.05)
            screen = app.app.screen
            for theme in by_name if LONG else [few]:
                app.app.theme = theme
                await app.pilot.pause()
                if isinstance(screen, PaletteScreen):  # a change of theme leaves an open palette as it is
                    app.app.stylesheet.update(screen)
                    await app.pilot.pause()
                boxes = [each.region for each in screen.children if each.display] if screen.is_modal else []
                for region in boxes or [screen.region]:
                    found = find_unreadable(app, by_name[theme], system, region)
                    unreadable += [f"{theme}, {view}: {each}" for each in found]
            while len(app.app.screen_stack) > 1:
                app.app.pop_screen()
                await app.pilot.pause()
            await app.press("escape")
    assert not unreadable, "\n".join(unreadable)
