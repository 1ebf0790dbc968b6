"""Sets of keys that the configuration can name: `preset = "vim"` in `[keys]`."""

from collections.abc import Mapping

PRESET = "preset"
"""The key of `[keys]` that names a preset; no command has this id."""

PRESETS: dict[str, tuple[str, Mapping[str, tuple[str, ...]]]] = {
    "vim": (
        "`g` is the first key of chords: `g g` is the first row, `g b` the board",
        {
            "cursor_first": ("g g", "home"),
            "page_down": ("ctrl+d", "ctrl+f", "pagedown"),
            "page_up": ("ctrl+u", "ctrl+b", "pageup"),
            "tree": ("g t", "t"),
            "board": ("g b", "b"),
            "timeline": ("g l", "L"),
            "history": ("g h", "H"),
            "usage": ("g u",),
            "undo": ("u", "U"),
            "copy": ("y y",),
            "fold": ("left", "h", "z c"),
            "unfold": ("right", "l", "z o"),
            "snooze": ("z z",),
            "quit": ("q", "Z Z"),
        },
    ),
    "plain": (
        "no letters and no Ctrl to move; function keys as in other programs",
        {
            "cursor_down": ("down",),
            "cursor_up": ("up",),
            "cursor_first": ("home",),
            "cursor_last": ("end",),
            "page_down": ("pagedown",),
            "page_up": ("pageup",),
            "fold": ("left",),
            "unfold": ("right",),
            "previous_span": ("left",),
            "next_span": ("right",),
            "help": ("f1", "question_mark"),
            "filter": ("f3", "slash"),
            "read_again": ("f5", "r"),
            "quit": ("f10", "q"),
            "put_away": ("delete", "x"),
            "mark": ("insert", "v"),
        },
    ),
}
"""By name: what it is for, and the keys of the commands that differ; the first key is the one that is shown."""


def list_preset_rows() -> list[str]:
    """Returns the rows of the documentation's table of presets."""
    return [
        f"| `{name}` | {meaning} | {', '.join(f'`{command}`' for command in keys)} |"
        for name, (meaning, keys) in PRESETS.items()
    ]
