"""Where a value is in a table: names of keys, and positions in lists."""

import re

KeyPath = tuple[str | int, ...]

_BARE = r"[A-Za-z0-9_-]+"


def format_key(path: KeyPath) -> str:
    """Returns a path as a person writes it: `commands[0].run`, `pricing.models."a b"`."""
    shown = ""
    for part in path:
        if isinstance(part, int):
            shown += f"[{part}]"
        else:
            name = part if re.fullmatch(_BARE, part) else '"' + part.replace("\\", "\\\\").replace('"', '\\"') + '"'
            shown += f".{name}" if shown else name
    return shown


def split_place(text: str) -> KeyPath:
    """Splits the place in an error of msgspec, as `.a[0].b`."""
    parts = re.findall(r"\[(\d+)\]|\.([^.\[]+)", text)
    return tuple(int(number) if number else name for number, name in parts)
