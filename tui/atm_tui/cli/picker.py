"""Lets a person choose a session from a numbered list on the terminal; typed text filters it."""

import shutil
from collections.abc import Callable, Sequence

import msgspec

from atm_tui.cli.output import write_lines
from atm_tui.cli.terminal import ask
from atm_tui.text import cut_width, fit_width

_PAGE = 15
SEARCHED = 300
"""Largest number of sessions searched for a text, since the transcript of each has to be read."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """A session as shown in the list."""

    key: str
    name: str
    when: str
    where: str

    @property
    def line(self) -> str:
        """The line without its number."""
        return f"{self.key[:8]}  {fit_width(self.when, 9)}  {fit_width(self.name or '–', 40)}  {self.where}"


def pick(keys: Sequence[str], choice: Callable[[str], Choice | None]) -> str | None:
    """Returns the key that a person chooses among the given ones (newest first); None if cancelled. `choice`: None for one that is
    not offered.

    Text filters the list to lines with all of its words; a number chooses; Enter alone, or the end of the input, cancels.
    """
    known: dict[str, Choice | None] = {}
    words: list[str] = []
    while True:
        shown: list[Choice] = []
        for key in keys[:SEARCHED]:
            if not words and len(shown) == _PAGE:
                break
            if key not in known:
                known[key] = choice(key)
            each = known[key]
            if each and all(word in f"{each.key} {each.name} {each.where}".casefold() for word in words):
                shown.append(each)
        _show(shown[:_PAGE], len(shown))
        line = ask("Number, or text to search for (Enter cancels): ")
        if not line:
            return None
        if line.isdecimal() and 0 < int(line) <= min(len(shown), _PAGE):
            return shown[int(line) - 1].key
        words = line.casefold().split()


def _show(choices: Sequence[Choice], found: int) -> None:
    width = shutil.get_terminal_size().columns
    lines = [cut_width(f"{number:3}  {each.line}", width) for number, each in enumerate(choices, 1)]
    if found > len(choices):
        lines.append(f"     and {found - len(choices)} more")
    write_lines(lines or ["     nothing matches"])
