"""Finds dangers in a request, so that a yes has to be confirmed.

This is a hint, not a protection: it can't see what a script or a custom program does. Nothing is ever refused because of it.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from atm_tui.model.request import PLAN, QUESTION, Request
from atm_tui.risk.characters import find_hidden_characters, mixes_alphabets
from atm_tui.risk.commands import find_command_dangers
from atm_tui.risk.patterns import find_matches
from atm_tui.risk.places import CREDENTIALS, Place, check_written, names_our_files, names_requests, resolve_path
from atm_tui.risk.rules import ALL, DANGERS, Rules
from atm_tui.risk.sql import STATEMENT

MAX_PATH = 50_000
"""Most characters of a path that are examined."""
_TYPES = re.compile(r"tmux|iterm|terminal|osascript|applescript|send_?keys|keystroke|computer[_-]?use", re.IGNORECASE)
"""Parts of the names of MCP tools that could type for a person."""


def find_dangers(
    request: Request,
    roots: Sequence[str],
    home: str,
    wanted: Rules = ALL,
    follow_links: Callable[[str], str] = str,
    own: tuple[str, ...] = (),
) -> tuple[str, ...]:
    """Returns the reasons to confirm this request, in words; () if nothing looks dangerous.

    `roots`: the folders of the project; without any, all files count as outside. `follow_links` resolves the links
    in a path. `own`: as in Place.
    """
    place = Place(tuple(dict.fromkeys((*roots, *map(follow_links, filter(None, roots))))), home, follow_links, own)
    found = dict.fromkeys(each for each in _find_ids(request, place) if each not in wanted.left_out)
    reasons = [DANGERS[each] for each in DANGERS if each in found]
    return (*reasons, *find_matches(wanted.patterns, list(list_texts(request.input))))


def _find_ids(request: Request, place: Place) -> Iterator[str]:
    """Yields the ids of dangers, in no order."""
    given, tool = request.input, request.tool
    if any(map(find_hidden_characters, list_texts(given))):
        yield "hidden"
    if tool in (QUESTION, PLAN):
        return
    if given.get("dangerouslyDisableSandbox") is True:
        yield "sandbox"
    command = given.get("command")
    if isinstance(command, str):
        yield from find_command_dangers(command, request.cwd, place)
    writes = tool in ("Edit", "MultiEdit", "Write", "NotebookEdit")
    for key, value in given.items():
        path = key in ("file_path", "notebook_path", "path", "pattern", "glob", "filename", "file", "uri", "url")
        if not isinstance(value, str) or not (path and (tool != "Grep" or key in ("path", "glob"))):
            continue
        if len(value) > MAX_PATH:
            yield "unread"
            continue
        if mixes_alphabets(value):
            yield "alike"
        where = resolve_path(value, request.cwd, place.home)
        if CREDENTIALS.search(value) or (where and CREDENTIALS.search(place.follow_links(where))):
            yield "credentials"
        if names_requests(value, place) or (tool != "Read" and names_our_files(value, place)):
            yield "answers"
        if writes and key in ("file_path", "notebook_path"):
            yield from check_written(where, place)
    if tool.startswith("mcp__"):
        texts = list(list_texts(given))
        if any(map(STATEMENT.search, texts)):
            yield "data"
        if _TYPES.search(tool) or any(names_our_files(each, place) for each in texts):
            yield "answers"


def list_texts(value: object) -> Iterator[str]:
    """Yields all texts in a value, including its keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield str(key)
            yield from list_texts(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from list_texts(each)
