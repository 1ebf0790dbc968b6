"""The user's own programs: which pager and which editor to open a file with."""

import shlex
import shutil
from collections.abc import Callable

from atm_tui import paths

Command = tuple[str, ...]
"""A program and its arguments; no shell reads them."""
Choice = Callable[[str], Command]
"""From what is to be opened to the command that does it."""


class MissingProgramError(Exception):
    """There is no such program; the text says which variable names one."""


def pager(path: str) -> Command:
    """What shows a file: $PAGER, else less or more. Raises MissingProgramError."""
    return (*_program(("PAGER",), ("less", "more")), path)


def editor(folder: str) -> Command:
    """What edits a folder: $VISUAL or $EDITOR, else vi or nano. Raises MissingProgramError."""
    return (*_program(("VISUAL", "EDITOR"), ("vi", "nano")), folder)


def _program(variables: tuple[str, ...], others: tuple[str, ...]) -> Command:
    """The command in the first variable that is set, which may hold options; without one, the first program that is there."""
    name = variables[-1]
    for variable in variables:
        given = paths.environment(variable)
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
