"""Writes the keys of the configuration: values as TOML, where they come from, what is possible. Pure."""

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Annotated, Any, get_args, get_origin

import msgspec

from atm_tui.config import CHOICES, MEANINGS, Config, ConfigProblem
from atm_tui.model.key_path import format_key
from atm_tui.sources.config_file import find_kinds
from atm_tui.sources.followed_config import FollowedConfig

_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_SEE = re.compile(rf"[,;] see {_LINK.pattern}")


class ConfigRow(msgspec.Struct, frozen=True, kw_only=True):
    """A key as it is shown to a person."""

    key: str
    value: str
    """As TOML, on one line."""
    default: str
    origin: str
    """Where the value comes from: default, the file and line, an option, or a choice in the app."""
    line: int
    """The line of the file that sets it; 0: none does."""
    problem: str
    """Why the value of the file does not hold; empty: it does."""


def list_rows(
    followed: FollowedConfig, theme: str | None = None, problems: Sequence[ConfigProblem] | None = None
) -> list[ConfigRow]:
    """Returns a row for each key. `theme`: the theme that was chosen in the app, if one was. `problems`: all that is wrong, if
    that is more than the file says by itself.
    """
    reading, config = followed.reading, followed.config
    problems = reading.problems if problems is None else problems
    rows = []
    for key in MEANINGS:
        line = reading.find_line(key)
        wrong = [each for each in problems if each.key.startswith(key) and each.key[len(key) :][:1] in ("", ".", "[")]
        value: Any = getattr(config, key)
        origin = f"{followed.path.name}:{line}" if line else "default"
        if wrong:
            origin = "last good" if value != getattr(Config(), key) else "default"
        if key in followed.overrides:
            origin = followed.overrides[key][1]
        if key == "theme" and theme not in (None, value):
            value, origin = theme, "chosen in the app"
        rows.append(
            ConfigRow(
                key=key,
                value=format_value(value),
                default=format_value(getattr(Config(), key)),
                origin=origin,
                line=line,
                problem="; ".join(each.text if each.key == key else f"{each.key}: {each.text}" for each in wrong),
            )
        )
    return rows


def format_value(value: Any) -> str:
    """Returns a value as TOML, on one line."""
    plain = msgspec.to_builtins(value)
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, str):
        return _quote(plain)
    if isinstance(plain, list | tuple):
        return f"[{', '.join(format_value(each) for each in plain)}]"
    if isinstance(plain, Mapping):
        entries = ", ".join(f"{format_key((str(name),))} = {format_value(each)}" for name, each in plain.items())
        return f"{{{entries}}}"
    if isinstance(plain, float) and plain.is_integer():
        return str(int(plain))
    return str(plain)


def _quote(text: str) -> str:
    escaped = msgspec.json.encode(text).decode().replace("\x7f", "\\u007f")
    literal = "\\" in text and "'" not in text and text.isprintable()
    return f"'{text}'" if literal else escaped


def write_as_toml(key: tuple[str, ...], given: str) -> str:
    """Returns a value as TOML: a text may come without quotes, and an entry without its list."""
    import tomllib  # noqa: PLC0415  only a change needs it

    try:
        value = tomllib.loads(f"x = {given}")["x"]
    except (ValueError, RecursionError):
        value, given = given, format_value(given)
    if len(key) > 1:
        return given
    name = key[0]
    if is_list(name) and not isinstance(value, list):
        return f"[{given if isinstance(value, str) or not is_text(name) else format_value(given)}]"
    if is_text(name) and not isinstance(value, str | list):
        return format_value(given)
    return given


def describe_kind(key: str) -> str:
    """Returns in a few words what the values of a key are."""
    return _describe(find_kinds()[key], CHOICES.get(key))


def list_choices(key: str) -> tuple[str, ...]:
    """Returns the values of a key, or of the entries of its list; empty if they can't be listed."""
    kind = _strip(find_kinds()[key])
    if get_origin(kind) is tuple:
        kind = get_args(kind)[0]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return tuple(str(each.value) for each in kind)
    return CHOICES.get(key, ())


def is_list(key: str) -> bool:
    """Whether the values of a key are lists of any length."""
    return get_args(_strip(find_kinds()[key]))[1:] == (Ellipsis,)


def is_text(key: str) -> bool:
    """Whether the values of a key, or the entries of its list, are texts."""
    kind = _strip(find_kinds()[key])
    part = get_args(kind)[0] if is_list(key) else kind
    return isinstance(part, type) and issubclass(part, str)


def is_table(key: str) -> bool:
    """Whether the values of a key are tables of tables, or lists of tables: those are changed in an editor."""
    kind = _strip(find_kinds()[key])
    inner = get_args(kind)[0] if is_list(key) else get_args(kind)[1] if get_origin(kind) is dict else kind
    inner = _strip(inner)
    return inner is Any or get_origin(inner) is dict or (isinstance(inner, type) and issubclass(inner, msgspec.Struct))


def _strip(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _describe(kind: Any, known: tuple[str, ...] | None) -> str:
    plain = _strip(kind)
    parts = get_args(plain)
    if known is None and isinstance(plain, type) and issubclass(plain, Enum):
        known = tuple(str(each.value) for each in plain)
    if get_origin(plain) is tuple:
        if parts[1:] == (Ellipsis,):
            inner = _describe(parts[0], known)
            if parts[0] is Any or inner == "a table":
                return "tables"
            return f"a list: each {inner}" if inner.startswith("a ") else f"a list of: {inner}"
        return f"a list of {len(parts)}: each {_describe(parts[0], None)}"
    if known:
        return ", ".join(known)
    if plain is bool:
        return "true or false"
    if plain in (int, float):
        word = "a number" if plain is float else "a whole number"
        least, most = _find_bounds(kind)
        if least is None:
            return word
        return f"{word} from {least:g} to {most:g}" if most is not None else f"{word} from {least:g} on"
    return "a text" if plain is str else "a table"


def _find_bounds(kind: Any) -> tuple[float | None, float | None]:
    for each in get_args(kind)[1:]:
        if isinstance(each, msgspec.Meta):
            return each.ge, each.le
    return None, None


def strip_markdown(meaning: str) -> str:
    """Returns a text of the documentation without backticks, links, and words that only say where they lead."""
    return _LINK.sub(r"\1", _SEE.sub("", meaning)).replace("`", "")


def list_config_rows() -> list[str]:
    """Returns the rows of the documentation's table, in Markdown: key, default as TOML, meaning."""
    return [f"| `{key}` | `{format_value(getattr(Config(), key))}` | {MEANINGS[key]} |" for key in MEANINGS]


def write_template() -> str:
    """Returns the text of a new file: every key with its default, as a comment."""
    lines = ["# The configuration of atm-tui. `atm-tui config --check` checks it. Each key here has its default.", ""]
    for key in MEANINGS:
        if not is_table(key):
            lines += [f"# {MEANINGS[key]}", f"# {key} = {format_value(getattr(Config(), key))}", ""]
    return "\n".join(lines)
