"""Decodes data into typed values. All typed decoding goes through here, one thread at a time where a type is new.

msgspec looks through a type when it first meets it. Two threads that do so at the same time crash the interpreter.
"""

from _thread import allocate_lock
from typing import Any, TypeVar

import msgspec

from atm_tui.model.key_path import KeyPath, split_place

T = TypeVar("T")

_lock = allocate_lock()
_known: set[Any] = set()
_KINDS = {
    "float": "a number",
    "int": "a whole number",
    "bool": "true or false",
    "str": "a text",
    "array": "a list",
    "object": "a table",
    "date": "a day",
    "datetime": "a day with a time",
    "time": "a time",
}
"""What values are called, by msgspec's words."""


def prepare(kind: Any) -> None:
    """Lets msgspec look through a type, unless it has."""
    if kind not in _known:
        with _lock:
            msgspec.json.Decoder(kind)
            _known.add(kind)


def make_json_decoder(kind: type[T]) -> "msgspec.json.Decoder[T]":
    """Makes a decoder of JSON that yields values of a type."""
    prepare(kind)
    return msgspec.json.Decoder(kind)


def make_msgpack_decoder(kind: type[T]) -> "msgspec.msgpack.Decoder[T]":
    """Makes a decoder of MessagePack that yields values of a type."""
    prepare(kind)
    return msgspec.msgpack.Decoder(kind)


def decode_json(data: bytes | str, kind: type[T]) -> T:
    """Decodes JSON. Raises msgspec.ValidationError for values of another type, msgspec.DecodeError for no JSON."""
    prepare(kind)
    return msgspec.json.decode(data, type=kind)


def convert(value: Any, kind: type[T]) -> T:
    """Turns plain values into those of a type. Raises msgspec.ValidationError."""
    prepare(kind)
    return msgspec.convert(value, kind)


def _name_kinds(text: str) -> str:
    """Returns what values of these kinds are called, as "a text or a list" for "str | array"."""
    return " or ".join(_KINDS.get(each, each) for each in text.split(" | ") if each != "null" or text == "null")


def explain_mismatch(error: msgspec.ValidationError) -> tuple[str, KeyPath]:
    """Returns what was expected, in the words of a TOML file, and where in the value.

    "Expected `float` >= 0.0 - at `$.prices[0]`" is "expected a number of at least 0" and ("prices", 0).
    """
    import re  # noqa: PLC0415  only an error needs it

    text, _, place = str(error).partition(" - at `$")
    text = re.sub(r"`(\w+(?: \| \w+)*)`", lambda found: _name_kinds(found[1]), text)
    for sign, words in ((">=", "of at least"), ("<=", "of at most"), (">", "above"), ("<", "below")):
        text = text.replace(f" {sign} ", f" {words} ")
    for theirs, ours in (
        ("Expected ", "expected "),
        (", got ", ", not "),
        (" of length of ", " with a length of "),
        ("Object missing required field ", "lacks the key "),
        ("Invalid RFC3339 encoded date", "expected a day, as 2026-01-31"),
    ):
        text = text.replace(theirs, ours)
    return re.sub(r"(\d)\.0\b", r"\1", text), split_place(place.rstrip("`"))
