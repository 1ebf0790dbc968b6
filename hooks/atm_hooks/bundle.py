"""Puts the bytecode of the modules that an entry point needs into one file: reading it takes far less than importing a dozen.

The installer writes the files for its copy, with the Python that will run it. hook.py and statusline.py load the modules in
this order (bundle_loader.py); without the file, or with a damaged one, they import them as usual.
"""

import marshal
import os
import sys
from importlib.util import find_spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType

_SHARED = (
    *("codec", "turns", "updates", "threads", "derive", "fold_threads", "fold_tools", "fold", "statefile"),
    *("regular_file", "stdin", "journal", "secret_signs", "payload"),
)
MODULES = {
    "hook": (*_SHARED, "hook_command"),
    "statusline": (
        *(*_SHARED, "sample", "statusline_command"),
        *("line_text", "agent_signs", "line", "line_settings"),
    ),
}
"""The modules that each entry point always needs. Each imports only modules before it, and some of the standard library."""
ON_DEMAND = {
    "hook": ("derive_agents", "redact", "proc", "panes", "notifier"),
    "statusline": ("derive_agents", "redact", "branch"),
}
"""The modules that an entry point needs sometimes: decoded when imported."""
LIBRARIES = ("gc", "_json", "fcntl")
"""Extension modules of the standard library that are always needed."""
LIBRARIES_ON_DEMAND = ("_blake2",)


def build_bundle(entry: str, folder: str, final: str) -> bytes:
    """Returns what the loader needs for an entry point ("hook" or "statusline"), as of files in `final`, without docstrings.

    Modules that the folder lacks are left out, and imported as usual. Raises OSError or SyntaxError.
    """

    def compile_all(names: tuple[str, ...]) -> "list[tuple[str, str, CodeType]]":
        return [
            (f"atm_hooks.{name}".removesuffix(".__init__"), f"{final}/{name}.py", compile_module(folder, name))
            for name in names
            if os.access(f"{folder}/{name}.py", os.F_OK)
        ]

    libraries = tuple((name, path) for name in LIBRARIES if (path := _find_library(name)) is not None)
    modules = tuple(compile_all(("__init__", *MODULES[entry])))
    on_demand = {name: (path, marshal.dumps(code)) for name, path, code in compile_all(ON_DEMAND[entry])}
    on_demand |= {name: (path, b"") for name in LIBRARIES_ON_DEMAND if (path := _find_library(name))}
    return marshal.dumps((compile_module(folder, "bundle_loader"), (libraries, modules, on_demand)))


def compile_module(folder: str, name: str) -> "CodeType":
    """Returns the bytecode of a module, without docstrings. Raises OSError or SyntaxError."""
    with open(f"{folder}/{name}.py", "rb") as file:
        return compile(file.read(), f"{name}.py", "exec", dont_inherit=True, optimize=2)


def _find_library(name: str) -> str | None:
    """Returns the file of an extension module, "" when it is built in, None when it is missing or something else."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        return None
    return "" if spec.origin == "built-in" else spec.origin if spec.origin.endswith(".so") else None


def locate_bundle(folder: str, entry: str = "hook") -> str:
    """Returns the path of the bundle of an entry point in a copy of the package, for this process's Python."""
    return f"{folder}/{entry}.py.{sys.implementation.cache_tag}"


def write_bundles(folder: str, final: str) -> None:
    """Writes the bundles of a package in a folder, which will be moved to `final`. Raises as above."""
    for entry in MODULES:
        with open(locate_bundle(folder, entry), "wb") as file:
            file.write(build_bundle(entry, folder, final))
