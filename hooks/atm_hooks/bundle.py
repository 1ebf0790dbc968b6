"""Puts the bytecode of the modules that each hook needs into one file: reading it takes far less than importing a dozen files.

The installer writes it for its copy, with the Python that will run it. hook.py loads the modules in this order; without the
file it imports them as usual.
"""

import marshal
import os
import sys

MODULES = (
    *(
        "codec",
        "turns",
        "updates",
        "derive",
        "fold_threads",
        "fold_tools",
        "fold",
        "statefile",
        "regular_file",
        "stdin",
        "journal",
    ),
    *("redact", "payload", "hook_command"),
)
"""Each imports only modules before it, and some of the standard library."""


def build_bundle(folder: str, final: str) -> bytes:
    """Returns the bytecode of the package and of MODULES, without docstrings, as files in `final`. Raises OSError or SyntaxError.

    Modules that the folder lacks are left out, and imported as usual.
    """
    parts = []
    for name in ("__init__", *MODULES):
        if not os.access(f"{folder}/{name}.py", os.F_OK):
            continue
        with open(f"{folder}/{name}.py", "rb") as file:
            code = compile(file.read(), f"{name}.py", "exec", dont_inherit=True, optimize=2)
        parts.append(("atm_hooks" if name == "__init__" else f"atm_hooks.{name}", f"{final}/{name}.py", code))
    return marshal.dumps(tuple(parts))


def write_bundle(folder: str, final: str) -> None:
    """Writes the bundle of a package in a folder, which will be moved to `final`, beside its bytecode. Raises as above."""
    with open(f"{folder}/__pycache__/bundle.{sys.implementation.cache_tag}", "wb") as file:
        file.write(build_bundle(folder, final))
