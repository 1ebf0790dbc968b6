"""Finds the user's own programs: pager and editor."""

import shlex
import shutil
from collections.abc import Callable

from atm_tui import paths
from atm_tui.jump.values import Command

CommandFor = Callable[[str], Command]
"""Makes the command that opens a path."""


class MissingProgramError(Exception):
    """The program is not installed; the message says which variable can name one."""


def make_pager_command(path: str) -> Command:
    """Makes the command that shows a file: $PAGER, else less or more. Raises MissingProgramError."""
    return (*_find_program(("PAGER",), ("less", "more")), path)


def make_editor_command(folder: str) -> Command:
    """Makes the command that opens a folder: $VISUAL or $EDITOR, else vi or nano. Raises MissingProgramError."""
    return (*_find_program(("VISUAL", "EDITOR"), ("vi", "nano")), folder)


def _find_program(variables: tuple[str, ...], others: tuple[str, ...]) -> Command:
    """Returns the command in the first variable that is set, with its options, else the first of `others` that is installed."""
    name = variables[-1]
    for variable in variables:
        given = paths.read_variable(variable)
        if given is None:
            continue
        try:
            words = tuple(shlex.split(given))
        except ValueError as error:
            raise MissingProgramError(f"${variable} can't be read: {error}") from error
        if words and shutil.which(words[0]):
            return words
        if words:
            raise MissingProgramError(f"${variable} names {words[0]}, which is not on the PATH")
    found = next((each for each in others if shutil.which(each)), None)
    if found is None:
        raise MissingProgramError(f"neither {' nor '.join(others)} is on the PATH; ${name} can name another")
    return (found,)
