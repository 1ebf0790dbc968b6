"""Formats plain text: the sanitiser, widths by cell, ages, money, tokens. Loads no textual, so that every command can use it."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

CLOCK_SLACK = 60.0
"""Seconds by which a time may lie ahead because clocks differ."""
UNKNOWN = "–"
"""Shown where a figure is not known; never 0."""
PENDING = "…"
"""Shown where a figure is not known yet, since its source is still being read."""

MARK = "\ufffd"
"""Replaces control characters in text from outside."""

ASCII_SPELLING = str.maketrans(
    {
        "…": "~",
        "–": "-",
        "·": "-",
        "\xa0": " ",
        "“": '"',
        "”": '"',
        "‘": "'",
        "’": "'",
        "—": "-",
        "→": ">",
        "←": "<",
        "✓": "+",
        "✗": "x",
        **dict.fromkeys("•●▪‣", "*"),
        **dict.fromkeys("─━═╍╌┄╸╺", "-"),
        **dict.fromkeys("│┃║╏▌▎▏▐▕▊▋▍▉", "|"),
        **dict.fromkeys("╭╮╯╰┌┐└┘├┤┬┴┼┏┓┗┛┣┫┳┻╋╔╗╚╝╠╣╦╩╬", "+"),
        **dict.fromkeys("▁▂▃▄▅▆▇█▀▔▖▗▘▙▛▜▝▟", " "),  # the ends of a scrollbar, and thick borders; their colour remains
    }
)
"""Signs that are not ASCII, those of our texts, of borders and of what models write, each with one in ASCII of the same width."""


@cache
def _spell_character(character: str) -> str:
    """Returns ASCII of the same width: the letter without its accent, else a question mark for each cell."""
    import unicodedata  # noqa: PLC0415  rarely needed

    width = _measure_character(character)
    plain = "".join(each for each in unicodedata.normalize("NFKD", character) if each.isascii() and each.isprintable())
    return plain if len(plain) == width else "?" * width


def spell_ascii(text: str) -> str:
    """Returns a text in ASCII of the same width: our signs are replaced, letters lose their accents, others become "?"."""
    if text.isascii():
        return text
    text = text.translate(ASCII_SPELLING)
    return text if text.isascii() else "".join(each if each.isascii() else _spell_character(each) for each in text)


_MARKED = (
    (0x00, 0x1F), (0x7F, 0x9F),  # C0, DEL and C1 control a terminal
    (0x61C, 0x61C), (0x200E, 0x200F), (0x202A, 0x202E), (0x2066, 0x206F),  # these reorder or reshape what is on the line
    (0x600, 0x605), (0x6DD, 0x6DD), (0x70F, 0x70F), (0x890, 0x891), (0x8E2, 0x8E2), (0x110BD, 0x110BD), (0x110CD, 0x110CD),
    (0xFFF0, 0xFFFB), (0x13430, 0x1343F), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A),  # other format characters
    (0x115F, 0x1160), (0x3164, 0x3164), (0xFFA0, 0xFFA0),  # letters that look like spaces
    (0xD800, 0xDFFF),  # lone surrogates, which can't be encoded at all
)  # fmt: skip
"""First and last code point of the characters that `clean` replaces by MARK."""

_REMOVED = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200D), (0x2060, 0x2065), (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF), (0x1F3FB, 0x1F3FF), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""First and last code point of invisible joiners, modifiers and tags, which `clean` removes: terminals disagree on the width of
characters that they join or modify.
"""

_BREAKS = (0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029)
"""Tabs and line ends, which `clean` replaces by a space."""


def _list_codes(ranges: tuple[tuple[int, int], ...]) -> Iterator[int]:
    for first, last in ranges:
        yield from range(first, last + 1)


@cache
def _make_replacements(*, lines: bool) -> dict[int, str]:
    """Returns the replacements that `clean` makes, by character. Built on first use, like the pattern below."""
    found = (
        dict.fromkeys(_list_codes(_MARKED), MARK)
        | dict.fromkeys(_list_codes(_REMOVED), "")
        | dict.fromkeys(_BREAKS, " ")
    )
    return {code: text for code, text in found.items() if not (lines and code in (0x09, 0x0A))}


@cache
def _make_unsafe_pattern() -> "re.Pattern[str]":
    """Returns the pattern for characters that JSON leaves unescaped, but that control a terminal or are invisible there."""
    ranges = (f"{chr(first)}-{chr(last)}" for first, last in (*_MARKED[1:], *_REMOVED))
    return re.compile("[\u2028\u2029" + "".join(ranges) + "]")


_OWN_SIGNS = str.maketrans("", "", "●◐…–·")
"""Deletes the most common non-ASCII signs of our own lines, which need no cleaning."""

_NOT_ASCII = r"[^\x00-\x7e]"


