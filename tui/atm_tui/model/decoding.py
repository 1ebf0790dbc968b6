"""Decodes data into typed values. All typed decoding goes through here, one thread at a time where a type is new.

msgspec looks through a type when it first meets it. Two threads that do so at the same time crash the interpreter.
"""

from _thread import allocate_lock
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_lock = allocate_lock()
_known: set[Any] = set()


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
