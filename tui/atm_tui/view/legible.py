"""Corrects the colours of a theme so that all text on it can be read, on a terminal with any number of colours. Pure.

Text reaches a contrast of 4.5:1 to everything that it can stand on: background, surface, panel and both cursor bars. With true
colour only what falls short changes: it goes towards white or black until it is enough. With 256 colours each becomes the nearest
that is enough. With 16, and in themes of the terminal's own colours, there is one set for dark and one for light. What works never
looks like what needs the user.
"""

import colorsys
from collections.abc import Iterable, Mapping
from functools import lru_cache

from rich.color import ColorSystem
from textual.color import Color
from textual.theme import Theme

from atm_tui.view.contrast import (
    Triple,
    blend,
    compute_contrast,
    compute_least_contrast,
    get_palette_color,
    list_palette,
    measure_difference,
)
from atm_tui.view.present import TEAMMATE_COLORS

ENOUGH = 4.5
"""Least contrast of text."""
INKS = {
    "foreground": 6.5,
    "foreground-muted": 5.2,
    **dict.fromkeys(("foreground-disabled", "primary", "secondary", "accent", "warning", "error", "success"), 4.55),
    **{f"teammate-{color}": 4.55 for color in TEAMMATE_COLORS},
}
"""The variables that text is written in, and the contrast that each is given. Plain text keeps a distance from dimmed text."""
PAPERS = {
    "surface": 1.15,
    "panel": 1.3,
    "block-cursor-background": 1.25,
    "block-cursor-blurred-background": 1.12,
}
"""The variables that text stands on besides `background`, and the largest contrast of each to that: a cursor bar of a strong
colour would leave no room for the colours of the states on it."""
_STEPS = 50
_BLACK, _WHITE = (0, 0, 0), (255, 255, 255)
_COLORED = 0.12
"""How far from gray a colour is that is to stay a colour."""
_APART = 5000
"""Difference of two colours from which on they are told apart at a glance."""
_OTHER_ACCENTS = ("teammate-cyan", "primary", "secondary")
_LEAST_BAR = 1.05
"""Contrast of a bar to the background from which on it is seen."""
_ANSI = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_DARK_16 = {
    "background": "black",
    **dict.fromkeys(PAPERS, "black"),
    "block-cursor-background": "blue",
    "block-cursor-blurred-background": "blue",
    "foreground": "bright_white",
    "foreground-muted": "white",
    "foreground-disabled": "white",
    "primary": "bright_cyan",
    "secondary": "cyan",
    "accent": "bright_cyan",
    "warning": "bright_yellow",
    "error": "bright_magenta",
    "success": "bright_green",
    "rule": "bright_black",
    "border": "bright_black",
    "teammate-red": "bright_magenta",
    "teammate-orange": "bright_yellow",
    "teammate-yellow": "bright_yellow",
    "teammate-green": "bright_green",
    "teammate-cyan": "bright_cyan",
    "teammate-blue": "cyan",
    "teammate-purple": "bright_magenta",
    "teammate-pink": "bright_magenta",
}
_LIGHT_16 = {
    "background": "bright_white",
    **dict.fromkeys(PAPERS, "bright_white"),
    "block-cursor-background": "bright_cyan",
    "block-cursor-blurred-background": "bright_cyan",
    "foreground": "black",
    "foreground-muted": "bright_black",
    "foreground-disabled": "bright_black",
    "primary": "blue",
    "secondary": "blue",
    "accent": "blue",
    "warning": "magenta",
    "error": "red",
    "success": "black",
    "rule": "white",
    "border": "bright_black",
    "teammate-red": "red",
    "teammate-orange": "red",
    "teammate-yellow": "bright_black",
    "teammate-green": "black",
    "teammate-cyan": "blue",
    "teammate-blue": "blue",
    "teammate-purple": "magenta",
    "teammate-pink": "magenta",
}
"""The names of 16 colours. None other has enough contrast to a bar and to the background at once."""


def correct_variables(variables: Mapping[str, str], theme: Theme, system: ColorSystem) -> dict[str, str]:
    """Returns the variables of a theme for a terminal, with colours that can be read."""
    return {**variables, **_correct(tuple(sorted(variables.items())), theme.dark, theme.ansi, system)}


@lru_cache(maxsize=32)
def _correct(variables: tuple[tuple[str, str], ...], dark: bool, ansi: bool, system: ColorSystem) -> dict[str, str]:
    if ansi or system is ColorSystem.STANDARD:
        return _add_others(_name_few_colors(dark=dark, ansi=ansi))
    given = dict(variables)
    ground = _parse(given["background"], _BLACK)
    papers = _choose_papers(given, _find_nearest(ground, system), system)
    inks: dict[str, Triple] = {}
    for name, least in INKS.items():
        wanted = _parse(given.get(name, given["foreground"]), ground)
        inks[name] = _choose_ink(wanted, [*papers.values()], least, system, dark=dark)
        if system is ColorSystem.EIGHT_BIT and name.startswith("foreground"):
            inks[name] = _choose_gray(wanted, [*papers.values()], least)
    inks["accent"] = _tell_apart(inks)
    asked = {} if system is ColorSystem.TRUECOLOR else list_palette(system)
    return _add_others({name: Color(*asked.get(each, each)).hex for name, each in (papers | inks).items()})


def _name_few_colors(*, dark: bool, ansi: bool) -> dict[str, str]:
    """Returns the colours of a terminal with 16 or, for a theme that leaves its plain colours to the terminal, their names."""
    chosen = _DARK_16 if dark else _LIGHT_16
    if not ansi:
        return {name: Color(*_find_ansi(each)).hex for name, each in chosen.items()}
    plain = {chosen["background"], chosen["foreground"]}
    return {name: "ansi_default" if each in plain else f"ansi_{each}" for name, each in chosen.items()} | {
        "ansi-background": f"ansi_{chosen['background']}",
        "ansi-foreground": f"ansi_{chosen['foreground']}",
    }


