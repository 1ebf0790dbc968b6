"""Makes commands of the app from those of the configuration, and finds keys that are taken."""

import re
from collections.abc import Sequence
from string import ascii_letters

from atm_tui.config import Config, ConfigProblem
from atm_tui.keys.names import KeyNameError, read_key
from atm_tui.keys.table import CommandKeys, KeysError
from atm_tui.model.custom_command import CustomCommand, find_obstacle
from atm_tui.view.command import Command, Selection
from atm_tui.view.dialog_commands import DIALOGS

GROUP = "custom"
_ELSEWHERE = frozenset({"peek", "request", "usage", "conversation", *DIALOGS})
"""The groups whose keys work on other screens only."""


def make_custom_commands(given: Sequence[CustomCommand], every: Sequence[Command]) -> tuple[Command, ...]:
    """Returns the commands. `every`: those of the app. None of `given` may have a key of theirs: see `find_taken_keys`."""
    made: list[Command] = []
    for number, custom in enumerate(given):
        made.append(_make_command(_choose_id(custom.title, [*every, *made], number), read_key(custom.key), custom))
    return tuple(made)


def find_taken_keys(given: Sequence[CustomCommand], every: Sequence[Command]) -> dict[int, str]:
    """Returns, by the position of a command, why it can't have its key: it is none, or that of a command of the app.

    `every`: those of the app, with their current keys.
    """
    taken: dict[str, Command] = {}
    for command in every:
        for key in command.keys if command.group not in _ELSEWHERE else ():
            taken.setdefault(key.split()[0], command)  # of a chord: its first key
    found, keys = {}, {}
    for number, custom in enumerate(given):
        try:
            keys[number] = read_key(custom.key)
        except KeyNameError as error:
            found[number] = str(error)
    free = ", ".join(letter for letter in ascii_letters if letter not in taken and letter not in keys.values())
    for number, key in keys.items():
        if (owner := taken.get(key)) is not None:
            found[number] = f'"{given[number].key}" is the key of "{owner.id}" ({owner.help}); free letters: {free}'
    return found


def find_key_problems(config: Config, keys: CommandKeys | None = None) -> list[ConfigProblem]:
    """Returns what is wrong with the keys of a configuration: unknown ones, and those that two commands have in one place.

    `keys`: they become those of the configuration, unless these are wrong.
    """
    keys, problems = keys or CommandKeys(), list[ConfigProblem]()
    try:
        keys.use(config.keys)
    except KeysError as error:
        problems = [ConfigProblem(key=key, text=text) for key, text in error.problems]
    taken = find_taken_keys(config.commands, keys.commands) if config.commands else {}
    return problems + [ConfigProblem(key=f"commands[{number}].key", text=text) for number, text in taken.items()]


def _choose_id(title: str, others: Sequence[Command], number: int) -> str:
    """Returns the id by which a command can be typed: its title, unless another command has it."""
    name = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")
    return name if name and all(each.id != name for each in others) else f"own_{number}"


def _make_command(command_id: str, key: str, custom: CustomCommand) -> Command:
    def find_reason(at: Selection) -> str | None:
        return find_obstacle(custom, at.session)

    text = custom.help or " ".join(custom.run)
    return Command(command_id, (key,), custom.title, text, GROUP, True, find_reason, views=True)
