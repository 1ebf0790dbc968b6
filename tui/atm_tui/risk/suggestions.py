"""What a suggestion of the client would allow from now on that looks dangerous: such a yes is asked for twice too. Pure."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from atm_tui.model.request import FOLDERS, RULES, Request, format_rule
from atm_tui.risk.patterns import find_matches
from atm_tui.risk.rules import (
    ALL,
    CREDENTIALS,
    DANGERS,
    RUNNERS,
    Place,
    Rules,
    command_dangers,
    hidden_characters,
    is_inside,
    strings,
)
from atm_tui.risk.shell import SHELLS, WRAPPERS

_MODES = frozenset({"default", "plan", "acceptEdits"})
"""Modes in which commands are still asked for."""
_WHOLE = frozenset({"Bash", "PowerShell", "Read", "Edit", "MultiEdit", "Write", "NotebookEdit", "WebFetch"})
"""Tools that a rule should narrow down."""
_PROGRAMS = WRAPPERS | SHELLS | {"rm", "find", "dd", "curl", "wget", "eval", "source", ".", "git push"}
"""Programs that can do anything, or much harm, with whatever stands behind them."""


def offer_dangers(
    request: Request, roots: Sequence[str], home: str, wanted: Rules = ALL
) -> tuple[tuple[str, ...], ...]:
    """For each suggestion of the request why it should be asked for twice; () where nothing looks dangerous.

    As model.danger says for the request itself.
    """
    found = []
    for suggestion in request.suggestions:
        ids = set(_found(suggestion, request, roots, home)) - wanted.left_out
        reasons = [DANGERS[each] for each in DANGERS if each in ids]
        found.append((*reasons, *find_matches(wanted.patterns, list(strings(suggestion)))))
    return tuple(found)


def _found(suggestion: Mapping[str, Any], request: Request, roots: Sequence[str], home: str) -> Iterator[str]:
    kind, behavior = suggestion.get("type"), suggestion.get("behavior")
    rules, folders, mode = suggestion.get("rules"), suggestion.get("directories"), suggestion.get("mode")
    if any(map(hidden_characters, strings(suggestion))):
        yield "hidden"
    if kind in RULES and isinstance(rules, list) and rules and all(map(format_rule, rules)):
        # whatever makes less be refused or asked for
        if kind == "replaceRules" or (kind == "removeRules" and behavior != "allow"):
            yield "wide"
        elif kind == "addRules" and behavior == "allow":
            for rule in rules:
                yield from _allowed(rule["toolName"], rule.get("ruleContent"), request, roots, home)
        elif behavior not in ("allow", "deny", "ask"):
            yield "wide"
    elif kind in FOLDERS and isinstance(folders, list) and all(isinstance(each, str) for each in folders):
        if kind == "addDirectories":
            for folder in folders:
                yield from _opened(_absolute(folder, request.cwd, home), roots, home)
    elif kind == "setMode" and isinstance(mode, str):
        if mode not in _MODES:
            yield "mode"
    else:
        yield "wide"  # of a kind that is not known


def _allowed(tool: str, content: str | None, request: Request, roots: Sequence[str], home: str) -> Iterator[str]:
    """A rule that allows."""
    open_end = content is None or not content.strip("*:/ ") or content == "domain:*"
    if (open_end and tool in _WHOLE) or "*" in tool:
        yield "wide"
    if content is None or open_end:
        return
    if tool in ("Bash", "PowerShell"):
        plain = content.removesuffix(":*") if content.endswith(":*") else content
        before = plain.partition("*")[0].strip()
        if plain != content or "*" in content:
            alone = re.fullmatch(r"(?:\S*/)?([^\s/]+)(?: -\S+)*", before)
            if not before or before in _PROGRAMS or (alone and _runs_anything(alone[1])):
                yield "wide"
        yield from command_dangers(plain, request.cwd, Place(roots, home, str))
    elif tool in ("Read", "Edit", "MultiEdit", "Write", "NotebookEdit"):
        if CREDENTIALS.search(content):
            yield "credentials"
        # the client's own spelling: //path is from the root, /path and path from the project
        folder = content.partition("*")[0]
        if folder.startswith(("//", "~")):
            place = _absolute(folder.removeprefix("/"), request.cwd, home)
            yield from _opened(place, roots, home, reads=tool == "Read")


def _runs_anything(program: str) -> bool:
    return program in _PROGRAMS or bool(RUNNERS.fullmatch(program))


def _opened(folder: str, roots: Sequence[str], home: str, *, reads: bool = False) -> Iterator[str]:
    """A folder that can be worked in from now on, or only read in."""
    if CREDENTIALS.search(folder):
        yield "credentials"
    kept = [each for each in (home, *roots) if each]
    above = [each for each in kept if is_inside(each, folder) and each not in roots]
    above += [each for each in roots if each and each != folder and is_inside(each, folder)]
    system = folder.count("/") == 1 and folder != "/tmp"  # noqa: S108 a name, no file
    if folder == "/" or above or (system and not reads):
        yield "wide"


def _absolute(path: str, cwd: str, home: str) -> str:
    if home and (path == "~" or path.startswith("~/")):
        path = home + path[1:]
    return posixpath.normpath(path if path.startswith("/") else f"{cwd}/{path}").replace("//", "/")