def _find_ansi(name: str) -> Triple:
    number = _ANSI.index(name.removeprefix("bright_")) + 8 * name.startswith("bright_")
    return get_palette_color(number, ColorSystem.STANDARD)


def _add_others(named: dict[str, str]) -> dict[str, str]:
    """Adds the variables that follow from others: those of inputs, and of lists of Textual's own."""
    return named | {
        "text-muted": named["foreground-muted"],
        "text-disabled": named["foreground-disabled"],
        "block-cursor-foreground": named["foreground"],
        "block-cursor-text-style": "none",
        "input-selection-background": named["block-cursor-background"],
        "input-selection-foreground": named["foreground"],
        "input-cursor-background": named.get("ansi-foreground", named["foreground"]),
        "input-cursor-foreground": named.get("ansi-background", named["background"]),
        "input-cursor-text-style": "none",
    }


def _parse(text: str, ground: Triple) -> Triple:
    """Returns a colour as it looks on a background."""
    colour = Color.parse(text)
    return blend(ground, colour.rgb, colour.a)


def _choose_papers(given: Mapping[str, str], ground: Triple, system: ColorSystem) -> dict[str, Triple]:
    papers = {"background": ground}
    for name, most in PAPERS.items():
        wanted = _parse(given[name], ground)
        is_bar = "cursor" in name
        if is_bar and compute_contrast(wanted, ground) < _LEAST_BAR:
            wanted = _parse(given["primary"], ground)
        papers[name] = _mix(ground, wanted, most, system)
        if is_bar and papers[name] == ground:  # 256 colours: few are as dark
            others = [
                each for each in list_palette(system) if _LEAST_BAR <= compute_contrast(each, ground) <= most + 0.3
            ]
            papers[name] = _pick(others, wanted) or ground
    return papers


def _mix(ground: Triple, source: Triple, most: float, system: ColorSystem) -> Triple:
    """Returns the background with as much of another colour as its contrast to the background alone allows."""
    spare = 0.0 if system is ColorSystem.TRUECOLOR else 0.15
    mixed = (blend(ground, source, step / _STEPS) for step in range(_STEPS, 0, -1))
    near = (_find_nearest(each, system) for each in mixed if compute_contrast(each, ground) <= most + spare)
    return next((each for each in near if compute_contrast(each, ground) <= most + spare), ground)


def _choose_ink(wanted: Triple, papers: list[Triple], least: float, system: ColorSystem, *, dark: bool) -> Triple:
    """Returns the nearest colour that has enough contrast to all papers."""
    end = _WHITE if dark else _BLACK
    mixed = (blend(wanted, end, step / _STEPS) for step in range(_STEPS + 1))
    nearest = next((each for each in mixed if compute_least_contrast(each, papers) >= least), end)
    if system is ColorSystem.TRUECOLOR:
        return nearest
    enough = [each for each in list_palette(system) if compute_least_contrast(each, papers) >= least]
    colored = [each for each in enough if _find_hue(each)[1] >= _COLORED] if _find_hue(wanted)[1] >= _COLORED else []
    return _pick(colored or enough, nearest) or end


def _tell_apart(inks: Mapping[str, Triple]) -> Triple:
    """Returns the colour of what works: that of the theme, or another one if it looks like that of what needs the user."""

    def differs(colour: Triple, *others: str) -> bool:
        return all(_measure(colour, inks[each]) >= _APART for each in others)

    able = [inks[name] for name in ("accent", *_OTHER_ACCENTS) if differs(inks[name], "warning", "error")]
    if not able or able[0] == inks["accent"]:
        return inks["accent"]
    return next((each for each in able if differs(each, "success")), able[0])


def _choose_gray(wanted: Triple, papers: list[Triple], least: float) -> Triple:
    """Returns the same among the grays of 256 colours, which have more steps than its colours."""
    grays = [each for each in list_palette(ColorSystem.EIGHT_BIT) if max(each) == min(each)]
    enough = [each for each in grays if compute_least_contrast(each, papers) >= least]
    return _pick(enough, wanted) or max(grays, key=lambda each: compute_least_contrast(each, papers))


def _find_nearest(colour: Triple, system: ColorSystem) -> Triple:
    """Returns the nearest colour of a terminal. Other than Rich, which makes dark greys blue or green, it minds the hue."""
    return colour if system is ColorSystem.TRUECOLOR else _pick(list_palette(system), colour) or colour


def _pick(colours: Iterable[Triple], wanted: Triple) -> Triple | None:
    """Returns the colour that looks most like another one; None without any."""
    return min(colours, key=lambda each: _measure(each, wanted), default=None)


@lru_cache(maxsize=65536)
def _measure(one: Triple, other: Triple) -> float:
    """Returns how different two colours look, with more weight on the hue the more of it the wanted one (`other`) has."""
    hue, saturation = _find_hue(one)
    wanted_hue, wanted = _find_hue(other)
    apart = abs(hue - wanted_hue)
    return measure_difference(one, other) + 40_000 * min(saturation, wanted) * min(apart, 1 - apart) ** 2 * 4


@lru_cache(maxsize=4096)
def _find_hue(colour: Triple) -> tuple[float, float]:
    """Returns the hue, and how far from gray the colour is; both 0 to 1."""
    red, green, blue = (channel / 255 for channel in colour)
    return colorsys.rgb_to_hls(red, green, blue)[0], max(red, green, blue) - min(red, green, blue)
