"""The version of the files in the state folder, so that an older app leaves a newer folder alone.

The file `schema` in the state folder holds the number of the newest version that has used it; without the file, it is 1.
"""

import os
from pathlib import Path

from atm_hooks.regular_file import read_regular
from atm_tui.sources.exists import exists
from atm_tui.sources.new_file import write_new_file

SCHEMA = 1
"""The version of the state files, and of the app's own, that this app reads and writes."""
NAME = "schema"


def read_schema(state_dir: Path) -> int:
    """Returns the version of a state folder, 1 where nothing says another."""
    try:
        return int(read_regular(str(state_dir / NAME), 64))
    except (OSError, ValueError):
        return 1


def is_newer(state_dir: Path) -> bool:
    """Whether a newer version has used the state folder: then nothing of the app's may be changed in it."""
    return read_schema(state_dir) > SCHEMA


def describe_newer(state_dir: Path) -> str:
    """Describes a folder of a newer version, in words."""
    return (
        f"{state_dir} is of a newer atm-tui (schema {read_schema(state_dir)}, this one knows {SCHEMA}): "
        "it is shown as far as it can be read, and nothing in it is changed"
    )


def write_schema(state_dir: Path) -> None:
    """Notes this version in the state folder, unless the same or a newer one is there. Raises OSError."""
    path = state_dir / NAME
    if not exists(path) or read_schema(state_dir) < SCHEMA:
        temporary = path.with_suffix(f".{os.getpid()}")
        write_new_file(str(temporary), f"{SCHEMA}\n".encode())
        temporary.replace(path)
