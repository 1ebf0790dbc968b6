"""Decides which text may reach a terminal, independently of the tested code, by the Unicode category of characters."""

import unicodedata

FORBIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Controls, format characters, surrogates, and separators of lines and paragraphs."""
INVISIBLE = frozenset(
    map(chr, [0x34F, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)])
)
"""Invisible marks."""

HOSTILE = (
    "A\x1b]0;OWNED\x07\x1b[31mB\x1b]52;c;T1dORUQ=\x1b\\\x1bP1$r\x1b\\C\x9b31mD\x9d0;OWNED\x9cE\x90F\u202eG\u2066H\u2069\u200eI\u200f\u061c"
    "J\u200bK\u200d\ufeffL\u2028M\u2029N\u00adO\u2060P\ufff9Q\U000e0041\U000e007fR\x7fS\x08T\rU\x0bV\nOWNED LINE\tW"
)
"""A name that clears, colours, reorders and hides text, renames the window, fills the clipboard and starts a new line."""


def is_safe(character: str) -> bool:
    """Returns whether a character neither controls a terminal nor is invisible on it. False for newlines and tabs."""
    return unicodedata.category(character) not in FORBIDDEN and character not in INVISIBLE


def find_unsafe(raw: bytes, allowed: str = "\n") -> list[str]:
    """Finds the characters in a command's output that could control the terminal, each with its context.

    Raises UnicodeDecodeError if the output is not UTF-8.
    """
    text = raw.decode()
    return [
        repr(text[max(0, at - 40) : at + 20])
        for at, each in enumerate(text)
        if each not in allowed and not is_safe(each)
    ]
