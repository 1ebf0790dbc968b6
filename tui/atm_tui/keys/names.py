"""Reads the names of keys that a user writes: `g`, `?`, `ctrl+f`, `F5`, and the chord `g g`."""

import unicodedata

from textual.keys import _character_to_key

from atm_tui.text import suggest_name

CHORD = 2
"""Most keys of a chord."""
_NAMED = (
    "enter", "escape", "tab", "space", "backspace", "delete", "insert", "home", "end", "pageup", "pagedown", "up", "down",
    "left", "right", *(f"f{number}" for number in range(1, 25)),
)  # fmt: skip
_OTHER_NAMES = {
    "esc": "escape",
    "return": "enter",
    "del": "delete",
    "ins": "insert",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "page_up": "pageup",
    "page_down": "pagedown",
}
_SAME = {"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+h": "backspace", "ctrl+left_square_bracket": "escape"}
"""Keys with Ctrl that a terminal reports as another key."""
_MODIFIERS = ("ctrl", "shift", "alt", "super")


class KeyNameError(ValueError):
    """A text names no key; the message quotes it."""


def read_keys(text: str) -> str:
    """Returns Textual's name of a key, or those of the keys of a chord with a blank between them.

    Raises KeyNameError if it is neither.
    """
    names = text.split()
    if not names or len(names) > CHORD:
        raise KeyNameError(f'"{text}" is neither a key, as "g", nor a chord of two, as "g g"')
    return " ".join(read_key(each) for each in names)


def read_key(text: str) -> str:
    """Returns Textual's name of one key: "!" is exclamation_mark, "Ctrl+F" is ctrl+f, "shift+a" is A.

    Raises KeyNameError.
    """
    head, last = (text[:-2], "+") if text.endswith("++") else text.rsplit("+", 1) if "+" in text[:-1] else ("", text)
    modifiers = [each.lower() for each in head.split("+") if head]
    for each in modifiers:
        if each not in _MODIFIERS:
            raise KeyNameError(f'"{text}" is no key: "{each}" is not one of {", ".join(_MODIFIERS)}')
    if "shift" in modifiers and len(last) == 1 and last.isalpha():
        modifiers, last = [each for each in modifiers if each != "shift"], last.upper()
    name = "+".join([*modifiers, _read_last(text, last, modified=bool(modifiers))])
    if (same := _SAME.get(name)) is not None:
        raise KeyNameError(f'"{text}" is {same} for a terminal: write "{same}", or choose another key')
    return name


def _read_last(text: str, last: str, *, modified: bool) -> str:
    """Returns the name of a key without its modifiers."""
    if len(last) == 1:
        return _character_to_key(last.lower() if modified else last)
    name = _OTHER_NAMES.get(last.lower(), last.lower())
    if name not in _NAMED and not _is_character(name):
        raise KeyNameError(f'"{text}" is no key{suggest_name(name, [*_NAMED, *_OTHER_NAMES], "keys")}')
    return name


def _is_character(name: str) -> bool:
    """Returns whether it is Textual's name of a character: number_sign, question_mark."""
    try:
        return _character_to_key(unicodedata.lookup(name.replace("_", " "))) == name
    except KeyError:
        return name in ("minus", "plus", "slash", "underscore", "at", "backslash", "equals_sign")
