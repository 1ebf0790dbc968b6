"""Finds dangers in the client's suggestions of what to allow from now on, so that a yes has to be confirmed."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from atm_tui.model.request import FOLDERS, RULES, Request, format_rule
from atm_tui.risk.calls import INTERPRETER, RUNS_AFTER, SHELLS, WRAPPERS
from atm_tui.risk.characters import find_hidden_characters
from atm_tui.risk.commands import KNOWN, find_command_dangers
from atm_tui.risk.patterns import find_matches
from atm_tui.risk.places import CREDENTIALS, Place, is_inside, names_our_files
from atm_tui.risk.requests import list_texts
from atm_tui.risk.rules import ALL, DANGERS, Rules
from atm_tui.risk.tables import read_names

_MODES = frozenset({"default", "plan", "acceptEdits"})
"""Modes in which commands still need permission."""
_WHOLE = read_names("Bash PowerShell Read Edit MultiEdit Write NotebookEdit WebFetch")
"""Tools whose rules should be restricted."""
_TAKE_TASKS = frozenset({"run", "run-script", "workspace", "task", "pub"})
"""Words that can be followed by any task of a project."""
_RUNNERS = WRAPPERS | SHELLS | RUNS_AFTER.keys()
"""Programs that run their arguments."""
_GOES_ON = """
-rf src
rm -rf src
delete x
--force
-f
--hard
-D x
. -delete
-delete
main:main
origin main
-X POST -d @x https://example.com
deploy
publish
--amend
-i HEAD~2
git+https://example.com/x
777 x
-9 -1
kill-server
answer
stop x
down -v
drop
/dev/null x
-e 'system("rm -rf src")'
-exec rm {} ;
-i d x
x of=/dev/sda
-- src
a b -delete
pod rm -rf src
-y x
push
reset
x \\; send-keys x
cli send-text x
x.db 'alter table x rename to y'
-c 'alter table x rename to y'
x
x y
apply
-r x
core.hooksPath x
install git+https://example.com/x
install --git https://example.com/x
run example.com/x@latest
upload x
migrate app zero
link set x down
foreach 'rm -rf .'
dcommit
remove --force x
remove -n x
uninstall x
-g x
HISTFILE
0
-s x
prune
--prune=now
--vacuum-time=1d
--filter=sh x
-O'sh -c id' x
--pre x y
-P x
-k 3000/tcp
-m x y
-sdel x
--remove-files x
-rm -r x
-R .
genrsa
--install-extension x
""".strip().splitlines()
"""Arguments to try after the start of an open-ended rule: for each kind of program, one of them is dangerous."""


def find_suggestion_dangers(
    request: Request, roots: Sequence[str], home: str, wanted: Rules = ALL, own: tuple[str, ...] = ()
) -> tuple[tuple[str, ...], ...]:
    """Returns, for each suggestion of the request, the reasons to confirm it; () if nothing looks dangerous.

    The arguments are those of `find_dangers`.
    """
    found = []
    place = Place(roots, home, str, own)
    for suggestion in request.suggestions:
        ids = set(_find_ids(suggestion, request, place)) - wanted.left_out
        reasons = [DANGERS[each] for each in DANGERS if each in ids]
        found.append((*reasons, *find_matches(wanted.patterns, list(list_texts(suggestion)))))
    return tuple(found)


def _find_ids(suggestion: Mapping[str, Any], request: Request, place: Place) -> Iterator[str]:
    kind, behavior = suggestion.get("type"), suggestion.get("behavior")
    rules, folders, mode = suggestion.get("rules"), suggestion.get("directories"), suggestion.get("mode")
    if any(map(find_hidden_characters, list_texts(suggestion))):
        yield "hidden"
    if kind in RULES and isinstance(rules, list) and rules and all(map(format_rule, rules)):
        # whatever reduces what is refused or asked for
        if kind == "replaceRules" or (kind == "removeRules" and behavior != "allow"):
            yield "wide"
        elif kind == "addRules" and behavior == "allow":
            for rule in rules:
                yield from _check_allowed_rule(rule["toolName"], rule.get("ruleContent"), request, place)
        elif behavior not in ("allow", "deny", "ask"):
            yield "wide"
    elif kind in FOLDERS and isinstance(folders, list) and all(isinstance(each, str) for each in folders):
        if kind == "addDirectories":
            for folder in folders:
                yield from _check_opened_folder(_make_absolute(folder, request.cwd, place.home), place)
    elif kind == "setMode" and isinstance(mode, str):
        if mode not in _MODES:
            yield "mode"
    else:
        yield "wide"  # of an unknown kind


def _check_allowed_rule(tool: str, content: str | None, request: Request, place: Place) -> Iterator[str]:
    """Checks a rule of the kind allow."""
    open_end = content is None or not content.strip("*:/ ") or content == "domain:*"
    if (open_end and tool in _WHOLE) or "*" in tool:
        yield "wide"
    if content is None or open_end:
        return
    if tool in ("Bash", "PowerShell"):
        plain = content.removesuffix(":*") if content.endswith(":*") else content
        before = plain.partition("*")[0].strip()
        if (plain != content or "*" in content) and _is_wide(before, request.cwd, place):
            yield "wide"
        yield from find_command_dangers(plain, request.cwd, place)
    elif tool in ("Read", "Edit", "MultiEdit", "Write", "NotebookEdit"):
        if CREDENTIALS.search(content):
            yield "credentials"
        # the client's syntax: //path is absolute, /path and path are relative to the project
        folder = content.partition("*")[0]
        if folder.startswith(("//", "~")):
            opened = _make_absolute(folder.removeprefix("/"), request.cwd, place.home)
            yield from _check_opened_folder(opened, place, reads=tool == "Read")


def _is_wide(before: str, cwd: str, place: Place) -> bool:
    """Returns whether a command with this start can continue in a dangerous way."""
    alone = re.fullmatch(r"(?:\S*/)?([^\s/]+)(?: -\S+)*", before)
    if not before or (alone and (alone[1] in _RUNNERS or INTERPRETER.fullmatch(alone[1]))):
        return True
    if alone and alone[1] not in KNOWN:  # its arguments are not a command
        return False
    found = set(find_command_dangers(before, cwd, place))
    if (
        not alone and before.rsplit(maxsplit=1)[-1] not in _TAKE_TASKS
    ):  # `make test` could be followed by another task, but rarely is
        found.add("task")
    return any(set(find_command_dangers(f"{before} {rest}", cwd, place)) - found for rest in _GOES_ON)


def _check_opened_folder(folder: str, place: Place, *, reads: bool = False) -> Iterator[str]:
    """Checks a folder that can be written, or only read, from now on."""
    roots, home = place.roots, place.home
    if names_our_files(folder, place) or any(is_inside(each, folder) for each in place.own):
        yield "answers"
    if CREDENTIALS.search(folder):
        yield "credentials"
    kept = [each for each in (home, *roots) if each]
    above = [each for each in kept if is_inside(each, folder) and each not in roots]
    above += [each for each in roots if each and each != folder and is_inside(each, folder)]
    system = folder.count("/") == 1 and folder != "/tmp"
    if folder == "/" or above or (system and not reads):
        yield "wide"


def _make_absolute(path: str, cwd: str, home: str) -> str:
    if home and (path == "~" or path.startswith("~/")):
        path = home + path[1:]
    return posixpath.normpath(path if path.startswith("/") else f"{cwd}/{path}").replace("//", "/")
