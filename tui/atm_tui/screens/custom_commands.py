"""Makes commands of the app from those of the configuration, and finds keys that are taken."""

from collections.abc import Sequence
from string import ascii_letters

from textual.keys import _character_to_key

from atm_tui import commands
from atm_tui.model.custom_command import CustomCommand, CustomCommandError, find_obstacle
from atm_tui.view.command import Command, Selection

GROUP = "custom"
_ELSEWHERE = frozenset({"peek", "request", "usage"})
"""The groups whose keys work on other screens only."""


def make_custom_commands(given: Sequence[CustomCommand]) -> tuple[Command, ...]:
    """Returns the commands. Raises CustomCommandError, which names the command that already has the key."""
    if not given:
        return ()
    taken: dict[str, Command] = {}
    for command in commands.COMMANDS:
        for key in command.keys if command.group not in _ELSEWHERE else ():
            taken.setdefault(key, command)
    made = []
    for number, custom in enumerate(given):
        key = _name_key(custom.key)
        if (owner := taken.get(key)) is not None:
            free = ", ".join(letter for letter in ascii_letters if letter not in taken)
            raise CustomCommandError(
                f'commands[{number}].key: "{custom.key}" is the key of "{owner.title}" ({owner.help}); free letters: {free}'
            )
        made.append(_make_command(number, key, custom))
        taken[key] = made[-1]
    return tuple(made)


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