def clean(text: str, *, lines: bool = False) -> str:
    """Turns text from outside into one line that is safe on a terminal. The only sanitiser.

    C0, C1, DEL, bidi and other format controls and lone surrogates become a visible mark, line breaks and tabs a blank,
    invisible joiners, modifiers and tags are removed. Brackets stay: nothing is parsed as markup. With `lines`, newlines, tabs
    and runs of spaces stay too, for text such as a diff.
    """
    plain = text if text.isascii() else text.translate(_OWN_SIGNS)
    if lines:
        plain = plain.replace("\n", "").replace("\t", "")  # they stay
    if not (plain.isascii() and plain.isprintable()):
        import unicodedata  # noqa: PLC0415  only text outside ASCII needs it

        text = unicodedata.normalize("NFC", text.translate(_make_replacements(lines=lines)))
    if lines:
        return text
    return (re.sub(" {2,}", " ", text) if "  " in text else text).strip()


def escape_json(text: str, *, ascii_only: bool = False) -> str:
    """Escapes characters in JSON text that control a terminal or are invisible there; the JSON means the same.

    `ascii_only`: escapes everything outside ASCII.
    """
    if text.isascii() and "\x7f" not in text:
        return text
    return re.sub(_NOT_ASCII if ascii_only else _make_unsafe_pattern(), _escape, text)


def _escape(found: "re.Match[str]") -> str:
    code = ord(found[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD7C0 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def measure_width(text: str) -> int:
    """Returns how many cells a text takes on a terminal."""
    if text.isascii() and text.isprintable():
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415  takes longer to load than most texts to measure

    return cell_len(text)


def _measure_character(character: str) -> int:
    if character.isascii() and character.isprintable():
        return 1
    from rich.cells import get_character_cell_size  # noqa: PLC0415

    return get_character_cell_size(character)


def fit_width(text: str, width: int, *, right: bool = False) -> str:
    """Fits `text` into exactly `width` cells: padded, or cut before the first character that doesn't fit, with "…"."""
    length = measure_width(text)
    if length > width:
        text = cut_width(text, width)
        length = measure_width(text)
    pad = " " * (width - length)
    return pad + text if right else text + pad


def cut_width(text: str, width: int) -> str:
    """Cuts `text` to at most `width` cells, with "…" at the end if it was cut; no wide character is halved."""
    if measure_width(text) <= width:
        return text
    if width < 1:
        return ""
    used = 0
    for index, character in enumerate(text):
        used += _measure_character(character)
        if used > width - 1:
            return text[:index].rstrip() + "…"
    return text


def wrap_text(text: str, width: int, lines: int) -> list[str]:
    """Breaks `text` at blanks into at most `lines` lines of at most `width` cells; the last ends in "…" when cut."""
    result: list[str] = []
    rest = text.strip()
    while rest and width > 0:
        if len(result) == lines - 1 or measure_width(rest) <= width:
            return [*result, cut_width(rest, width)]
        used = end = 0
        while end < len(rest) and used + _measure_character(rest[end]) <= width:
            used += _measure_character(rest[end])
            end += 1
        if not end:  # not one character fits
            return [*result, cut_width(rest, width)]
        at = end if rest[end : end + 1] == " " else rest.rfind(" ", 0, end)
        # A word is broken only if it is longer than a line; then at the end of the line, so that a long path leaves no gap.
        word = rest[at + 1 :].split(" ", 1)[0]
        end = at if at > 0 and measure_width(word) <= width else end
        result.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return result


FINE_UNTIL = 600.0
"""Seconds for which the age of an active state is shown in seconds."""


def format_age(seconds: float, fine_until: float = 60.0) -> str:
    """Formats an age in at most five cells: 14s, 1m12s, 4m, 2h10, 3d. From `fine_until` on, seconds are left out.

    "–" for a time further in the future than clocks differ.
    """
    if seconds < -CLOCK_SLACK:
        return UNKNOWN
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


def format_money(usd: float | None, *, is_pending: bool = False) -> str:
    """Formats USD in at most seven cells up to $99,999: $0.42, $12.40, $1,204. `is_pending`: whether it is not known yet."""
    if usd is None:
        return PENDING if is_pending else UNKNOWN
    if 0 < usd < 0.005:
        return "<$0.01"
    return f"${usd:.2f}" if usd < 999.995 else f"${usd:,.0f}"


def format_tokens(count: int | None) -> str:
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


def format_percent(value: float | None) -> str:
    """Formats a percentage in at most four cells: 61%."""
    return UNKNOWN if value is None else f"{value:.0f}%"


def format_bytes(count: int) -> str:
    """Formats a number of bytes: 512 B, 4.2 kB, 31 MB."""
    size, unit = float(count), "B"
    for larger in ("kB", "MB", "GB"):
        if size < 999.5:
            break
        size, unit = size / 1000, larger
    return f"{size:.1f} {unit}" if unit != "B" and size < 9.95 else f"{size:.0f} {unit}"


def format_count(number: int, noun: str) -> str:
    """Formats a count with its noun: 1 session, 2 sessions."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def suggest_name(given: str, known: Iterable[str], kind: str) -> str:
    """Returns the end of a message about an unknown name: the nearest known one, else all. `kind`: what they are, as "keys"."""
    import difflib  # noqa: PLC0415  only an error needs it

    names = sorted(known)
    plain = {name.casefold(): name for name in names}
    close = difflib.get_close_matches(given.casefold(), plain, n=1)
    return f'; did you mean "{plain[close[0]]}"?' if close else f"; known {kind}: {', '.join(names)}"
