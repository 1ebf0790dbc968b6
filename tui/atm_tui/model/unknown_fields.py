"""Fields that a newer atm-tui sends and we don't know: found, kept, and passed on. Pure."""

from typing import Any

import msgspec

LARGEST = 1 << 14
"""Bytes of unknown fields that are kept of one line; more of them are dropped."""


def find_unknown(raw: Any, value: Any) -> Any:
    """Returns the fields of `raw` (as decoded from JSON) that the struct decoded from it has not; None when it has all.

    Those of a struct in a list are found under their place in the list, as a text.
    """
    if isinstance(value, msgspec.Struct):
        if not isinstance(raw, dict):
            return None
        fields = {each.encode_name: each.name for each in msgspec.structs.fields(value)}
        found = {key: given for key, given in raw.items() if key not in fields}
        inside = {key: getattr(value, fields[key]) for key in raw if key in fields}
        return found | _find_inside(raw, inside) or None
    if isinstance(value, tuple | list) and isinstance(raw, list):
        pairs = {str(place): each for place, each in enumerate(value)}
        return _find_inside(dict(zip(pairs, raw, strict=False)), pairs) or None
    if isinstance(value, dict) and isinstance(raw, dict):
        return _find_inside(raw, {key: each for key, each in value.items() if key in raw}) or None
    return None


def _find_inside(raw: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    found = {
        key: find_unknown(raw[key], value)
        for key, value in values.items()
        if isinstance(value, msgspec.Struct | tuple | list | dict)
    }
    return {key: each for key, each in found.items() if each is not None}


def read_unknown(line: bytes, value: msgspec.Struct) -> dict[str, Any]:
    """Returns the unknown fields of a line from which a struct was decoded, as far as they are kept."""
    if msgspec.json.encode(value) == line:  # as most are: this is much cheaper than to look for what is missing
        return {}
    try:
        found = find_unknown(msgspec.json.decode(line), value)
    except (ValueError, RecursionError):  # what the typed decoder skipped is damaged, or too deep
        return {}
    return found if found and len(msgspec.json.encode(found)) <= LARGEST else {}


def add_unknown(plain: Any, unknown: Any) -> Any:
    """Returns plain values with the unknown fields where they were; what we know under a name stays."""
    if isinstance(plain, dict) and isinstance(unknown, dict):
        return plain | {key: add_unknown(plain[key], each) if key in plain else each for key, each in unknown.items()}
    if isinstance(plain, list | tuple) and isinstance(unknown, dict):
        return [add_unknown(each, unknown.get(str(place))) for place, each in enumerate(plain)]
    return plain
