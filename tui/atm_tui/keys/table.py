"""The commands with the keys that the user gave them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any

from msgspec.structs import replace

from atm_tui import commands
from atm_tui.keys.conflicts import find_conflicts
from atm_tui.keys.names import KeyNameError, read_keys
from atm_tui.keys.presets import PRESET, PRESETS
from atm_tui.text import suggest_name
from atm_tui.view.command import Command, Disabled, Selection, format_key

UNBOUND = "none"
"""The first word of the name that stands for the key of a command without one; no terminal sends it."""

_NAMED = re.compile(r"<([a-z_]+)>")

Problem = tuple[str, str]
"""The dotted key of the configuration, and what is wrong with its value."""


class KeysError(ValueError):
    """`[keys]` can't be used; `problems` has all reasons."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(f"{key}: {text}" for key, text in problems))
        self.problems = tuple(problems)


class CommandKeys:
    """All commands, with their current keys. One for the app: whoever holds it sees a change at once."""

    def __init__(self, given: Mapping[str, Any] | None = None) -> None:
        """`given`: `[keys]` of the configuration. Raises KeysError."""
        self.commands: tuple[Command, ...] = commands.COMMANDS
        self._by_id: dict[str, Command] = {}
        self._given: Mapping[str, Any] = {}
        self._starts: frozenset[str] = frozenset()
        self.use(given or {})

    @classmethod
    def begin(cls, given: Mapping[str, Any]) -> "tuple[CommandKeys, str]":
        """Returns the keys of `[keys]` or, with all that is wrong with it, the default ones."""
        try:
            return cls(given), ""
        except KeysError as error:
            return cls(), str(error)

    def use(self, given: Mapping[str, Any]) -> None:
        """Gives the commands the keys of `[keys]`. Raises KeysError, and keeps the keys from before."""
        made = apply_keys(given)
        self.commands = tuple(replace(each, disabled=partial(self._explain, each.disabled)) for each in made)
        self._by_id = {each.id: each for each in self.commands}
        self._starts = frozenset(key.split()[0] for each in made for key in each.keys if " " in key)
        self._given = given

    def _explain(self, disabled: Disabled, at: Selection) -> str | None:
        reason = disabled(at)
        return None if reason is None else self.spell(reason)

    def find(self, command_id: str) -> Command:
        """Returns a command with its current keys. Raises KeyError when there is none."""
        return self._by_id[command_id]

    def list_keys(self, *command_ids: str) -> frozenset[str]:
        """Returns all keys of some commands."""
        return frozenset(key for each in command_ids for key in self.find(each).keys)

    @property
    def keys_by_id(self) -> dict[str, tuple[str, ...]]:
        """By id: the keys of each command; the first one is shown."""
        return {each.id: each.keys for each in self.commands}

    @property
    def chord_starts(self) -> frozenset[str]:
        """The first keys of all chords."""
        return self._starts

    def spell(self, text: str) -> str:
        """Returns a text with the keys of the commands that it names: "press <arm>" becomes "press A"."""
        return _NAMED.sub(lambda found: self.label(found[1]) or found[0], text) if "<" in text else text

    def label(self, command_id: str) -> str:
        """Returns the label of a command's key or, if it has none, how to type it; empty for an unknown command."""
        command = self._by_id.get(command_id)
        if command is None:
            return ""
        return format_key(command.keys[0], ascii_only=True) if command.keys else f":{command_id}"

    def write_keys(self, *command_ids: str, ascii_only: bool) -> list[tuple[str, str]]:
        """Returns label and title of some commands, for a line of keys; those without a key are left out."""
        found = [each for each in map(self.find, command_ids) if each.keys]
        return [(format_key(each.keys[0], ascii_only=ascii_only), each.title) for each in found]

    @property
    def keymap(self) -> dict[str, str]:
        """The keys by the ids of bindings, as Textual needs them; empty while all are the defaults.

        All commands are named: Textual drops the others that share a key with one that it moves.
        """
        if not self._given:
            return {}
        keymap: dict[str, str] = {}
        for each, default in zip(self.commands, commands.COMMANDS, strict=True):
            if each.by_key:
                ids = [f"{each.id}.{number}" for number in range(1, len(default.keys) + 1)]
                keymap |= dict(zip_longest(ids, each.keys, fillvalue=""))
            else:
                keymap[each.id] = ",".join(each.keys)
        return {binding_id: keys or f"{UNBOUND} {binding_id}" for binding_id, keys in keymap.items()}


def apply_keys(given: Mapping[str, Any]) -> tuple[Command, ...]:
    """Returns all commands with the keys of `[keys]`: those of its preset, then its own. Raises KeysError with all problems."""
    if not given:
        return commands.COMMANDS
    problems: list[Problem] = []
    keys: dict[str, tuple[str, ...]] = {}
    preset = given.get(PRESET)
    if preset is not None:
        if isinstance(preset, str) and preset in PRESETS:
            keys.update(PRESETS[preset][1])
        elif isinstance(preset, str):
            text = f'unknown preset "{preset}"{suggest_name(preset, PRESETS, "presets")}'
            problems.append((f"keys.{PRESET}", text))
        else:
            problems.append((f"keys.{PRESET}", f"expected one preset: {', '.join(PRESETS)}"))
    known = {each.id: each for each in commands.COMMANDS}
    for command_id, value in given.items():
        if command_id == PRESET:
            continue
        command = known.get(command_id)
        if command is None:
            problems.append((f"keys.{command_id}", f"unknown command{_suggest_command(command_id, known)}"))
        else:
            keys[command_id] = tuple(_read_value(f"keys.{command_id}", value, problems))
            most = len(command.keys)
            if command.by_key and len(keys[command_id]) > most:
                problems.append((f"keys.{command_id}", f"has {most} keys at most: the first is that of number 1"))
    made = tuple(replace(each, keys=keys[each.id]) if each.id in keys else each for each in commands.COMMANDS)
    problems += [(f"keys.{command_id}", text) for command_id, text in find_conflicts(made, keys)]
    if problems:
        raise KeysError(problems)
    return made


def _suggest_command(given: str, known: Iterable[str]) -> str:
    text = suggest_name(given, known, "commands")
    return text if "did you mean" in text else "; `:` in the app lists all"


def _read_value(where: str, value: object, problems: list[Problem]) -> Iterator[str]:
    """Yields the keys of a value: a text or a list of texts."""
    listed = value if isinstance(value, list | tuple) else [value]
    for each in listed:
        if not isinstance(each, str):
            problems.append((where, "expected a key, or a list of keys"))
            continue
        try:
            yield read_keys(each)
        except KeyNameError as error:
            problems.append((where, str(error)))
