"""Contrast of two colours as WCAG 2 defines it, and what a terminal of few colours makes of a colour. Pure."""

from collections.abc import Sequence
from functools import cache, lru_cache

from rich.color import Color as RichColor
from rich.color import ColorSystem
from rich.color_triplet import ColorTriplet
from rich.palette import Palette

Triple = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""


def _make_linear(channel: int) -> float:
    value = channel / 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


@lru_cache(maxsize=4096)
def compute_luminance(colour: Triple) -> float:
    """Returns the relative luminance, 0 (black) to 1 (white)."""
    red, green, blue = map(_make_linear, colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def compute_contrast(one: Triple, other: Triple) -> float:
    """Returns the contrast, 1 (none) to 21 (black on white)."""
    dark, light = sorted((compute_luminance(one), compute_luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def compute_least_contrast(ink: Triple, papers: Sequence[Triple]) -> float:
    """Returns the contrast of a colour to the nearest of several backgrounds."""
    return min(compute_contrast(ink, paper) for paper in papers)


def blend(one: Triple, other: Triple, share: float) -> Triple:
    """Mixes two colours. `share`: that of the other, 0 to 1."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def measure_difference(one: Triple, other: Triple) -> float:
    """Returns how different two colours look, roughly: a distance in RGB, weighted by what eyes are sensitive to."""
    red = (one[0] + other[0]) / 2
    by = [(a - b) ** 2 for a, b in zip(one, other, strict=True)]
    return float((2 + red / 256) * by[0] + 4 * by[1] + (2 + (255 - red) / 256) * by[2])


@lru_cache(maxsize=4096)
def reduce_color(colour: Triple, system: ColorSystem) -> Triple:
    """Returns what a terminal shows for a colour: the nearest of 256 or 16, as Rich picks it, or the colour itself."""
    if system is ColorSystem.TRUECOLOR:
        return colour
    reduced = RichColor.from_triplet(ColorTriplet(*colour)).downgrade(system)
    return get_palette_color(reduced.number or 0, system)


def get_palette_color(number: int, system: ColorSystem) -> Triple:
    """Returns a colour of a terminal with 256 or 16 colours. The user's terminal may show others for the first 16."""
    return tuple(_get_palette(system)[number])  # type: ignore[return-value]  # three numbers


def _get_palette(system: ColorSystem) -> Palette:
    from rich._palettes import EIGHT_BIT_PALETTE, STANDARD_PALETTE  # noqa: PLC0415  what `downgrade` uses

    return STANDARD_PALETTE if system is ColorSystem.STANDARD else EIGHT_BIT_PALETTE


@cache
def list_palette(system: ColorSystem) -> dict[Triple, Triple]:
    """Returns the colours of a terminal with 256 or 16 colours, each with one that Rich reduces to it."""
    if system is ColorSystem.STANDARD:
        asked = [get_palette_color(number, system) for number in range(16)]
    else:
        grays = [round(step * 255 / 25) for step in range(1, 25)]
        asked = [get_palette_color(number, system) for number in range(16, 232)] + [(each,) * 3 for each in grays]
    found = {each: each for each in asked if reduce_color(each, system) == each}
    return {reduce_color(each, system): each for each in asked} | found
