"""Loads pathlib, msgspec and asyncio without slow imports that no command needs.

While they are loaded, stand-ins replace those imports; later imports of such a module get the real one.
If a version of Python or msgspec needs more of a module than its stand-in has, everything is loaded in the usual way.
"""

import sys
from types import ModuleType


def load_pathlib() -> None:
    """Loads pathlib without urllib, of which it needs only one function, for `Path.as_uri`."""
    if "pathlib" in sys.modules:
        return
    hidden = _hide({"urllib": {"__path__": []}, "urllib.parse": {"quote_from_bytes": _quote_from_bytes}})
    try:
        import pathlib  # noqa: F401
    except (ImportError, AttributeError):  # imported again where it is needed
        pass
    finally:
        _show(hidden)


def load_msgspec() -> None:
    """Loads msgspec without features that no command uses: values of the types Decimal and UUID, JSON schemas, `inspect`.

    It prefers three names from typing_extensions to those from typing; since Python 3.11 they behave the same here.
    """
    if "msgspec" in sys.modules:
        return
    hidden = _hide(
        {
            "typing_extensions": None,
            "decimal": {"Decimal": type("Decimal", (), {})},
            "uuid": {"UUID": type("UUID", (), {}), "SafeUUID": type("SafeUUID", (), {"unknown": None})},
            "msgspec.inspect": {},
            "msgspec._json_schema": {"schema": None, "schema_components": None},
        }
    )
    try:
        import msgspec

        del msgspec.inspect, msgspec.json.schema, msgspec.json.schema_components
    except (ImportError, AttributeError):  # imported again where it is needed
        pass
    finally:
        _show(hidden)


def load_asyncio() -> None:
    """Loads asyncio without ssl, which it uses if available: nothing here is encrypted."""
    hidden = _hide({"ssl": None})
    try:
        import asyncio  # noqa: F401
    finally:
        _show(hidden)


def _hide(names: dict[str, dict[str, object] | None]) -> list[str]:
    """Registers stand-ins with these attributes for modules that are not loaded (None: the import fails); returns their names."""
    hidden = [name for name in names if name not in sys.modules]
    for name in hidden:
        attributes = names[name]
        stand_in = ModuleType(name)
        vars(stand_in).update(attributes or {})
        sys.modules[name] = stand_in if attributes is not None else None  # type: ignore[assignment]
    return hidden


def _show(hidden: list[str]) -> None:
    for name in hidden:
        del sys.modules[name]


def _quote_from_bytes(path: bytes) -> str:
    from urllib.parse import quote_from_bytes

    return quote_from_bytes(path)
