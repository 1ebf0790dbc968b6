"""The colour themes of atm-tui: one colour for text, two for dimmed text, and one for each meaning.

All text has a contrast of at least 4.5:1 to its background (7:1 in the high-contrast theme).
"""

from collections.abc import Iterable

import msgspec
from textual.theme import Theme


class _Palette(msgspec.Struct, frozen=True):
    """The colours of a theme."""

    background: str
    surface: str
    panel: str
    foreground: str
    primary: str
    secondary: str
    accent: str
    warning: str
    error: str
    success: str
    muted: str
    faint: str
    line: str
    rule: str
    cursor: str
    blurred: str


_TEAMMATES = {
    "red": ("#f0a8a0", "#94332c"),
    "orange": ("#f2b27a", "#85450a"),
    "yellow": ("#e6d27a", "#6b5600"),
    "green": ("#93d3a2", "#1f6433"),
    "cyan": ("#7fd3de", "#00606d"),
    "blue": ("#a3c4f9", "#1f559f"),
    "purple": ("#d0b6f6", "#6a3fa0"),
    "pink": ("#f2a6cd", "#972660"),
}
"""By the client's names of a teammate's colours: the one on dark and the one on light backgrounds. None is that of an error."""


def _list_teammate_colors(*, dark: bool) -> dict[str, str]:
    return {f"teammate-{name}": colors[0 if dark else 1] for name, colors in _TEAMMATES.items()}


def _make_theme(name: str, of: _Palette, *, dark: bool = True) -> Theme:
    """Makes a theme with a subtle cursor bar, on which text keeps its colours."""
    return Theme(
        name=name,
        dark=dark,
        background=of.background,
        surface=of.surface,
        panel=of.panel,
        foreground=of.foreground,
        primary=of.primary,
        secondary=of.secondary,
        accent=of.accent,
        warning=of.warning,
        error=of.error,
        success=of.success,
        variables=_list_teammate_colors(dark=dark)
        | {
            "foreground-muted": of.muted,
            "foreground-disabled": of.faint,
            "text-muted": of.muted,
            "text-disabled": of.faint,
            "input-selection-background": of.cursor,
            "border": of.line,
            "rule": of.rule,
            "block-cursor-background": of.cursor,
            "block-cursor-blurred-background": of.blurred,
            "block-cursor-foreground": of.foreground,
            "block-cursor-text-style": "none",
            "scrollbar": of.line,
            "scrollbar-background": of.background,
            "scrollbar-hover": of.faint,
            "scrollbar-active": of.primary,
        },
    )


ATM_DARK = _make_theme(
    "atm-dark",
    _Palette(
        background="#101319",
        surface="#151a22",
        panel="#1e2530",
        foreground="#d3dae4",
        primary="#8ab4e8",
        secondary="#7396c0",
        accent="#62b6cb",
        warning="#f0b75e",
        error="#ee727a",
        success="#8cc48a",
        muted="#9ba6b6",
        faint="#848fa0",
        line="#2a323e",
        rule="#d3dae42e",
        cursor="#1d2735",
        blurred="#181e28",
    ),
)

ATM_LIGHT = _make_theme(
    "atm-light",
    _Palette(
        background="#fbfaf7",
        surface="#f4f2ed",
        panel="#e9e6df",
        foreground="#24292f",
        primary="#22568f",
        secondary="#3f6a99",
        accent="#04647c",
        warning="#8a4b00",
        error="#b3202c",
        success="#2c6630",
        muted="#4b535d",
        faint="#5f6770",
        line="#d5d1c8",
        rule="#24292f2e",
        cursor="#e4e9f0",
        blurred="#edeeee",
    ),
    dark=False,
)

ATM_CONTRAST = _make_theme(
    "atm-contrast",
    _Palette(
        background="#000000",
        surface="#0a0a0a",
        panel="#1c1c1c",
        foreground="#ffffff",
        primary="#8fd0ff",
        secondary="#b4c8ff",
        accent="#4fe3ff",
        warning="#ffd24a",
        error="#ffa8a8",
        success="#7dff8a",
        muted="#dcdcdc",
        faint="#c6c6c6",
        line="#8a8a8a",
        rule="#8a8a8a",
        cursor="#00304d",
        blurred="#262626",
    ),
)

ATM_SAFE = _make_theme(
    "atm-safe",
    _Palette(
        # Distinct without red and green, by lightness as well as by hue.
        background="#101319",
        surface="#151a22",
        panel="#1e2530",
        foreground="#d9dde3",
        primary="#8ab4e8",
        secondary="#7396c0",
        accent="#5e9cf0",
        warning="#f0e442",
        error="#e8705a",
        success="#86e29b",
        muted="#9ba6b6",
        faint="#848fa0",
        line="#2a323e",
        rule="#d3dae42e",
        cursor="#1d2735",
        blurred="#181e28",
    ),
)


def list_other_variables(*, dark: bool) -> dict[str, str]:
    """Returns the variables of our style sheet, for themes that don't define them."""
    return {"rule": "#8080805c", **_list_teammate_colors(dark=dark)}


THEMES = (ATM_DARK, ATM_LIGHT, ATM_CONTRAST, ATM_SAFE)
"""In the order of the list of themes; the first is the default."""


def sort_themes(names: Iterable[str]) -> list[str]:
    """Sorts the names of themes: ours first, then the others by name."""
    own = [theme.name for theme in THEMES]
    return [*own, *sorted(name for name in names if name not in own)]
