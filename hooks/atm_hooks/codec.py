"""JSON functions that are cheap to import: the C scanner and encoder without the `json` package, which pulls in re and enum.

Falls back to `json` where the C parts are missing or differ. Files are written in ASCII, so that no character can be
cut in two.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Object = dict[str, Any]
else:
    Object = dict  # a JSON object. `typing` is not imported: it would slow down every hook

try:
    from _json import encode_basestring, encode_basestring_ascii, make_encoder, make_scanner

    _namespace: type = type(sys.implementation)  # SimpleNamespace: making a class would take longer
    _context = _namespace(
        strict=False,
        memo={},
        object_hook=None,
        object_pairs_hook=None,
        parse_float=float,
        parse_int=int,
        parse_constant=float,
    )
    _scan = make_scanner(_context)  # any object with these names will do

    def decode(given: str) -> object:
        """Returns the value of a JSON text. Raises ValueError or RecursionError for anything else."""
        try:
            value, end = _scan(given, _find_start(given))
        except (StopIteration, SystemError):  # JSONDecodeError is part of the package
            raise ValueError("no JSON") from None
        if given[end:].strip():
            raise ValueError("more than one value")  # noqa: TRY301
        return value

    def _find_start(given: str) -> int:
        at = 1 if given.startswith("\ufeff") else 0
        while at < len(given) and given[at] in " \t\r\n":
            at += 1
        return at

    def _refuse_type(value: object) -> object:
        raise ValueError(f"no JSON type: {type(value).__name__}")  # noqa: TRY301

    _plain = make_encoder(None, _refuse_type, encode_basestring_ascii, None, ":", ",", False, False, False)
    _sorted = make_encoder(None, _refuse_type, encode_basestring_ascii, None, ":", ",", True, False, True)

    _readable = make_encoder(None, _refuse_type, encode_basestring, None, ": ", ", ", False, False, False)

    def encode(value: object) -> str:
        """Returns compact ASCII JSON. Raises ValueError for a value that JSON can't express."""
        return "".join(_plain(value, 0))

    def encode_sorted(value: object) -> str:
        """Returns the same with sorted keys, so that equal values give equal texts."""
        return "".join(_sorted(value, 0))

    def encode_readable(value: object) -> str:
        """Returns JSON for people and models: with blanks, and each character as itself. Raises ValueError."""
        return "".join(_readable(value, 0))

    if decode('{"a":[1.5,"\\u00e9"]}') != {"a": [1.5, "é"]} or encode({"a": [1.5, "é"]}) != '{"a":[1.5,"\\u00e9"]}':
        raise ImportError("the C parts of json behave differently here")  # noqa: TRY301
except Exception:
    import json

    def decode(given: str) -> object:
        """Returns the value of a JSON text. Raises ValueError or RecursionError for anything else."""
        return json.loads(given.removeprefix("\ufeff"), strict=False)

    def encode(value: object) -> str:
        """Returns compact ASCII JSON. Raises ValueError for a value that JSON can't express."""
        return json.dumps(value, separators=(",", ":"), allow_nan=False)

    def encode_sorted(value: object) -> str:
        """Returns the same with sorted keys, so that equal values give equal texts."""
        return json.dumps(value, separators=(",", ":"), sort_keys=True)

    def encode_readable(value: object) -> str:
        """Returns JSON for people and models: with blanks, and each character as itself. Raises ValueError."""
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
