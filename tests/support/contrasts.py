"""The least contrast of each kind of text in every theme, before and after our corrections: python -m tests.support.contrasts"""

import sys
from collections.abc import Iterator

from rich.color import ColorSystem
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from atm_tui.view.contrast import Triple, blend, compute_contrast, get_palette_color, reduce_color
from atm_tui.view.legible import INKS, PAPERS, correct_variables
from atm_tui.view.themes import THEMES, list_other_variables

ALL_THEMES: tuple[Theme, ...] = (*THEMES, *BUILTIN_THEMES.values())
SYSTEMS = {"true colour": ColorSystem.TRUECOLOR, "256": ColorSystem.EIGHT_BIT, "16": ColorSystem.STANDARD}
GROUPS = {
    "plain": ("foreground",),
    "muted": ("foreground-muted", "foreground-disabled"),
    "states": ("accent", "warning", "error", "success"),
    "others": tuple(name for name in INKS if name.startswith(("primary", "secondary", "teammate"))),
}
"""Variables of text by what they are for."""
COLUMNS = (*GROUPS, "on the bar")
BARS = ("block-cursor-background", "block-cursor-blurred-background")


def list_given(theme: Theme) -> dict[str, str]:
    """The variables of a theme as it defines them, with our defaults for those that it lacks."""
    return {**list_other_variables(dark=theme.dark), **theme.to_color_system().generate(), **theme.variables}


def list_corrected(theme: Theme, system: ColorSystem) -> dict[str, str]:
    return correct_variables(list_given(theme), theme, system)


def resolve(text: str, theme: Theme, system: ColorSystem, ground: Triple, *, ink: bool = False) -> Triple:
    """A colour as a terminal shows it. The terminal's own default: white on black, or black on white in a light theme."""
    black, white = (0, 0, 0), (255, 255, 255)
    if text.startswith("transparent") and not ink:
        return ground
    if text.startswith("ansi_default"):
        default = white if theme.dark == ink else black
        return blend(ground, default, 0.5) if "50%" in text else default
    colour = Color.parse(text)
    if colour.ansi is not None and colour.ansi >= 0:
        return get_palette_color(colour.ansi, ColorSystem.STANDARD)
    return reduce_color(blend(ground, colour.rgb, colour.a), ColorSystem.TRUECOLOR if theme.ansi else system)


def measure(variables: dict[str, str], theme: Theme, system: ColorSystem) -> Iterator[tuple[str, str, float]]:
    """Each variable of text, each that it stands on, and their contrast."""
    ground = resolve(variables["background"], theme, system, (0, 0, 0))
    for paper in ("background", *PAPERS):
        behind = resolve(variables[paper], theme, system, ground)
        for ink in INKS:
            shown = resolve(variables.get(ink, variables["foreground"]), theme, system, behind, ink=True)
            yield ink, paper, compute_contrast(shown, behind)


def _find_least(variables: dict[str, str], theme: Theme, system: ColorSystem) -> list[float]:
    """The least contrast in each of COLUMNS."""
    found = list(measure(variables, theme, system))
    by_ink = [min(ratio for ink, _, ratio in found if ink in names) for names in GROUPS.values()]
    return [*by_ink, min(ratio for _, paper, ratio in found if paper in BARS)]


def list_contrast_rows() -> list[str]:
    """Rows of the table in the documentation: theme, true colour by COLUMNS, then the least with 256 and with 16 colours."""
    rows = []
    for theme in ALL_THEMES:
        every = [_find_least(list_corrected(theme, system), theme, system) for system in SYSTEMS.values()]
        figures = [*every[0], *(min(each) for each in every[1:])]
        rows.append(f"| {theme.name} | {' | '.join(f'{each:.1f}' for each in figures)} |")
    return rows


def _write_row(theme: Theme) -> list[str]:
    cells = []
    for system in SYSTEMS.values():
        both = [_find_least(each, theme, system) for each in (list_given(theme), list_corrected(theme, system))]
        cells += [f"{before:.1f} → {after:.1f}" for before, after in zip(*both, strict=True)]
    return [theme.name, *cells]


def main() -> None:
    columns = COLUMNS
    for at, name in enumerate(SYSTEMS):
        print(f"\n{name}: least contrast as the theme has it → as we show it\n")
        print(f"| theme | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
        for theme in ALL_THEMES:
            label, *cells = _write_row(theme)
            print(f"| {label} | {' | '.join(cells[at * len(columns) : (at + 1) * len(columns)])} |")
        if "-v" in sys.argv:
            for theme in ALL_THEMES:
                kept = list_corrected(theme, SYSTEMS[name])
                print(theme.name, {each: kept[each] for each in ("background", *PAPERS, *INKS) if "mate" not in each})


if __name__ == "__main__":
    main()
