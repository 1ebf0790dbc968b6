"""Finds the files that a command writes, empties, moves or removes. Pure."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

from atm_tui.risk.calls import Call
from atm_tui.risk.places import VALUABLE, is_expendable, is_throwaway
from atm_tui.risk.shell import Redirect, ShellCommand
from atm_tui.risk.tables import read_names

NAMES_ONLY = read_names("ls ll stat test [ [[ du which unset exa eza find mkdir")
"""Programs that show names of files but not their content."""
_EMPTY = frozenset({"", ":", "true", "echo", "printf", "cat", "false", "yes"})


def destroys_target(command: ShellCommand, calls: list[Call], redirect: Redirect) -> bool:
    """Whether a redirection destroys content that a person wrote. `calls`: those of the command."""
    plain = _strip_wrappers(command, calls)
    return not redirect.appends and (
        (_empties(plain) and not is_expendable(redirect.path))
        or _overwrites(plain, redirect.path)
        or _reads_what_it_writes(command, redirect.path)
    )


def copies_example(words: list[str]) -> bool:
    """Returns whether a command creates `.env` from its example."""
    return (
        len(words) == 3
        and words[0] in ("cp", "mv")
        and bool(re.search(r"\.env\.(?:example|sample|template|dist)$", words[1]))
    )


def _strip_wrappers(command: ShellCommand, calls: list[Call]) -> ShellCommand:
    """Returns the command without wrappers before `echo` and similar programs."""
    if len(calls) > 1 and calls[-1].program in _EMPTY:
        return replace(command, words=[calls[-1].program, *calls[-1].args])
    return command


def _empties(command: ShellCommand) -> bool:
    """Returns whether the output of a command is empty."""
    words = [word for word in command.words[1:] if word not in ("-n", "-e", "")]
    if command.program == "cat":
        return (words == ["/dev/null"] and command.body is None) or (
            not words and command.body is not None and not command.body.strip()
        )
    if command.program == "head":
        return bool({"-c0", "-n0"} & set(words)) or any(
            pair in (("-c", "0"), ("-n", "0")) for pair in itertools.pairwise(command.words)
        )
    if command.program == "" and (command.source is not None or command.reads or command.body is not None):
        return False
    return command.program in _EMPTY - {"", "cat", "yes"} and not words and not command.inner


def _reads_what_it_writes(command: ShellCommand, path: str) -> bool:
    """Returns whether the shell empties a file before the command, or an earlier one in its pipe, reads it."""
    each: ShellCommand | None = command
    while each is not None:
        if each.program not in NAMES_ONLY | {"echo", "printf", ""} and path in (*each.words[1:], *each.reads):
            return True
        each = each.source
    return False


def _overwrites(command: ShellCommand, path: str) -> bool:
    """Returns whether a command overwrites a person's file; not by a here-document, whose text the request shows whole."""
    prints = command.program in ("echo", "printf", "yes") or (
        command.program == "cat" and command.source is None and command.body is None
    )
    return prints and bool(VALUABLE.search(path)) and not is_throwaway(path)


_WRITERS = {
    **dict.fromkeys(("unlink", "tee", "rm", "touch", "truncate", "mkdir", "rmdir", "mv", "shred", "srm"), "all"),
    **dict.fromkeys(("chmod", "chown", "chgrp"), "but first"),
    **dict.fromkeys(("cp", "ln", "install", "rsync", "gcp", "ditto"), "last"),
}
"""By program, which of its arguments (without options) are written."""
_OUTPUTS = {
    "curl": ("-o", "--output", "--output-dir"),
    "wget": ("-O", "-P", "--output-document", "--directory-prefix"),
    "tar": ("-C", "--directory"),
    "unzip": ("-d",),
    "sort": ("-o", "--output"),
    "git": ("--output",),
    "openssl": ("-out",),
    "pg_dump": ("-f", "--file"),
    "patch": ("-o", "-d"),
}


def find_targets(call: Call) -> Iterator[str]:
    """Yields the files that a call certainly writes, moves or removes."""
    names = call.names
    if call.program in ("chmod", "chown", "chgrp") and names and call.args[0].startswith("-") and len(names) == 1:
        names = ("", *names)  # a mode such as `-x` is taken for an option
    which = _WRITERS.get(call.program)
    if which == "all":
        yield from names
    elif which == "but first":
        yield from names[1:]
    elif which == "last":
        yield from (names[-1:] if len(names) > 1 else ())
        yield from call.list_values("-t", "--target-directory") if call.program in ("cp", "ln", "install") else ()
    elif call.program in ("sed", "gsed", "perl"):
        if any(re.match(r"-\w*i|--in-place", word) for word in call.args):
            yield from names[1:] if not call.has("-e", "-f", "--expression") else names
    elif call.program in _OUTPUTS:
        wanted = _OUTPUTS[call.program]
        yield from (after for word, after in itertools.pairwise(call.args) if word in wanted)
        yield from (
            word.partition("=")[2]
            for word in call.args
            if word.startswith(tuple(f"{each}=" for each in wanted if each.startswith("--")))
        )
    elif call.program == "dd":
        yield from (word[3:] for word in call.args if word.startswith("of="))
