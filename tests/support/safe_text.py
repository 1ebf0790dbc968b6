"""What may reach a terminal, decided without the code that is tested: by the category that Unicode gives a character."""

import unicodedata

FORBIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Controls, format characters, surrogates, and separators of lines and paragraphs."""
INVISIBLE = frozenset(
    map(chr, [0x34F, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)])
)
"""Marks that nobody sees."""

HOSTILE = (
    "A\x1b]0;OWNED\x07\x1b[31mB\x1b]52;c;T1dORUQ=\x1b\\\x1bP1$r\x1b\\C\x9b31mD\x9d0;OWNED\x9cE\x90F\u202eG\u2066H\u2069\u200eI\u200f\u061c"
    "J\u200bK\u200d\ufeffL\u2028M\u2029N\u00adO\u2060P\ufff9Q\U000e0041\U000e007fR\x7fS\x08T\rU\x0bV\nOWNED LINE\tW"
)
"""A name that clears, paints, reorders, hides, renames the window, fills the clipboard and begins a line of its own."""


def is_safe(character: str) -> bool:
    """Whether a character neither steers a terminal nor is hidden on it. Newlines and tabs are not."""
    return unicodedata.category(character) not in FORBIDDEN and character not in INVISIBLE


def find_unsafe(raw: bytes, allowed: str = "\n") -> list[str]:
    """What of the bytes that a command wrote could steer the terminal: each such character with what stands around it.

    Raises UnicodeDecodeError when they are no UTF-8.
    """
    text = raw.decode()
    return [
        repr(text[max(0, at - 40) : at + 20])
        for at, each in enumerate(text)
        if each not in allowed and not is_safe(each)
    ]
