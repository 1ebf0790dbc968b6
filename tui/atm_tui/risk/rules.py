"""The kinds of dangers that need confirmation, and what the configuration adds or removes."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from atm_tui.risk.patterns import PatternError, compile_pattern

if TYPE_CHECKING:
    from regex import Pattern

DANGERS = {
    "delete": "deletes files",
    "overwrite": "empties or overwrites files",
    "download": "runs code that is not shown here: from the network, from a pipe or built by other code",
    "push": "rewrites shared history",
    "discard": "discards changes that git can't bring back",
    "outside": "writes outside the project",
    "credentials": "shows, sends or changes credentials",
    "root": "runs as another user, as root or with rights on the host",
    "users": "changes users or groups",
    "open": "changes who may read, write or run files",
    "disk": "changes disks, the kernel or the clock, or turns the machine off",
    "services": "stops or changes processes, services or containers",
    "network": "opens or changes network connections",
    "data": "changes or deletes what a database holds",
    "remote": "publishes, deploys, sends or changes something elsewhere",
    "task": "runs a task or script whose name says that it deletes or deploys",
    "settings": "changes what Claude Code, git, the shell or the system runs by itself",
    "answers": "could type or answer for you",
    "logs": "removes logs or history",
    "sandbox": "runs outside the sandbox",
    "wide": "allows far more than what is asked now",
    "mode": "switches to a mode that asks less, or no more",
    "hidden": "holds characters that a screen doesn't show",
    "alike": "mixes letters that look like others",
    "unread": "can't be read: too long, too nested, or not valid shell syntax",
}
"""The built-in list: the id by which the configuration removes an entry, and the words that are shown."""


class DangerError(Exception):
    """An entry of `dangers` in the configuration is invalid; the message names it and says what to do."""


class Rules(NamedTuple):
    """What is searched in addition to the built-in list, and what is not."""

    patterns: tuple["Pattern[str]", ...] = ()
    left_out: frozenset[str] = frozenset()


ALL = Rules()
"""The whole built-in list."""


def build_rules(entries: Iterable[str]) -> Rules:
    """Builds rules from the configuration: regular expressions, or "!id" to remove an entry of the built-in list.

    Raises DangerError.
    """
    patterns, left_out = [], set()
    for entry in entries:
        if entry.startswith("!"):
            if entry[1:] not in DANGERS:
                import difflib  # noqa: PLC0415

                close = difflib.get_close_matches(entry[1:], DANGERS, n=1)
                hint = f'did you mean "!{close[0]}"?' if close else f"there are: {', '.join(DANGERS)}."
                raise DangerError(f'"{entry}" leaves out nothing; {hint}')
            left_out.add(entry[1:])
            continue
        try:
            patterns.append(compile_pattern(entry))
        except PatternError as error:
            raise DangerError(f'"{entry}" is no regular expression: {error}. Correct it, or remove it.') from error
        if not entry:
            raise DangerError('"" fits everything. Remove it.')
    return Rules(tuple(patterns), frozenset(left_out))
