"""Finds deceptive characters: invisible ones, and letters that look like others."""

import re
from functools import cache


def find_hidden_characters(text: str) -> bool:
    """Returns whether a text has characters that are invisible, reorder the text, or control a terminal."""
    return bool(_CONTROL.search(text)) or bool(not text.isascii() and _compile(_HIDDEN).search(text))


def mixes_alphabets(text: str) -> bool:
    """Returns whether a text mixes Latin letters with look-alikes of other alphabets, or look-alikes of slash or dot."""
    return not text.isascii() and bool(_compile(_MIXED).search(text))


_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)")
# compiled on first use, since it takes a millisecond
_HIDDEN = (
    "[\x80-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e"
    "\u2800\ufeff\uffa0\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\ufff0-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]|[!-~]\ufe0f(?!\u20e3)"
)
_ALIKE = "АВЕЅІЈКМНОРСТУХавеѕіјкмнорстухһԁԛԝӏѵΑΒΕΖΗΙΚΜΝΟΡΤΥΧο\u2024\u2044\u2215\u29f8\uff01-\uff5e"
_MIXED = f"[A-Za-z0-9][{_ALIKE}]|[{_ALIKE}][A-Za-z0-9]"
_compile = cache(re.compile)
