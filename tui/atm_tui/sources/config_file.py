"""Reads the configuration: all that is wrong in it at once, and what can be used of it."""

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, cast, get_args, get_origin, get_type_hints

import msgspec

from atm_hooks.regular_file import read_regular
from atm_tui.config import Config, ConfigError, ConfigProblem
from atm_tui.model.decoding import convert, explain_mismatch
from atm_tui.model.key_path import KeyPath, format_key
from atm_tui.text import suggest_name

MAX_SIZE = 1 << 20
"""Largest size of a configuration file in bytes."""
_MOST_FAULTS = 20
"""Number of lines that are no TOML after which the others are not looked at."""
_PLACE = r" \(at (?:line (\d+), column (\d+)|end of document)\)$"
_STEP = r"\[(\d+)\]|([^.\[\]]+)"
"""A part of a dotted key."""
_CAUTIOUS = Config(read_only=True)
"""What holds where a file can't be read: without `read_only`, more could be done than its user allowed."""
_MISSING: Any = object()


class ConfigReading(msgspec.Struct, frozen=True, kw_only=True):
    """What a file says."""

    config: Config = Config()
    """What can be used of it."""
    problems: tuple[ConfigProblem, ...] = ()
    """What can't, in the order of the file."""
    data: Mapping[str, Any] = {}
    """Its values as they are there, without lines that are no TOML."""
    text: str | None = None
    """Its text; None: there is no file, or it can't be read."""

    def locate(self, problem: ConfigProblem) -> ConfigProblem:
        """Returns a problem with the line of its key."""
        path = tuple(int(number) if number else name for number, name in re.findall(_STEP, problem.key))
        return msgspec.structs.replace(problem, line=self.find_line(*path))

    def find_line(self, *path: str | int) -> int:
        """Returns the line at which a key is set; 0 if it is not."""
        if self.text is None or path[0] not in self.data:
            return 0
        from atm_tui.sources.toml_lines import find_line, find_lines  # noqa: PLC0415

        return find_line(find_lines(_drop_faults(self.text)[0]), path)


def read_config(path: Path) -> Config:
    """Reads the configuration in `path`; without a file, everything has its default. Raises ConfigError with all problems."""
    reading = examine_config(path)
    if reading.problems:
        raise ConfigError(str(path), reading.problems)
    return reading.config


def examine_config(path: Path, last: Config | None = None) -> ConfigReading:
    """Reads the configuration in `path`, whatever is in it.

    `last`: what held before, and still does for each key that is wrong now. Without it, such a key has its default, and of a
    list or table what is right remains.
    """
    try:
        text = read_regular(str(path), MAX_SIZE).decode("utf-8")
    except FileNotFoundError:
        return ConfigReading()
    except OSError as error:
        problem = ConfigProblem(text=f"can't be read: {error.strerror}")
        return ConfigReading(config=last or _CAUTIOUS, problems=(problem,))
    except UnicodeDecodeError as error:
        problem = ConfigProblem(text=f"is not UTF-8: {error.reason} at byte {error.start}. Save it as UTF-8.")
        return ConfigReading(config=last or _CAUTIOUS, problems=(problem,))
    return examine_text(text, last)


def examine_text(text: str, last: Config | None = None) -> ConfigReading:
    """As examine_config, for the text of a file."""
    text = text.replace("\r\n", "\n")
    good, data, problems = _drop_faults(text)
    if data is None:
        return ConfigReading(config=last or _CAUTIOUS, problems=tuple(problems), text=text)
    if not problems and (config := _convert_whole(data)) is not None:
        return ConfigReading(config=config, data=data, text=text)
    found = _Values(last, last if problems and last else Config())
    found.take(data)
    from atm_tui.sources.toml_lines import find_line, find_lines  # noqa: PLC0415  rarely is something wrong

    lines = find_lines(good)
    problems += [
        ConfigProblem(text=words, key=format_key(path), line=find_line(lines, path)) for path, words in found.problems
    ]
    dropped = [line for line, kept in zip(text.split("\n"), good.split("\n"), strict=True) if line != kept]
    is_doubtful = not found.is_known("read_only") or any(line.lstrip().startswith("read_only") for line in dropped)
    if last is None and is_doubtful:
        found.good["read_only"] = True
    ordered = sorted(problems, key=lambda each: each.line)
    return ConfigReading(config=found.make_config(), problems=tuple(ordered), data=data, text=text)


