"""Makes commands of the app from those of the configuration, and finds keys that are taken."""

from collections.abc import Sequence
from string import ascii_letters

from textual.keys import _character_to_key

from atm_tui import commands
from atm_tui.model.custom_command import CustomCommand, find_obstacle
from atm_tui.view.command import Command, Selection

GROUP = "custom"
_ELSEWHERE = frozenset({"peek", "request", "usage", "conversation"})
"""The groups whose keys work on other screens only."""


def make_custom_commands(given: Sequence[CustomCommand]) -> tuple[Command, ...]:
    """Returns the commands. None of `given` may have a key of the app: see `find_taken_keys`."""
    return tuple(_make_command(number, _name_key(custom.key), custom) for number, custom in enumerate(given))


def find_taken_keys(given: Sequence[CustomCommand]) -> dict[int, str]:
    """Returns, by the position of a command whose key the app has itself, which of its commands that is, and free keys."""
    taken: dict[str, Command] = {}
    for command in commands.COMMANDS:
        for key in command.keys if command.group not in _ELSEWHERE else ():
            taken.setdefault(key, command)
    keys = [_name_key(each.key) for each in given]
    free = ", ".join(letter for letter in ascii_letters if letter not in taken and letter not in keys)
    found = {}
    for number, custom in enumerate(given):
        if (owner := taken.get(keys[number])) is not None:
            found[number] = f'"{custom.key}" is the key of "{owner.title}" ({owner.help}); free letters: {free}'
    return found


def _make_command(number: int, key: str, custom: CustomCommand) -> Command:
    def find_reason(at: Selection) -> str | None:
        return find_obstacle(custom, at.session)

    text = custom.help or " ".join(custom.run)
    return Command(f"custom-{number}", (key,), custom.title, text, GROUP, True, find_reason, views=True)


def _name_key(key: str) -> str:
    """Returns Textual's name of a key that the user wrote: "!" is exclamation_mark."""
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    return "+".join(
        [*(each.lower() for each in modifiers), _character_to_key(last) if len(last) == 1 else last.lower()]
    )
