"""Loads pathlib, msgspec, asyncio and Textual without slow imports that no command needs, or few do.

A module that few commands need is replaced by one that loads it when something of it is used. Modules that none needs have
stand-ins while the others are loaded; later imports of such a module get the real one. If a version of Python, msgspec or Textual
needs more of a module than its stand-in has, everything is loaded in the usual way.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import sleep
from types import ModuleType


class LateModule(ModuleType):
    """A module that is loaded when something of it is used that is not known yet."""

    def __init__(self, name: str, load: Callable[[], ModuleType], known: Mapping[str, object]) -> None:
        super().__init__(name)
        vars(self).update(known)
        vars(self).update(_load=load, _is_late=True)

    def __getattr__(self, name: str) -> object:
        if name == "__path__" and self.__name__ != "re":  # asked for by each `from … import`, and only packages have it
            raise AttributeError(name)
        found: object = getattr(load_late(self), name)
        return found


def load_late(late: ModuleType) -> ModuleType:
    """Loads the module that a LateModule stands for, and returns it. May be called by several threads at once."""
    own, name = vars(late), late.__name__
    if own.pop("_is_late", False) and sys.modules.get(name) is late:  # true in one thread only
        del sys.modules[name]
    while sys.modules.get(name) is late:  # that thread is about to remove it
        sleep(0)
    module: ModuleType = own["_load"]()
    own.update(vars(module))
    return module


def load_pathlib() -> None:
    """Loads pathlib without what it needs for few functions: urllib for `Path.as_uri`, re for patterns and on Windows."""
    if "pathlib" in sys.modules:
        return
    known = {**_find_regex_types(), "compile": _compile_regex}
    for name, load in _LATE.items():
        sys.modules.setdefault(name, LateModule(name, load, known if name == "re" else {}))
    hidden = _hide({"urllib": {"__path__": []}, "urllib.parse": {"quote_from_bytes": _quote_from_bytes}})
    try:
        import pathlib  # noqa: F401
    except (ImportError, AttributeError):  # imported again where it is needed
        pass
    finally:
        _show(hidden)


def load_msgspec() -> None:
    """Loads msgspec without features that no command uses: values of the types Decimal and UUID, JSON schemas,
    `inspect`, TOML and YAML.

    It prefers three names from typing_extensions to those from typing; since Python 3.11 they behave the same here.
    """
    if "msgspec" in sys.modules:
        return
    sys.modules.setdefault("datetime", LateModule("datetime", _load_datetime, _find_date_types()))
    hidden = _hide(
        {
            "typing_extensions": None,
            "decimal": {"Decimal": type("Decimal", (), {})},
            "uuid": {"UUID": type("UUID", (), {}), "SafeUUID": type("SafeUUID", (), {"unknown": None})},
            "__future__": {"annotations": None},  # what it does, it does when a module is compiled
            "msgspec.inspect": {},
            "msgspec.toml": {},
            "msgspec.yaml": {},
            "msgspec._json_schema": {"schema": None, "schema_components": None},
        }
    )
    try:
        import msgspec

        del msgspec.inspect, msgspec.toml, msgspec.yaml, msgspec.json.schema, msgspec.json.schema_components
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


@contextmanager
def without_palette() -> Iterator[None]:
    """Lets Textual's app be loaded without its command palette, with all of its widgets, which ours loads when it is opened
    first, and without what downloads and notifications need.
    """
    late: dict[str, tuple[Callable[[], ModuleType], dict[str, object]]] = {
        "uuid": (_load_uuid, {"uuid4": _make_uuid}),
        "mimetypes": (_load_mimetypes, {}),
        "platformdirs": (_load_platformdirs, {"user_downloads_path": _find_downloads}),
    }
    for name, (load, known) in late.items():
        sys.modules.setdefault(name, LateModule(name, load, known))
    hidden = _hide({"textual.command": {name: type(name, (), {}) for name in _PALETTE}})
    try:
        yield
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


def _find_loaded(name: str) -> ModuleType:
    """Returns a module, and loads it if a LateModule stands for it."""
    module = sys.modules[name]
    return load_late(module) if isinstance(module, LateModule) else module


def _compile_regex(pattern: str, flags: int = 0) -> object:
    return _find_loaded("re").compile(pattern, flags)


def _make_uuid() -> object:
    return _find_loaded("uuid").uuid4()


def _find_downloads() -> object:
    return _find_loaded("platformdirs").user_downloads_path()


def _find_regex_types() -> dict[str, object]:
    """Returns the types of patterns and matches, which typing needs; nothing if this Python makes them in another way."""
    try:
        import _sre  # type: ignore[import-not-found]

        pattern = _sre.compile("", 0, [1], 0, {}, ())
        return {"Pattern": type(pattern), "Match": type(pattern.match(""))}
    except (ImportError, AttributeError, TypeError, ValueError, RuntimeError):
        return {}


def _find_date_types() -> dict[str, object]:
    """Returns what datetime has from its part in C, and not the same again in Python, which Python 3.11 loads as well."""
    try:
        import _datetime  # type: ignore[import-not-found]
    except ImportError:
        return {}
    return {name: value for name, value in vars(_datetime).items() if not name.startswith("_")}


def _load_re() -> ModuleType:
    import re

    return re


def _load_fnmatch() -> ModuleType:
    import fnmatch

    return fnmatch


def _load_ntpath() -> ModuleType:
    import ntpath

    return ntpath


def _load_warnings() -> ModuleType:
    import warnings

    return warnings


def _load_datetime() -> ModuleType:
    import datetime

    return datetime


def _load_fcntl() -> ModuleType:
    import fcntl

    return fcntl


def _load_blake2() -> ModuleType:
    import _blake2

    return _blake2


def _load_fold() -> ModuleType:
    from atm_hooks import fold

    return fold


def _load_uuid() -> ModuleType:
    import uuid

    return uuid


def _load_mimetypes() -> ModuleType:
    import mimetypes

    return mimetypes


def _load_platformdirs() -> ModuleType:
    import platformdirs

    return platformdirs


_PALETTE = ("CommandListItem", "CommandPalette", "DiscoveryHit", "Hit", "Hits", "Provider", "SimpleProvider")
"""The names that Textual's app and themes import of its command palette."""
_LATE = {
    "re": _load_re,
    "fnmatch": _load_fnmatch,
    "ntpath": _load_ntpath,
    "warnings": _load_warnings,
    "fcntl": _load_fcntl,
    "_blake2": _load_blake2,
    "atm_hooks.fold": _load_fold,
}
"""Modules that other modules import, but that few commands use."""
