"""Damaged input for readers: values of wrong types and sizes, and bytes that are torn, fused, doubled or badly encoded. Pure."""

import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

_NESTED: Any = 0
for _ in range(80):
    _NESTED = [_NESTED]

ODD: list[Any] = [
    *(None, True, False, [], {}, [[{}]], _NESTED, {"a": _NESTED}, ["user"], {"type": "user"}, {"": ""}),
    *(-1, 0, 1, 2**31, 2**53, 2**63, 2**64, 10**400, -(10**30), 0.5, 1e300, -1e300, 1e-320),
    *(float("nan"), float("inf"), float("-inf")),
    *(-1.0, 2e10, 253402300800, 1e12, -62135596801, -1e18),  # times before, at and beyond what a calendar can name
    *("", " ", "x" * 300, "/" + "y" * 300, "/" + "z/" * 3000, "a\0b", "\ud800", "\ud800\udc00", "\udfff\ud800"),
    *(
        "../../../../etc",
        "/proc/1/root/x",
        "/dev/zero",
        "/",
        ".",
        "~",
        "~nobody-of-this-name/x",
        "\ufeff",
        "\u202ea\u2066",
    ),
    *(
        "\x1b]52;c;eA==\x07",
        "\x9b31m",
        "line\nline\r",
        "²",
        "٣",
        "9" * 30,
        "9" * 5000,
        "1e999",
        "NaN",
        "**",
        "[",
        "{",
        "\\",
    ),
]
"""Replacements for any value: other types, huge and impossible numbers and times, unusual texts and paths."""

_TOKENS = [
    *(
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b"1e999",
        b"-0",
        b"1e-999",
        b"9" * 5000,
        b"0" * 5000,
        b"0x1f",
        b"1_000",
        b"01",
        b"+1",
    ),
    *(
        b"null",
        b"true",
        b'"\\ud800"',
        b'"\\u0000"',
        b'"\\uD83D"',
        b'"\\x"',
        b"'a'",
        b"{}",
        b"[]",
        b"// a",
        b"#",
        b"undefined",
    ),
]
"""Replacements for a number or text in the bytes of a file."""
_DOUBLES = [*_TOKENS[:3], b"{}", b"[]", b'"x"', b"-1"]
_VALUE = re.compile(rb'-?\d[\d.eE+-]*|"[^"\\\n]{0,200}"|true|false|null')
_BAD = [
    b"\xff",
    b"\xc3",
    b"\xe2\x82",
    b"\xf0\x9f\x98",
    b"\xed\xa0\x80",
    b"\xc0\x80",
    b"\xf5\x80\x80\x80",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
]
"""Bytes that are not UTF-8, or a byte order mark."""


def damage_value(value: Any, dice: random.Random) -> Any:
    """Returns the same value with one part, chosen at random, replaced, removed or doubled."""
    if isinstance(value, dict) and value and dice.random() < 0.85:
        key = dice.choice(list(value))
        kind = dice.random()
        if kind < 0.1:
            return {name: each for name, each in value.items() if name != key}
        if kind < 0.15:
            return {**value, dice.choice(["", "type", "²", "at", "pid", "\ud800", "k" * 300]): dice.choice(ODD)}
        if kind < 0.2:
            return {**value, key: value[dice.choice(list(value))]}
        return {**value, key: damage_value(value[key], dice)}
    if isinstance(value, list) and value and dice.random() < 0.7:
        at = dice.randrange(len(value))
        if dice.random() < 0.05:
            return value + value[at:] * dice.choice([1, 500])
        return [*value[:at], damage_value(value[at], dice), *value[at + 1 :]]
    return dice.choice(ODD)


def damage_bytes(data: bytes, dice: random.Random) -> bytes:
    """Returns the bytes of a file with one defect as from a crash, another program or another encoding."""
    start, end = sorted((dice.randrange(len(data) + 1), dice.randrange(len(data) + 1)))
    lines = data.split(b"\n")
    at = dice.randrange(len(lines))
    kinds: list[Callable[[], bytes]] = [
        lambda: data[:start],  # torn apart
        lambda: data[:start] + b"\0" * dice.choice([1, 40, 5000]) + data[start:],
        lambda: data[:start] + dice.choice(_BAD) + data[start:],
        lambda: data[:start] + dice.choice(_BAD) + data[end:],
        lambda: data.replace(b"\n", b"", dice.choice([1, -1])),  # fused
        lambda: b"\n".join(
            [*lines[:at], b"".join([lines[at][: len(lines[at]) // 2], *lines[at + 1 :][:1]]), *lines[at + 2 :]]
        ),
        lambda: data[:start] + data[end:],
        lambda: data[:start] + dice.choice([b"[", b'{"a":', b"[{"]) * dice.choice([10, 1100, 30_000]) + data[start:],
        lambda: data[start:] + data[:start],
        lambda: data.replace(b"\n", b"\r\n"),
        lambda: data.replace(b"\n", b"\r"),
        lambda: b"\xef\xbb\xbf" + data,
        lambda: data.decode("utf-8", "replace").encode(dice.choice(["utf-16", "latin-1", "cp037"]), "replace"),
        lambda: data * 2,
        lambda: b"\n".join(dice.sample(lines, len(lines))),
        lambda: _swap_token(data, dice),
        lambda: _swap_token(data, dice),
        lambda: _double_key(data, dice),
        lambda: b"",
    ]
    return dice.choice(kinds)()


def _swap_token(data: bytes, dice: random.Random) -> bytes:
    found = list(_VALUE.finditer(data[:200_000]))
    if not found:
        return data
    match = dice.choice(found)
    return data[: match.start()] + dice.choice(_TOKENS) + data[match.end() :]


def _double_key(data: bytes, dice: random.Random) -> bytes:
    """Writes a key of an object a second time, with another value: which of the two counts is up to the decoder."""
    found = list(re.finditer(rb'"[^"\\\n]{1,60}":', data[:200_000]))
    if not found:
        return data
    match = dice.choice(found)
    return data[: match.start()] + match[0] + dice.choice(_DOUBLES) + b"," + data[match.start() :]


def damage_lines(values: Sequence[Any], dice: random.Random) -> bytes:
    """Returns the values as lines of JSON, some of them damaged, as values or as bytes."""
    lines = []
    for value in values:
        changed = value
        for _ in range(dice.choice([0, 1, 1, 3])):
            changed = damage_value(changed, dice)
        lines.append(json.dumps(changed).encode())
    data = b"\n".join(lines) + b"\n"
    return damage_bytes(data, dice) if dice.random() < 0.4 else data


def damage_text(text: str, dice: random.Random) -> bytes:
    """Returns a text that is not JSON, with one to three defects."""
    data = text.encode()
    for _ in range(dice.choice([1, 1, 2, 3])):
        data = damage_bytes(data, dice)
    return data