def _convert_whole(data: Mapping[str, Any]) -> Config | None:
    """Returns the configuration if nothing is wrong, else None. Much quicker than to look at each value."""
    kinds = find_kinds(data)
    if not data.keys() <= kinds.keys():
        return None
    try:
        config = convert(data, Config)
        if "commands" in data:
            config = msgspec.structs.replace(config, commands=convert(data["commands"], kinds["commands"]))
    except msgspec.ValidationError:
        return None
    from atm_tui.sources.config_checks import CHECKS  # noqa: PLC0415  not without a file

    return config if all(next(check(config), None) is None for check in CHECKS) else None


def find_kinds(data: Mapping[str, Any] = {}) -> dict[str, Any]:
    """Returns the type of each key; that of `commands` in full only where `data` has some, since it takes long to load."""
    kinds = get_type_hints(Config, include_extras=True)
    if data.get("commands"):
        from atm_tui.model.custom_command import CustomCommand  # noqa: PLC0415

        kinds["commands"] = tuple[CustomCommand, ...]
    return kinds


def _drop_faults(text: str) -> tuple[str, dict[str, Any] | None, list[ConfigProblem]]:
    """Returns the text without lines that are no TOML, its values, and what is wrong in those lines.

    The heading of a table goes with all that belongs to it. The values are None if the rest can't be told apart.
    """
    import tomllib  # noqa: PLC0415  most users have no file

    lines = text.split("\n")
    problems: list[ConfigProblem] = []
    last = 0
    while True:
        try:
            good = "\n".join(lines)
            return good, tomllib.loads(good), problems
        except RecursionError:
            return "", None, [*problems, ConfigProblem(text="nested too deep")]
        except (ValueError, OverflowError) as error:  # no TOML, or a number with too many digits
            words = str(error)
        found = re.search(_PLACE, words)
        line = int(found[1]) if found and found[1] else 0
        column = f" (column {found[2]})" if found and found[1] else ""
        words = f"not TOML: {re.sub(_PLACE, '', words)}{column}"
        if line <= last and problems:
            return "", None, problems
        problems.append(ConfigProblem(text=words if line else f"{words} at the end of the file", line=line))
        if not line or len(problems) >= _MOST_FAULTS:
            return "", None, problems
        last = line
        is_heading = lines[line - 1].lstrip().startswith("[")
        lines[line - 1] = ""
        for number in range(line, len(lines)) if is_heading else ():
            if lines[number].lstrip().startswith("["):
                break
            lines[number] = ""


