"""Reads what is typed into the command line, completes it, and says what is wrong with it."""

import difflib
from collections.abc import Callable, Container, Mapping, Sequence
from typing import TypeVar

import msgspec

from atm_tui.view.command import Command

T = TypeVar("T")
Arguments = Mapping[str, Sequence[str]]
"""By the id of a command: the words that it takes."""


class Typed(msgspec.Struct, frozen=True):
    """A command line that can run."""

    command: Command
    argument: str = ""


class Completion(msgspec.Struct, frozen=True):
    """A way to complete the line."""

    text: str
    """The whole line."""
    meaning: str = ""


class CommandLineError(ValueError):
    """The line can't run; the message says why, and names the nearest command."""


def parse_line(text: str, commands: Sequence[Command], arguments: Arguments, answers: Container[str] = ()) -> Typed:
    """Returns the command of a line: `board`, `theme nord`. The first letters are enough while only one command has them.

    `answers`: the ids of commands that can't be typed, since they answer a request. Raises CommandLineError.
    """
    word, _, argument = text.strip().removeprefix(":").strip().partition(" ")
    if word in answers:
        raise CommandLineError("answers are given by their key, while the request is in view")
    command = _find_command(word, commands)
    argument = argument.strip()
    if not argument:
        return Typed(command)
    if command.id not in arguments:
        raise CommandLineError(f"{command.id} takes no argument")
    known = arguments[command.id]
    if known:
        argument = _find_name(argument, known, command.id)
    return Typed(command, argument)


def _find_command(word: str, commands: Sequence[Command]) -> Command:
    by_id = {each.id: each for each in commands}
    word = word.replace("-", "_")
    if word in by_id:
        return by_id[word]
    return by_id[_find_name(word, list(by_id), "")]


def _find_name(word: str, known: Sequence[str], of: str) -> str:
    """Returns the known name that a word is, or alone begins with it. Raises CommandLineError. `of`: whose argument it is."""
    if word in known:
        return word
    begun = [each for each in known if each.startswith(word)]
    if len(begun) == 1:
        return begun[0]
    if begun:
        raise CommandLineError(f'"{word}" could be {", ".join(begun[:6])}{", …" if len(begun) > 6 else ""}')
    where = f"{of}: " if of else ""
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.4)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise CommandLineError(f'{where}no {"such name" if of else "command"} "{word}"{hint}')


def complete_line(text: str, commands: Sequence[Command], arguments: Arguments) -> list[Completion]:
    """Returns the lines that begin with a text: commands by id, after a blank the words that the command takes.

    Commands whose id contains the text come after those whose id begins with it.
    """
    typed = text.lstrip().removeprefix(":").lstrip()
    word, blank, argument = typed.partition(" ")
    word = word.replace("-", "_")
    if blank:
        command = next((each for each in commands if each.id == word), None)
        if command is None:
            return []
        fits = _sort_matches(argument.strip(), arguments.get(word, ()), lambda each: each)
        return [Completion(f"{word} {each}") for each in fits]
    found = _sort_matches(word, commands, lambda each: each.id)
    return [Completion(each.id, each.help) for each in found]


def _sort_matches(word: str, every: Sequence[T], name: Callable[[T], str]) -> list[T]:
    begun = [each for each in every if name(each).startswith(word)]
    return begun + [each for each in every if word in name(each) and each not in begun]


def find_common_start(completions: Sequence[Completion], text: str) -> str:
    """Returns the longest text with which all completions begin that begin with `text`; `text` if there is no longer one."""
    begun = [each.text for each in completions if each.text.startswith(text)]
    if not begun:
        return completions[0].text if len(completions) == 1 else text
    first, last = min(begun), max(begun)
    same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:same]
