"""Text that needs no screen: the sanitiser, widths by cell, ages, money, tokens. Every command can use it: no textual here."""

import re
import unicodedata

from rich.cells import cell_len, get_character_cell_size

UNKNOWN = "–"
"""Shown where a figure is not known; never 0."""

MARK = "\ufffd"
"""Replaces a control character of outside text: visible, and harmless."""


def _replacements() -> dict[int, str]:
    table = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)], MARK)
    # Bidi controls reorder what is already on the line; lone surrogates can't be encoded at all.
    bidi = (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), *range(0xFFF9, 0xFFFC))
    table |= dict.fromkeys([*bidi, *range(0xD800, 0xE000)], MARK)
    # Terminals disagree on the width of what these join or modify; without them each character has one width everywhere.
    invisible = (0xAD, 0x180E, *range(0x200B, 0x200E), *range(0x2060, 0x2065), 0xFEFF, *range(0xFE00, 0xFE10))
    table |= dict.fromkeys([*invisible, *range(0x1F3FB, 0x1F400), *range(0xE0000, 0xE0080)], "")
    table |= dict.fromkeys([0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029], " ")
    return table


_REPLACEMENTS = _replacements()
_REPLACEMENTS_IN_LINES = {code: text for code, text in _REPLACEMENTS.items() if code not in (0x09, 0x0A)}
_SPACES = re.compile(r" {2,}")


def clean(text: str, *, lines: bool = False) -> str:
    """Turns text from outside into one line that a terminal can show as it is. The only sanitiser.

    C0, C1, DEL, bidi controls and lone surrogates become a visible mark, line breaks and tabs a blank, invisible
    joiners and modifiers vanish. Brackets stay: nothing here is ever parsed as markup. With `lines`, newlines, tabs
    and runs of blanks stay as well: for text whose layout is its meaning, like a diff.
    """
    if not (text.isascii() and text.isprintable()):
        text = unicodedata.normalize("NFC", text.translate(_REPLACEMENTS_IN_LINES if lines else _REPLACEMENTS))
    return text if lines else _SPACES.sub(" ", text).strip()


def fit(text: str, width: int, *, right: bool = False) -> str:
    """Fits `text` into exactly `width` cells: padded, or cut before the first character that doesn't fit, with "…"."""
    length = cell_len(text)
    if length > width:
        text = cut(text, width)
        length = cell_len(text)
    pad = " " * (width - length)
    return pad + text if right else text + pad


def cut(text: str, width: int) -> str:
    """Cuts `text` to at most `width` cells, ending in "…" when something had to go; no character is halved."""
    if cell_len(text) <= width:
        return text
    if width < 1:
        return ""
    used = 0
    for index, character in enumerate(text):
        used += get_character_cell_size(character)
        if used > width - 1:
            return text[:index].rstrip() + "…"
    return text


def wrap(text: str, width: int, lines: int) -> list[str]:
    """Breaks `text` at blanks into at most `lines` lines of at most `width` cells; the last ends in "…" when cut."""
    result: list[str] = []
    rest = text.strip()
    while rest and width > 0:
        if len(result) == lines - 1 or cell_len(rest) <= width:
            return [*result, cut(rest, width)]
        used = end = 0
        while end < len(rest) and used + get_character_cell_size(rest[end]) <= width:
            used += get_character_cell_size(rest[end])
            end += 1
        if not end:  # not one character fits
            return [*result, cut(rest, width)]
        at = end if rest[end : end + 1] == " " else rest.rfind(" ", 0, end)
        # Only a word that no line holds is broken, and that where the line ends: a long path leaves no hole.
        word = rest[at + 1 :].split(" ", 1)[0]
        end = at if at > 0 and cell_len(word) <= width else end
        result.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return result


def age(seconds: float, fine_until: float = 60.0) -> str:
    """Formats an age in at most five cells: 14s, 1m12s, 4m, 2h10, 3d. From `fine_until` on, seconds are left out."""
    whole = max(0, int(seconds))
    minutes, rest = divmod(whole, 60)
    if whole < 60:
        return f"{whole}s"
    if whole < fine_until:
        return f"{minutes}m{rest:02}s"
    if minutes < 60:
        return f"{minutes}m"
    if minutes < 24 * 60:
        return f"{minutes // 60}h{minutes % 60:02}"
    return f"{minutes // (24 * 60)}d"


def money(usd: float | None) -> str:
    """Formats USD in at most seven cells up to $99,999: $0.42, $12.40, $1,204."""
    if usd is None:
        return UNKNOWN
    if 0 < usd < 0.005:
        return "<$0.01"
    return f"${usd:.2f}" if usd < 999.995 else f"${usd:,.0f}"


def tokens(count: int | None) -> str:
    """Formats a number of tokens in at most four cells: 812, 2.4K, 24K, 1.2M, 1.5B."""
    if count is None:
        return UNKNOWN
    if count < 1000:
        return str(count)
    for size, unit in ((1e3, "K"), (1e6, "M"), (1e9, "B")):
        value = count / size
        if value < 9.95:
            return f"{value:.1f}{unit}"
        if value < 999.5:
            return f"{value:.0f}{unit}"
    return f"{count / 1e12:.1f}T"


def percent(value: float | None) -> str:
    """Formats a percentage in at most four cells: 61%."""
    return UNKNOWN if value is None else f"{value:.0f}%"


def count(number: int, noun: str) -> str:
    """Formats a number with its noun: 1 session, 2 sessions."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
