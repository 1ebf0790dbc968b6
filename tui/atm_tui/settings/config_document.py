"""Changes the text of a configuration: comments, order and spelling of everything else stay. Pure."""

import tomllib
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Array, Item

from atm_tui.model.key_path import KeyPath, format_key
from atm_tui.sources.toml_lines import find_lines


class DocumentError(ValueError):
    """A change can't be made; the message says why."""


def set_value(text: str, path: Sequence[str], value: str) -> str:
    """Returns the text with a key set. `value`: as TOML, whose spelling is kept. Raises DocumentError."""
    wanted, new = _load(text), _load(f"x = {value}")["x"]
    if isinstance(new, dict) and new and isinstance(old := _find(wanted, path), dict):
        return _change_table(text, path, old, new)
    _put(wanted, path, new)
    changed = _try(lambda: _insert_line(text, path, value))
    if changed is None or _load(changed) != wanted:
        changed = _try(lambda: _set_in_document(text, path, value))
    if changed is None or _load(changed) != wanted:
        raise DocumentError(f"{format_key(tuple(path))} can't be set by a program here: change it in the file")
    return changed


def _change_table(text: str, path: Sequence[str], old: dict[str, Any], new: dict[str, Any]) -> str:
    """Changes a table entry by entry, so that it stays where it is, with its comments."""
    for name, value in new.items():
        if old.get(name) != value:
            text = set_value(text, (*path, name), tomlkit.item(value).as_string())
    for name in old.keys() - new.keys():
        text = remove_value(text, (*path, name))
    return text


def remove_value(text: str, path: Sequence[str]) -> str:
    """Returns the text without a key, and without a table that has nothing else. Raises DocumentError."""
    wanted = _load(text)
    if _find(wanted, path) is None:
        return text
    _cut(wanted, path)
    changed = _try(lambda: _remove_from_document(text, path))
    if changed is None or _load(changed) != wanted:
        raise DocumentError(f"{format_key(tuple(path))} can't be removed by a program here: change it in the file")
    return changed


def find_value(text: str, path: Sequence[str]) -> Any:
    """Returns the value of a key in the text; None if it is not set. Raises DocumentError."""
    return _find(_load(text), path)


def _load(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError, OverflowError) as error:
        raise DocumentError(f"no valid TOML: {error}") from error


def _try(change: Any) -> str | None:
    try:
        return str(change())
    except (TOMLKitError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        return None  # tomlkit does not manage all that is allowed


def _set_in_document(text: str, path: Sequence[str], value: str) -> str:
    document = tomlkit.parse(text)
    parent: Any = document
    for name in path[:-1]:
        if name not in parent:
            parent[name] = tomlkit.table()
        parent = parent[name]
    new, old = tomlkit.value(value), parent.get(path[-1])
    if isinstance(old, Array) and isinstance(new, Array) and old.unwrap() and new.unwrap():
        _change_array(old, new)
    else:
        parent[path[-1]] = new
    return tomlkit.dumps(document)


def _change_array(old: Array, new: Array) -> None:
    """Changes an array entry by entry, so that comments in it stay."""
    before, after = [repr(each) for each in old.unwrap()], [repr(each) for each in new.unwrap()]
    items: list[Item] = list(new)
    for kind, begin, end, start, stop in reversed(SequenceMatcher(None, before, after, autojunk=False).get_opcodes()):
        if kind == "equal":
            continue
        shared = min(end - begin, stop - start)
        for number in range(end - 1, begin + shared - 1, -1):
            del old[number]
        for number in range(shared):
            old[begin + number] = items[start + number]
        for number in range(shared, stop - start):
            old.insert(begin + number, items[start + number])


def _insert_line(text: str, path: Sequence[str], value: str) -> str:
    """Inserts a new key of the top level before the first table, as a line of its own."""
    if len(path) != 1 or path[0] in _load(text):
        raise ValueError(path)
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.replace("\r\n", "\n").split("\n")
    tables = [line for found, line in find_lines("\n".join(lines)).items() if _is_table(lines[line - 1], found)]
    if not tables and lines[-1]:
        lines.append("")
    at = min(tables, default=len(lines)) - 1
    if tables:  # above the comment of the table, and after the last key
        while at and lines[at - 1].lstrip().startswith("#"):
            at -= 1
        while at and not lines[at - 1].strip():
            at -= 1
        if lines[at].strip():
            lines.insert(at, "")
    return end.join([*lines[:at], f"{format_key(tuple(path))} = {value}", *lines[at:]])


def _is_table(line: str, path: KeyPath) -> bool:
    return bool(path) and line.lstrip().startswith("[")


def _remove_from_document(text: str, path: Sequence[str]) -> str:
    document = tomlkit.parse(text)
    parents: list[Any] = [document]
    for name in path[:-1]:
        parents.append(parents[-1][name])
    del parents[-1][path[-1]]
    for parent, owner, name in zip(parents[:0:-1], parents[-2::-1], path[-2::-1], strict=True):
        if not parent:
            del owner[name]
    return tomlkit.dumps(document)


def _find(data: Any, path: Sequence[str]) -> Any:
    for name in path:
        if not isinstance(data, dict) or name not in data:
            return None
        data = data[name]
    return data


def _put(data: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for number, name in enumerate(path[:-1]):
        inner = data.setdefault(name, {})
        if not isinstance(inner, dict):
            raise DocumentError(f"{format_key(tuple(path[: number + 1]))} is no table")
        data = inner
    data[path[-1]] = value


def _cut(data: dict[str, Any], path: Sequence[str]) -> None:
    parents = [data]
    for name in path[:-1]:
        parents.append(parents[-1][name])
    del parents[-1][path[-1]]
    for number in range(len(path) - 1, 0, -1):
        if not parents[number]:
            del parents[number - 1][path[number - 1]]
