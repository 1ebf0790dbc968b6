"""Folds what repeats in a unified diff of a JSON file: our hooks look the same at most events."""

import re

_OPENED = re.compile(r'[+-] *"(?P<name>[^"]+)": (?P<bracket>[\[{])')
"""A changed line with which a list or table begins."""
_ENDS = {"[": "]", "{": "}"}
_FOLDED = 3
"""Least number of lines that are folded."""


def fold_alike(lines: list[str]) -> list[str]:
    """Returns a diff in which an added or removed list or table with the same lines as one above only names that one."""
    result: list[str] = []
    shown: dict[tuple[str, ...], str] = {}
    at = 0
    while at < len(lines):
        found = _OPENED.fullmatch(lines[at])
        end = _find_end(lines, at, found["bracket"]) if found else 0
        if found and end - at > _FOLDED:
            name = shown.setdefault(tuple(lines[at + 1 : end]), found["name"])
            if name != found["name"]:
                result.append(f"{lines[at]} as {name} {lines[end].lstrip('+- ')}")
                at = end + 1
                continue
        result.append(lines[at])
        at += 1
    return result


def _find_end(lines: list[str], start: int, opened: str) -> int:
    """Returns the line that ends what begins in a line; 0 if another kind of line comes first."""
    margin = lines[start][: lines[start].index('"')]
    for at in range(start + 1, len(lines)):
        if lines[at].rstrip(",") == margin + _ENDS[opened]:
            return at
        if not lines[at].startswith(margin[0]):
            break
    return 0