class _Values:
    """Takes the values of a file one by one, so that one that is wrong hides no other."""

    def __init__(self, last: Config | None, base: Config) -> None:
        """`base`: what holds for keys that are not there: if some lines can't be read, they may be in those."""
        self.problems: list[tuple[KeyPath, str]] = []
        self.good: dict[str, Any] = {}
        self._last = last
        self._base = base
        self._positions: dict[str, list[int]] = {}
        """By key of a list: where its entries that can be checked are in the file."""
        self._partial: list[KeyPath] = []
        """Tables of which only a part is right. They are checked, so that one fault hides no other, and then dropped."""

    def take(self, data: Mapping[str, Any]) -> None:
        kinds = find_kinds(data)
        taken: dict[str, Any] = {}
        for key, value in data.items():
            if key not in kinds:
                self.problems.append(((key,), f"unknown key{suggest_name(key, kinds, 'keys')}"))
                continue
            before = len(self.problems)
            found = self._take_value(value, kinds[key], (key,))
            if found is not _MISSING and (found or len(self.problems) == before):
                taken[key] = found
        wrong = {str(path[0]): list[KeyPath]() for path, _ in self.problems if path[0] in kinds}
        for path in self._partial:
            wrong[str(path[0])].append(self._shift(path)[1:])
        for path, text in self._check(taken, data):
            wrong.setdefault(str(path[0]), []).append(path[1:])
            self.problems.append((self._shift(path, back=True), text))
        self.good = {key: value for key, value in taken.items() if key not in wrong}
        for key, paths in wrong.items():
            value = taken.get(key, _MISSING)
            self._keep(key, _drop_entries(value, paths) if paths else value)

    def _check(self, taken: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[tuple[KeyPath, str]]:
        """Yields what types don't express. Of a table that is right in part, only what is wrong with a value that is there."""
        from atm_tui.sources.config_checks import CHECKS  # noqa: PLC0415

        config = msgspec.structs.replace(self._base, **taken)
        for path, text in (each for check in CHECKS for each in check(config)):
            in_file = self._shift(path, back=True)
            is_partial = any(in_file[: len(each)] == each for each in self._partial)
            if path[0] in data and (not is_partial or (in_file not in self._partial and _is_given(data, in_file))):
                yield path, text

    def _shift(self, path: KeyPath, *, back: bool = False) -> KeyPath:
        """Returns a path of the file as one of the values that were taken; `back`: the other way round."""
        positions = self._positions.get(str(path[0]), [])
        if len(path) < 2 or not isinstance(path[1], int) or not positions:
            return path
        if back:
            return (path[0], positions[path[1]], *path[2:]) if path[1] < len(positions) else path
        return (path[0], positions.index(path[1]), *path[2:])

    def is_known(self, key: str) -> bool:
        """Whether no problem is about a key."""
        return all(path[0] != key for path, _ in self.problems)

    def make_config(self) -> Config:
        return msgspec.structs.replace(self._base, **self.good)

    def _keep(self, key: str, value: Any) -> None:
        """Keeps the last good value of a key that is wrong, else what is right of it."""
        if self._last is not None:
            self.good[key] = getattr(self._last, key)
        elif value is not _MISSING and value:
            self.good[key] = value

    def _take_value(self, value: Any, kind: Any, path: KeyPath) -> Any:
        """Returns a value as one of its type, without what is wrong in it; _MISSING if nothing remains."""
        plain = get_args(kind)[0] if get_origin(kind) is Annotated else kind
        parts = get_args(plain)
        if get_origin(plain) is tuple and parts[1:] == (Ellipsis,) and isinstance(value, list):
            taken = [self._take_value(each, parts[0], (*path, number)) for number, each in enumerate(value)]
            if len(path) == 1:
                self._positions[str(path[0])] = [number for number, each in enumerate(taken) if each is not _MISSING]
            return tuple(each for each in taken if each is not _MISSING)
        if get_origin(plain) is tuple and isinstance(value, list) and len(value) == len(parts):
            taken = [self._take_value(each, parts[number], (*path, number)) for number, each in enumerate(value)]
            return _MISSING if _MISSING in taken else tuple(taken)
        if get_origin(plain) is dict and isinstance(value, dict):
            entries = {name: self._take_value(each, parts[1], (*path, name)) for name, each in value.items()}
            return {name: each for name, each in entries.items() if each is not _MISSING}
        if isinstance(plain, type) and issubclass(plain, msgspec.Struct) and isinstance(value, dict):
            return self._take_struct(value, plain, path)
        if isinstance(plain, type) and issubclass(plain, Enum) and isinstance(value, str):
            known = [str(each.value) for each in plain]
            if value not in known:
                self.problems.append((path, f'unknown value "{value}"{suggest_name(value, known, "values")}'))
                return _MISSING
        try:
            return convert(value, cast("type[object]", kind))
        except msgspec.ValidationError as error:
            text, inside = explain_mismatch(error)
            self.problems.append(((*path, *inside), text))
            return _MISSING

    def _take_struct(self, value: dict[str, Any], kind: type[msgspec.Struct], path: KeyPath) -> Any:
        fields = {each.encode_name: each for each in msgspec.structs.fields(kind)}
        before, entries = len(self.problems), {}
        for name, each in value.items():
            if name not in fields:
                self.problems.append(((*path, name), f"unknown key{suggest_name(name, fields, 'keys')}"))
            else:
                entries[name] = self._take_value(each, fields[name].type, (*path, name))
        for name, field in fields.items():
            if field.required and name not in value:
                self.problems.append((path, f"lacks the key {name}"))
        if len(self.problems) == before:
            return convert(value, kind)
        right = {name: value[name] for name, each in entries.items() if each is not _MISSING}
        if any(field.required and name not in right for name, field in fields.items()):
            return _MISSING
        self._partial.append(path)
        return convert(right, kind)


def _is_given(data: Any, path: KeyPath) -> bool:
    """Whether a file has a value at this place."""
    for part in path:
        try:
            data = data[part]
        except (LookupError, TypeError):
            return False
    return True


def _drop_entries(value: Any, paths: list[KeyPath]) -> Any:
    """Returns a list or table without the entries at these places; _MISSING for what has none."""
    if not all(paths):
        return _MISSING
    if isinstance(value, tuple):
        return tuple(each for number, each in enumerate(value) if number not in {path[0] for path in paths})
    if not isinstance(value, dict):
        return _MISSING
    kept = dict(value)
    for name in {path[0] for path in paths}:
        inner = [path[1:] for path in paths if path[0] == name]
        is_divided = name in ("models", "region_factors")
        rest = _drop_entries(kept[name], [path[:1] for path in inner]) if is_divided else _MISSING
        kept.pop(name)
        if rest is not _MISSING:
            kept[name] = rest
    return kept
