"""Our themes, checked by computation: contrast of text, colour blindness, and no colours."""

import itertools
from pathlib import Path

import pytest
from textual.color import Color
from textual.theme import Theme

from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.screens.themes import ThemeScreen
from atm_tui.sources.theme import ThemeFile
from atm_tui.view.contrast import compute_contrast
from atm_tui.view.themes import ATM_CONTRAST, ATM_SAFE, THEMES
from tests.support.effort import sample
from tests.support.fleets import make_busy_fleet
from tests.support.memory_monitor import MemoryMonitor

SIGNS = ("foreground", "accent", "warning", "error", "success")
"""What tells states apart by colour, beside sign and word."""
MATRICES = {
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    # Machado, Oliveira and Fernandes (2009), severity 1.0, in linear RGB
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}

Triple = tuple[float, float, float]


def make_linear(colour: str) -> Triple:
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in Color.parse(colour).normalized
    )
    return red, green, blue


def simulate_vision(colour: str, kind: str) -> Triple:
    """Linear RGB as an eye of that kind sees it."""
    channels = make_linear(colour)
    red, green, blue = (
        min(1.0, max(0.0, sum(weight * channel for weight, channel in zip(row, channels, strict=True))))
        for row in MATRICES[kind]
    )
    return red, green, blue


def convert_to_lab(colour: Triple) -> Triple:
    red, green, blue = colour
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116 for value in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def measure_distance(one: Triple, other: Triple) -> float:
    """CIE76."""
    return sum((a - b) ** 2 for a, b in zip(convert_to_lab(one), convert_to_lab(other), strict=True)) ** 0.5


def list_text_colours(theme: Theme) -> dict[str, str]:
    """All colours that text is written in."""
    named = ("primary", "secondary", *SIGNS)
    quiet = {name: theme.variables[name] for name in ("foreground-muted", "foreground-disabled")}
    teammates = {name: color for name, color in theme.variables.items() if name.startswith("teammate-")}
    return {name: getattr(theme, name) for name in named} | quiet | teammates


def list_backgrounds(theme: Theme) -> dict[str, str]:
    """All colours that text stands on."""
    cursors = ("block-cursor-background", "block-cursor-blurred-background")
    named = {name: getattr(theme, name) for name in ("background", "surface", "panel")}
    return named | {name: theme.variables[name] for name in cursors}


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_all_text_has_enough_contrast(theme: Theme) -> None:
    least = 7.0 if theme is ATM_CONTRAST else 4.5
    for ink, paper in itertools.product(list_text_colours(theme).items(), list_backgrounds(theme).items()):
        assert compute_contrast(Color.parse(ink[1]).rgb, Color.parse(paper[1]).rgb) >= least, f"{ink[0]} on {paper[0]}"


@pytest.mark.parametrize("kind", MATRICES)
def test_states_differ_for_colour_blind_users_in_the_safe_theme(kind: str) -> None:
    for one, other in itertools.combinations(SIGNS, 2):
        seen = measure_distance(
            simulate_vision(getattr(ATM_SAFE, one), kind), simulate_vision(getattr(ATM_SAFE, other), kind)
        )
        assert seen >= 20, f"{one} and {other}"


async def test_the_list_previews_a_theme_escape_reverts_it_and_enter_chooses_it(drive) -> None:
    async with drive(make_busy_fleet(), size=(120, 36)) as app:
        assert app.app.theme == "atm-dark"
        await app.press("T")
        await app.wait_until(lambda: isinstance(app.app.screen, ThemeScreen))
        names = [line.split("│")[-2].strip("▌ ").split()[0] for line in app.lines if "atm-" in line and "│" in line]
        assert names == [theme.name for theme in THEMES]
        await app.press("j")
        assert app.app.theme == "atm-light"
        await app.press("escape")
        assert app.app.theme == "atm-dark"
        await app.press("T", "j", "j", "enter")
        assert app.app.theme == "atm-contrast"
        assert "config" not in app.lines[-1]
        await app.press("b", "T", "G", "enter")
        assert app.app.theme not in {theme.name for theme in THEMES}


async def test_the_chosen_theme_is_kept_until_the_configuration_names_another(tmp_path: Path) -> None:
    async def start(configured: str, *keys: str) -> tuple[str, str]:
        """The theme at the start, and after the keys."""
        app = AtmApp(MemoryMonitor(), Config(theme=configured), themes=ThemeFile(tmp_path))
        async with app.run_test() as pilot:
            at_first = app.theme
            await pilot.press(*keys)
            await pilot.pause()
            return at_first, app.theme

    assert await start("atm-dark", "T", "j", "escape") == ("atm-dark", "atm-dark")
    assert await start("atm-dark", "T", "j", "enter") == ("atm-dark", "atm-light")
    assert await start("atm-dark") == ("atm-light", "atm-light")
    assert await start("atm-safe", "T", "home", "enter") == ("atm-safe", "atm-dark")
    assert await start("atm-safe") == ("atm-dark", "atm-dark")


@pytest.mark.parametrize(
    "held", ["", "{", '{"theme": 3, "instead_of": "atm-dark"}', '{"theme": "gone", "instead_of": "atm-safe"}']
)
async def test_an_unusable_theme_file_only_loses_the_choice(tmp_path: Path, held: str) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "theme.json").write_text(held)
    app = AtmApp(MemoryMonitor(), Config(theme="atm-safe"), themes=ThemeFile(tmp_path))
    async with app.run_test():
        assert app.theme == "atm-safe"


async def test_every_theme_and_a_terminal_without_colour_show_all_words_of_the_board(
    drive, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with drive(make_busy_fleet(), size=(140, 45)) as app:
        await app.press("b")
        before = app.text
        for name in sample(app.app.available_themes, "atm-light", "dracula"):
            app.app.theme = name
            await app.pilot.pause()
            assert app.text == before
            for strip in app.app.screen._compositor.render_strips():
                for segment in strip:
                    style = segment.style
                    if segment.text.strip() and style and style.color and not style.color.is_default:
                        assert style.color != style.bgcolor, f"{segment.text!r} vanishes in {name}"
    monkeypatch.setenv("NO_COLOR", "1")
    async with drive(make_busy_fleet(), size=(140, 45)) as app:
        await app.press("b")
        assert app.text == before


async def test_the_configuration_selects_the_theme(drive) -> None:
    async with drive(make_busy_fleet(), config=Config(theme="atm-safe")) as app:
        assert app.app.theme == "atm-safe"
    async with drive(make_busy_fleet(), config=Config(theme="no-such-theme")) as app:
        assert app.app.theme == "atm-dark"
