"""Converts a working directory to the name of its folder under `projects/`, and back.

The client's rule: each UTF-16 unit other than a-z, A-Z and 0-9 becomes "-". A name of more than 200 characters is cut
there, and "-" and a hash of the directory follow. The client resolves links before, and normalizes nothing else.
"""

import os
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from atm_tui.sources.exists import is_folder, is_link

LONGEST = 200
"""Characters of a name before it is cut."""
_LONGEST_PATH = 4096
"""Largest length of a path."""
_MAX_LISTED = 20_000
"""Largest number of folders that are listed in a search."""
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def _split_utf16_units(text: str) -> list[int]:
    data = text.encode("utf-16-le", "surrogatepass")
    return [low | high << 8 for low, high in zip(data[::2], data[1::2], strict=True)]


def _replace_with_dashes(text: str) -> str:
    return re.sub("[^a-zA-Z0-9]", "-", re.sub("[\U00010000-\U0010ffff]", "--", text))  # the latter are two units


def _hash_directory(text: str) -> str:
    """Returns the client's hash: h = 31 * h + unit in signed 32 bits; its absolute value in base 36."""
    value = 0
    for unit in _split_utf16_units(text):
        value = (31 * value + unit) & 0xFFFFFFFF
    value = min(value, (1 << 32) - value)
    digits = ""
    while value or not digits:
        value, rest = divmod(value, 36)
        digits = _DIGITS[rest] + digits
    return digits


def encode_folder(cwd: str) -> str:
    """Returns the name under `projects/` of an absolute working directory without links."""
    name = _replace_with_dashes(cwd)
    return name if len(name) <= LONGEST else f"{name[:LONGEST]}-{_hash_directory(cwd)}"


def has_name(cwd: str, name: str) -> bool:
    """Whether `name` is the one under `projects/` for a working directory; in less time than `encode_folder` where it is not."""
    if len(cwd) > (
        len(name) if len(name) <= LONGEST else _LONGEST_PATH
    ):  # each character becomes at least one of the name
        return False
    return encode_folder(cwd) == name


def decode_folder(name: str, root: Path = Path("/"), current: Path | None = None) -> Path | None:
    """Returns the folder at or below `root` that has this name; None when there is none.

    Several can have the same name, like `a-b` and `a/b`: `current` is preferred, then at each level the longest match.
    Links are not followed, since the client resolves them. At most 20,000 folders are listed.
    """
    if current is not None and encode_folder(str(current)) == name and is_folder(current):
        return current
    return next(_find_below(name, root, [_MAX_LISTED]), None)


def _find_below(name: str, folder: Path, left: list[int]) -> Iterator[Path]:
    """Yields all folders with the name, best first. `left` counts down the folders that may still be listed."""
    if encode_folder(str(folder)) == name:
        yield folder
    encoded = _replace_with_dashes(str(folder))
    stem = name if len(name) <= LONGEST else name[:LONGEST]
    if len(encoded) >= LONGEST:
        if len(name) > LONGEST and encoded.startswith(stem):
            yield from _find_by_hash(name, folder, left)
        return
    start = encoded if encoded == "-" else encoded + "-"
    if not stem.startswith(start[:LONGEST]):
        return
    inside = _list_names(folder, stem[len(start) :], left)
    for child in sorted(inside, key=lambda child: (-len(_replace_with_dashes(child)), child)):
        path = folder / child
        whole = _replace_with_dashes(str(path))
        if (stem == whole[:LONGEST] or stem.startswith(whole + "-")) and _is_folder(path):
            yield from _find_below(name, path, left)


def _find_by_hash(name: str, folder: Path, left: list[int]) -> Iterator[Path]:
    """Yields the folders below with the same hash, for names that were cut; nearer ones first."""
    waiting = deque([folder])
    while waiting:
        top = waiting.popleft()
        for child in sorted(_list_names(top, "", left)):
            path = top / child
            if _is_folder(path):
                if encode_folder(str(path)) == name:
                    yield path
                waiting.append(path)


def _list_names(folder: Path, rest: str, left: list[int]) -> list[str]:
    """Returns the names in a folder; if it can be entered but not listed, the names with which `rest` can begin."""
    if left[0] <= 0:
        return []
    left[0] -= 1
    try:
        return os.listdir(folder)  # noqa: PTH208
    except PermissionError:
        parts = rest.split("-")
        return ["-".join(parts[:end]) for end in range(1, len(parts) + 1) if parts[0]]
    except (OSError, ValueError):
        return []


def _is_folder(path: Path) -> bool:
    return is_folder(path) and not is_link(path)
