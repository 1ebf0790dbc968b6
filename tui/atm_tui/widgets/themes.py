"""Our own colour themes. Few tones: one for text, three for quiet, and one for each thing that colour says."""

from textual.theme import Theme

ATM_DARK = Theme(
    name="atm-dark",
    dark=True,
    background="#101319",
    surface="#151a22",
    panel="#1e2530",
    foreground="#c9d1dc",
    primary="#8ab4e8",
    secondary="#6d8fb8",
    accent="#62b6cb",
    warning="#f0b75e",
    error="#ec6a72",
    success="#8cc48a",
    variables={
        "foreground-muted": "#8a95a5",
        "foreground-disabled": "#5c6778",
        "border": "#2a323e",
        "block-cursor-background": "#1d2735",
        "block-cursor-blurred-background": "#181e28",
        "block-cursor-foreground": "#c9d1dc",
        "block-cursor-text-style": "none",
        "scrollbar": "#2a323e",
        "scrollbar-background": "#101319",
        "scrollbar-hover": "#3a4554",
        "scrollbar-active": "#8ab4e8",
    },
)

THEMES = (ATM_DARK,)
