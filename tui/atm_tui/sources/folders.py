"""Names of the client's folders under `projects/`: how it makes one of a working directory, and how to read one back.

The rule, as the client follows it: every UTF-16 unit outside a-z A-Z 0-9 becomes "-"; a result of more than 200
characters is cut there, and "-" and a hash of the directory follow. Nothing is normalised, links are resolved before.
"""

import string
from collections import deque
from collections.abc import Iterator
from pathlib import Path

LONGEST = 200
"""Characters of a name that are kept as they are."""
_LOOKS = 20_000
"""Folders that are listed at most to find one."""
_KEPT = frozenset(string.ascii_letters + string.digits)
_DIGITS = string.digits + string.ascii_lowercase


def _to_utf16_units(text: str) -> list[int]:
    data = text.encode("utf-16-le", "surrogatepass")
    return [low | high << 8 for low, high in zip(data[::2], data[1::2], strict=True)]


def _replace_with_dashes(text: str) -> str:
    return "".join(chr(unit) if chr(unit) in _KEPT else "-" for unit in _to_utf16_units(text))


def _hash_directory(text: str) -> str:
    """The client's hash: h = 31 h + unit in signed 32 bits, its absolute value in base 36."""
    value = 0
    for unit in _to_utf16_units(text):
        value = (31 * value + unit) & 0xFFFFFFFF
    value = min(value, (1 << 32) - value)
    digits = ""
    while value or not digits:
        value, rest = divmod(value, 36)
        digits = _DIGITS[rest] + digits
    return digits


def encode_folder(cwd: str) -> str:
    """The name under `projects/` of an absolute working directory without links in it."""
    name = _replace_with_dashes(cwd)
    return name if len(name) <= LONGEST else f"{name[:LONGEST]}-{_hash_directory(cwd)}"


def decode_folder(name: str, root: Path = Path("/"), current: Path | None = None) -> Path | None:
    """A folder below `root` (itself included) that has this name; None when there is none any more.

    Several can have it, `a-b` and `a/b`: the `current` folder is taken first, then at each level the longest match.
    Links are not followed, for the client resolves them. Looks at no more than 20,000 folders.
    """
    if current is not None and encode_folder(str(current)) == name and current.is_dir():
        return current
    return next(_find_below(name, root, [_LOOKS]), None)


def _find_below(name: str, folder: Path, left: list[int]) -> Iterator[Path]:
    """All that have the name, best first. `left` counts down the looks."""
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
    """Beyond the cut only the hash tells: every folder below, the nearer ones first."""
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
    """What is in a folder; where it may be entered but not listed, the names that `rest` spells without a guess."""
    if left[0] <= 0:
        return []
    left[0] -= 1
    try:
        return [each.name for each in folder.iterdir()]
    except PermissionError:
        parts = rest.split("-")
        return ["-".join(parts[:end]) for end in range(1, len(parts) + 1) if parts[0]]
    except OSError:
        return []


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir() and not path.is_symlink()
    except OSError:
        return False
